# SPDX-License-Identifier: MIT
"""Options that several commands have, and how their values are checked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Blend",
    "Clips",
    "Json",
    "ModelOrBake",
    "Without",
    "one_of",
    "png",
    "source_meant",
    "sources_meant",
]


def source_meant(name: str) -> str:
    """Write out the name of a sample; other sources stay as they are."""
    from lissom.cli.inputs import sample_meant

    return sample_meant(name)


def sources_meant(names: list[str]) -> list[str]:
    """Write out the names of samples."""
    return [source_meant(name) for name in names]


def one_of(names: Collection[str]) -> Callable[[str | None], str | None]:
    """Return the check of an option that is left out, or one of these names."""

    def check(name: str | None) -> str | None:
        if name is not None and name not in names:
            raise typer.BadParameter(f"there are {', '.join(names)}, not {name!r}")
        return name

    return check


def png(path: Path) -> Path:
    """Refuse the name of a picture that is no PNG file."""
    if path.suffix.lower() != ".png":
        raise typer.BadParameter(f"pictures are PNG files; give a name that ends in .png, not {path.name!r}")
    return path


def _blend(text: str | None) -> str | None:
    if text not in (None, "bend"):
        try:
            fits = 0 <= float(text) <= 1
        except ValueError:
            fits = False
        if not fits:
            raise typer.BadParameter(f"give a number from 0 to 1, or bend, not {text!r}")
    return text


ModelOrBake = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        callback=source_meant,
        help="A .glb, .gltf or .bvh file, a bake (.safetensors), or a sample.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to stdout, and nothing else there.")]
Blend = Annotated[
    str | None,
    typer.Option(
        "--blend",
        metavar="SHARE|bend",
        callback=_blend,
        help="For the method blended: the share of dual quaternions, 0 to 1 (else: 0.5), or bend: painted, "
        "less where joints bend.",
    ),
]
Clips = Annotated[
    list[str] | None, typer.Option("--clips", metavar="NAME", help="This clip only; may be repeated.")
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="PART", help="Leave out this part of the mesh; may be repeated."),
]
