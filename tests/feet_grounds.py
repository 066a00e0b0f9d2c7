# SPDX-License-Identifier: MIT
"""Grounds that feet are tried on, exact, and how well feet stand on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import lissom
from lissom import trs
from lissom.ik import FootPlacement, Leg, find_contacts

AHEAD = np.array([0.0, 0.0, 1.0])


class Stair:
    """Steps of a height and depth ahead (+z), level before and after: risers are upright."""

    def __init__(self, riser: float, tread: float, start: float = 0.0, steps: int = 6):
        self.riser, self.tread, self.start, self.steps = riser, tread, start, steps

    def height(self, places: np.ndarray) -> np.ndarray:
        return self.riser * np.clip(np.floor((places[..., 2] - self.start) / self.tread) + 1, 0, self.steps)

    def __call__(self, origins, directions):
        return origins[:, 1] - self.height(origins), np.tile([0.0, 1.0, 0.0], (len(origins), 1))


class Slope:
    """A ramp ahead (+z), level before and after."""

    def __init__(self, degrees: float, start: float = 0.0, length: float = np.inf):
        self.rise, self.start, self.length = np.tan(np.radians(degrees)), start, length

    def height(self, places: np.ndarray) -> np.ndarray:
        return self.rise * np.clip(places[..., 2] - self.start, 0, self.length)

    def __call__(self, origins, directions):
        z = origins[:, 2] - self.start
        on = (z > 0) & (z < self.length)
        normal = np.array([0.0, 1.0, -self.rise]) / np.hypot(1, self.rise)
        return origins[:, 1] - self.height(origins), np.where(on[:, None], normal, [0.0, 1.0, 0.0])


@dataclass
class Walk:
    """A clip played over some strides, moving ahead in the world, with its contacts."""

    character: lissom.Character
    legs: tuple[Leg, ...]
    times: np.ndarray
    poses: np.ndarray
    world: np.ndarray
    contacts: np.ndarray

    @property
    def leg_length(self) -> float:
        rest = self.character.skeleton.rest.astype(np.float64)
        places = self.character.skeleton.positions(rest)
        index = self.character.skeleton.index
        lines = [[index(j) for j in (leg.hip, *leg.knees, leg.ankle or leg.foot)] for leg in self.legs]
        return float(np.mean([np.linalg.norm(np.diff(places[c], axis=0), axis=1).sum() for c in lines]))


def walk_of(character: lissom.Character, name: str, strides: int = 3) -> Walk:
    clip, legs = character.clips[name], Leg.find(character)
    found = find_contacts(clip, legs, character=character)
    count = max(round(clip.duration * 60), 2)
    times = np.arange(count * strides + 1) * clip.duration / count
    seconds = clip.start + np.mod(times, clip.duration)
    if clip.root_motion is not None:
        world = clip.root_motion.at(clip.start + times, loop=True)
    else:
        world = trs.identity(len(times), dtype=np.float64)
        world[:, :3] = -found.ground_velocity * times[:, None]
    way = world[-1, :3] / np.linalg.norm(world[-1, :3])
    turn = trs.from_parts(rotation=lissom.quat.from_to(way, AHEAD)).astype(np.float64)
    world = trs.compose(turn, world)
    poses = clip.sample(seconds, loop=False).astype(np.float64)
    return Walk(character, legs, times, poses, world, found.sample(seconds))


@dataclass
class Judgement:
    """How feet stand while they are in contact, fractions of the size; of how the body moves, ratios."""

    penetration: float
    hover: float
    acceleration: float


def judge(walk: Walk, placement: FootPlacement, ground) -> tuple[lissom.ik.FootResult, Judgement]:
    result = placement.apply((walk.times, walk.poses), walk.contacts, walk.world)
    character = walk.character
    vertices = trs.transform_point(walk.world[:, None], character.deform(result.poses))
    deep, high = 0.0, 0.0
    for leg, rows in enumerate(foot_faces(character, walk.legs)):
        on = walk.contacts[:, leg] >= 0.999
        skin = surface(vertices[on], rows)
        clear = (skin[..., 1] - ground.height(skin)).min(axis=1) / character.size
        deep, high = max(deep, -clear.min(initial=0.0)), max(high, clear.max(initial=0.0))
    hip = character.skeleton.index(walk.legs[0].hip)
    before, after = (accelerations(walk, poses, hip) for poses in (walk.poses, result.poses))
    return result, Judgement(deep, high, after.max() / np.quantile(before, 0.99))


def accelerations(walk: Walk, poses: np.ndarray, joint: int) -> np.ndarray:
    places = trs.transform_point(walk.world, walk.character.skeleton.positions(poses)[:, joint])
    step = walk.times[1] - walk.times[0]
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=1) / step**2


def foot_faces(character: lissom.Character, legs: tuple[Leg, ...]) -> list[np.ndarray]:
    """Triangles whose corners all belong to a foot, by the skin's weights."""
    skeleton, mesh = character.skeleton, character.mesh
    result = []
    for leg in legs:
        roots = [joint for joint in (leg.ankle, leg.foot) if joint is not None]
        own = skeleton.mask(roots) > 0
        share = (mesh.weights * own[np.asarray(character.skin.joints)[mesh.indices]]).sum(axis=1)
        result.append(mesh.triangles[(share > 0.5)[mesh.triangles].all(axis=1)])
    return result


def surface(vertices: np.ndarray, triangles: np.ndarray, parts: int = 4) -> np.ndarray:
    """Points all over triangles, corners and edges included: (F, V, 3) to (F, N, 3)."""
    steps = [(a, b, parts - a - b) for a in range(parts + 1) for b in range(parts + 1 - a)]
    shares = np.array(steps) / parts
    return np.einsum("sk,ftkc->ftsc", shares, vertices[:, triangles]).reshape(len(vertices), -1, 3)
