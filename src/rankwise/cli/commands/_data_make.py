"""`rankwise data make`: data of known nature."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs
from rankwise.cli.support._reading import ReadOptions, read_data, reads_data, write_data

Queries = Annotated[int, option("--queries", "Number of queries.", min=1)]
Documents = Annotated[int, option("--documents", "Documents per query.", min=1)]
Features = Annotated[int, option("--features", "Number of features.", min=1)]
Grades = Annotated[int, option("--grades", "Number of labels, 2 to 5.")]


@reads_data
def make_clicks(
    out: options.OutFile,
    judged: Annotated[Path, option("--judged", "Judged data to show lists of.", "DATA")],
    scores: Annotated[Path, option("--scores", "What orders the lists, a number per row.", "FILE")],
    sessions: Annotated[int, option("--sessions", "Lists per query.", min=1)] = 10,
    top: Annotated[int, option("--top", "Documents per list.", min=1)] = 10,
    steepness: Annotated[
        float, option("--steepness", "Position k is seen with probability 1/k to this power.", min=0)
    ] = 1.0,
    shuffle: Annotated[
        float, option("--shuffle", "How far chance moves documents, in deviations of the scores.", min=0)
    ] = 0.3,
    seed: options.SeedOption = 0,
    *,
    reading: ReadOptions,
) -> None:
    """Clicks on lists of judged documents by the position-based model, to try out training on clicks.

    Example: rankwise data make clicks clicks.parquet --judged train.txt --scores scores.txt --sessions 50
    """
    check_outputs([out], [judged, scores], stdout=True)
    from rankwise.cli.support._scores import read_scores
    from rankwise.data import simulate_clicks

    data = read_data([judged], reading)
    shown_by = read_scores(scores, data, skip_bad=False, notes=[])
    log = simulate_clicks(data, shown_by, sessions=sessions, top=top, steepness=steepness, shuffle=shuffle, seed=seed)
    write_data({out: log.data})


def make_cubic(
    out: options.OutFile,
    queries: Queries = 100,
    documents: Documents = 50,
    features: Features = 50,
    grades: Grades = 5,
    seed: options.SeedOption = 0,
) -> None:
    """Uniform features, graded by a random cubic polynomial with few terms, as in the papers on RankNet and LambdaRank.

    Example: rankwise data make cubic cubic.txt --queries 200 --documents 30
    """
    check_outputs([out], stdout=True)
    from rankwise.data import cubic

    write_data({out: cubic(queries, documents, features, grades, seed)})


def make_polynomial(
    out: options.OutFile,
    queries: Queries = 100,
    documents: Documents = 50,
    features: Features = 50,
    grades: Grades = 5,
    seed: options.SeedOption = 0,
) -> None:
    """Uniform features, graded by a random cubic polynomial with all terms.

    Example: rankwise data make polynomial polynomial.txt --queries 200 --documents 30
    """
    check_outputs([out], stdout=True)
    from rankwise.data import polynomial

    write_data({out: polynomial(queries, documents, features, grades, seed)})


def make_r_of_k(
    out: options.OutFile,
    rows: Annotated[int, option("--rows", "Number of rows, all in one list.", min=1)] = 1000,
    features: Features = 100,
    k: Annotated[int, option("--k", "Number of features that matter.", min=1)] = 30,
    r: Annotated[int, option("--r", "How many of them must be +1 for label 1.", min=1)] = 8,
    positive: Annotated[float, option("--positive", "Share of label 1 before the noise.", min=0, max=1)] = 0.5,
    noise: Annotated[float, option("--noise", "Chance that a label is flipped.", min=0, max=1)] = 0.05,
    seed: options.SeedOption = 0,
) -> None:
    """±1 features; the label is 1 if at least r of the k features that matter are +1.

    Example: rankwise data make r-of-k rk.txt --rows 500 --features 40 --k 20 --r 5
    """
    check_outputs([out], stdout=True)
    from rankwise.data import r_of_k

    write_data({out: r_of_k(rows, features, k, r, positive, noise, seed)})


def make_topics(
    out: options.OutFile,
    queries: Queries = 50,
    documents: Documents = 1000,
    features: Features = 44,
    relevant: Annotated[
        float, option("--relevant", "Share of relevant documents, at least one per query.", min=0, max=1)
    ] = 0.01,
    seed: options.SeedOption = 0,
) -> None:
    """Long lists with few relevant documents, as of topic distillation: what samplers are evaluated on.

    Example: rankwise data make topics topics.txt --queries 50 --relevant 0.01
    """
    check_outputs([out], stdout=True)
    from rankwise.data import topics

    write_data({out: topics(queries, documents, features, relevant, seed)})


def make_web(
    out: options.OutFile,
    queries: Queries = 100,
    documents: Documents = 100,
    features: Features = 136,
    seed: options.SeedOption = 0,
) -> None:
    """Graded data as a web search engine's, with labels 0 to 4, for tests of scale.

    Example: rankwise data make web web.txt --queries 1000 --features 46
    """
    check_outputs([out], stdout=True)
    from rankwise.data import web

    write_data({out: web(queries, documents, features, seed)})
