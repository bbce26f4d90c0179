"""`rankwise label`: a page to label in, one round after the other."""

from __future__ import annotations

import getpass
import json as json_text
import os
import sys
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from rankwise.cli import _options as options
from rankwise.cli._options import RankerKind, option
from rankwise.cli._output import check_outputs, working
from rankwise.cli.commands._label_store import LabelSources, existing_store
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.errors import DataError

IMPORTED = "imported"


@reads_data
def label(
    db: Annotated[Path, option("--db", "Label store; made if it is not there.", "FILE.db")],
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DATA]",
            callback=options.expand,
            help="Files of documents with features, as other commands take them; none to label texts alone.",
        ),
    ] = None,
    text: Annotated[
        Path | None,
        option("--text", "What documents say, one JSON object per line with id, title and text.", "FILE.jsonl"),
    ] = None,
    queries: Annotated[
        Path | None,
        option("--queries", "Queries to find documents for in --text, one per line: [ID, tab,] text.", "FILE.txt"),
    ] = None,
    pool: Annotated[int, option("--pool", "Documents per query, best by BM25, of --text and --queries.", min=1)] = 50,
    grades: Annotated[
        str | None,
        option("--grades", "Words for grades, from 0 up, with commas between.", "WORDS", default="numbers, 0 to 4"),
    ] = None,
    sampler: Annotated[
        str, option("--sampler", "What chooses documents, once a model can be fitted.", "NAME")
    ] = "top",  # lookahead is for linear rankers: docs/benchmarks.md
    ranker: Annotated[RankerKind, option("--ranker", "Model to fit after each round.")] = "lambdamart",
    settings: options.SettingsOption = None,
    metric: Annotated[
        str, option("--metric", "What to fit and evaluate by; see rankwise metrics.", "NAME")
    ] = "ndcg@10",
    test: Annotated[
        list[Path] | None,
        option(
            "--test",
            "Labelled data for the learning curve, once per file.",
            "DATA",
            default="cross-validation over labelled queries",
        ),
    ] = None,
    labelled: Annotated[
        list[Path] | None,
        option(
            "--labelled",
            "Labels that there are already, once per file: documents of DATA, by query and document id.",
            "DATA",
        ),
    ] = None,
    per_query: Annotated[int, option("--per-query", "Documents of a query in a round.", min=1)] = 5,
    per_round: Annotated[int, option("--per-round", "Queries in a round, fewest labels first.", min=1)] = 10,
    overlap: Annotated[int, option("--overlap", "How many labellers judge each document.", min=1)] = 1,
    token: Annotated[
        list[str] | None,
        option(
            "--token",
            "A labeller, once each; a secret is made where none is given. Without any, you label alone.",
            "NAME[=SECRET]",
        ),
    ] = None,
    host: options.HostOption = "127.0.0.1",
    port: options.PortOption = 8765,
    no_open: Annotated[bool, option("--no-open", "Open no browser.")] = False,
    seed: options.SeedOption = 0,
    json: options.AddressJsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Serve a page to label documents in; a sampler chooses them, a model is refitted after each round.

    Example: rankwise label --text docs.jsonl --queries queries.txt --db labels.db --grades "bad,fair,good"

    With features of your own: rankwise label pool.txt --db labels.db --text docs.jsonl

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

        metric_name = str(unfitted().metric)  # what is wrong with it need not wait for large files
        chooser = Chooser(get_sampler(sampler), per_query, per_round, seed)
    labellers = Labellers.of(token or [], _login())
    people = max(len(labellers.by_secret), 1)
    if not is_loopback(host) and not labellers.by_secret:
        raise DataError(f"at {host} everybody on the network could label; name who may by --token NAME")
    if overlap > people:
        raise DataError(f"--overlap {overlap} needs as many labellers, got {people}; name them by --token")
    texts = [path for path in (text, queries) if path is not None]
    check_outputs([db], [*(data or []), *texts, *(test or []), *(labelled or [])])
    sources = LabelSources(read_features(data, reading) if data else None, text, queries, pool, grades)
    with ExitStack() as stack:
        store = existing_store(db)
        if store is None:
            new = sources.read(db)
            rows = new.data
        else:
            stack.enter_context(store)
            sources.check_store(store, db)
            rows = store.data if sources.data is None else sources.data
        test_rows = (
            read_features(test, reading).with_features(rows.feature_names, rows.n_features, rows.categories)
            if test
            else None
        )
        socket = stack.enter_context(listening(host, port))
        if store is None:
            store = stack.enter_context(new.create(db))
        for file in labelled or []:
            store.import_judgements(file, IMPORTED)
        learner = Learner(unfitted, metric_name, test_rows, seed)
        session = Session(Refit(store, chooser, learner, ranker, Path(f"{db}.models")), overlap=overlap)
        url = url_of(host, socket)
        links = {labeller: _link(url, secret) for secret, labeller in labellers.by_secret.items()}
        app = make_app(session, labellers, loopback_only=is_loopback(host))
        try:
            serve(app, socket, ready=lambda: _announce(url, links, json, not no_open))
        finally:
            session.close()
        if not json:
            print(f"{db} holds {int((store.labels() >= 0).sum())} labels of {len(rows)} documents")


def _login() -> str:
    """The name under which somebody labels alone."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container may run as somebody without a name
        return "me"


def _link(url: str, secret: str) -> str:
    """A link that carries a token where no server sees it: behind the #."""
    return f"{url}#token={quote(secret, safe='')}"


def _announce(url: str, links: dict[str, str], json: bool, opens_browser: bool) -> None:
    """Say where the page is, and open it for somebody who labels alone and has a screen."""
    if json:
        print(json_text.dumps({"url": url, "labellers": links}), flush=True)
    elif links:
        for labeller, link in links.items():
            print(f"{labeller}: {link}", flush=True)
    else:
        print(f"label at {url}", flush=True)
    if not json:
        print("Ctrl-C ends it; every judgement is kept.", flush=True)
    # Without a screen a browser of the terminal would take the place of this program.
    if (
        opens_browser
        and not links
        and (sys.platform in ("darwin", "win32") or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ))
    ):
        webbrowser.open(url)
