# SPDX-License-Identifier: MIT
"""The crowd of the lessons, drawn as published or with the faces left out that lissom's crowd leaves out."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import mock

from lissom.gpu import _vertices
from lissom.gpu.teaching_crowd import UniformCrowd

ALL_FACES, CULLED = "the lesson's, all faces", "the lesson's"


def lesson(*arguments: Any, culled: bool = False, **options: Any) -> UniformCrowd:
    """A crowd of the lessons; `culled`: without faces from behind of closed pieces of the mesh."""
    if not culled:
        return UniformCrowd(*arguments, as_published=True, **options)
    grouped = _vertices.grouped
    by_piece = lambda mesh, _, *more: grouped(mesh, True, *more)  # noqa: E731
    with mock.patch.object(_vertices, "grouped", by_piece):
        crowd = UniformCrowd(*arguments, as_published=True, **options)
    crowd._mesh.draw = partial(crowd._mesh.draw, two_sided=None)  # type: ignore[method-assign]
    return crowd
