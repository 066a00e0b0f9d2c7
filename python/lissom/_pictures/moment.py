# SPDX-License-Identifier: MIT
"""The moment that a picture shows, the stage that draws it, and the scale beside a heat map."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom._rig.pose_argument import one_pose
from lissom._view.color import BACKGROUND, checked_color

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._formats.picture import Picture
    from lissom.clip import Clip
    from lissom.gpu import Stage

__all__ = ["check_character", "pose_of", "stage_of", "with_scale"]

_STAGES_KEPT = 4
_stages: OrderedDict[tuple[object, ...], Stage] = OrderedDict()


def stage_of(
    caller: str,
    width: int,
    height: int,
    samples: int = 4,
    background: tuple[float, float, float] | None = BACKGROUND,
) -> Stage:
    """Return a stage of a size, one of the few most lately used where it is among them.

    `caller` is named in errors.
    """
    from lissom.gpu._stage import Stage
    from lissom.gpu._stage_arguments import check_size

    color = None if background is None else checked_color(background, f"{caller}: background")
    key = (width, height, samples, color)
    stage = _stages.pop(key, None)
    if stage is None or stage.released:
        check_size(caller, width, height, samples)
        stage = Stage(width, height, samples, background=color)
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


def with_scale(picture: Picture, top: float | None, label: str) -> Picture:
    """Put the scale of a heat map on a picture; nothing for None."""
    from lissom.gpu import with_color_bar

    return picture if top is None else with_color_bar(picture, top, label)
