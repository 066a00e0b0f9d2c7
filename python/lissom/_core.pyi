# SPDX-License-Identifier: MIT
"""
The C++ core of lissom. Import lissom, not this module.
"""

from __future__ import annotations
import typing

__all__: list[str] = [
    "SkinnedMesh",
    "Tracks",
    "check_parents",
    "model_matrices",
    "set_thread_count",
    "skin_dual_quat",
    "skin_linear",
    "thread_count",
    "tracks_span",
]

class SkinnedMesh:
    """
    What skinning reads of a mesh, checked once.
    """
    def __init__(self, positions: typing.Any, indices: typing.Any, weights: typing.Any) -> None: ...
    @property
    def row_count(self) -> int: ...

class Tracks:
    """
    The tracks of a clip, checked whole and prepared for sampling.
    """
    def __init__(self, keys: typing.Any, tracks: typing.Any, rest: typing.Any) -> None: ...
    def sample(self, times: typing.Any, out: typing.Any, loop: bool) -> None:
        """
        Write the local pose at each time into out.
        """

def check_parents(parents: typing.Any) -> None:
    """
    Refuse a parent that does not come before its child.
    """

def model_matrices(parents: typing.Any, poses: typing.Any, out: typing.Any) -> None:
    """
    Write model_from_joint of every joint and pose into out.
    """

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

def tracks_span(
    keys: typing.Any, tracks: typing.Any, joint_count: typing.SupportsInt | typing.SupportsIndex
) -> tuple[float, float]:
    """
    Check tracks but not their keys; return the first and last key time.
    """

__version__: str = "0.1.0"
