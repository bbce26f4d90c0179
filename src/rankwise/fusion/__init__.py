"""Several rankings of the same queries made into one."""

from rankwise.fusion._fit import fit_fusion
from rankwise.fusion._fuse import fuse

__all__ = ["fit_fusion", "fuse"]
