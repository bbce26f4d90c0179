"""`rankwise fuse`: several TREC runs made into one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, print_json, working
from rankwise.errors import DataError

TAG = "rankwise-fuse"  # who made the run

# The same names as in rankwise.fusion, which takes a second to import; a test compares them.
FusionMethod = Literal["rrf", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed", "borda"]
FusionNormalization = Literal["min-max", "z-score", "rank", "none"]


def fuse(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", callback=options.expand, help="Two or more TREC runs (qid Q0 doc rank score tag)."
        ),
    ],
    out: Annotated[Path | None, option("--out", "Run to write.", "FILE", short="-o", default="stdout")] = None,
    method: Annotated[
        FusionMethod, option("--method", "Reciprocal ranks, a combination of normalized scores, or Borda's count.")
    ] = "rrf",
    k: Annotated[float, option("--k", "Of rrf: a document at rank r gets 1/(k + r).", min=0.0)] = 60.0,
    normalize: Annotated[
        FusionNormalization | None,
        option("--normalize", "How scores of a run are scaled, for the methods comb….", default="min-max for comb…"),
    ] = None,
    weight: Annotated[
        list[float] | None,
        option("--weight", "What a run counts, once for each in their order; for rrf, combsum, borda.", default="1"),
    ] = None,
    json: Annotated[bool, option("--json", "Print JSON: what was fused, and the run unless it is written.")] = False,
) -> None:
    """Fuse several TREC runs into one.

    Example: rankwise fuse bm25.txt dense.txt -o fused.txt

    Weighted: rankwise fuse bm25.txt dense.txt --method combsum --weight 1 --weight 2 -o fused.txt
    """
    if len(set(runs)) < len(runs):
        twice = next(path for path in runs if runs.count(path) > 1)
        raise DataError(f"each run is named once, got {twice} twice; let it count more by --weight")
    check_outputs([out], runs)
    with working("fusing"):
        import numpy as np

        from rankwise.cli.support._scores import write_lines
        from rankwise.cli.support._trec_runs import run_lines
        from rankwise.data import RankingData
        from rankwise.data.io._trec import RUN_COLUMNS, SCORE_AT, read_by_query
        from rankwise.fusion import fuse as compute

        tables = {str(path): read_by_query(path, RUN_COLUMNS, SCORE_AT, False, []) for path in runs}
        fused = compute(tables, method, k=k, normalize=normalize, weights=weight or None)
        if out is not None or not json:
            rows = [(query, document, score) for query, run in fused.items() for document, score in run.items()]
            queries, documents, scores = map(np.array, zip(*rows, strict=True))
            data = RankingData(np.zeros((len(rows), 0)), np.zeros(len(rows)), queries, documents)
            write_lines(run_lines(data, scores, TAG), out)
    n_documents = sum(map(len, fused.values()))
    if json:
        summary = {"method": method, "runs": list(tables), "queries": len(fused), "documents": n_documents}
        print_json(summary | ({"run": fused} if out is None else {"out": str(out)}))
    elif out is not None:
        print(f"{out}: {n_documents} documents, {len(fused)} queries")
