# SPDX-License-Identifier: MIT
"""Players of characters and of bakes: `Character.show`, `PoseTexture.show`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lissom._bake.arguments import as_clips
from lissom._bake.bake import bake
from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import whole_number
from lissom._character.character import Character
from lissom._crowd.bounds import ClipBounds
from lissom._crowd.instances import plain_instances
from lissom._rig.pose_argument import one_pose
from lissom._view.bones import skeleton_mesh
from lissom._view.camera import Camera
from lissom._view.front import azimuth_before
from lissom.clip import Clip
from lissom.player._bones import bones_mesh
from lissom.player._bundle import bundle
from lissom.player._morphs import shown_weights
from lissom.player._player import Player, checked_state
from lissom.skinning import deform

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._formats.picture import Picture
    from lissom._rig.expressions import Expressions
    from lissom._rig.mesh import Mesh
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.skinning._deform import PaletteLike

__all__ = ["bake_of", "player_of"]

SKETCH_PIXELS = 360
"""Largest width of a still drawn without OpenGL: half a second for a character of 10 000 vertices."""


def player_of(
    bake: PoseTexture,
    caller: str = "PoseTexture.show",
    *,
    title: str = "",
    width: int = 720,
    height: int = 480,
    character: Character | None = None,
    **state: Any,
) -> Player:
    """Return a bake in a player, as `PoseTexture.show` describes; `caller` is named in errors.

    `character` is what was baked, if known: a bake does not hold its expressions, nor where it looks.
    """
    width = whole_number(width, f"{caller}: width", least=1)
    height = whole_number(height, f"{caller}: height", least=1)
    mesh = bake.mesh
    if mesh is None or not mesh.triangle_count:
        mesh = bones_mesh(bake)
    if mesh is None:
        raise ValueError(
            f"{caller}: the bake must hold a mesh, or the parents of its joints, got neither; bake it again "
            "with include_mesh=True"
        )
    faces = character.expressions if character is not None and mesh.morphs else None
    azimuth = azimuth_before(None if character is None else character.skeleton)
    row_joints = range(bake.palette_row_count) if bake.skin is None else bake.skin.joints
    rows = [bake.joints[joint] for joint in row_joints]
    checked = checked_state(caller, state, list(bake.clips), bake.methods, rows, mesh, faces)

    def still(width: int, height: int) -> Picture:
        return _Moment.of(bake, mesh, checked, faces, azimuth).picture(width, height)

    data = bundle(mesh, None, bake=bake, title=title, expressions=faces, azimuth=azimuth)
    return Player(data, title=title, width=width, height=height, state=checked, still=still)


def bake_of(
    character: Character,
    clips: str | Clip | Iterable[str | Clip] | None = None,
    pose: ArrayLike | None = None,
    caller: str = "Character.show",
) -> PoseTexture:
    """Return a bake of a character for a player: of clips, by default all, or of a single pose.

    A character without clips is shown in the rest pose; one without a mesh by a mesh of its bones.
    """
    if not len(character.skeleton):
        raise ValueError(f"{caller}: {character.name!r} must have joints, got a skeleton without any")
    if pose is not None and clips is not None:
        raise ValueError(f"{caller}: pose must be omitted where clips are passed, got both")
    shown = character
    if character.mesh is None or not character.mesh.triangle_count:
        shown = Character(
            character.name, character.skeleton, *skeleton_mesh(character.skeleton), character.clips
        )
    if pose is not None or (clips is None and not character.clips):
        posed = one_pose(pose, character.skeleton, f"{caller}: pose")
        name = "rest" if pose is None else "pose"
        chosen = [Clip.from_poses(character.skeleton, [0.0], [posed], name=name)]
    else:
        chosen = as_clips(character, clips, caller)
    method = character.method if character.method in BAKED_METHODS else BAKED_METHODS[0]
    return bake(shown, chosen, method=method)


@dataclass(frozen=True)
class _Moment:
    """What a still shows: one instance of a bake, in a player's state."""

    bake: PoseTexture
    mesh: Mesh
    method: str
    instances: NDArray[Any]
    weights: NDArray[np.float32] | None
    state: dict[str, Any]
    azimuth: float  # where the state sets none

    @staticmethod
    def of(
        bake: PoseTexture, mesh: Mesh, state: dict[str, Any], faces: Expressions | None, azimuth: float
    ) -> _Moment:
        """Return the player's first clip at its first time, by default in the middle of the clip."""
        names = list(bake.clips)
        clip = bake.clips[state.get("clip", names[0])]
        instances = plain_instances(1)
        instances["clip"] = names.index(state.get("clip", names[0]))
        instances["time"] = state.get("time", clip.start + clip.duration / 2)
        method = state.get("method", bake.method)
        if method not in bake.methods:
            method = bake.method
        seconds = float(instances["time"][0])
        weights = shown_weights(bake, mesh, int(instances["clip"][0]), seconds, state, faces)
        return _Moment(bake, mesh, method, instances, weights, state, azimuth)

    def picture(self, width: int, height: int) -> Picture:
        """Draw it, by OpenGL if available."""
        from lissom.errors import GpuError

        try:
            return self._drawn(width, height)
        except (GpuError, ImportError):
            return self._sketched(width, height)

    def _drawn(self, width: int, height: int) -> Picture:
        from lissom._pictures.render import stage_of
        from lissom.gpu import Crowd

        stage = stage_of("show", width, height)
        options: Any = {"mesh": self.mesh, "instances": self.instances, "method": self.method}
        with Crowd(self.bake, 1, stage=stage, **options) as crowd:
            if self.weights is not None:
                crowd.morphs(None, self.weights)
            camera = self._framing(self._points(crowd.points()), width / height)
            return stage.render(crowd, camera=camera, ground=self._has_ground)

    def _sketched(self, width: int, height: int) -> Picture:
        """Draw the same without OpenGL, smaller, since it is slower."""
        from lissom._sketch.sketch import sketch

        palette = self.bake.sample(int(self.instances["clip"][0]), float(self.instances["time"][0]))
        posed = deform(self.mesh, cast("PaletteLike", palette), self.method, morphs=self.weights)
        points = ClipBounds(self.bake).placed(self.instances).corners().reshape(-1, 3)
        share = min(1.0, SKETCH_PIXELS / width)
        return sketch(
            self.mesh,
            posed,
            width=max(1, round(width * share)),
            height=max(1, round(height * share)),
            camera=self._framing(self._points(points), width / height),
            ground=self._has_ground,
            ground_height=float(points[:, 1].min()),
        )

    @property
    def _has_ground(self) -> bool:
        return bool(self.state.get("ground", True))

    def _points(self, playing: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the corners to frame: those of the clip that plays, or of all clips."""
        if self.state.get("framing") != "all":
            return playing
        instances = np.repeat(self.instances, len(self.bake.clips))
        instances["clip"] = np.arange(len(instances))
        return ClipBounds(self.bake).placed(instances).corners().reshape(-1, 3)

    def _framing(self, points: NDArray[np.float64], aspect: float) -> Camera:
        """Return the camera that frames points, except for the fields that the state sets."""
        fields = self.state.get("camera", {})
        angles = {name: fields[name] for name in fields if name not in ("target", "distance")}
        return replace(Camera.framing(points, aspect, **{"azimuth": self.azimuth, **angles}), **fields)
