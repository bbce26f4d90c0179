"""The rounds of labelling: what each asked for, and the model that it began with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from rankwise.errors import DataError
from rankwise.labels import _judgements as judgements
from rankwise.labels import _rounds as rounds
from rankwise.labels._checks import check_name
from rankwise.labels._rounds import LabelRound, StoredModel
from rankwise.labels._stored_items import StoredItems


class StoredRounds(StoredItems):
    """The rounds of a store, of which one is open, and their models."""

    def begin_round(
        self,
        number: int,
        items: Iterable[int],
        *,
        sampler: str,
        ranker: str,
        metrics: Mapping[str, float] | None = None,
        gain: float | None = None,
        model: str | PathLike[str] | None = None,
    ) -> None:
        """Close the open round and open the next; of several processes that try, one does.

        Parameters
        ----------
        number : int
            The number of the new round, one more than that of the open one.
        items : iterable of int
            What is to be labelled in it, each item once.
        sampler : str
            The name of the sampler that chose them.
        ranker : str
            The name of the ranker fitted on the labels so far.
        metrics : mapping of str to float, default=None
            How good that ranker is.
        gain : float, default=None
            What the round is expected to add.
        model : str or PathLike, default=None
            The file of that ranker, which is recorded with the round and renamed to `round-NUMBER.rw` in its folder;
            where the round is not begun, it stays as it is.

        Raises
        ------
        DataError
            If another round is next, an item is there twice, a number is not finite, or there is no such model file.
        """
        chosen = [self._check_item(item) for item in items]
        if len(set(chosen)) < len(chosen):
            raise DataError(f"a round must have an item once, got {len(chosen) - len(set(chosen))} twice; drop them")
        sampler, ranker = check_name(sampler, "a sampler"), check_name(ranker, "a ranker")
        with self._database.transaction() as connection:
            labelled = judgements.labelled_items(connection)
            rounds.add_round(connection, number, chosen, sampler, ranker, metrics or {}, gain, labelled)
            if model is not None:
                rounds.add_model(connection, Path(model), f"round-{number}.rw")

    @property
    def position(self) -> tuple[int, int]:
        """The number of the open round and the id of the last judgement: other numbers, and somebody was here."""
        ((round, id),) = self._database.rows(f"SELECT ({rounds.OPEN_ROUND}), ({judgements.LAST_ID})")
        return int(round), int(id)

    def rounds(self) -> list[LabelRound]:
        """All rounds, together the learning curve.

        Returns
        -------
        list of LabelRound
            The open one last; round 0 is what was known before anything was chosen.
        """
        return rounds.read_rounds(self._database)

    def record_model(self, path: str | PathLike[str]) -> StoredModel:
        """Note the model file that belongs to the open round.

        Parameters
        ----------
        path : str or PathLike
            The file, as `rankwise.save` wrote it.

        Returns
        -------
        StoredModel
            Its path, with a digest of its bytes.

        Raises
        ------
        DataError
            If there is no such file.
        """
        with self._database.transaction() as connection:
            return rounds.add_model(connection, Path(path))

    def models(self) -> list[StoredModel]:
        """All models that were recorded.

        Returns
        -------
        list of StoredModel
            The latest last.
        """
        return rounds.read_models(self._database)
