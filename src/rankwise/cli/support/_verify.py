"""`rankwise info --verify`: the certificate in a model file beside the one that the data give."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import working
from rankwise.cli.support._model_data import LoadedModel
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.rankers.pairs.margin._certificate import MarginCertificate

CLOSE = 1e-6  # by which numbers may differ: another machine may round otherwise


@dataclass(frozen=True)
class Verified:
    """Two certificates of one model: what its file says, and what holds of the data."""

    said: MarginCertificate
    found: MarginCertificate

    @property
    def agrees(self) -> bool:
        """Whether the file says what holds, or less."""
        said, found = self.said, self.found
        same = all(
            abs(getattr(said, name) - getattr(found, name)) <= CLOSE * max(1.0, abs(getattr(found, name)))
            for name in ("pairs", "rho", "share", "guaranteed", "value", "bound")
        )
        return same and found.holds

    def lines(self) -> list[tuple[str, str, str]]:
        """Both, line by line."""
        return [
            (name, said, found) for (name, said), (_, found) in zip(self.said.lines(), self.found.lines(), strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"agrees": self.agrees, "said": asdict(self.said), "found": asdict(self.found)}

    def __str__(self) -> str:
        if self.agrees:
            return "verified: the data bear out every number"
        return "NOT verified: the data say otherwise; are these the rows that the model was trained on?"


def verified(loaded: LoadedModel, files: list[Path], skip_bad: bool) -> Verified:
    """The certificate of a margin model, computed again from its training data."""
    model = loaded.ranker
    if not hasattr(model, "verify"):
        raise DataError(f"--verify is for models of kind margin, which have a certificate, got {model.kind}; drop it")
    rows = loaded.read(files, skip_bad)
    with working("verifying"):
        return Verified(model.certificate_, model.verify(rows))
