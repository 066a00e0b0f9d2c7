# SPDX-License-Identifier: MIT
"""What do calls cost that a tool makes once: limits from clips, feet to place, feet that do not slide?

One thread. Limits are learned from all 76 clips of a knight where `../shared/assets` is, otherwise from the
clips of the sample; beside it stands one fit of an axis and of an ellipse, and the same in NumPy, from the
papers (`tests/reference/ik_limits.py`), for the joint with the widest swing. Feet: of the sample and of the
knight, with soles that were never measured (`first`) and with those of the mesh known (`again`). No package
at hand has any of these calls, so there is no other rival.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np

from _bench import Bench
from _measure import PART, Run

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import lissom  # noqa: E402
from conftest import ASSETS  # noqa: E402
from lissom import _core, ik, samples  # noqa: E402
from lissom.ik._feet.known_soles import forget_soles  # noqa: E402
from lissom.ik._joint_rotations import relative_rotations  # noqa: E402
from lissom.ik._limb import limb_at  # noqa: E402
from reference import ik_limits  # noqa: E402

KNIGHT = ASSETS / "characters" / "kaykit" / "Knight.glb"
JOINTS = {"Knight": "upperarm.l", "humanoid": "UpperArm.L"}  # of the widest swing
# Bars, milliseconds.
LIMITS, PLACEMENT, LOCK = 100.0, 20.0, 60.0
FITTED = 1e-7  # what sums in another order, and eigenvectors by another method, change an axis by


def limits(bench: Bench, character: lissom.Character) -> None:
    clips = [clip for clip in character.clips.values() if not clip.additive]
    title = f"limits from {len(clips)} clips of {character.name}"
    learn = partial(ik.learn_limits, character.skeleton, clips)
    learned = learn()
    bench.note(f"{len(learned)} joints that move", title)
    limb = limb_at("corners", character.skeleton, JOINTS[character.name], None)
    poses = np.concatenate([clip.sample(np.arange(0, clip.duration, 1 / 60)) for clip in clips])
    points = np.ascontiguousarray(relative_rotations("corners", limb, poses)[:, :3])
    plane = np.concatenate([points[:, :2], 1e-7 * np.eye(2)])
    axis, expected = np.array(_core.nearest_axis(points)), ik_limits.nearest_axis(points)
    assert abs(axis @ expected) > 1 - FITTED**2
    (xx, xy), (_, yy) = ik_limits.enclosing_ellipse(plane)
    assert np.allclose(_core.enclosing_ellipse(plane), (xx, xy, yy), rtol=FITTED, atol=FITTED)
    table = bench.table(title, {"lissom, learn_limits": learn}, 1, "")
    if len(clips) > 70:
        table.judge("lissom, learn_limits", LIMITS, 1e3, "ms")
    bench.table(
        f"one joint of {character.name}, {len(points)} poses",
        {
            "lissom, axis": partial(_core.nearest_axis, points),
            "NumPy, axis": partial(ik_limits.nearest_axis, points),
            "lissom, ellipse": Run(partial(_core.enclosing_ellipse, plane), kind=PART),
            "NumPy, ellipse": Run(partial(ik_limits.enclosing_ellipse, plane), kind=PART),
        },
        1,
        "",
    )


def feet(bench: Bench, character: lissom.Character, clip: str) -> None:
    legs, walk = ik.Leg.find(character), character.clips[clip]
    mesh = character.mesh
    assert mesh is not None
    slope = lissom.ground.Plane(normal=(0, 1, -0.2))
    place = partial(ik.FootPlacement, character, legs, slope)
    placement = place()

    def first() -> None:
        forget_soles(mesh)
        place()

    def lock_first() -> None:
        forget_soles(mesh)
        lock()

    lock = partial(ik.lock_feet, walk, legs, character=character)
    contacts = ik.find_contacts(walk, legs, character=character, rate=240.0)  # as lock_feet finds them
    slides = ik.foot_slide(lock(), legs, contacts=contacts, character=character)
    assert (slides < 5e-4 * character.size).all()
    title = f"feet of {character.name}, {mesh.vertex_count} vertices"
    table = bench.table(
        title,
        {
            "lissom, FootPlacement, first": first,
            "lissom, FootPlacement, again": place,
            "lissom, PlayersFeet": partial(ik.PlayersFeet, placement),
            f"lissom, lock_feet of {walk.duration:.2g} s": lock,
            f"lissom, lock_feet of {walk.duration:.2g} s, first": lock_first,
        },
        1,
        "",
    )
    table.judge("lissom, FootPlacement, first", PLACEMENT, 1e3, "ms")
    table.judge(f"lissom, lock_feet of {walk.duration:.2g} s, first", LOCK, 1e3, "ms")


def main(bench: Bench) -> None:
    bench.one_thread()
    hero = samples.humanoid()
    knight = lissom.load(KNIGHT) if KNIGHT.is_file() else None
    limits(bench, knight or hero)
    feet(bench, hero, "walk")
    if knight is not None:
        feet(bench, knight, "Walking_A")


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
