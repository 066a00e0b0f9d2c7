# SPDX-License-Identifier: MIT
"""One character in a picture, or in a film: `lissom.render` of a character."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._character.blend_argument import blend_of
from lissom._character.clip_choice import clip_of
from lissom._character.morph_choice import clip_morphs, morphs_of
from lissom._pictures.moment import pose_of, stage_of, with_scale
from lissom._view.camera import check_direction
from lissom._view.film_framing import framed_moments
from lissom._view.front import azimuth_before

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character
    from lissom._formats.animation import Animation
    from lissom._formats.picture import Picture
    from lissom._view.terrain_mesh import GroundLike
    from lissom.clip import Clip
    from lissom.gpu import Camera, SkinnedModel
    from lissom.gpu._film_timing import FilmTiming

__all__ = ["render_one"]


def render_one(
    character: Character,
    *,
    pose: ArrayLike | None,
    clip: str | Clip | None,
    time: float | None,
    rate: float,
    seconds: float | None,
    turn: float | None,
    method: str | None,
    blend: Blend | None,
    morphs: ArrayLike | None,
    width: int,
    height: int,
    camera: Camera | None,
    azimuth: float | None,
    elevation: float,
    ground: GroundLike,
    ground_height: float | None,
    heat: ArrayLike | None,
    heat_maximum: float | None,
    color_bar: bool | str,
    samples: int,
    background: tuple[float, float, float] | None,
) -> Picture | Animation:
    """Draw a character, as `lissom.render` says, which calls this: warnings count on it."""
    from lissom.gpu import SkinnedModel
    from lissom.gpu._film import Film
    from lissom.gpu._film_timing import film_timing

    chosen = None if clip is None else clip_of(character, clip, "render")
    timing = film_timing("render", chosen, time, rate, seconds, turn)
    posed = pose_of("render", character, pose, chosen, time)
    shape = morphs_of("render", character, morphs, chosen, time, depth=2)
    if blend is not None and character.mesh is not None:
        moments = posed if timing is None else _moments(posed, chosen, timing)
        blend = blend_of("render", character, moments, blend)
    if azimuth is None:
        azimuth = azimuth_before(character.skeleton)
    direction = check_direction("render", azimuth, elevation)
    stage = stage_of("render", width, height, samples, background)
    model = SkinnedModel._for_caller("render", character, stage=stage, method=method, blend=blend)
    with ExitStack() as released:
        released.callback(model.release)
        model.set_pose(posed, shape)
        model._set_heat(heat, heat_maximum, "render: heat", "render: heat_maximum")
        top = None if heat is None or not color_bar else _top(heat, heat_maximum)
        label = color_bar if isinstance(color_bar, str) else ""
        if timing is None:
            camera = camera or stage.camera(model, azimuth=direction[0], elevation=direction[1])
            picture = stage._render("render", (model,), camera, ground, ground_height, background)
            return with_scale(picture, top, label)
        stage._scene("render", (model,), camera, ground, ground_height, released)  # refuses what is wrong
        film = Film(
            "render",
            (model,),
            timing,
            _poser(model, character, chosen, timing, morphs),
            partial(stage_of, "render", width, height, samples, background),
            direction,
            camera,
            ground,
            ground_height,
            partial(with_scale, top=top, label=label),
        ).animation()
        released.pop_all()  # the film draws it
    return film


def _moments(pose: NDArray[Any], clip: Clip | None, timing: FilmTiming) -> NDArray[Any]:
    """Return the pose, or poses of moments of the whole film."""
    if clip is None or not timing.step:
        return pose
    moments: NDArray[Any] = clip.sample([timing.time(int(i)) for i in framed_moments(timing.count)])
    return moments


def _poser(
    model: SkinnedModel,
    character: Character,
    clip: Clip | None,
    timing: FilmTiming,
    morphs: ArrayLike | None,
) -> Callable[[float], None]:
    """Return what poses the model at the clip's seconds; one pose stays."""

    def pose(time: float) -> None:
        if clip is not None and timing.step:
            model.set_pose(
                clip.sample(time), None if morphs is not None else clip_morphs(character, clip, time)
            )

    return pose


def _top(heat: ArrayLike, maximum: float | None) -> float:
    """Return the value of the hottest colour."""
    return float(np.max(heat, initial=0)) if maximum is None else maximum
