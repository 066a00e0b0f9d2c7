# SPDX-License-Identifier: MIT
"""Morph targets of a clip and their partners among others, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lissom._base.names import near_names
from lissom.clip._tracks import WEIGHT, Track

if TYPE_CHECKING:
    from lissom.clip import Clip


class MorphPartners:
    """The targets that each morph target of a clip moves.

    A name in full, "node/target", comes first; the others look for what follows a "/", which all nodes share
    that have it. No target has two partners.

    Attributes
    ----------
    matched : tuple of (str, str)
        Name in the clip and name of the target, of each that the clip moves and that has a partner.
    unmatched : tuple of str
        Those that the clip moves without a partner.
    unmoved : tuple of str
        Targets that no track moves.
    """

    def __init__(self, clip: Clip, targets: Sequence[str]) -> None:
        own = clip.morph_names
        self._partners = partners_of_morphs(own, targets)
        moving = sorted(clip.weight_tracks["joint"].tolist())
        pairs = [(morph, target) for morph in moving for target in self._partners.get(morph, ())]
        self.matched = tuple((own[morph], targets[target]) for morph, target in pairs)
        self.unmatched = tuple(own[morph] for morph in moving if morph not in self._partners)
        moved = {target for _, target in pairs}
        self.unmoved = tuple(name for number, name in enumerate(targets) if number not in moved)
        if moving and not len(clip.tracks) and not pairs:
            near = {name: found[0] for name in self.unmatched if (found := near_names(name, targets))}
            advice = f"; {next(iter(near))!r} may be {next(iter(near.values()))!r}" if near else ""
            raise ValueError(
                f"Clip.bind: morphs: none that clip {clip.name!r} moves "
                f"({', '.join(map(repr, self.unmatched[:3]))}...) is among the {len(targets)} passed "
                f"({', '.join(map(repr, targets[:3]))}...){advice}"
            )

    def bound(self, track: Track) -> Iterator[Track]:
        """Yield the tracks of the partners of a track of weights."""
        assert track.path == WEIGHT
        for target in self._partners.get(track.joint, ()):
            yield replace(track, joint=target)


def partners_of_morphs(own: Sequence[str], targets: Sequence[str]) -> dict[int, list[int]]:
    """Return the numbers of the targets that each name means, of those that mean any."""
    numbers = {name: number for number, name in enumerate(targets)}
    shared: dict[str, list[int]] = {}
    for number, name in enumerate(targets):
        for bare in bare_names(name):
            shared.setdefault(bare, []).append(number)
    partners = {morph: [numbers[name]] for morph, name in enumerate(own) if name in numbers}
    taken = {target for found in partners.values() for target in found}
    for morph, name in enumerate(own):
        if morph in partners:
            continue
        for bare in (name, *bare_names(name)):
            found = [target for target in shared.get(bare, ()) if target not in taken]
            if bare in numbers and numbers[bare] not in taken:
                found = [numbers[bare]]
            if found:
                partners[morph] = found
                taken.update(found)
                break
    return partners


def bare_names(name: str) -> Iterator[str]:
    """Yield what follows each "/" of a name: node and target may have some of their own."""
    place = name.find("/")
    while 0 <= place < len(name) - 1:
        yield name[place + 1 :]
        place = name.find("/", place + 1)
