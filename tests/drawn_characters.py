# SPDX-License-Identifier: MIT
"""Ten characters of many makers, which consumers draw: is that as wrong as exports state?"""

import json

import numpy as np

import lissom
from conftest import ASSETS

# Character, clip: ours, and those of many tools, with joints in axes of their own.
DRAWN = {
    "humanoid": (None, "run"),
    "Fox": ("characters/khronos/Fox.glb", "Run"),
    "CesiumMan": ("characters/khronos/CesiumMan.glb", 0),
    "Knight": ("characters/kaykit/Knight.glb", "Running_A"),
    "Wolf": ("characters/quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),
    "gdbot": ("characters/gdquest/gdbot.glb", "run"),
    "bee_bot": ("characters/gdquest/bee_bot.glb", 0),
    "Bee": ("characters/quaternius/platformer_game_pack/Bee.glb", 0),
    "Kenney": ("characters/kenney/character.glb", "walk"),
    "Dolphin": ("characters/quaternius/fish_pack/Dolphin.glb", 0),
}
RATE = 30
MOST = 1.1  # times the error that is stated
MOMENTS = 8


def drawn_subject(name):
    """The character, its clip's name and a bake of that; None where the file is not here."""
    path, clip = DRAWN[name]
    if path is not None and not (ASSETS / path).is_file():
        return None
    hero = lissom.samples.humanoid() if path is None else lissom.load(ASSETS / path)
    clip = list(hero.clips)[clip] if isinstance(clip, int) else clip
    return hero, clip, lissom.bake(hero, clip, rate=RATE)


def drawn_times(report, bake, clip):
    """Where the report says that it is worst, and at random."""
    one = bake.clips[clip]
    others = np.random.default_rng(2).uniform(one.start, one.start + one.duration, MOMENTS - 1)
    return [float(report.clips[clip].worst.time), *map(float, others)]


def drawn_error(hero, clip, times, places, which=slice(None)):
    """The largest distance of vertices that were drawn, (times, n, 3), from the clip's; `which` they are."""
    wanted = hero.deform(hero.clips[clip].sample(np.array(times), loop=False))[:, which]
    return float(np.linalg.norm(places - wanted, axis=-1).max())


def drawn_told(consumer, name, worst, report, measured):
    """What docs/tables/drawn_errors.py makes a table of: who drew what, how wrong, and what was stated."""
    told = {"consumer": consumer, "character": name}
    told |= {"drawn": worst / measured.size, "stated": report.error.max_relative}
    print(f"{name} {consumer}: {told['drawn'] / told['stated']:.3f} of what is stated")
    return json.dumps(told)
