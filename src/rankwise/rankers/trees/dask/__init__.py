"""Training and prediction on a Dask cluster; the only place that imports dask, which the extra `dask` installs."""

from rankwise.errors import need_extra

need_extra("dask", "distributed", extra="dask")

from rankwise.rankers.trees.dask._connection import connect  # noqa: E402
from rankwise.rankers.trees.dask._sources import cluster_scores, distribute  # noqa: E402
from rankwise.rankers.trees.dask._trainer import make_cluster_trainer  # noqa: E402

__all__ = ["cluster_scores", "connect", "distribute", "make_cluster_trainer"]
