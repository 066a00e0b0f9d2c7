# SPDX-License-Identifier: MIT
"""Options of commands that bake: what is baked, and how."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lissom._base.methods import BAKED_METHODS
from lissom._base.names import either
from lissom.cli.options import full_sources, one_of

__all__ = ["BAKE", "Inputs", "MaxError", "Method", "Rates", "RootMotion", "TexelType", "parsed_rates"]

BAKE = "The bake"  # heading in --help


class Dtype(StrEnum):
    """Number types of texels."""

    float16 = "float16"
    float32 = "float32"
    uint8 = "uint8"


def _check_rates(texts: list[str] | None) -> list[str] | None:
    """Refuse what is no rate."""
    if texts:
        parsed_rates(texts)
    return texts


def parsed_rates(texts: list[str]) -> float | dict[str, float] | None:
    """Return one rate for all clips, or rates by the names of clips; None for no text."""
    rates: dict[str, float] = {}
    for text in texts:
        clip, _, number = text.rpartition("=")
        try:
            rates[clip] = float(number)
        except ValueError:
            rates[clip] = 0.0
        if not 0.0 < rates[clip] < float("inf"):
            raise typer.BadParameter(f"must be a number above 0, or CLIP=NUMBER, got {text!r}")
    if "" in rates and len(texts) > 1:
        raise typer.BadParameter(
            f"must be one RATE for all clips, or CLIP=RATE for each, got {', '.join(texts)}"
        )
    return rates.get("", rates or None)


Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="IN",
        callback=full_sources,
        help="Model files, folders of them, samples; or one job file, .toml.",
    ),
]
Rates = Annotated[
    list[str] | None,
    typer.Option(
        "--rate",
        metavar="RATE|CLIP=RATE",
        callback=_check_rates,
        help="Frames per second of all clips, or of one clip (default: from the keys of each clip).",
        rich_help_panel=BAKE,
    ),
]
MaxError = Annotated[
    float | None,
    typer.Option(
        "--max-error",
        min=0.0,
        help="Largest error of the bake, as a fraction of the character's size.",
        rich_help_panel=BAKE,
    ),
]
TexelType = Annotated[
    Dtype | None,
    typer.Option(
        "--dtype",
        metavar="TYPE",
        help=f"Number type of the texels: {either(Dtype)} (default: float16).",
        rich_help_panel=BAKE,
    ),
]
RootMotion = Annotated[
    bool,
    typer.Option(
        "--root-motion",
        help="Bake in place clips that travel or rotate; a bake stores their root motion apart.",
        rich_help_panel=BAKE,
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="|".join(BAKED_METHODS),
        callback=one_of(BAKED_METHODS),
        help="Skinning method by which errors are measured.",
        rich_help_panel=BAKE,
    ),
]
