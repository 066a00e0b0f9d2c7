# SPDX-License-Identifier: MIT
"""Several characters in one picture, or in one film: `lissom.render` of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import trs
from lissom._base.names import counted
from lissom._character.blend_argument import blend_of
from lissom._character.clip_choice import clip_of
from lissom._character.equal_size import size_factors, warn_of_sizes
from lissom._character.merge import box_of, checked_characters
from lissom._character.morph_choice import clip_morphs, morphs_of
from lissom._character.placements import checked_placements, side_by_side
from lissom._pictures.moment import pose_of, stage_of, with_scale
from lissom._view.camera import check_direction
from lissom._view.film_framing import framed_moments
from lissom.clip import Clip
from lissom.clip._loop import pass_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character
    from lissom._formats.animation import Animation
    from lissom._formats.picture import Picture
    from lissom.gpu import SkinnedModel
    from lissom.gpu._film_timing import FilmTiming

__all__ = ["render_several"]

AZIMUTH = 0.0  # degrees: a row is seen from its front, so that nobody hides a neighbour
FRAMED = 12  # moments at which boxes of a film are measured, to set the characters apart


@dataclass(eq=False)
class _Actor:
    """One of the characters, and what it does."""

    character: Character
    clip: Clip | None
    time: float | None
    pose: NDArray[Any]
    morphs: NDArray[np.float32] | None
    has_own_morphs: bool
    method: str | None
    blend: Any
    heat: Any

    @property
    def is_filmed(self) -> bool:
        """Whether it moves in a film."""
        return self.clip is not None and self.time is None and self.clip.duration > 0

    def poses(self, moments: Sequence[float]) -> tuple[NDArray[Any], Any]:
        """Return poses and weights of morph targets at seconds since the start of its clip."""
        if self.clip is None or not self.is_filmed:
            return self.pose, self.morphs
        times = self.clip.start + np.asarray(moments, np.float64)
        weights = self.morphs if self.has_own_morphs else clip_morphs(self.character, self.clip, times)
        return self.clip.sample(times), weights


def render_several(
    characters: Iterable[Character],
    *,
    pose: Any,
    clip: Any,
    time: Any,
    rate: float,
    seconds: float | None,
    turn: float | None,
    method: Any,
    blend: Any,
    morphs: Any,
    placements: Any,
    equal_size: bool | float,
    width: int,
    height: int,
    camera: Any,
    azimuth: float | None,
    elevation: float,
    ground: Any,
    ground_height: float | None,
    heat: Any,
    heat_maximum: float | None,
    color_bar: bool | str,
    samples: int,
    background: tuple[float, float, float] | None,
) -> Picture | Animation:
    """Draw several characters, as `lissom.render` says, which calls this: warnings count on it."""
    from lissom.gpu import SkinnedModel
    from lissom.gpu._drawable import usual_azimuth
    from lissom.gpu._film import Film
    from lissom.gpu._film_timing import film_timing

    who = checked_characters("render", characters)
    given = {
        "pose": _each("pose", pose, who, is_one=lambda value: value is None),
        "clip": _each("clip", clip, who),
        "time": _each("time", time, who),
        "method": _each("method", method, who),
        "blend": _each("blend", blend, who),
        "morphs": _each("morphs", morphs, who, is_one=lambda value: value is None),
        "heat": _each("heat", heat, who, is_one=lambda value: value is None),
    }
    cast: list[_Actor] = []
    for number, character in enumerate(who):  # no list comprehension, which warnings may count
        cast.append(_actor(character, number, {name: values[number] for name, values in given.items()}))
    longest = _longest(cast)
    timing = film_timing("render", longest, None if longest is not None else 0.0, rate, seconds, turn)
    moments = _moments(longest, timing)
    for number, actor in enumerate(cast):
        if actor.blend is not None and actor.character.mesh is not None:
            poses, _ = actor.poses(moments)
            actor.blend = blend_of(f"render: {_named(number, actor)}", actor.character, poses, actor.blend)
    placed = _placed(cast, moments, placements, equal_size)
    warn_of_sizes("render", who, placed[:, 7:].max(axis=1), depth=2)
    stage = stage_of("render", width, height, samples, background)
    with ExitStack() as released:
        models: list[SkinnedModel] = []
        top = _top(cast, heat_maximum) if heat is not None else None
        for actor, place in zip(cast, placed, strict=True):
            model = SkinnedModel._for_caller(
                "render", actor.character, stage=stage, method=actor.method, blend=actor.blend
            )
            released.callback(model.release)
            model.world_from_model = trs.to_matrix(place)
            model.set_pose(actor.pose, actor.morphs)
            model._set_heat(actor.heat, top, "render: heat", "render: heat_maximum")
            models.append(model)
        if azimuth is None:
            is_row = placements is None and len(models) > 1
            azimuth = AZIMUTH if is_row else usual_azimuth(tuple(models))
        direction = check_direction("render", azimuth, elevation)
        shown_top = top if color_bar else None
        label = color_bar if isinstance(color_bar, str) else ""
        if timing is None:
            camera = camera or stage.camera(*models, azimuth=direction[0], elevation=direction[1])
            picture = stage._render("render", tuple(models), camera, ground, ground_height, background)
            return with_scale(picture, shown_top, label)
        stage._scene(
            "render", tuple(models), camera, ground, ground_height, released
        )  # refuses what is wrong
        film = Film(
            "render",
            models,
            timing,
            partial(_pose_all, models, cast, timing),
            partial(stage_of, "render", width, height, samples, background),
            direction,
            camera,
            ground,
            ground_height,
            partial(with_scale, top=shown_top, label=label),
        ).animation()
        released.pop_all()  # the film draws them
    return film


def _each(
    name: str,
    value: Any,
    who: Sequence[Character],
    *,
    is_one: Callable[[Any], bool] = lambda value: not isinstance(value, (list, tuple)),
) -> list[Any]:
    """Return what each character has of an argument: one of a list, or the same for all."""
    if is_one(value):
        return [value] * len(who)
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"render: {name} must be a list, one for each of {counted(len(who), 'character')}, got "
            f"{type(value).__name__}"
        )
    if len(value) != len(who):
        raise ValueError(
            f"render: {name} must be one for each of {counted(len(who), 'character')}, got {len(value)}"
        )
    return list(value)


def _named(number: int, actor: _Actor) -> str:
    return f"characters[{number}], {actor.character.name!r},"


def _actor(character: Character, number: int, given: dict[str, Any]) -> _Actor:
    caller = f"render: characters[{number}]"
    chosen = None if given["clip"] is None else clip_of(character, given["clip"], caller)
    # A time for all is of those that play a clip.
    time = None if chosen is None else given["time"]
    return _Actor(
        character,
        chosen,
        time,
        pose_of(caller, character, given["pose"], chosen, time),
        morphs_of(caller, character, given["morphs"], chosen, time, depth=3),
        given["morphs"] is not None,
        given["method"],
        given["blend"],
        given["heat"],
    )


def _longest(cast: Sequence[_Actor]) -> Clip | None:
    """Return the clip that says how long a film is; None where nobody moves.

    A clip without a duration and without a time is refused where no other is filmed, as for one character.
    """
    filmed = [actor.clip for actor in cast if actor.is_filmed and actor.clip is not None]
    still = [actor.clip for actor in cast if actor.clip is not None and actor.time is None]
    if filmed:
        return max(filmed, key=pass_seconds)
    return still[0] if still else None


def _moments(longest: Clip | None, timing: FilmTiming | None) -> list[float]:
    """Return some of the seconds since the start that a film shows."""
    if timing is None or longest is None or not timing.step:
        return [0.0]
    every = framed_moments(timing.count)
    chosen = every[np.unique(np.linspace(0, len(every) - 1, FRAMED).round().astype(int))]
    return [timing.time(int(index)) - timing.start for index in chosen]


def _placed(
    cast: Sequence[_Actor], moments: list[float], placements: Any, equal_size: bool | float
) -> NDArray[np.float64]:
    """Return where each stands, trs (N, 10)."""
    who = [actor.character for actor in cast]
    factors = size_factors("render", who, equal_size)
    if placements is not None:
        placed = checked_placements(placements, len(who), "render")
        placed[:, 7:] *= factors[:, None]
        return placed
    boxes = np.array([box_of(actor.character, *actor.poses(moments)) for actor in cast])
    return side_by_side([each.skeleton for each in who], boxes, factors)


def _top(cast: Sequence[_Actor], maximum: float | None) -> float:
    """Return the value of the hottest colour, of all of them."""
    if maximum is not None:
        return maximum
    return max(float(np.max(actor.heat, initial=0)) for actor in cast if actor.heat is not None)


def _pose_all(
    models: Sequence[SkinnedModel], cast: Sequence[_Actor], timing: FilmTiming, time: float
) -> None:
    """Bring all to the seconds of a picture, each from the start of its own clip on."""
    if not timing.step:
        return
    for model, actor in zip(models, cast, strict=True):
        if actor.is_filmed:
            pose, weights = actor.poses([time - timing.start])
            own = weights if weights is None or actor.has_own_morphs else weights[0]
            model.set_pose(pose[0], own)
