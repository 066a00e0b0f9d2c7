# SPDX-License-Identifier: MIT
"""BVH, read the naive way: words one by one, a 4x4 matrix per channel, float64.

Of well-formed files only. Position channels replace their component of the offset; each rotation channel
turns about the axis as the ones before it have left it.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Node:
    name: str
    parent: int
    offset: list[float] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)


def read(text: str) -> tuple[list[Node], float, np.ndarray]:
    """Nodes, seconds per frame, and the numbers, shape (F, C)."""
    words = iter(text.split())
    nodes: list[Node] = []
    stack: list[int] = []
    parent = -1
    for word in words:
        match word.lower():
            case "root" | "joint":
                nodes.append(Node(next(words), parent))
            case "end":
                next(words)  # Site
                nodes.append(Node(nodes[parent].name + "_end", parent))
            case "{":
                stack.append(parent)
                parent = len(nodes) - 1
            case "}":
                parent = stack.pop()
            case "offset":
                nodes[-1].offset = [float(next(words)) for _ in range(3)]
            case "channels":
                nodes[-1].channels = [next(words) for _ in range(int(next(words)))]
            case "frames:":
                frame_count = int(next(words))
            case "time:":
                frame_time = float(next(words))
                break
    numbers = np.array([float(word) for word in words])
    return nodes, frame_time, numbers.reshape(frame_count, -1)


def model_matrices(nodes: list[Node], frame: np.ndarray) -> np.ndarray:
    """model_from_joint of every node in one frame, shape (J, 4, 4)."""
    result: list[np.ndarray] = []
    numbers = iter(frame)
    for node in nodes:
        position = np.array(node.offset)
        rotation = np.eye(4)
        for channel in node.channels:
            axis = "xyz".index(channel[0].lower())
            if channel.lower().endswith("position"):
                position[axis] = next(numbers)
            else:
                rotation = rotation @ turn(axis, np.radians(next(numbers)))
        local = np.eye(4)
        local[:3, 3] = position
        local = local @ rotation
        result.append(local if node.parent < 0 else result[node.parent] @ local)
    return np.array(result)


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation about x, y or z: (4, 4)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(4)
    matrix[i, i] = matrix[j, j] = np.cos(angle)
    matrix[i, j], matrix[j, i] = -np.sin(angle), np.sin(angle)
    return matrix
