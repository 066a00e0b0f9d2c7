# SPDX-License-Identifier: MIT
"""Edits of clips beside what they ought to do: each a function of the clip and of its motion.

A motion says what a clip does, without a word about keys: from when to when, and the poses between.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from lissom import Clip, Skeleton, trs
from random_rigs import random_quats

Poses = Callable[[np.ndarray], np.ndarray]

# Left and right are found by name; the rest pose is symmetric, the axes of the joints are not.
PARENTS = {
    "hips": -1,
    "spine": 0,
    "head": 1,
    "arm.L": 1,
    "arm.R": 1,
    "hand.L": 3,
    "hand.R": 4,
    "leg.L": 0,
    "leg.R": 0,
}
OTHER_SIDE = [0, 1, 2, 4, 3, 6, 5, 8, 7]
MORPH_NAMES = ["face/smile", "face/wink.L", "face/wink.R", "face/jawLeft", "teeth/smile", "face/jawRight"]
OTHER_MORPH = [0, 2, 1, 5, 4, 3]
REFLECTION = np.diag([-1.0, 1, 1, 1])


@dataclass(frozen=True)
class Motion:
    """What a clip ought to do: `poses_at` and `weights_at` take times (N,) between start and end."""

    start: float
    end: float
    poses_at: Poses
    weights_at: Poses

    @property
    def duration(self) -> float:
        return self.end - self.start

    def played(self, start: float, end: float, when: Callable[[np.ndarray], np.ndarray]) -> "Motion":
        """The same at other times: `when` says of which moment of this one each time is."""
        return Motion(
            start, end, lambda times: self.poses_at(when(times)), lambda times: self.weights_at(when(times))
        )


def motion_of(clip: Clip) -> Motion:
    return Motion(
        clip.start,
        clip.end,
        lambda times: clip.sample(times, loop=False).astype(np.float64),
        lambda times: clip.morphs(times, loop=False).astype(np.float64),
    )


def symmetric_skeleton(rng: np.random.Generator) -> Skeleton:
    names, parents = list(PARENTS), list(PARENTS.values())
    model = np.tile(np.eye(4), (len(names), 1, 1))
    model[:, :3, :3] = trs.to_matrix([[0, 0, 0, *q, 1, 1, 1] for q in random_quats(rng, len(names))])[
        :, :3, :3
    ]
    model[:, :3, 3] = rng.normal(size=(len(names), 3))
    for joint, other in enumerate(OTHER_SIDE):
        model[other, :3, 3] = model[joint, :3, 3] * ([0, 1, 1] if joint == other else [-1, 1, 1])
    parent = np.concatenate([model, np.eye(4)[None]])[parents]
    return Skeleton(names, parents, trs.from_matrix(np.linalg.inv(parent) @ model))


def at_speed(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    factor, start = float(rng.uniform(0.5, 2)), motion.start
    return clip.at_speed(factor), motion.played(
        start, start + motion.duration / factor, lambda times: start + (times - start) * factor
    )


def reversed_(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    ends = motion.start + motion.end
    return clip.reversed(), motion.played(motion.start, motion.end, lambda times: ends - times)


def shifted(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    by = float(rng.normal())
    return clip.shifted(by), motion.played(motion.start + by, motion.end + by, lambda times: times - by)


def trimmed(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    first, last = clip.start + clip.duration * rng.uniform([0, 0.6], [0.4, 1])
    return clip.trimmed(first, last), motion.played(float(first), float(last), lambda times: times)


def trimmed_at_keys(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    every = np.concatenate([clip.tracks, clip.weight_tracks])
    keys = np.unique(np.concatenate([clip.keys[t["times"] : t["times"] + t["key_count"]] for t in every]))
    middle = clip.start + clip.duration / 2
    first, last = float(rng.choice(keys[keys < middle])), float(rng.choice(keys[keys > middle]))
    return clip.trimmed(first, last), motion.played(first, last, lambda times: times)


def retimed(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    steps = rng.uniform(0.5, 2, 4)
    knots = clip.start + clip.duration * np.concatenate([[0], np.cumsum(steps) / steps.sum()])
    knots[-1] = clip.end
    wanted = motion.start + np.concatenate([[0], np.cumsum(np.diff(knots) * rng.uniform(0.5, 2, 4))])
    return clip.retimed(knots, wanted), motion.played(
        motion.start, float(wanted[-1]), lambda times: np.interp(times, wanted, knots)
    )


def twice(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    end, duration = motion.end, motion.duration
    return clip.concatenated(clip), motion.played(
        motion.start, end + duration, lambda times: np.where(times < end, times, times - duration)
    )


def there_and_back(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    end = motion.end
    return clip.there_and_back(), motion.played(
        motion.start, end + motion.duration, lambda times: end - np.abs(times - end)
    )


def bound(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    same = SimpleNamespace(names=clip.morph_names, defaults=clip.morph_defaults)
    return clip.bind(clip.skeleton, morphs=same), motion


def mirrored(rng: np.random.Generator, clip: Clip, motion: Motion) -> tuple[Clip, Motion]:
    return clip.mirrored(), Motion(
        motion.start,
        motion.end,
        lambda times: reflected(clip.skeleton, motion.poses_at(times)),
        lambda times: motion.weights_at(times)[:, OTHER_MORPH],
    )


EDITS: Mapping[str, Callable[..., tuple[Clip, Motion]]] = {
    edit.__name__: edit
    for edit in (
        at_speed,
        reversed_,
        shifted,
        trimmed,
        trimmed_at_keys,
        retimed,
        twice,
        there_and_back,
        bound,
        mirrored,
    )
}


def reflected(skeleton: Skeleton, poses: np.ndarray) -> np.ndarray:
    """Reflect what each joint does away from its rest, in model space, and let its partner do it."""
    rest = skeleton.rest.astype(np.float64)
    model = np.concatenate([skeleton.model_matrices(rest), np.eye(4)[None]])
    local = np.linalg.inv(model[skeleton.parents]) @ model[:-1]
    rigid = np.concatenate([poses[..., :7], np.ones_like(poses[..., 7:])], axis=-1)
    result = np.empty_like(poses)
    for joint, other in enumerate(OTHER_SIDE):
        parent = np.linalg.inv(model[skeleton.parents[other]]) @ REFLECTION @ model[skeleton.parents[joint]]
        away = trs.to_matrix(rigid[:, joint]) @ np.linalg.inv(local[joint])
        result[:, other, :7] = trs.from_matrix(parent @ away @ np.linalg.inv(parent) @ local[other])[:, :7]
        # Scales are measured along the joint's own axes, which need not be those of its partner.
        own = (np.linalg.inv(model[other]) @ REFLECTION @ model[joint])[:3, :3]
        result[:, other, 7:] = rest[other, 7:] + (poses[:, joint, 7:] - rest[joint, 7:]) @ (own**2).T
    return result
