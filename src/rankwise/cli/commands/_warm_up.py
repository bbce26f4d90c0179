"""`rankwise warm-up`: compile beforehand what the first commands would compile, for images and slow machines."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import print_json, working
from rankwise.errors import MissingExtraError

if TYPE_CHECKING:
    from rankwise.data import RankingData


def warm_up(
    metrics: Annotated[str, option("--metrics", "What to train and evaluate by.")] = "ndcg@10 map auc mrr",
    json: options.JsonOption = False,
) -> None:
    """Compile what reading, evaluating, training and scoring by these metrics run, and keep it for later processes.

    Compiled code is kept in the folder of the package, or in NUMBA_CACHE_DIR where that is set. In a Dockerfile, write
    RUN rankwise warm-up after the line that installs rankwise.

    Example: rankwise warm-up --metrics "ndcg@10 auc"
    """
    with working("loading"):
        import rankwise as rw
        from rankwise.kernels._compile import on_compile
        from rankwise.kernels._tiers import compiled_always
        from rankwise.metrics._names import parse_all
        from rankwise.rankers.trees._predict import make_booster_table

    parsed = [str(metric) for metric in parse_all(metrics)]
    compiled: list[bool] = []
    start = time.perf_counter()
    with working("compiling"), on_compile(compiled.append), compiled_always():
        short, long = _rows(n_queries=8, n_documents=12), _rows(n_queries=2, n_documents=600)
        for metric in parsed:
            trees = rw.LambdaMART(metric, n_estimators=2).fit(short, eval_set=short)
            rw.LambdaMART(metric, n_estimators=2, surrogate="swap", grow_policy="lossguide").fit(long)
        table = make_booster_table(trees.boosters_[0])
        assert table is not None
        table.scores(short.X, n_threads=1)
        _read_request(short.n_features)
        model = rw.RankSVM(parsed[0], quantiles=True).fit(short)
        scores = model.predict(short)
        rw.compare(short, {"one": scores, "other": -scores}, metrics=parsed)
    seconds, count = time.perf_counter() - start, sum(compiled)
    if json:
        print_json({"compiled": count, "seconds": seconds, "metrics": parsed})
    else:
        print(f"compiled {count} functions in {seconds:.1f} s for {', '.join(parsed)}")


def _rows(n_queries: int, n_documents: int) -> RankingData:
    """Queries of random documents, by way of a file of text, which is read by compiled code too."""
    import numpy as np

    import rankwise as rw
    from rankwise.data import RankingData

    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(n_queries), n_documents)
    data = RankingData(rng.normal(size=(qid.size, 3)), np.arange(qid.size) % 5, qid)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.txt"
        rw.write(data, path)
        return rw.read(path)


def _read_request(n_features: int) -> None:
    """Read a request as `rankwise serve` does, if its extra is installed."""
    try:
        from rankwise.serve.ranking._requests import JsonReader
        from rankwise.serve.ranking._schemas import ModelFeatures
    except MissingExtraError:
        return
    features = ModelFeatures(names=None, count=n_features, takes_missing=True, kind="lambdamart")
    JsonReader(features).read(b'{"features":[[%b]]}' % b",".join([b"1"] * n_features), max_documents=1)
