"""Which commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from rankwise.cli._errors import GuardedGroup
from rankwise.cli._options import option
from rankwise.cli.commands._certify import certify
from rankwise.cli.commands._compare import compare
from rankwise.cli.commands._cv import cv
from rankwise.cli.commands._data_convert import convert
from rankwise.cli.commands._data_make import (
    make_clicks,
    make_cubic,
    make_polynomial,
    make_r_of_k,
    make_topics,
    make_web,
)
from rankwise.cli.commands._data_normalize import normalize
from rankwise.cli.commands._data_split import split
from rankwise.cli.commands._data_stats import stats
from rankwise.cli.commands._evaluate import evaluate
from rankwise.cli.commands._explain import explain
from rankwise.cli.commands._export import export
from rankwise.cli.commands._fuse import fuse
from rankwise.cli.commands._info import info
from rankwise.cli.commands._label import label
from rankwise.cli.commands._local_optimum import local_optimum
from rankwise.cli.commands._metrics import metrics
from rankwise.cli.commands._predict import predict
from rankwise.cli.commands._serve import serve
from rankwise.cli.commands._simulate import simulate
from rankwise.cli.commands._trade_off import trade_off
from rankwise.cli.commands._train import train
from rankwise.cli.commands._tune import tune
from rankwise.cli.commands._warm_up import warm_up


def _print_version(wanted: bool) -> None:
    if wanted:
        from rankwise import __version__

        typer.echo(f"rankwise {__version__}")
        raise typer.Exit


def _start(
    version: Annotated[
        bool, option("--version", "Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Train models on a metric, evaluate rankings exactly and fast, compare systems, and prepare ranking data.

    Example: rankwise eval test.txt --scores model.txt --metrics "ndcg@10 map auc"
    """


app = typer.Typer(
    name="rankwise",
    cls=GuardedGroup,
    callback=_start,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("train")(train)
app.command("cv")(cv)
app.command("tune")(tune)
app.command("predict")(predict)
app.command("info")(info)
app.command("explain")(explain)
app.command("export")(export)
app.command("eval")(evaluate)
app.command("compare")(compare)
app.command("fuse")(fuse)
app.command("certify")(certify)
app.command("trade-off")(trade_off)
app.command("local-optimum")(local_optimum)
app.command("simulate")(simulate)
app.command("label")(label)
app.command("serve")(serve)
app.command("metrics")(metrics)
app.command("warm-up")(warm_up)

data = typer.Typer(help="Describe, convert, split, scale and make ranking data.", no_args_is_help=True)
data.command("stats")(stats)
data.command("convert")(convert)
data.command("split")(split)
data.command("normalize")(normalize)
app.add_typer(data, name="data")

make = typer.Typer(help="Make data of known nature, the same for the same seed.", no_args_is_help=True)
make.command("cubic")(make_cubic)
make.command("polynomial")(make_polynomial)
make.command("r-of-k")(make_r_of_k)
make.command("web")(make_web)
make.command("topics")(make_topics)
make.command("clicks")(make_clicks)
data.add_typer(make, name="make")
