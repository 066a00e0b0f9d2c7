# SPDX-License-Identifier: MIT
"""What the commands take: model files, folders of them, and the built-in samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lissom.character import Character

__all__ = ["SAMPLES", "expand", "load"]

# What may stand in place of a file: "sample:humanoid".
SAMPLE_PREFIX = "sample:"
SAMPLES = ("humanoid", "twisted_bar", "two_bone_tube")
_SUFFIXES = {".glb", ".gltf"}


def load(source: str, *, strict: bool = False) -> Character:
    """Load a file, or make the sample that ``source`` names.

    Raises
    ------
    ValueError
        For an unknown sample, and for a file that cannot be used (``GltfError``).
    """
    import lissom

    if source.startswith(SAMPLE_PREFIX):
        name = source.removeprefix(SAMPLE_PREFIX)
        if name not in SAMPLES:
            raise ValueError(f"{source}: no such sample; there are {', '.join(SAMPLES)}")
        make: Callable[[], Character] = getattr(lissom.samples, name)
        return make()
    return lissom.load(source, strict=strict)


def expand(sources: Iterable[str]) -> list[str]:
    """Replace each folder by the .glb and .gltf files below it, sorted; other entries stay as they are.

    Raises
    ------
    ValueError
        For a folder without any.
    """
    result: list[str] = []
    for source in sources:
        folder = Path(source)
        if source.startswith(SAMPLE_PREFIX) or not folder.is_dir():
            result.append(source)
            continue
        found = sorted(str(path) for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES)
        if not found:
            raise ValueError(f"{source}: the folder holds no .glb or .gltf file")
        result += found
    return result
