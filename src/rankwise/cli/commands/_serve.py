"""`rankwise serve`: a model behind HTTP."""

from __future__ import annotations

import json as json_text
from typing import Annotated

import typer

from rankwise.cli import _options as options
from rankwise.cli._output import working
from rankwise.errors import DataError


def serve(
    model: options.ModelFile,
    host: Annotated[str, typer.Option("--host", help="Address to serve at; others than this need --token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 8766,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="SECRET",
            envvar="RANKWISE_TOKEN",
            show_default=False,
            help="What clients must send, as Authorization: Bearer SECRET.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Processes that answer.")] = 1,
    max_bytes: Annotated[int, typer.Option("--max-bytes", min=1, help="Longest body.")] = 16 << 20,
    max_documents: Annotated[int, typer.Option("--max-documents", min=1, help="Most documents of a request.")] = 10_000,
    drain_seconds: Annotated[
        float, typer.Option("--drain-seconds", min=0, help="Longest wait for requests under way when stopped.")
    ] = 10.0,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON with the address.")] = False,
) -> None:
    """Serve a model over HTTP: POST /rank and /explain, GET /health, /metrics and /docs.

    Example: rankwise serve m.rw --port 8766

    Ask it: curl -s localhost:8766/rank -H 'content-type: application/json' -d '{"features": [[1, 2], [3, 4]]}'

    A new file at MODEL is picked up within a second or two; no request is dropped. SIGTERM and Ctrl-C finish the
    requests under way and end it.
    """
    with working("loading"):
        from rankwise.serve._server import is_loopback, listening, url_of
        from rankwise.serve._tokens import MIN_TOKEN_LENGTH, is_strong
        from rankwise.serve.ranking._app import Limits
        from rankwise.serve.ranking._metrics import Metrics
        from rankwise.serve.ranking._model import CurrentModel
        from rankwise.serve.ranking._run import ServeOptions, log_to_stderr, run, run_workers

    if token is not None and not is_strong(token):
        raise DataError(
            f"the token must have at least {MIN_TOKEN_LENGTH} plain characters without blanks; pass another"
        )
    if token is None and not is_loopback(host):
        raise DataError(f"at {host} everybody on the network could ask; pass --token SECRET, or set RANKWISE_TOKEN")
    with working("loading the model"):
        current = CurrentModel(model)  # what is wrong with it is said before anything listens
    described = current.now.described()
    plan = ServeOptions(Limits(max_bytes, max_documents), token, is_loopback(host), drain_seconds)
    with listening(host, port) as socket:
        url = url_of(host, socket)

        def tell() -> None:
            print(
                json_text.dumps({"url": url, "model": described})
                if json
                else f"{model} (version {described['version']}) is served at {url}, described at {url}docs",
                flush=True,
            )

        log_to_stderr()
        if workers == 1:
            run(plan, current, Metrics(), socket, tell)
        else:
            run_workers(model, plan, socket, workers, tell)
