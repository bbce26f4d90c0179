"""A request and its answer, whose headers go out together with its body.

uvicorn writes them one after the other, which takes two calls of the system and wakes the client twice, and looks
through every header for signs that must not be there: about as long as a model of few trees takes to score.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

CONNECTION_HEADERS = {b"connection", b"transfer-encoding"}  # on which uvicorn acts


class Exchange(RequestResponseCycle):
    """What an application is called with; an answer that is more than a head and one piece is left to uvicorn."""

    _start: Any = None  # the message that begins an answer, until it is written

    async def send(self, message: Any) -> None:
        """Write a message of the application, or keep the first until the second comes."""
        if message["type"] == "http.response.start" and not self.response_started:
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None and not self._write_whole(start, message):
            await super().send(start)
            await super().send(message)
        elif start is None:
            await super().send(message)

    def _write_whole(self, start: Any, message: Any) -> bool:
        """Write an answer that is there as a whole, and say whether it was one."""
        body: bytes = message.get("body", b"")
        headers = [*self.default_headers, *start.get("headers", ())]
        head = b"".join([b"%b: %b\r\n" % header for header in headers])
        is_whole = (
            message["type"] == "http.response.body"
            and not message.get("more_body", False)
            and (b"content-length", b"%d" % len(body)) in headers
            and CONNECTION_HEADERS.isdisjoint([name for name, _ in headers])
            and head.count(b"\n") == head.count(b"\r") == len(headers)  # else a value would begin another header
            and self.keep_alive
            and self.scope["method"] != "HEAD"
            and not self.flow.write_paused
            and not self.disconnected
        )
        if is_whole:
            self.response_started = self.response_complete = True
            self.waiting_for_100_continue = False
            self.transport.write(STATUS_LINE[start["status"]] + head + b"\r\n" + body)
            self.message_event.set()
            self.on_response()
        return is_whole
