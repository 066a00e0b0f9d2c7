# SPDX-License-Identifier: MIT
"""
The C++ core of lissom. Import lissom, not this module.
"""

from __future__ import annotations
import typing

__all__: list[str] = ["SkinnedMesh", "set_thread_count", "skin_dual_quat", "skin_linear", "thread_count"]

class SkinnedMesh:
    """
    What skinning reads of a mesh, checked once.
    """
    def __init__(self, positions: typing.Any, indices: typing.Any, weights: typing.Any) -> None: ...
    @property
    def row_count(self) -> int: ...

def set_thread_count(count: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Set it; 0 asks for all.
    """

def skin_dual_quat(
    mesh: SkinnedMesh,
    normals: typing.Any,
    dual_quats: typing.Any,
    scales: typing.Any,
    positions_out: typing.Any,
    normals_out: typing.Any,
) -> None: ...
def skin_linear(
    mesh: SkinnedMesh,
    normals: typing.Any,
    matrices: typing.Any,
    positions_out: typing.Any,
    normals_out: typing.Any,
) -> None: ...
def thread_count() -> int:
    """
    Threads that heavy calls may use.
    """

__version__: str = "0.1.0"
