"""Which commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from rankwise.cli._command import Command, Group
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
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("train", cls=Command)(train)
app.command("cv", cls=Command)(cv)
app.command("tune", cls=Command)(tune)
app.command("predict", cls=Command)(predict)
app.command("info", cls=Command)(info)
app.command("explain", cls=Command)(explain)
app.command("export", cls=Command)(export)
app.command("eval", cls=Command)(evaluate)
app.command("compare", cls=Command)(compare)
app.command("fuse", cls=Command)(fuse)
app.command("certify", cls=Command)(certify)
app.command("trade-off", cls=Command)(trade_off)
app.command("local-optimum", cls=Command)(local_optimum)
app.command("simulate", cls=Command)(simulate)
app.command("label", cls=Command)(label)
app.command("serve", cls=Command)(serve)
app.command("metrics", cls=Command)(metrics)
app.command("warm-up", cls=Command)(warm_up)

data = typer.Typer(help="Describe, convert, split, scale and make ranking data.", cls=Group, no_args_is_help=True)
data.command("stats", cls=Command)(stats)
data.command("convert", cls=Command)(convert)
data.command("split", cls=Command)(split)
data.command("normalize", cls=Command)(normalize)
app.add_typer(data, name="data")

make = typer.Typer(help="Make data of known nature, the same for the same seed.", cls=Group, no_args_is_help=True)
make.command("cubic", cls=Command)(make_cubic)
make.command("polynomial", cls=Command)(make_polynomial)
make.command("r-of-k", cls=Command)(make_r_of_k)
make.command("web", cls=Command)(make_web)
make.command("topics", cls=Command)(make_topics)
make.command("clicks", cls=Command)(make_clicks)
data.add_typer(make, name="make")
