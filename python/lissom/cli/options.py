# SPDX-License-Identifier: MIT
"""Options that several commands share, and the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

import typer

from lissom._base.names import either
from lissom._formats.picture_files import PICTURES

__all__ = [
    "Blend",
    "Clips",
    "EqualSize",
    "Json",
    "ModelOrBake",
    "ModelsOrBake",
    "Morphs",
    "Resume",
    "Without",
    "Workers",
    "full_source",
    "full_sources",
    "one_of",
    "optional_picture_path",
    "picture_path",
]


def full_source(name: str) -> str:
    """Return a sample's full name for its short one, such as bar; other sources as they are."""
    from lissom._jobs.sources import sample_meant

    return sample_meant(name)


def full_sources(names: list[str]) -> list[str]:
    """Return sources with the full names of samples."""
    return [full_source(name) for name in names]


def one_of(names: Collection[str]) -> Callable[[str | None], str | None]:
    """Return the check of an option that must be omitted or one of these names."""

    def check(name: str | None) -> str | None:
        if name is not None and name not in names:
            raise typer.BadParameter(f"must be one of {', '.join(names)}, got {name!r}")
        return name

    return check


def picture_path(path: Path) -> Path:
    """Return the path of a picture; refuse other endings."""
    if path.suffix.lower() not in PICTURES:
        raise typer.BadParameter(f"must end in {either(PICTURES)}, got {path.name!r}")
    return path


def optional_picture_path(path: Path | None) -> Path | None:
    """Return the path of a picture, if there is one; refuse other endings."""
    return None if path is None else picture_path(path)


def _blend(text: str | None) -> str | None:
    if text not in (None, "bend"):
        try:
            fits = 0 <= float(text) <= 1
        except ValueError:
            fits = False
        if not fits:
            raise typer.BadParameter(f"must be a number from 0 to 1, or bend, got {text!r}")
    return text


ModelOrBake = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        callback=full_source,
        help="A .glb, .gltf, .vrm or .bvh file, a bake (.safetensors), or a sample.",
    ),
]
ModelsOrBake = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        callback=full_sources,
        help=".glb, .gltf, .vrm or .bvh files or samples, side by side; or a bake (.safetensors).",
    ),
]
EqualSize = Annotated[
    bool,
    typer.Option("--equal-size", help="Scale several characters to the height of the first, as they rest."),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "-j", "--jobs", metavar="N", min=1, help="Number of worker processes (default: one per core)."
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume/--anew", help="Keep the results of earlier runs with the same inputs, or make everything."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, and nothing else, to stdout.")]
Blend = Annotated[
    str | None,
    typer.Option(
        "--blend",
        metavar="SHARE|bend",
        callback=_blend,
        help="Share of dual quaternions in the method blended, 0 to 1 (default: 0.5), or bend: a share per "
        "vertex, smaller where joints bend.",
    ),
]
Clips = Annotated[
    list[str] | None, typer.Option("--clips", metavar="NAME", help="Take this clip only; may be repeated.")
]
Morphs = Annotated[
    list[str] | None,
    typer.Option(
        "--morph",
        metavar="NAME=WEIGHT",
        help="Weight of a morph target, or of an expression of an avatar, over that of the clip; may be "
        "repeated.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="PART", help="Leave out this part of the mesh; may be repeated."),
]
