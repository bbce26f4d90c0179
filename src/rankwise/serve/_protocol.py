"""HTTP as uvicorn reads it with httptools, which is quicker than h11 but knows no limit of its own."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEADER_BYTES = 32 << 10  # that may come, after those that come at once, without the end of the headers
MAX_WAITING_BYTES = 1 << 20  # of a body that are held back from an application, which may refuse it


class BoundedHttp(HttpToolsProtocol):
    """Refuses headers (and what may follow a body) that do not end; what they could say has no use here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unended = 0
        self._in_headers = False

    def data_received(self, data: bytes) -> None:
        """Some bytes of a connection."""
        if self._unended > MAX_HEADER_BYTES:
            self.send_400_response("The headers are too long.")
            return
        self._unended += len(data)
        super().data_received(data)

    def on_message_begin(self) -> None:
        """The next request."""
        self._unended, self._in_headers = 0, True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; one that follows a body is left out, as it was not there when the request was let in."""
        if self._in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """All headers are there."""
        self._unended, self._in_headers = 0, False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body; ours are read whole, so that the application is not woken for each."""
        self._unended = 0
        if self.cycle.response_complete or len(self.cycle.body) > MAX_WAITING_BYTES:
            super().on_body(body)
        else:
            self.cycle.body += body
