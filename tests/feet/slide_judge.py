# SPDX-License-Identifier: MIT
"""How far feet slide, judged apart from `lissom.ik`: contacts and soles from vertices and joints alone."""

import numpy as np

import lissom

RATE = 120.0  # samples a second
LOW = 0.006  # of the size: a sole is down when its lowest point is this near to the foot's own floor
FLOOR = 0.2  # quantile of the heights of its lowest point that is the floor: toes that push off dip below it
TOUCHING = 0.002  # of the size: points that are this near to the lowest touch the ground, too
SLOW = 0.15  # of the speed of swinging feet: what moves faster is not meant to stand
SWING = 0.95  # quantile of the ankles' speeds that is the speed of a swinging foot
LASTING = 0.1  # seconds: a touch that is shorter is no stance
EDGE = 1 / 30  # seconds, a frame of most clips: no contact begins or ends more exactly than that


def slides(character, clip, legs, contacts=None):
    """The largest distance that the support of each foot slides in a stance, as a fraction of the size.

    NaN for a foot without stances. With `contacts` only in stances of these, as well.
    """
    times = np.arange(clip.start, clip.end, 1 / RATE)
    model = character.skeleton.model_matrices(clip.sample(times, loop=False).astype(np.float64))
    world = root_matrices(clip, times)[:, None] @ model
    soles = [sole_points(character, world, leg) for leg in legs]
    heights = [points[..., 1].min(axis=1) for points in soles]
    low = [height < np.quantile(height, FLOOR) + LOW * character.size for height in heights]
    down = [each[:-1] & each[1:] for each in low]
    # Of a clip on the spot the ground moves, by what low feet do most of the time; else that is nothing.
    ground = np.zeros(2)
    if clip.root_motion is None:
        steps = [support_steps(points, 0)[each] for points, each in zip(soles, down, strict=True)]
        ground = np.median(np.concatenate(steps), axis=0)
    ankles = [world[:, character.skeleton.index(leg.ankle), :3, 3] for leg in legs]
    speeds = [np.linalg.norm(np.diff(ankle[:, [0, 2]], axis=0) - ground, axis=1) for ankle in ankles]
    slow = SLOW * np.quantile(np.concatenate(speeds), SWING)
    result = []
    for leg, points in enumerate(soles):
        steps = support_steps(points, TOUCHING * character.size, ground) - ground
        stands = down[leg] & (np.linalg.norm(steps, axis=1) <= slow)
        if contacts is not None:
            curve = contacts.sample(times)[:, leg] >= 1
            stands &= curve[:-1] & curve[1:]
        result.append(slide_of(steps, stands) / character.size)
    return np.array(result)


def root_matrices(clip, times):
    result = np.tile(np.eye(4), (len(times), 1, 1))
    if clip.root_motion is not None:
        result = lissom.trs.to_matrix(clip.root_motion.at(times, loop=False)).astype(np.float64)
    return result


def sole_points(character, world, leg):
    """World positions (F, N, 3) of the vertices below a knee; without a mesh of the joints of a foot."""
    skeleton, has_mesh = character.skeleton, character.mesh is not None and character.mesh.vertex_count > 0
    # Some soles are weighted to shins. What is not low is not judged.
    knee = leg.knee if isinstance(leg.knee, str) else leg.knee[-1]
    tops = [skeleton.index(name) for name in (knee if has_mesh else leg.ankle, leg.foot) if name is not None]
    foot = [
        j for j in range(len(skeleton)) if any(j == top or skeleton.is_in_hierarchy(j, top) for top in tops)
    ]
    mesh, skin = character.mesh, character.skin
    if not has_mesh:
        return world[:, foot][..., :3, 3]
    own = (mesh.weights * np.isin(skin.joints[mesh.indices], foot)).sum(axis=1) > 0.5
    palette = world[:, skin.joints] @ skin.joint_from_bind.astype(np.float64)
    bind = np.append(mesh.positions[own], np.ones((own.sum(), 1)), axis=1)
    result = np.zeros((len(world), len(bind), 3))
    for k in range(mesh.influence_count):
        rows, weights = mesh.indices[own, k], mesh.weights[own, k]
        used = np.flatnonzero(weights)
        result[:, used] += weights[used, None] * np.einsum(
            "fvij,vj->fvi", palette[:, rows[used], :3], bind[used]
        )
    return result


def support_steps(points, touching, ground=(0, 0)):
    """Horizontal steps (F - 1, 2) of the points that move least over the ground, of those that touch it."""
    highest = np.maximum(points[1:, :, 1], points[:-1, :, 1])
    steps = np.diff(points[..., [0, 2]], axis=0)
    lengths = np.linalg.norm(steps - ground, axis=-1)
    lengths[highest > highest.min(axis=1, keepdims=True) + touching] = np.inf
    return steps[np.arange(len(steps)), lengths.argmin(axis=1)]


def slide_of(steps, stands):
    """The largest distance between two places of the support in one stance, without its edges."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], stands.astype(int), [0]])))
    margin = round(EDGE * RATE)
    worst = np.nan
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        path = np.cumsum(steps[first + margin : last - margin], axis=0)
        if last - first >= LASTING * RATE and len(path):
            worst = np.fmax(worst, np.linalg.norm(path[:, None] - path[None], axis=-1).max())
    return worst
