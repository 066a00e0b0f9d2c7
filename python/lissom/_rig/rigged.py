# SPDX-License-Identifier: MIT
"""What measuring asks of a character, so that clips need not know characters."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from lissom._rig.mesh import Mesh
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin

__all__ = ["Rigged"]


@runtime_checkable
class Rigged(Protocol):
    """A skeleton, and what it moves. `lissom.Character` is one."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def skeleton(self) -> Skeleton:
        """Its joints."""

    @property
    def mesh(self) -> Mesh | None:
        """What is skinned; None where there are joints alone."""

    @property
    def skin(self) -> Skin | None:
        """Which joints move the mesh."""

    @property
    def size(self) -> float:
        """Model units: what relative errors are relative to."""

    @property
    def method(self) -> str:
        """How it is skinned."""

    def deform(self, poses: ArrayLike, method: str | None = None) -> Any:
        """Skin its mesh."""
