"""`rankwise data stats`: what a data set holds."""

from __future__ import annotations

from rankwise.cli import _options as options
from rankwise.cli._output import print_json, print_table
from rankwise.cli.support._data_files import read_data


def stats(data: options.DataFiles, json: options.JsonOption = False, skip_bad: options.SkipBadOption = False) -> None:
    """Count rows, queries, labels, documents per query, and what may trouble a metric or a model.

    Example: rankwise data stats train.txt
    """
    rows = read_data(data, skip_bad)
    from rankwise.data import describe

    found = describe(rows)
    if json:
        print_json(found.to_dict())
        return
    grades = [
        (f"label {grade:g}{' (not judged)' if grade < 0 else ''}", f"{count} ({count / found.rows:.1%})")
        for grade, count in found.grades.items()
    ]
    print_table(
        ("what", "how many"),
        [
            ("rows", str(found.rows)),
            ("queries", str(found.queries)),
            ("features", str(found.features)),
            ("features that are not 0", f"{found.density:.1%}"),
            ("missing values", str(found.missing_values)),
            (
                "documents per query",
                f"{found.documents_min} to {found.documents_max}, median {found.documents_median:g}, "
                f"mean {found.documents_mean:.1f}",
            ),
            *grades,
            ("queries without a relevant document", str(found.queries_without_relevant)),
            ("queries with one label only", str(found.queries_with_one_grade)),
            ("repeated document ids", str(found.duplicate_doc_ids)),
        ],
    )
