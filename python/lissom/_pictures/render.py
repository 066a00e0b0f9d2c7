# SPDX-License-Identifier: MIT
"""One line to a picture of a character."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.set_module import set_module
from lissom._character.blend_argument import blend_of
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom._character.morph_choice import morphs_of
from lissom._rig.pose_argument import one_pose
from lissom._view.camera import check_direction
from lissom._view.front import azimuth_before

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.blend_argument import Blend
    from lissom._formats.picture import Picture
    from lissom._view.terrain_mesh import GroundLike
    from lissom.clip import Clip
    from lissom.gpu import Camera, Stage

__all__ = ["check_character", "pose_of", "render", "stage_of"]

_STAGES_KEPT = 4
_stages: OrderedDict[tuple[int, int, int], Stage] = OrderedDict()


@set_module("lissom")
def render(
    character: Character,
    pose: ArrayLike | None = None,
    *,
    clip: str | Clip | None = None,
    time: float | None = None,
    method: str | None = None,
    blend: Blend | None = None,
    morphs: ArrayLike | None = None,
    width: int = 960,
    height: int = 540,
    camera: Camera | None = None,
    azimuth: float | None = None,
    elevation: float = 15.0,
    ground: GroundLike = True,
    ground_height: float | None = None,
    heat: ArrayLike | None = None,
    heat_maximum: float | None = None,
    color_bar: bool | str = True,
    samples: int = 4,
) -> Picture:
    """Draw a character, without a window.

    Parameters
    ----------
    character : Character
        What to draw; one without a mesh is drawn as its bones.
    pose : array_like, shape (J, 10), optional
        Local transforms; the rest pose when neither this nor `clip` is given.
    clip : str or Clip, optional
        What to take the pose from: the name of a clip, or a clip of the same joints, such as an edited one.
    time : float, optional
        When in the clip, its own seconds, wrapped where it loops; the middle of the clip when omitted: it
        shows more than the start.
    method : {"linear", "dual_quat", "quat_trans", "cor", "blended"}, optional
        Skinning method; the character's own when omitted.
    blend : float, array_like of shape (V,) or "bend", optional
        For ``"blended"``: 0 linear to 1 dual quaternion, one number for all or one per vertex; ``"bend"`` is
        what `bend_blend` paints from the pose; the character's own when omitted.
    morphs : array_like, shape (M,), optional
        Weights of the mesh's morph targets, as from `Morphs.weights`; when omitted those of the clip, or the
        mesh's defaults.
    width, height : int
        Pixels.
    camera : lissom.gpu.Camera, optional
        Where from; otherwise the whole character is framed from `azimuth` and `elevation`.
    azimuth, elevation : float
        Degrees: about y from +z towards +x, and above the horizon. When omitted, 35 degrees from the front,
        which is +z unless the file says another: avatars of VRM 0 look to -z, and are drawn from -145.
    ground : bool, lissom.ground.TriangleMesh or (positions, triangles)
        Draw the ground: a plane, or a mesh in model space, which need not be flat.
    ground_height : float, optional
        Model-space y of the plane; the lowest vertex when omitted.
    heat : array_like, shape (V,), optional
        A number per vertex to colour by, instead of the base colours; at least 0.
    heat_maximum : float, optional
        The value of the hottest colour; the largest one when omitted.
    color_bar : bool or str
        Whether a heat map has its scale beside it (from 160 by 120 pixels on); a string is written above it:
        what is shown, and in which unit.
    samples : int
        Samples per pixel: 0, 2 or 4.

    Returns
    -------
    Picture
        ``.array`` (height, width, 3) uint8, ``.save(path)``; a notebook shows it.

    Raises
    ------
    TypeError
        If `character` is none.
    ValueError
        If there is no such clip, the pose or the weights have another shape, or there is nothing to draw.
    GpuError
        Without OpenGL: says what to install.
    ImportError
        Without the extra ``gl``.

    Warns
    -----
    UserWarning
        If the clip moves morph targets that the mesh does not have: they are named and left out.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> picture = lissom.render(hero, clip="walk", time=0.3, width=320, height=180)
    >>> picture
    Picture(320 x 180)
    >>> wave = lissom.render(hero, hero.clips["wave"].at(0.5), azimuth=0.0, width=160, height=160)
    >>> wave.array.shape
    (160, 160, 3)
    """
    from lissom.gpu import SkinnedModel, with_color_bar

    posed = pose_of("render", character, pose, clip, time)
    chosen = None if clip is None else clip_of(character, clip, "render")
    shape = morphs_of("render", character, morphs, chosen, time)
    if blend is not None and character.mesh is not None:
        blend = blend_of("render", character, posed, blend)
    if azimuth is None:
        azimuth = azimuth_before(character.skeleton)
    azimuth, elevation = check_direction("render", azimuth, elevation)
    stage = stage_of("render", width, height, samples)
    with SkinnedModel._for_caller("render", character, stage=stage, method=method, blend=blend) as model:
        model.set_pose(posed, shape)
        model._set_heat(heat, heat_maximum, "render: heat", "render: heat_maximum")
        camera = camera or stage.camera(model, azimuth=azimuth, elevation=elevation)
        picture = stage._render("render", (model,), camera, ground, ground_height)
    if heat is None or not color_bar:
        return picture
    top = float(np.max(heat, initial=0)) if heat_maximum is None else heat_maximum
    return with_color_bar(picture, top, color_bar if isinstance(color_bar, str) else "")


def stage_of(caller: str, width: int, height: int, samples: int = 4) -> Stage:
    """Return a stage of a size, one of the few most lately used where it is among them.

    `caller` is named in errors.
    """
    from lissom.gpu._stage import Stage, check_size

    key = (width, height, samples)
    stage = _stages.pop(key, None)
    if stage is None or stage.released:
        check_size(caller, width, height, samples)
        stage = Stage(width, height, samples)
    _stages[key] = stage
    while len(_stages) > _STAGES_KEPT:
        _stages.popitem(last=False)[1].release()
    return stage


def check_character(caller: str, character: object) -> None:
    """Refuse what people pass first by mistake: a path, or a mesh alone."""
    if not isinstance(character, Character):
        raise TypeError(
            f"{caller}: character must be a Character, got {type(character).__name__}; lissom.load makes "
            "one of a file, and lissom.gpu.SkinnedModel draws a mesh alone"
        )


def pose_of(
    caller: str,
    character: Character,
    pose: ArrayLike | None,
    clip: str | Clip | None,
    time: float | None,
) -> NDArray[Any]:
    """Return the one pose that was asked for: given, out of a clip, or the rest pose.

    Raises
    ------
    TypeError
        If the character or the clip is none, or the pose is no real numbers.
    ValueError
        If both are given, there is no such clip, it is of other joints, or the shape is not that of one pose.
    """
    check_character(caller, character)
    if pose is not None and (clip is not None or time is not None):
        raise ValueError(f"{caller}: pose must be omitted where a clip or time is passed, got both")
    if clip is not None:
        chosen = clip_of(character, clip, caller)
        sampled: NDArray[Any] = chosen.sample(chosen.start + chosen.duration / 2 if time is None else time)
        return sampled
    if time is not None:
        raise ValueError(f"{caller}: time must come with a clip, got clip=None")
    if not len(character.skeleton):
        raise ValueError(
            f"{caller}: character must have at least one joint, got {character.name!r}, which has none"
        )
    return one_pose(pose, character.skeleton, f"{caller}: pose")
