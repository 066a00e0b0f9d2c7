# SPDX-License-Identifier: MIT
"""Arrays of vertices, as the form "vertices" has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lissom._export import vertices_files
from lissom._export.played import PlayedVertices
from lissom._export.vertex_animation import VertexAnimation
from lissom._verify.files import only_file
from lissom._verify.found_clip import FoundClip
from lissom._verify.request import JUDGE, Request
from lissom._verify.steps import are_halves, step_of_halves

__all__ = ["found_vertices", "read_vertices"]


def read_vertices(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clips of arrays that the form "vertices" wrote."""
    file = only_file(path, ".npz", ".safetensors")
    names, method, dtype = vertices_files.told(file)
    for name in names:
        if not request.wants(name):
            continue
        try:
            animation = vertices_files.read(file, name)
        except ValueError as error:
            if str(file) in str(error):
                raise
            raise ValueError(f"{JUDGE}: {file}: {error}") from None
        offsets = animation.positions - animation.mesh.positions
        step = step_of_halves(offsets) if dtype == np.float16 or are_halves(offsets) else 0.0
        yield found_vertices(name, animation, request, method=method, step=step)


def found_vertices(name: str, animation: VertexAnimation, request: Request, **more: Any) -> FoundClip:
    """Return a clip of vertices as its engine plays it."""
    played = PlayedVertices(animation, request.playback or "interpolate")
    return FoundClip(name, played, animation.mesh, lambda frames: animation.positions[frames], **more)
