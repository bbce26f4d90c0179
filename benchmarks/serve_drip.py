"""Slow clients for benchmarks/serve_abuse.py, in a process of their own: `python serve_drip.py HOST COUNT`."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

HEADERS = "POST /rank HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
PAUSE = (0.2, 1.0)  # seconds between two bytes


@contextmanager
def drip(host: str, count: int) -> Iterator[None]:
    """So many slow connections; begins when all are there."""
    process = subprocess.Popen([sys.executable, __file__, host, str(count)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"all are there\n"
        yield
    finally:
        process.kill()
        process.wait()


async def _connection(host: str, kind: int, opened: asyncio.Event) -> None:
    """One after the other, as each is closed: headers that come slowly, a body that does, an answer taken slowly."""
    name, port = host.split(":")
    head = HEADERS.format(host=host).encode()
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(name, int(port), limit=1)
            if kind == 1:
                writer.write(head + b"\r\n")
            if kind == 2:
                writer.write(f"GET /openapi.json HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            opened.set()
            while not writer.is_closing() and not reader.at_eof():
                if kind == 2:
                    await reader.read(1)
                else:
                    writer.write(b" " if kind else b"X")
                    await writer.drain()
                await asyncio.sleep(random.uniform(*PAUSE))
            writer.close()


async def main(host: str, count: int) -> None:
    opened = [asyncio.Event() for _ in range(count)]
    connections = [asyncio.create_task(_connection(host, k % 3, event)) for k, event in enumerate(opened)]
    await asyncio.gather(*(event.wait() for event in opened))
    print("all are there", flush=True)
    await asyncio.gather(*connections)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
