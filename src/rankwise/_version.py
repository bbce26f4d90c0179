"""Which rankwise this is; pyproject.toml says it, and it is installed with the package."""

from importlib.metadata import version

__version__ = version("rankwise")
