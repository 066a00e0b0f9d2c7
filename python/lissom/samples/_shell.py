# SPDX-License-Identifier: MIT
"""A shell is one closed surface of one colour with skin weights; a character is made of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom import trs

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.clip import Clip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Color = tuple[float, float, float]

MAX_INFLUENCES = 4
_NEGLIGIBLE_WEIGHT = 1e-3  # smaller influences move nothing one can see and only widen the rows
_SETTLED = 2.0**-40  # far above the rounding of float64, below that of float32 for what one can see


@dataclass(frozen=True, eq=False)
class Shell:
    """One closed surface: positions and unit normals (V, 3), outward triangles (F, 3), weights (V, J).

    Metres, y up, the character faces +z. `color` is linear RGB. `weights` is dense over all joints of the
    skeleton and may be None until the shell has been bound.
    """

    name: str
    color: Color
    positions: Floats
    normals: Floats
    triangles: Ints
    weights: Floats | None = None

    def mirrored(self, name: str) -> Shell:
        """Return the shell reflected in the plane x = 0, with triangles that still face outwards."""
        flip = np.array([-1.0, 1.0, 1.0])
        return replace(
            self,
            name=name,
            positions=self.positions * flip,
            normals=self.normals * flip,
            triangles=self.triangles[:, ::-1],
        )


def sparse_weights(weights: Floats) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float32]]:
    """Keep the four largest weights of each row of (V, J), normalised.

    The fifth is taken off all that are kept: weights then change smoothly from vertex to vertex even where
    the set of influences changes, and of two equal ones either both are kept or none.

    Returns
    -------
    indices : ndarray of uint16, shape (V, min(4, J))
    weights : ndarray of float32, shape (V, min(4, J))
        Descending; rows sum to 1 within float32 rounding. Unused entries are index 0, weight 0.
    """
    used = np.flatnonzero(weights.any(axis=0))  # of rigid shells one, of clothes half of all
    shares = _settled(weights[:, used])  # before they tell which are equal, and negligible
    # Equal weights keep the order of joints: a stable sort.
    order = np.argsort(-shares, axis=1, kind="stable")[:, : MAX_INFLUENCES + 1]
    shares = np.take_along_axis(shares, order, axis=1)
    kept = shares[:, :MAX_INFLUENCES]
    if shares.shape[1] > MAX_INFLUENCES:
        kept = kept - shares[:, MAX_INFLUENCES:]
    kept = np.where(kept < _NEGLIGIBLE_WEIGHT, 0.0, kept)
    kept /= kept.sum(axis=1, keepdims=True)
    width = kept.shape[1]
    shape = len(weights), min(MAX_INFLUENCES, weights.shape[1])
    indices, rows = np.zeros(shape, np.uint16), np.zeros(shape, np.float32)
    indices[:, :width] = np.where(kept > 0.0, used[order[:, :width]], 0)
    rows[:, :width] = kept
    return indices, rows


def _settled(values: Floats) -> Floats:
    """Round away what other processors round otherwise in float64: what should be zero, or equal, then is."""
    settled: Floats = values / _SETTLED
    np.rint(settled, out=settled)
    settled *= _SETTLED
    settled += 0.0  # no zero is negative
    return settled


def assemble(
    name: str,
    joint_names: Sequence[str],
    parents: Sequence[int],
    joint_positions: Floats,
    shells: Sequence[Shell],
    clips: Mapping[str, tuple[Floats, Floats, bool]],
    speeds: Mapping[str, float] | None = None,
) -> Character:
    """Make a Character whose joints rest unrotated at `joint_positions` (J, 3) in model space.

    Parameters
    ----------
    shells : sequence of Shell
        Bound shells; shells of the same name must be neighbours and become one part.
    clips : mapping of name to (times (N,), poses (N, J, 10), loop)
    speeds : mapping of name to float, optional
        Of clips on the spot that are made to travel along +z, metres per second: their root motion.

    Returns
    -------
    Character
    """
    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Part
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin
    from lissom.clip import Clip

    skeleton = Skeleton(joint_names, np.asarray(parents, np.int32), rest_pose(parents, joint_positions))
    rows = [sparse_weights(_bound(shell)) for shell in shells]

    parts: list[Part] = []
    vertex_start = triangle_start = 0
    for position, shell in enumerate(shells):
        vertex_stop = vertex_start + len(shell.positions)
        triangle_stop = triangle_start + len(shell.triangles)
        last_of_name = position + 1 == len(shells) or shells[position + 1].name != shell.name
        if last_of_name:
            first = parts[-1].vertices.stop if parts else 0
            first_triangle = parts[-1].triangles.stop if parts else 0
            parts.append(
                Part(
                    name=shell.name,
                    vertices=slice(first, vertex_stop),
                    triangles=slice(first_triangle, triangle_stop),
                    rigid=False,
                    base_color=(*shell.color, 1.0),
                    texture=None,
                    model_from_source=np.eye(4),
                )
            )
        vertex_start, triangle_start = vertex_stop, triangle_stop

    offsets = np.cumsum([0] + [len(shell.positions) for shell in shells])
    mesh = Mesh(
        positions=_settled(np.concatenate([shell.positions for shell in shells])).astype(np.float32),
        triangles=np.concatenate(
            [shell.triangles + offset for shell, offset in zip(shells, offsets[:-1], strict=True)]
        ).astype(np.uint32),
        indices=np.concatenate([indices for indices, _ in rows]),
        weights=np.concatenate([weights for _, weights in rows]),
        normals=_settled(np.concatenate([shell.normals for shell in shells])).astype(np.float32),
        parts=tuple(parts),
    )
    joint_from_bind = np.tile(np.eye(4, dtype=np.float32), (len(joint_names), 1, 1))
    joint_from_bind[:, :3, 3] = -joint_positions
    skin = Skin(np.arange(len(joint_names), dtype=np.int32), joint_from_bind)
    made = {
        clip_name: Clip.from_poses(
            skeleton, times, _settled(poses).astype(np.float32), name=clip_name, loop=loop
        )
        for clip_name, (times, poses, loop) in clips.items()
    }
    for clip_name, speed in (speeds or {}).items():
        made[clip_name] = _travelling(made[clip_name], speed)
    return Character(name, skeleton, mesh, skin, made)


def _travelling(clip: Clip, speed: float) -> Clip:
    """Add root motion along +z, `speed` metres per second, to an in-place clip."""
    from lissom.clip._root_motion import RootMotion

    moves = trs.identity(2, np.float64)
    moves[1, 2] = speed * clip.duration
    return clip._edited(root_motion=RootMotion.from_moves([clip.start, clip.end], moves, loop=clip.loop))


def rest_pose(parents: Sequence[int], joint_positions: Floats) -> npt.NDArray[np.float32]:
    """Rest pose (J, 10) of unrotated, unscaled joints at the given model-space positions (J, 3)."""
    pose = np.zeros((len(parents), 10), np.float32)
    pose[:, 6:] = 1.0  # the w of the rotation, and the scale
    for joint, parent in enumerate(parents):
        origin = joint_positions[parent] if parent >= 0 else 0.0
        pose[joint, :3] = joint_positions[joint] - origin
    return pose


def _bound(shell: Shell) -> Floats:
    if shell.weights is None:
        raise AssertionError(f"shell {shell.name!r} has no weights")
    return shell.weights
