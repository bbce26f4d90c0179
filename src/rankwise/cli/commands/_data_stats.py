"""`rankwise data stats`: what a data set holds."""

from __future__ import annotations

from rankwise.cli import _options as options
from rankwise.cli._output import print_json, print_table
from rankwise.cli.support._reading import ReadOptions, read_data, reads_data


@reads_data
def stats(data: options.DataFiles, json: options.JsonOption = False, *, reading: ReadOptions) -> None:
    """Count rows, queries, labels, documents per query, and what may trouble a metric or a model.

    Example: rankwise data stats train.txt
    """
    rows = read_data(data, reading)
    from rankwise.data import describe

    statistics = describe(rows)
    if json:
        print_json(statistics.to_dict())
        return
    grades = [
        (f"label {grade:g}{' (not judged)' if grade < 0 else ''}", f"{count} ({count / statistics.rows:.1%})")
        for grade, count in statistics.grades.items()
    ]
    print_table(
        ("what", "how many"),
        [
            ("rows", str(statistics.rows)),
            ("queries", str(statistics.queries)),
            ("features", str(statistics.features)),
            ("features that are not 0", f"{statistics.density:.1%}"),
            ("missing values", str(statistics.missing_values)),
            (
                "documents per query",
                f"{statistics.documents_min} to {statistics.documents_max}, median {statistics.documents_median:g}, "
                f"mean {statistics.documents_mean:.1f}",
            ),
            *grades,
            ("queries without a relevant document", str(statistics.queries_without_relevant)),
            ("queries with one label only", str(statistics.queries_with_one_grade)),
            ("repeated document ids", str(statistics.duplicate_doc_ids)),
            ("repeated rows of a query", str(statistics.repeated_rows)),
            ("queries whose rows are all alike", str(statistics.queries_of_equal_rows)),
            ("features with one value", str(statistics.constant_features)),
        ],
    )
