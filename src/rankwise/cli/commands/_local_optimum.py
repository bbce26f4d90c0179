"""`rankwise local-optimum`: does a metric rise when what a model learned is moved in random directions?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, check_writable, print_json, print_table, working
from rankwise.cli.support._models import load_model
from rankwise.cli.support._progress import progress_bar
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data


@reads_data
def local_optimum(
    model: options.ModelFile,
    data: options.DataFiles,
    metric: Annotated[
        str | None, option("--metric", "What should not rise; see rankwise metrics.", "NAME", default="the model's own")
    ] = None,
    directions: Annotated[int, option("--directions", "Random directions to try.", min=1)] = 100,
    confidence: Annotated[float, option("--confidence", "Of the statement and of the interval, below 1.")] = 0.95,
    picture: Annotated[Path | None, option("--picture", "Draw the directions, as PNG or SVG.", "FILE.png")] = None,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Test whether a model is at a local optimum of its metric, by the Monte Carlo test of Donmez et al. (2009).

    Example: rankwise local-optimum m.rw train.txt --directions 200 --picture rays.png
    """
    check_outputs([picture], [model, *data])
    with working("loading"):
        from rankwise.analysis import local_optimum as compute
        from rankwise.metrics import parse

        if metric is not None:
            parse(metric)  # what is misspelt need not wait for a large file
    if picture is not None:
        from rankwise.reports._pictures import check_picture_name

        check_picture_name(picture)
        check_writable(picture)
    loaded = load_model(model)
    rows = read_features(data, reading)
    with progress_bar(directions) as callbacks:
        result = compute(
            loaded,
            rows,
            metric,
            directions=directions,
            confidence=confidence,
            random_state=seed,
            callbacks=callbacks,
        )
    if picture is not None:
        from rankwise.reports import write_picture

        write_picture(picture, result)
    if json:
        print_json(result.to_dict())
        return
    print(f"{result.metric} {result.value:.4f} on {result.n_queries:,} queries, {result.parameters}\n")
    print_table(*result.step_table())
    print("", *result.statements(), sep="\n")
