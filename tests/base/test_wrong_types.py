# SPDX-License-Identifier: MIT
"""What plays, moves and saves refuses arguments of other types by a sentence of its own."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import Character, Clip, RootMotion

Call = Callable[[Character, Clip], Any]
MOVES = np.tile(lissom.trs.identity(dtype=np.float64), (2, 1))

CALLS: dict[str, Call] = {
    "CrossFade.play: speed must be a number, got bool": (
        lambda hero, walk: lissom.CrossFade(hero.skeleton).play(walk, speed=True)
    ),
    "CrossFade.fade_to: what ease gives at 0 must be a number, got str": lambda hero, walk: _fade(
        hero
    ).fade_to(walk, 1.0, lambda x: "a"),
    "BlendSpace1D: clips must be several Clips, got <Clip 'walk'": (
        lambda hero, walk: lissom.BlendSpace1D(walk, [1.0])
    ),
    "BlendSpace1D: value must be a number, got str": (
        lambda hero, walk: lissom.BlendSpace1D([walk], [1.0], value="fast")
    ),
    "Clip.extract_root_motion: max_error must be a number, got str": (
        lambda hero, walk: hero.clips["idle"].extract_root_motion(max_error="small")
    ),
    "Clip.bind: names must be a mapping or a function, got list": (
        lambda hero, walk: walk.bind(hero.skeleton, ["Pelvis"])
    ),
    "Clip.bind: names must map names to names or None, got 3 for 'Pelvis'": (
        lambda hero, walk: walk.bind(hero.skeleton, {"Pelvis": 3})
    ),
    "Clip.bind: names must map names to names or None, got 4 for 'Pelvis'": (
        lambda hero, walk: walk.bind(hero.skeleton, lambda name: 4)
    ),
    "Clip.to_bvh: rate must be a number, got str": lambda hero, walk: walk.to_bvh(rate="60"),
    "Clip.to_bvh: units must be a number, got list": lambda hero, walk: walk.to_bvh(units=[1]),
    "load_bvh: units must be a number, got list": lambda hero, walk: lissom.load_bvh(b"", units=[1]),
    "Clip.markers_between: t1 must be a number, got str": lambda hero, walk: walk.markers_between(0, "1"),
    "save_glb: clips must be several clips or their names, got 3": (
        lambda hero, walk: lissom.save_glb(hero, clips=3)
    ),
}
VALUES: dict[str, Call] = {
    "RootMotion.at: times must be finite, got nan": lambda hero, walk: walk.root_motion.at([0, np.nan]),
    "RootMotion.between: times must be finite, got inf": lambda hero, walk: walk.root_motion.between(
        0, np.inf
    ),
    "RootMotion.from_moves: moves must be finite, got nan": (
        lambda hero, walk: RootMotion.from_moves([0, 1], MOVES * np.nan)
    ),
    "RootMotion.from_moves: times must be finite and increase strictly in float64, got inf": (
        lambda hero, walk: RootMotion.from_moves([0, np.inf], MOVES)
    ),
}


def _fade(hero: Character) -> lissom.CrossFade:
    fade = lissom.CrossFade(hero.skeleton)
    fade.play(hero.clips["run"])
    return fade


@pytest.fixture(scope="module")
def hero() -> Character:
    return lissom.samples.humanoid()


@pytest.mark.parametrize("message", CALLS)
def test_other_types_are_refused(hero: Character, message: str) -> None:
    with pytest.raises(TypeError, match="^" + re.escape(message)):
        CALLS[message](hero, hero.clips["walk"])


@pytest.mark.parametrize("message", VALUES)
def test_other_values_are_refused(hero: Character, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        VALUES[message](hero, hero.clips["walk"])
