# SPDX-License-Identifier: MIT
"""Springs that cannot be: each is refused in one sentence that says what to do."""

import re

import numpy as np
import pytest

import lissom
from lissom import SpringChain, SpringCollider, Springs

HERO = lissom.samples.humanoid()
REST = HERO.skeleton.rest
NAN, INF = float("nan"), float("inf")
sphere, capsule, plane = SpringCollider.sphere, SpringCollider.capsule, SpringCollider.plane


def chain(*joints, **options):
    return SpringChain(joints or ("Spine", "Chest"), **options)


def hero(*chains, **options):
    return lambda: Springs(HERO, chains, **options)


def step(poses=REST, dt=0.1, **options):
    return lambda: Springs(HERO, [chain()]).step(poses, dt, **options)


def stepped_twice(first, second, **options):
    def call():
        springs = Springs(HERO, [chain()])
        springs.step(first, 0.1)
        springs.step(second, 0.1, **options)

    return call


WORLD = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0])
CASES = {
    "SpringCollider: radius must be finite and at least 0, got nan": lambda: sphere("Head", NAN),
    "SpringCollider: radius must be at most 1e+09 and at least 0, got -1": lambda: sphere("Head", -1),
    "SpringCollider: radius must be a number, got str": lambda: sphere("Head", "1"),
    "SpringCollider: joint must be the name or the index of a joint, got float": lambda: sphere(1.0, 1),
    "SpringCollider: offset must be finite, got inf": lambda: sphere("Head", 1, offset=(0, INF, 0)),
    "SpringCollider: offset must have shape (3,), got (2,)": lambda: sphere("Head", 1, offset=(0, 1)),
    "SpringCollider: inside must be True or False, got int": lambda: sphere("Head", 1, inside=1),
    "SpringCollider: shape must be one of sphere, capsule, plane, got 'box'": lambda: SpringCollider(
        "Head", "box"
    ),
    "SpringCollider: tail must hold numbers from -1e+09 to 1e+09, got 1e+10": (
        lambda: capsule("Head", 1, tail=(0, 1e10, 0))
    ),
    "SpringCollider: normal must have a direction, got (0, 0, 0)": lambda: plane("Head", normal=(0, 0, 0)),
    "SpringChain: joints must be a sequence of joints, got str": lambda: SpringChain("Spine"),
    "SpringChain: joints must be two or more, got 1; end= adds a bone after the last": lambda: chain("Spine"),
    "SpringChain: joints must not repeat, got 'Spine' twice": lambda: chain("Spine", "Chest", "Spine"),
    "SpringChain: joints must be the name or the index of a joint, got NoneType": lambda: chain(
        "Spine", None
    ),
    "SpringChain: stiffness must be from 0 to 1e+09, got -1": lambda: chain(stiffness=-1),
    "SpringChain: stiffness must be from 0 to 1e+09, got nan": lambda: chain(stiffness=NAN),
    "SpringChain: drag must be from 0 to 1, got 1.5": lambda: chain(drag=1.5),
    "SpringChain: radius must be from 0 to 1e+09, got nan": lambda: chain(radius=NAN),
    "SpringChain: drag must be one number, or one for each of the 1 joints that spring, got shape (2,)": (
        lambda: chain(drag=[0.1, 0.2])
    ),
    "SpringChain: gravity must be finite, got nan": lambda: chain(gravity=NAN),
    "SpringChain: gravity must be a number, or have shape (3,) or (1, 3)": (lambda: chain(gravity=[0, 1])),
    "SpringChain: end must be at most 1e+09 and at least 0, got -1": lambda: chain(end=-1),
    "SpringChain: follow must be True or False, got str": lambda: chain(follow="yes"),
    "SpringChain: colliders must hold SpringCollider, got str": lambda: chain(colliders=["Head"]),
    "SpringChain: colliders must be a sequence of SpringCollider, got SpringCollider": (
        lambda: chain(colliders=sphere("Head", 1))
    ),
    "Springs: body must be a Character or a Skeleton, got str": lambda: Springs("hero"),
    "Springs: chains must be passed for a body whose file says nothing of springs": lambda: Springs(HERO),
    "Springs: chains must be a sequence of SpringChain, got SpringChain": lambda: Springs(HERO, chain()),
    "Springs: chains must hold SpringChain, got list": lambda: Springs(HERO, [["Spine", "Chest"]]),
    "Springs: chain 1: no joint is named 'Hed'; did you mean 'Head'?": hero(chain(), chain("Chest", "Hed")),
    "Springs: chain 0: a joint's index must be at least 0 and below 34, got 34": hero(chain("Spine", 34)),
    "Springs: chain 0: 'Foot.L' must be a descendant of 'Spine', the one before it": (
        hero(chain("Spine", "Foot.L"))
    ),
    "Springs: chain 0: collider: no joint is named 'Hed'; did you mean 'Head'?": (
        hero(chain(colliders=[sphere("Hed", 1)]))
    ),
    "Springs: colliders: no joint is named 'Hed'; did you mean 'Head'?": (
        hero(chain(colliders=[sphere("Head", 1)]), colliders=[sphere("Neck", 1), sphere("Hed", 1)])
    ),
    "Springs: colliders: a joint's index must be at least 0 and below 34, got 34": (
        hero(chain(), colliders=[sphere(34, 1)])
    ),
    "Springs: chain 0: center must be above its first joint 'Spine', got 'Head'": hero(chain(center="Head")),
    "Springs: chain 0: center must be above its first joint 'Spine', got 'Spine'": hero(
        chain(center="Spine")
    ),
    "Springs: chains must not share joints, got 'Spine' in chains 0 and 1": hero(
        chain(), chain("Spine", "Neck")
    ),
    "Springs: colliders must not move with what they push, got one on 'Head'": (
        hero(chain(colliders=[sphere("Head", 1)]))
    ),
    "Springs: colliders must not move with what they push, got one on 'Spine'": (
        hero(
            chain("Neck", "Head", colliders=[sphere("Spine", 1)]),
            chain("Spine", "Chest", colliders=[sphere("Neck", 1)]),
        )
    ),
    "Springs.step: poses must have shape (..., 34, 10) for the 34 joints of this skeleton, got (33, 10)": (
        step(REST[1:])
    ),
    "Springs.step: dt must be finite and at least 0, got nan": step(dt=NAN),
    "Springs.step: dt must be finite and at least 0, got -1": step(dt=-1),
    "Springs.step: dt must be a number, got str": step(dt="1"),
    "Springs.step: world must have shape (10,) for these poses, got (2, 10)": step(world=[WORLD, WORLD]),
    "Springs.step: world must have unit rotations and scale 1, got [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0": (
        step(world=WORLD * [1, 1, 1, 1, 1, 1, 2, 1, 1, 1])
    ),
    "Springs.step: world must be finite, got nan": step(world=WORLD * NAN),
    "Springs.step: poses must be float32 as at the first call, got float64": (
        stepped_twice(REST, REST.astype(np.float64))
    ),
    "Springs.step: poses must have the leading axes () of the first call, got (2,); reset() starts anew": (
        stepped_twice(REST, np.stack([REST, REST]))
    ),
    "Springs.step: world must be passed at each call or at none; reset() starts anew": (
        stepped_twice(REST, REST, world=WORLD)
    ),
    "Springs.step: poses must be finite, their rotations unit (quat.normalize makes them), got joint 1": (
        step(np.where(np.arange(340).reshape(34, 10) == 13, 3, REST))
    ),
    "Springs.step: out must be an array of float32, got float64": step(out=np.zeros((34, 10))),
}


@pytest.mark.parametrize("says", CASES)
def test_it_is_refused(says):
    with pytest.raises((TypeError, ValueError), match="^" + re.escape(says)) as caught:
        CASES[says]()
    assert "\n" not in str(caught.value)


def test_the_direction_of_an_end_must_be_known():
    rest = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0]), (2, 1))
    skeleton = lissom.Skeleton(["a", "b"], [-1, 0], rest)
    with pytest.raises(
        ValueError, match="end needs a direction, and 'b' is where its parent is; name a joint below it"
    ):
        Springs(skeleton, [SpringChain(["b"], end=0.1)])
    rest[1, 0], rest[0, 7:] = 1, (1, 0, 1)
    flat = lissom.Skeleton(["a", "b"], [-1, 0], rest)
    with pytest.raises(ValueError, match="end needs lengths, and 'b' is scaled to nothing"):
        Springs(flat, [SpringChain(["b"], end=0.1)])


def test_colliders_of_another_chain_may_move():
    """What a chain meets is moved first; only circles are refused."""
    ball = sphere("Head", 0.2)
    springs = hero(chain("UpperArm.L", "LowerArm.L", colliders=[ball]), chain("Neck", "Head"))()
    assert springs.joints.tolist() == [HERO.skeleton.index(name) for name in ("UpperArm.L", "Neck")]
