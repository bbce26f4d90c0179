"""`rankwise serve`: a model behind HTTP."""

from __future__ import annotations

import json as json_text
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import print_notes, working
from rankwise.errors import DataError


def serve(
    model: options.ModelFile,
    host: options.HostOption = "127.0.0.1",
    port: options.PortOption = 8766,
    token: Annotated[
        str | None,
        option(
            "--token", "What clients must send, as Authorization: Bearer SECRET.", "SECRET", envvar="RANKWISE_TOKEN"
        ),
    ] = None,
    workers: Annotated[int, option("--workers", "Processes that answer.", min=1, max=256)] = 1,
    max_bytes: Annotated[int, option("--max-bytes", "Longest body.", min=1)] = 16 << 20,
    max_documents: Annotated[int, option("--max-documents", "Most documents of a request.", min=1)] = 10_000,
    max_connections: Annotated[
        int, option("--max-connections", "Most connections of a worker; more take the place of idle ones.", min=1)
    ] = 1000,
    keep_alive_seconds: Annotated[
        int, option("--keep-alive-seconds", "Longest pause between two requests of a connection.", min=1)
    ] = 75,
    drain_seconds: Annotated[
        float, option("--drain-seconds", "Longest wait for requests under way when stopped.", min=0)
    ] = 10.0,
    json: options.AddressJsonOption = False,
) -> None:
    """Serve a model over HTTP: POST /rank and /explain, GET /model, /health, /metrics and /docs.

    Example: rankwise serve m.rw --port 8766

    Ask it: curl -s localhost:8766/rank -H 'content-type: application/json' -d '{"features": [[1, 2], [3, 4]]}'

    Headers must come within 10 seconds, a body within 60, an answer be taken within 30.

    A new file at MODEL is picked up within a second or two; no request is dropped. SIGTERM and Ctrl-C finish the
    requests under way and end it.
    """
    with working("loading"):
        from rankwise.serve._http import ConnectionLimits
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
    plan = ServeOptions(
        Limits(max_bytes, max_documents),
        token,
        is_loopback(host),
        drain_seconds,
        ConnectionLimits(max_connections, keep_alive_seconds),
    )
    with listening(host, port) as socket:
        url = url_of(host, socket)

        def tell() -> None:
            print(
                json_text.dumps({"url": url, "model": described})
                if json
                else f"{model} (version {described['version']}) is served at {url}, described at {url}docs",
                flush=True,
            )

        if not is_loopback(host):
            print_notes([f"at {host} the token goes over the network in plain text; put a proxy with HTTPS before it"])
        log_to_stderr()
        if workers == 1:
            run(plan, current, Metrics(), socket, tell)
        else:
            run_workers(model, plan, socket, workers, tell)
