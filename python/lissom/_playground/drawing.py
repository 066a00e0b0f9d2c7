# SPDX-License-Identifier: MIT
"""Methods of the playground that say what is drawn over the character: gizmos, marks, handles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._playground.body import handle_of_body
from lissom._playground.gizmo import Gizmo, gizmos_of
from lissom._playground.handle import Handle
from lissom._playground.marks import handles_of, marks_of
from lissom._playground.overlay import Overlay, Place, joined, placed
from lissom._playground.solvers import WITH_POLES
from lissom._playground.turning import handles_to_turn, rings

if TYPE_CHECKING:
    from lissom._playground.playground import Playground


def gizmos(self: Playground) -> list[Gizmo]:
    """Return the gizmos of all limits, made anew where a limit or an orientation is."""
    oriented = self._oriented()
    if self._gizmos_for != (self.chains, oriented):
        pairs = zip(self.chains, oriented, strict=True)
        found = [gizmo for chain, turns in pairs for gizmo in gizmos_of(chain, turns)]
        self._gizmos_made = list({gizmo.joint: gizmo for gizmo in found}.values())
        self._gizmos_for = (self.chains, oriented)
    return self._gizmos_made


def oriented(self: Playground) -> tuple[bool, ...]:
    """Whether an orientation is requested, for each chain."""
    return tuple((~np.isnan(self._state.orientations[:, 0])).tolist())


def overlay(self: Playground, model: NDArray[Any]) -> Overlay:
    """Return gizmos, chains and the lines to targets and poles, model space."""
    shapes = [shape for gizmo in self._gizmos() for shape in gizmo.shapes]
    return joined([placed(shapes, self._places(model)), self._marks(model)])


def places(self: Playground, model: NDArray[Any]) -> list[Place]:
    """Return where the shapes of all gizmos are, in their order."""
    pose, limited = self.pose, self.result.limited
    gizmos = self._gizmos()
    return [place for gizmo in gizmos for place in gizmo.places(pose, model, bool(limited[gizmo.joint]))]


def marks(self: Playground, model: NDArray[Any]) -> Overlay:
    """Return chains, the lines to targets and poles, and what targets are turned by, model space."""
    now = self._state
    poles = now.poles if now.solver == WITH_POLES else None
    turns = rings(now.chains, now.targets, now.orientations)
    return joined([marks_of(now.chains, model, now.targets, poles), turns])


def handles(self: Playground) -> list[Handle]:
    """Return the handles that a page shows, model space."""
    now = self._state
    found = handles_of(now.chains, now.targets, now.poles if now.solver == WITH_POLES else None)
    found += handles_to_turn(now.chains, now.targets, now.orientations)
    if self._edits_limits:
        model = self._model_matrices()
        found += [handle for gizmo in self._gizmos() for handle in gizmo.handles(self.pose, model)]
    if (position := self.body) is not None:
        found.append(handle_of_body(now.chains, position))
    return found
