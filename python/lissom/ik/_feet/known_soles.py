# SPDX-License-Identifier: MIT
"""Soles that were measured, kept as long as their mesh: characters are placed on many grounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lissom import _core
from lissom.ik._axes import Floats
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.rig import Rig

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh
    from lissom.ik._feet.soles import Sole

__all__ = ["KnownSoles", "forget_soles"]

MOST = 64  # soles kept for a mesh: of so many legs, stances and up axes

# A mesh never changes. All else that a sole depends on is compared by value.
_known: WeakKeyDictionary[Mesh, dict[tuple[Any, ...], Sole]] = WeakKeyDictionary()


class KnownSoles:
    """The soles of a character's mesh in one stance, measured when first asked for."""

    def __init__(self, rig: Rig, stance: Floats, up: Floats) -> None:
        assert rig.character is not None
        mesh, skin = rig.character.mesh, rig.character.skin
        assert mesh is not None
        assert skin is not None
        self._soles = _known.setdefault(mesh, {})
        arrays = (skin.joints, skin.joint_from_bind, rig.skeleton.parents, stance, up)
        # In deterministic mode the bits of skinned vertices may differ.
        self._key = (
            _core.is_deterministic(),
            rig.size,
            *((array.dtype.str, array.tobytes()) for array in arrays),
        )

    def of(self, leg: LegJoints, measure: Callable[[], Sole]) -> Sole:
        """Return the sole of a leg; `measure` is called where it is not known."""
        key = (leg.chain, leg.ankle, leg.toe, leg.foot, *self._key)
        sole = self._soles.get(key)
        if sole is None:
            sole = measure()
            while len(self._soles) >= MOST:
                self._soles.pop(next(iter(self._soles)), None)
            self._soles[key] = sole
        return sole


def forget_soles(mesh: Mesh) -> None:
    """Let the soles of a mesh be measured again."""
    _known.pop(mesh, None)
