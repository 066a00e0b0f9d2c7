# SPDX-License-Identifier: MIT
"""Records what a cross-fade does at each step, and checks all steps at once against the bound of no pop."""

import numpy as np

from lissom import CrossFade
from lissom._playback.fade import Fade

Array = np.ndarray


def angles(a: Array, b: Array) -> Array:
    """Angles in [0, pi] between rotations (..., 4) of any length, exact near none and near half a turn."""
    a, b = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (a, b))  # rest poses are float32
    flipped = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
    half = np.linalg.norm(a - flipped, axis=-1), np.linalg.norm(a + flipped, axis=-1)
    return 4 * np.arctan2(*half)


def distances(a: Array, b: Array) -> Array:
    """By how much poses (..., J, 10) differ: angle, distance of translation and of scale, (..., J, 3)."""
    rotation = angles(a[..., 3:7], b[..., 3:7])
    translation = np.linalg.norm(a[..., :3] - b[..., :3], axis=-1)
    return np.stack([rotation, translation, np.linalg.norm(a[..., 7:] - b[..., 7:], axis=-1)], axis=-1)


class Recorder:
    """Steps a cross-fade and keeps what moved.

    Of the fade it reads which layers there are and what each shows, and which joints it holds; how far these
    are apart and how far they moved is measured here.
    """

    def __init__(self) -> None:
        self.shown: list[tuple[Array, Array]] = []  # before and after, one for each step
        self.moved: list[tuple[int, Array, Array]] = []  # step, a play head's pose before and after it
        self.died: list[tuple[int, Array]] = []  # step, by how much inertialized differences changed (J, 9)
        # Of each fade in each step: step, change of weight; what lies below and the target, before and after;
        # for each joint -1 or the row of this list, the step at which it was first held.
        self.faded: list[tuple[int, float, Array, Array, Array]] = []
        self._held: dict[int, tuple[Fade, Array]] = {}

    @property
    def held_joints(self) -> int:
        return sum(int((rows >= 0).sum()) for _, rows in self._held.values())

    def update(self, fade: CrossFade, dt: float) -> Array:
        step = len(self.shown)
        layers = list(fade._layers)
        heads = list(fade._heads)
        fades = [layer.fade for layer in layers]
        rests = [(layer.inertializer, layer.inertializer.offset) for layer in layers if layer.inertializer]
        poses = [head.pose.copy() for head in heads]
        before = [layer.shown.copy() for layer in layers]
        targets = [layer.target.copy() for layer in layers]
        weights = [f.weight if f else 1.0 for f in fades]

        result = fade.update(dt).astype(np.float64)
        self.shown.append((before[-1], result))
        self.moved += [(step, old, head.pose.copy()) for old, head in zip(poses, heads, strict=True)]
        self.died += [(step, rest.offset - offset) for rest, offset in rests]
        for i, f in enumerate(fades):
            if f is None:
                continue
            held = self._held.setdefault(id(f), (f, np.full(len(result), -1)))[1]
            held[f.held & (held < 0)] = len(self.faded)
            ends = np.stack([before[i - 1], targets[i], layers[i - 1].shown, layers[i].target])
            self.faded.append((step, abs(f.weight - weights[i]), ends, f.held.copy(), held))
        return result

    def excess(self) -> Array:
        """By how much each joint moved beyond the bound in each step, (steps, J, 3); at most rounding."""
        before, after = (np.array([pair[i] for pair in self.shown]) for i in (0, 1))
        allowed = np.zeros((*before.shape[:2], 3))
        if self.moved:
            steps = np.array([row[0] for row in self.moved])
            old, new = (np.array([row[i] for row in self.moved]) for i in (1, 2))
            np.add.at(allowed, steps, distances(old, new))
        if self.died:
            change = np.array([row[1] for row in self.died]).reshape(len(self.died), -1, 3, 3)
            steps = np.array([row[0] for row in self.died])
            np.add.at(allowed, steps, np.linalg.norm(change, axis=-1)[..., [1, 0, 2]])
        if self.faded:
            steps, change = (np.array([row[i] for row in self.faded]) for i in (0, 1))
            ends = np.array([row[2] for row in self.faded])
            held, rows = (np.array([row[i] for row in self.faded]) for i in (3, 4))
            old = distances(ends[:, 0], ends[:, 1])
            difference = np.maximum(old, distances(ends[:, 2], ends[:, 3]))
            joints = np.broadcast_to(np.arange(held.shape[1]), held.shape)
            difference[held, 0] = old[rows[held], joints[held], 0]
            np.add.at(allowed, steps, difference * change[:, None, None])
        return distances(before, after) - allowed
