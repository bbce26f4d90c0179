"""`rankwise label`: a page to label in, one round after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankwise.cli import _options as options
from rankwise.cli._output import check_outputs, working
from rankwise.cli.commands._simulate import RankerKind
from rankwise.cli.support._label_service import link_of, login, open_store, tell
from rankwise.cli.support._model_data import read_features
from rankwise.errors import DataError


def label(
    data: options.DataFiles,
    db: Annotated[
        Path,
        typer.Option(
            "--db", metavar="FILE.db", show_default=False, help="Label store; made from DATA if it is not there."
        ),
    ],
    text: Annotated[
        Path | None,
        typer.Option("--text", metavar="FILE.jsonl", help="What documents and queries say, one JSON object per line."),
    ] = None,
    sampler: Annotated[
        str, typer.Option("--sampler", metavar="NAME", help="What chooses documents, once a model can be fitted.")
    ] = "top",  # lookahead is for linear rankers: docs/benchmarks.md
    ranker: Annotated[RankerKind, typer.Option("--ranker", help="Model to fit after each round.")] = "lambdamart",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", show_default=False, help="A parameter of the model, once each."),
    ] = None,
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="What to fit and judge by; see rankwise metrics.")
    ] = "ndcg@10",
    test: Annotated[
        list[Path] | None,
        typer.Option(
            "--test",
            metavar="DATA",
            show_default="cross-validation over labelled queries",
            help="Labelled data for the learning curve, once per file.",
        ),
    ] = None,
    labelled: Annotated[
        list[Path] | None,
        typer.Option(
            "--labelled",
            metavar="DATA",
            show_default=False,
            help="Labels that there are already, once per file: documents of DATA, by query and document id.",
        ),
    ] = None,
    per_query: Annotated[int, typer.Option("--per-query", min=1, help="Documents of a query in a round.")] = 5,
    queries: Annotated[int, typer.Option("--queries", min=1, help="Queries in a round, fewest labels first.")] = 10,
    overlap: Annotated[int, typer.Option("--overlap", min=1, help="How many labellers judge each document.")] = 1,
    token: Annotated[
        list[str] | None,
        typer.Option(
            "--token",
            metavar="NAME[=SECRET]",
            show_default=False,
            help="A labeller, once each; a secret is made where none is given. Without any, you label alone.",
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to serve at; others than this need --token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 8765,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    seed: options.SeedOption = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON with the address.")] = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Serve a page to label documents in; a sampler chooses them, a model is refitted after each round.

    Example: rankwise label pool.txt --db labels.db --text docs.jsonl --sampler lossmin --ranker lambdamart

    Several labellers: rankwise label pool.txt --db labels.db --token ana --token ben --overlap 2

    Ctrl-C ends it. Nothing is lost: the same command goes on where it ended.
    """
    with working("loading"):
        from rankwise.cli.support._settings import make_ranker
        from rankwise.sampling import get_sampler
        from rankwise.serve._server import is_loopback, listening, serve, url_of
        from rankwise.serve.labelling._app import make_app
        from rankwise.serve.labelling._labellers import Labellers
        from rankwise.serve.labelling._learning import Learner
        from rankwise.serve.labelling._refit import Chooser, Refit
        from rankwise.serve.labelling._session import Session

        def unfitted() -> Any:
            return make_ranker(ranker, metric, seed, settings or [])

        measured = str(unfitted().metric)  # what is wrong with it need not wait for large files
        chooser = Chooser(get_sampler(sampler), per_query, queries, seed)
    labellers = Labellers.of(token or [], login())
    people = max(len(labellers.by_secret), 1)
    if not is_loopback(host) and not labellers.by_secret:
        raise DataError(f"at {host} everybody on the network could label; name who may by --token NAME")
    if overlap > people:
        raise DataError(f"--overlap {overlap} needs as many labellers, got {people}; name them by --token")
    check_outputs([db], [*data, *([text] if text else []), *(test or []), *(labelled or [])])
    rows = read_features(data, skip_bad)
    judged = read_features(test, skip_bad).with_features(rows.feature_names, rows.n_features) if test else None
    with listening(host, port) as socket, open_store(db, rows, text, labelled or []) as store:
        learner = Learner(unfitted, measured, judged, seed)
        session = Session(Refit(store, chooser, learner, ranker, Path(f"{db}.models")), overlap=overlap)
        url = url_of(host, socket)
        links = {who: link_of(url, secret) for secret, who in labellers.by_secret.items()}
        app = make_app(session, labellers, loopback_only=is_loopback(host))
        try:
            serve(app, socket, ready=lambda: tell(url, links, json, not no_open))
        finally:
            session.close()
        if not json:
            print(f"{db} holds {int((store.labels() >= 0).sum())} labels of {len(rows)} documents")
