"""Secrets that a client sends in the header `Authorization: Bearer SECRET`."""

from __future__ import annotations

import secrets

MIN_TOKEN_LENGTH = 8


def is_strong(secret: str) -> bool:
    """Whether a secret can stand in a header and is not too easy to guess."""
    return len(secret) >= MIN_TOKEN_LENGTH and secret.isascii() and secret.isprintable() and " " not in secret


def sent_by(authorization: str | None) -> bytes:
    """The secret in a header, empty if there is none."""
    scheme, _, secret = (authorization or "").partition(" ")
    return secret.strip().encode() if scheme.lower() == "bearer" else b""


def is_same(secret: str, sent: bytes) -> bool:
    """Compared in constant time."""
    return secrets.compare_digest(secret.encode(), sent)
