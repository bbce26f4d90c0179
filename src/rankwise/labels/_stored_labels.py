"""What the acts of labellers come to: labels, how far they agree, and files of both."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from rankwise.data import RankingData
from rankwise.labels import _judgements as judgements
from rankwise.labels._agreement import Agreement, agreement_of, majority
from rankwise.labels._checks import check_name
from rankwise.labels._files import ImportResult, export_labels, import_labels
from rankwise.labels._stored_acts import StoredActs
from rankwise.types import FloatArray


class StoredLabels(StoredActs):
    """The label of each item, from the judgements that are in force."""

    def labels(self, labeller: str | None = None) -> FloatArray:
        """One label per item, by the majority of labellers or by one of them.

        Parameters
        ----------
        labeller : str, default=None
            Whose labels; those of the majority if it is left out. Of grades that equally many gave, the lowest counts.

        Returns
        -------
        ndarray of shape (n_items,)
            The labels, -1 where nobody holds one.
        """
        held = judgements.in_force(self._database, None if labeller is None else check_name(labeller))
        return majority([item for item, _, _ in held], [grade for _, _, grade in held], self._metadata.n_items)

    def training_data(self, labeller: str | None = None) -> RankingData:
        """The data with their labels in place.

        Parameters
        ----------
        labeller : str, default=None
            Whose labels, as `labels` takes it.

        Returns
        -------
        RankingData
            All items; those without a label have -1.
        """
        return replace(self.data, y=self.labels(labeller))

    def agreement(self) -> Agreement:
        """How far labellers agree on the items that more than one of them has judged.

        Returns
        -------
        Agreement
            Cohen's kappa pair by pair, and Fleiss' kappa of all.
        """
        return agreement_of(judgements.in_force(self._database, None))

    def export_judgements(self, path: str | PathLike[str], labeller: str | None = None) -> int:
        """Write the judged rows with their labels.

        Parameters
        ----------
        path : str or PathLike
            The ending chooses the format: `.qrels` is TREC's, `.csv`, `.tsv` and `.parquet` are tables, any other is
            LETOR text; all but the first have the features too.
        labeller : str, default=None
            Whose labels, as `labels` takes it.

        Returns
        -------
        int
            How many rows were written.

        Raises
        ------
        DataError
            If there is nothing to write, or the path is the store itself.
        """
        self._database.check_other(path)
        return export_labels(self.training_data(labeller), Path(path))

    def import_judgements(
        self, path: str | PathLike[str], labeller: str, *, skip_unknown: bool = False
    ) -> ImportResult:
        """Record the labels of a file as judgements of a labeller: all or none.

        Parameters
        ----------
        path : str or PathLike
            A file of any format that `export_judgements` writes. Rows are found by query and document id; labels
            below 0 are left out, and so is what the labeller holds already.
        labeller : str
            Whose judgements they become.
        skip_unknown : bool, default=False
            Count documents that are not in the store instead of refusing the file.

        Returns
        -------
        ImportResult
            How many labels were recorded, unchanged and unknown.

        Raises
        ------
        DataError
            If a document is not in the store, or a label is no grade.
        """
        self._database.check_other(path)
        return import_labels(self._database, Path(path), check_name(labeller), self.highest_grade, skip_unknown)
