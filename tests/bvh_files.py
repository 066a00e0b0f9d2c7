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
