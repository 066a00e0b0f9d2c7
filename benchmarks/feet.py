# SPDX-License-Identifier: MIT
"""How well do feet stand on stairs and slopes, and what does it cost?

Penetration and hover are of the skin of the feet, all over its triangles, against the ground, while a foot
is in contact; fractions of the character's size. The acceleration of the hips is the largest, beside the
99th percentile of what the clip itself has. Of the sample, and of the characters of the assets that the
tests name. Cost: the time of the process, the Python call included, beside the same frames in one call.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from _bench import Bench

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import lissom  # noqa: E402
from conftest import ASSETS  # noqa: E402
from feet_courses import ACCELERATION, COURSES, HOVER, PENETRATION, REAL  # noqa: E402
from feet_grounds import Walk, judge, walk_of  # noqa: E402
from lissom import samples  # noqa: E402
from lissom.ik import FootPlacement, Leg  # noqa: E402

FRAMES = 120


def stand(bench: Bench, name: str, walk: Walk, courses: list[str]) -> None:
    for course in courses:
        ground = COURSES[course](walk.leg_length)
        _, figures = judge(walk, FootPlacement(walk.character, walk.legs, ground), ground)
        title = f"{name}, {course}"
        bench.number("penetration", 100 * figures.penetration, "% of the size", title)
        bench.number("hover", 100 * figures.hover, "% of the size", title)
        bench.number("acceleration of the hips", figures.acceleration, "x the clip's", title)
        assert figures.penetration <= PENETRATION
        assert figures.hover <= HOVER
        assert figures.acceleration <= ACCELERATION


def cost(bench: Bench) -> None:
    hero = samples.humanoid()
    walk = hero.clips["walk"]
    slope = lissom.ground.Plane(normal=(0, 1, -0.2))
    feet = FootPlacement(hero, Leg.find(hero), slope)
    times = np.arange(FRAMES) / 60
    poses, world = walk.sample(times), walk.root_motion.at(times)
    whole = feet.apply((times, poses), world_from_model=world)

    def steps() -> None:
        feet.reset()
        for frame in range(FRAMES):
            step = feet.update(poses[frame], 1 / 60 if frame else 0.0, world_from_model=world[frame])
        np.testing.assert_allclose(step.poses, whole.poses[-1], atol=1e-6)

    bench.table(
        "a frame of a biped",
        {
            "lissom, step by step": steps,
            "lissom, a whole clip": lambda: feet.apply((times, poses), world_from_model=world),
        },
        FRAMES,
        "frame",
    )


def main(bench: Bench) -> None:
    for build in ("adult",) if bench.quick else ("adult", "child", "giant"):
        stand(bench, f"humanoid {build}", walk_of(samples.humanoid(build), "walk"), list(COURSES))
    for (file, clip), courses in REAL.items():
        path = ASSETS / "characters" / file
        if path.is_file() and not bench.quick:
            stand(bench, path.stem, walk_of(lissom.load(path), clip), courses)
    bench.one_thread()
    cost(bench)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
