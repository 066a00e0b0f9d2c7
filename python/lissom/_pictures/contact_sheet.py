# SPDX-License-Identifier: MIT
"""A contact sheet: moments of all clips of a character in one picture, each clip with its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.numbers import whole_number
from lissom._base.set_module import set_module
from lissom._character.clip_choice import clip_of
from lissom._character.morph_choice import clip_morphs
from lissom._formats.picture import Picture
from lissom._pictures.render import check_character, stage_of
from lissom._view.camera import check_direction
from lissom._view.color import BACKGROUND, linear_to_srgb
from lissom._view.front import azimuth_before
from lissom._view.labels import Sheet
from lissom.clip._loop import pass_seconds

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.clip import Clip
    from lissom.gpu import SkinnedModel

__all__ = ["contact_sheet"]

SHAPE = 4 / 3  # of the sheet: width over height, about
UNIT = 13.0  # pixels: size of a letter
LABEL = 22  # pixels: of a clip's name
GAP = 8  # pixels between clips
MOST_PIXELS = 1 << 28  # of a sheet


@set_module("lissom")
def contact_sheet(
    character: Character,
    clips: str | Clip | Iterable[str | Clip] | None = None,
    *,
    moments: int = 4,
    size: int = 128,
    columns: int | None = None,
    azimuth: float | None = None,
    elevation: float = 15.0,
    ground: bool = True,
    progress: Callable[[int, int, str], object] | None = None,
) -> Picture:
    """Draw moments of clips in one picture, with the name and the length of each clip below them.

    Parameters
    ----------
    character : Character
        Whose clips are drawn.
    clips : str, Clip or sequence of them, optional
        Which; all of the character's when omitted.
    moments : int
        Of each clip, evenly spaced from its start: to its end, or of a loop to before its start, there and
        back where it plays so. A clip without a duration has one.
    size : int
        Width and height of a moment, pixels, at least 32. Each clip is framed by what it shows.
    columns : int, optional
        Clips beside each other; as many as make the sheet about 4 to 3 when omitted.
    azimuth, elevation : float
        From where, as in `render`, degrees.
    ground : bool
        Whether to draw the ground.
    progress : callable, optional
        Called as ``progress(clips_done, clip_count, name)`` after each clip.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        If `character` is none, or a number is no whole number.
    ValueError
        If there are no clips, no such clip, a number is out of its range, or the sheet would be too large.
    GpuError
        Without OpenGL: says what to install.
    ImportError
        Without the extra ``gl``.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lissom.contact_sheet(hero, ["walk", "run"], moments=3, size=64)
    Picture(192 x 188)
    """
    from lissom.gpu import SkinnedModel
    from lissom.gpu._film import Film
    from lissom.gpu._film_timing import FilmTiming

    check_character("contact_sheet", character)
    chosen = _chosen(character, clips)
    moments = whole_number(moments, "contact_sheet: moments", least=1)
    size = whole_number(size, "contact_sheet: size", least=32)
    wide, high = moments * size, size + LABEL
    if columns is None:
        columns = round(math.sqrt(SHAPE * len(chosen) * (high + GAP) / (wide + GAP)))
        columns = min(max(1, columns), len(chosen))
    columns = whole_number(columns, "contact_sheet: columns", least=1)
    rows = -(-len(chosen) // columns)
    width, height = columns * (wide + GAP) - GAP, rows * (high + GAP)
    if width * height > MOST_PIXELS:
        raise ValueError(
            f"contact_sheet: size must make a sheet of at most {MOST_PIXELS} pixels, got {width} x {height}; "
            "lower size or moments, or pass fewer clips"
        )
    if azimuth is None:
        azimuth = azimuth_before(character.skeleton)
    direction = check_direction("contact_sheet", azimuth, elevation)
    sheet = np.empty((height, width, 3), np.uint8)
    sheet[:] = np.rint(255 * linear_to_srgb(np.array(BACKGROUND)))
    places = [(i % columns * (wide + GAP), i // columns * (high + GAP)) for i in range(len(chosen))]
    stage = partial(stage_of, "contact_sheet", size, size)
    with SkinnedModel._for_caller(
        "contact_sheet", character, stage=stage(), method=None, blend=None
    ) as model:
        for i, (clip, (left, top)) in enumerate(zip(chosen, places, strict=True)):
            count = moments if clip.duration else 1
            timing = FilmTiming(count, 1.0, clip.start, pass_seconds(clip) / _steps(clip, moments))
            pose = partial(_pose, model, character, clip)
            film = Film("contact_sheet", (model,), timing, pose, stage, direction, ground=ground)
            sheet[top : top + size, left : left + count * size] = film.animation().strip(count).array
            if progress is not None:
                progress(i + 1, len(chosen), clip.name)
    words = Sheet(sheet, unit=UNIT)
    for clip, (left, top) in zip(chosen, places, strict=True):
        told = f"{clip.duration:.2f} s"
        used = words.extent(told, faint=True) + UNIT
        words.text((left + wide - 4, top + size + 4), told, faint=True, anchor="right")
        words.text((left + 4, top + size + 2), clip.name, max_width=wide - used - 8)
    return Picture(words.pixels())


def _chosen(character: Character, clips: object) -> list[Clip]:
    """Return the clips to draw, at least one."""
    if clips is None:
        if not character.clips:
            raise ValueError(
                f"contact_sheet: character must have clips, got {character.name!r}, which has none"
            )
        return list(character.clips.values())
    if not isinstance(clips, Iterable):  # a clip, or what is none
        return [clip_of(character, clips, "contact_sheet")]
    chosen = [
        clip_of(character, clip, "contact_sheet") for clip in ([clips] if isinstance(clips, str) else clips)
    ]
    if not chosen:
        raise ValueError("contact_sheet: clips must hold at least one, got none; omit it for all")
    return chosen


def _steps(clip: Clip, moments: int) -> int:
    """Return how many steps between moments a clip has; the last one of a loop leads to its start."""
    return moments if clip.loop else max(1, moments - 1)


def _pose(model: SkinnedModel, character: Character, clip: Clip, time: float) -> None:
    """Pose a model at a clip's seconds; the end of a clip that loops is not its start."""
    loop = None if clip.loop == "ping_pong" else False
    model.set_pose(clip.sample(time, loop=loop), clip_morphs(character, clip, time, loop=loop))
