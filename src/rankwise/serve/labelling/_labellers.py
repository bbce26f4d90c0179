"""Who may label: one person without a token, or several with a secret each."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.errors import DataError
from rankwise.labels._checks import check_name
from rankwise.serve._tokens import MIN_TOKEN_LENGTH, is_same, is_strong, sent_by

IMPORTED = "imported"


@dataclass(frozen=True)
class Labellers:
    """Names by secret; where there is no secret, everybody who reaches the page is `alone`."""

    alone: str | None
    by_secret: dict[str, str]

    @classmethod
    def of(cls, tokens: Sequence[str], alone: str) -> Labellers:
        """From texts NAME=SECRET, or NAME, for which a secret is made."""
        by_secret: dict[str, str] = {}
        for token in tokens:
            name, equals, secret = token.partition("=")
            name = check_name(name)
            if not equals:
                secret = secrets.token_urlsafe(24)
            if not is_strong(secret):
                raise DataError(
                    f"the token of {name} must have at least {MIN_TOKEN_LENGTH} plain characters without blanks; "
                    f"pass a longer one, or --token {name} alone, which makes one"
                )
            if secret in by_secret or name in by_secret.values():
                raise DataError(f"every labeller must have one token, and another one each, got {name} again; drop it")
            by_secret[secret] = name
        if IMPORTED in by_secret.values():
            raise DataError(f"the name {IMPORTED} is for labels that came from files; choose another")
        return cls(None if by_secret else check_name(alone), by_secret)

    def named_by(self, authorization: str | None) -> str | None:
        """Who sends this header, None for nobody we know; every secret is compared, in constant time."""
        if self.alone is not None:
            return self.alone
        sent = sent_by(authorization)
        matches = [name for secret, name in self.by_secret.items() if is_same(secret, sent)]
        return matches[0] if matches else None
