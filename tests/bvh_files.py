# SPDX-License-Identifier: MIT
"""BVH texts for tests: one good file, to be changed, and random rigs."""

import numpy as np

GOOD = """HIERARCHY
ROOT Hips
{
\tOFFSET 1 2 3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Leg
\t{
\t\tOFFSET 0 -4 0.5
\t\tCHANNELS 3 Yrotation Xrotation Zrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -3 0
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: 0.25
0 0 0 0 0 0 0 0 0
1 5 -2 90 0 0 10 20 30
2 6 -3 180 0 45 10 20 -30
"""

AXES = "XYZ"

BODY = {  # y up, facing z, metres: parent, offset
    "Hips": (None, (0, 0.95, 0)),
    "Spine": ("Hips", (0, 0.15, 0)),
    "Head": ("Spine", (0, 0.45, 0)),
    "Crown": ("Head", (0, 0.2, 0)),
    "LeftArm": ("Spine", (0.18, 0.35, 0)),
    "LeftForeArm": ("LeftArm", (0.28, 0, 0)),
    "RightShoulder": ("Spine", (-0.05, 0.33, 0)),
    "RightArm": ("RightShoulder", (-0.13, 0.02, 0)),
    "RightForeArm": ("RightArm", (-0.28, 0, 0)),
    "RightHand": ("RightForeArm", (-0.25, 0, 0)),
    "LeftUpLeg": ("Hips", (0.1, -0.05, 0)),
    "LeftLeg": ("LeftUpLeg", (0, -0.42, 0)),
    "LeftFoot": ("LeftLeg", (0, -0.42, 0)),
    "LeftToe": ("LeftFoot", (0, -0.05, 0.14)),
    "RightUpLeg": ("Hips", (-0.1, -0.05, 0)),
    "RightLeg": ("RightUpLeg", (0, -0.42, 0)),
    "RightFoot": ("RightLeg", (0, -0.42, 0)),
    "RightToe": ("RightFoot", (0, -0.05, 0.14)),
}
"""A figure with one shoulder, one hand and no neck."""


def figure(
    place=lambda offset: offset, root=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0), body=BODY, frame_count=1
) -> str:
    """Write `BODY` with its offsets placed elsewhere; the root's channels are position and turn Z, X, Y."""
    lines = ["HIERARCHY"]

    def write(name: str) -> None:
        parent, offset = body[name]
        moves = "" if parent else "Xposition Yposition Zposition "
        lines.extend([f"{'JOINT' if parent else 'ROOT'} {name}", "{"])
        lines.append("OFFSET " + " ".join(f"{value:.9g}" for value in place(offset)))
        lines.append(f"CHANNELS {3 if parent else 6} {moves}Zrotation Xrotation Yrotation")
        below = [each for each, (above, _) in body.items() if above == name]
        for each in below:
            write(each)
        if not below:
            lines.extend(["End Site", "{", "OFFSET 0 0 0", "}"])
        lines.append("}")

    write(next(iter(body)))
    lines += ["MOTION", f"Frames: {frame_count}", "Frame Time: 0.1"]
    numbers = [*root, *turn, *[0] * (3 * (len(body) - 1))]
    lines += [" ".join(f"{value:.9g}" for value in numbers)] * frame_count
    return "\n".join(lines) + "\n"


def random_bvh(rng: np.random.Generator, joint_count: int, frame_count: int) -> str:
    """Make a text with random parents, any order and choice of channels, and angles beyond a full turn."""
    parents = [-1, *(int(rng.integers(max(0, j - 4), j)) for j in range(1, joint_count))]
    parents[joint_count // 2] = -1  # a second ROOT
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents):
        children.setdefault(parent, []).append(joint)
    lines = ["HIERARCHY"]
    channel_count = 0

    def numbers(count: int, size: float) -> str:
        return " ".join(f"{value:.7g}" for value in rng.uniform(-size, size, count))

    def write(joint: int) -> None:
        nonlocal channel_count
        lines.extend([f"{'ROOT' if parents[joint] < 0 else 'JOINT'} joint{joint}", "{"])
        turns = [AXES[axis] + "rotation" for axis in rng.permutation(3)[: rng.integers(0, 4)]]
        moves = [AXES[axis] + "position" for axis in rng.permutation(3)[: rng.integers(0, 4)]]
        channels = list(rng.permutation(moves + turns)) if rng.random() < 0.5 else moves + turns
        lines.append(f"OFFSET {numbers(3, 2.0)}")
        lines.append(f"CHANNELS {len(channels)} {' '.join(channels)}")
        channel_count += len(channels)
        for child in children.get(joint, []):
            write(child)
        if joint not in children:
            lines.extend(["End Site", "{", f"OFFSET {numbers(3, 1.0)}", "}"])
        lines.append("}")

    for root in children[-1]:
        write(root)
    lines.extend(["MOTION", f"Frames: {frame_count}", "Frame Time: 0.05"])
    lines.extend(numbers(channel_count, 400.0) for _ in range(frame_count))
    return "\n".join(lines) + "\n"
