# SPDX-License-Identifier: MIT
"""The humanoid: body, clothes and clips put together."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from lissom.samples import _gait as gait
from lissom.samples import _gestures as gestures
from lissom.samples._figure import dress
from lissom.samples._proportions import BUILDS
from lissom.samples._shell import assemble
from lissom.samples._skeleton import JOINT_NAMES, PARENTS, joint_positions

if TYPE_CHECKING:
    from lissom._character.character import Character

Build = Literal["adult", "child", "giant"]

WALK_SPEED: dict[str, float] = gait.speeds(gait.WALK)
"""Metres per second at which the ground passes under each build's "walk"."""
RUN_SPEED: dict[str, float] = gait.speeds(gait.RUN)
"""Metres per second at which the ground passes under each build's "run"."""


def humanoid(build: Build = "adult") -> Character:
    """Return a clothed figure with 34 joints, smooth weights and five clips.

    It is made by code when first asked for (in a sixth of a second) and the same afterwards. Metres, y up,
    facing +z, feet on y = 0. At rest it stands in an A-pose with every joint unrotated, so that the axes of
    each joint are those of the model; elbows and knees are bent a little, so that their planes can be read
    from the rest pose.

    Clips, with keys 30 times a second on rotations and on the translation of the pelvis:

    - ``idle``: a loop of 4 s; a breath, and the weight from one leg to the other.
    - ``walk``, ``run``: one stride each, loops on the spot, which begin as the left foot lands. The ground
      passes under them towards -z at ``WALK_SPEED[build]`` and ``RUN_SPEED[build]``: a crowd that moves its
      instances at that speed sees standing feet stand. Their ``root_motion`` is that travel.
    - ``wave``: 3 s of waving the right hand, from the first pose of ``idle`` and back to it. Not a loop.
    - ``lean``: a loop of 2 s, meant as an additive: to the left, to the right and back, over the rest pose.
      Its reference is its first pose, which is the rest pose.

    Parts, in the order they are drawn: Skin, Hair, Lips, Eyes, Irises, Pupils, Brows, Sweater, Trousers,
    Turn-ups, Ribbing, Shoes, Soles. Each is a closed surface or several.

    Parameters
    ----------
    build : {"adult", "child", "giant"}
        1.75 m with the proportions of an adult; 1.2 m with a large head, short limbs and a round body; 2.6 m,
        broad, with long arms and a small head.

    Returns
    -------
    Character
        The same object at each call. At most 12 000 vertices with up to four influences each.

    Raises
    ------
    ValueError
        If there is no such build.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> hero
    Character('humanoid_adult', 34 joints, 11588 vertices, 5 clips)
    >>> verts = hero.deform(hero.clips["walk"].sample(0.3))
    >>> print(lissom.samples.humanoid("giant").mesh.bounds[1, 1].round(1))  # metres high
    2.6
    """
    if build not in BUILDS:
        raise ValueError(f"humanoid: build must be one of {', '.join(BUILDS)}, got {build!r}")
    return _made(build)


@cache
def _made(name: str) -> Character:
    build = BUILDS[name]
    joints = joint_positions(build)
    clips = {
        "idle": gestures.idle(build),
        "walk": gait.cycle(gait.WALK, build),
        "run": gait.cycle(gait.RUN, build),
        "wave": gestures.wave(build),
        "lean": gestures.lean(build),
    }
    speeds = {"walk": WALK_SPEED[name], "run": RUN_SPEED[name]}
    return assemble(f"humanoid_{name}", JOINT_NAMES, PARENTS, joints, dress(build, joints), clips, speeds)
