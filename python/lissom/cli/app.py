# SPDX-License-Identifier: MIT
"""The parser of the command line, assembled from the commands."""

from __future__ import annotations

from typing import Annotated

import typer

from lissom.cli.commands.bake import bake
from lissom.cli.commands.catalog import catalog
from lissom.cli.commands.compare import compare
from lissom.cli.commands.crowd import crowd
from lissom.cli.commands.demo import demo
from lissom.cli.commands.doctor import doctor
from lissom.cli.commands.export import export
from lissom.cli.commands.info import info
from lissom.cli.commands.render import render
from lissom.cli.commands.retarget import retarget
from lissom.cli.commands.show import show
from lissom.cli.commands.validate import validate
from lissom.cli.commands.verify import verify
from lissom.cli.commands.view import view

__all__ = ["app"]

app = typer.Typer(
    name="lissom",
    help="Inspect, check, bake and draw animated characters. Needs no window and no GPU.",
    epilog="Instead of a FILE, every command takes a built-in sample: humanoid, child, giant, bar or tube "
    "(where a file has that name: sample:humanoid).",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_given: bool) -> None:
    if is_given:
        from lissom import __version__

        typer.echo(f"lissom {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass


for command in (
    demo,
    info,
    validate,
    bake,
    catalog,
    export,
    verify,
    retarget,
    view,
    show,
    render,
    compare,
    crowd,
    doctor,
):  # as --help lists them
    app.command()(command)
