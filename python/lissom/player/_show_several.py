# SPDX-License-Identifier: MIT
"""Several characters on one page: `lissom.show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.equal_size import size_factors, warn_of_sizes
from lissom._character.merge import checked_characters, merge
from lissom._character.placements import checked_placements
from lissom._character.shared_clips import paired_clips, shared_clip
from lissom.clip import Clip

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom.player._player import Player

__all__ = ["show"]

AZIMUTH = 10.0  # degrees: from where a row is seen


@set_module("lissom")
def show(
    *characters: Character,
    clips: str | Sequence[str] | Mapping[str, Sequence[str | Clip | None]] | None = None,
    placements: ArrayLike | None = None,
    equal_size: bool | float = False,
    names: Sequence[str] | None = None,
    method: str | None = None,
    width: int = 720,
    height: int = 480,
    title: str | None = None,
    **state: Any,
) -> Player:
    """Play several characters in a browser: a notebook shows them in the cell.

    The page shows what `merge` makes of them. Its list of clips has one entry for what they play at the same
    time, the shorter clip repeated or held as `merge` says.

    Parameters
    ----------
    *characters : Character
        One or more, one by one.
    clips : str, sequence of str, or mapping of str to sequence, optional
        What can be played: names that all of them have, whatever their case and prefix; or for each name of
        the list a clip of every character, or None for the rest pose: ``{"duel": ["Attack", "Hit"]}``. When
        omitted every clip of all: first those that all have, then the first others of each together, the
        second, and so on, as "Attack + Run"; who has none left rests.
    placements, equal_size, names
        As in `merge`. By default they stand side by side.
    method, width, height, title, **state
        As in `Character.show`. A row is seen from 10 degrees unless ``camera=`` says otherwise.

    Returns
    -------
    lissom.player.Player
        ``.html``, ``.save(path)``.

    Raises
    ------
    TypeError
        If one of them is no Character, or an argument of another type.
    ValueError
        If there is none, a clip, a state or its value is not known, or as `merge` does.

    See Also
    --------
    Character.show : one character.
    render : a picture, or a film.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> lissom.show(hero, child, clips={"meet": ["wave", "walk"]})
    Player('humanoid_adult and humanoid_child', 720 x 480, ... bytes)
    """
    if len(characters) == 1 and isinstance(characters[0], (list, tuple)):
        raise TypeError("show: characters must be passed one by one, got a list; put a * before it")
    members = checked_characters("show", characters)
    chosen = _chosen(members, clips)
    scales = size_factors("show", members, equal_size)
    if placements is not None:
        scales = scales * checked_placements(placements, len(members), "show")[:, 7:].max(axis=1)
    warn_of_sizes("show", members, scales, depth=1)
    merged = merge(members, placements, names=names, clips=chosen, equal_size=equal_size)
    if placements is None and len(members) > 1:  # a row, in which nobody hides a neighbour
        state.setdefault("camera", {"azimuth": AZIMUTH})
    return merged.show(list(chosen) or None, method=method, width=width, height=height, title=title, **state)


def _chosen(members: Sequence[Character], clips: Any) -> Mapping[str, Sequence[str | Clip | None]]:
    if clips is None:
        return paired_clips(members)
    if isinstance(clips, Mapping):
        return clips
    names = [clips] if isinstance(clips, str) else clips
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            "show: clips must be names, or a mapping of names to a clip of each character, got "
            f"{type(clips).__name__}"
        )
    return {name: shared_clip("show: clips", members, name) for name in names}
