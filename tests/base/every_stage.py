# SPDX-License-Identifier: MIT
"""What every stage from clip to texel computes for one rig, and, run as a program, the bytes of it.

``python every_stage.py OUT [asset ...]`` computes all stages in deterministic mode by each of `THREADS` and
prints their hashes as JSON; to OUT go the numbers of the fast kernels.
"""

import hashlib
import json
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import lissom
import mesh_stages
from lissom import Clip, Mesh, Skeleton, Skin
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, STEP, TRACK_DTYPE
from lissom.clip._tracks import Track, packed
from lissom.skinning import METHODS

Stages = dict[str, np.ndarray]
JOINTS, VERTICES = 37, 1003  # no multiples of any width
THREADS = (1, 2, 7)
LONG, SHORT = 70, 3  # times that are sampled together, and few


def units(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random directions by operations that IEEE 754 rounds exactly: the same bits everywhere."""
    rows = rng.random(shape) - 0.5
    square = rows[..., 0] * rows[..., 0]
    for column in range(1, shape[-1]):
        square = square + rows[..., column] * rows[..., column]
    return rows / np.sqrt(square)[..., None]


def made_up_rig() -> SimpleNamespace:
    """A skeleton, a clip, a skin and a mesh with nothing in them that a C library has computed."""
    rng = np.random.default_rng(3)
    rest = np.concatenate([rng.random((JOINTS, 3)), units(rng, JOINTS, 4), np.ones((JOINTS, 3))], axis=1)
    parents = [-1, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, JOINTS))]
    skeleton = Skeleton([f"joint {i}" for i in range(JOINTS)], parents, rest)
    bind = np.tile(np.eye(4, dtype=np.float32), (JOINTS, 1, 1))
    bind[:, :3, 3] = rng.random((JOINTS, 3)) - 0.5
    weights = rng.random((VERTICES, 4)) + 0.01
    mesh = Mesh(
        2 * rng.random((VERTICES, 3)) - 1,
        [],
        rng.integers(0, JOINTS, (VERTICES, 4)),
        weights / weights.sum(axis=1, keepdims=True),
        normals=units(rng, VERTICES, 3),
        tangents=np.concatenate([units(rng, VERTICES, 3), np.ones((VERTICES, 1))], axis=1),
    )
    return SimpleNamespace(
        skeleton=skeleton,
        skin=Skin(np.arange(JOINTS), bind),
        mesh=mesh,
        clip=made_up_clip(rng, skeleton),
        grid=made_up_grid(rng, skeleton),
    )


def made_up_clip(rng: np.random.Generator, skeleton: Skeleton) -> Clip:
    """Tracks of all three kinds, with times of their own."""
    parts: list[np.ndarray] = []
    tracks: list[tuple[int, ...]] = []
    offset = 0
    for joint in range(len(skeleton)):
        for path, interpolation in ((0, (LINEAR, CUBICSPLINE, STEP)[joint % 3]), (ROTATION, joint % 2 * 2)):
            times = np.cumsum(0.05 + 0.3 * rng.random(9)).astype(np.float32)
            width = 4 if path == ROTATION else 3
            points = units(rng, 9, 4) if path == ROTATION else rng.random((9, 3))
            if interpolation == CUBICSPLINE:
                points = np.stack([rng.random((9, width)), points, rng.random((9, width))], axis=1)
            values = points.astype(np.float32).ravel()
            tracks.append((joint, path, interpolation, 9, offset, offset + 9))
            parts += [times, values]
            offset += 9 + values.size
    return Clip("made up", skeleton, np.concatenate(parts), np.array(tracks, TRACK_DTYPE), loop=True)


def made_up_grid(rng: np.random.Generator, skeleton: Skeleton) -> Clip:
    """A clip of frames on one regular grid."""
    times = np.arange(9, dtype=np.float32) / 4
    tracks = [
        Track(joint, ROTATION, LINEAR, times, units(rng, 9, 4).astype(np.float32))
        for joint in range(len(skeleton))
    ]
    keys, table = packed(tracks, np.dtype(np.float32))
    return Clip("grid", skeleton, keys, table, loop=False, uniform=True)


def rig_of(character: lissom.Character) -> SimpleNamespace:
    clip = next(iter(character.clips.values()))
    return SimpleNamespace(
        skeleton=character.skeleton,
        skin=character.skin,
        mesh=character.mesh,
        clip=clip,
        grid=clip.resampled(rate=31),
        character=character,
    )


def every_stage(rig: SimpleNamespace) -> Stages:
    """All of them; the order of random numbers is fixed."""
    rng = np.random.default_rng(4)
    joints, clip, skeleton = len(rig.skeleton), rig.clip, rig.skeleton
    duration = clip.duration if clip.duration > 0 else 1.0
    times = clip.start + duration * (2 * rng.random(LONG) - 0.5)
    result: Stages = {"sampled": clip.sample(times), "sampled few": clip.sample(times[:SHORT])}
    poses, other = result["sampled"], clip.sample(np.sort(times), loop=False)

    result["sampled uniform"] = rig.grid.sample(times)
    mask = rng.random(joints)
    result["blended"] = lissom.blend(poses, other, rng.random(LONG), mask)
    layers = [poses, other, poses[::-1], other[0]]
    result["blended layers"] = lissom.blend_layers(layers, [0.5, 0.2, 0.7, 0.1], [None, mask, None, mask])
    difference = lissom.make_additive(other, reference=skeleton.rest)
    result["added"] = lissom.add_layer(poses, difference, 0.6, mask)

    scaled = poses.copy()
    scaled[..., 7:] *= (0.5 + rng.random((LONG, joints, 3))).astype(np.float32)
    scaled[:, joints // 2, 7] *= -1
    result["model"], result["model one"] = skeleton.model_matrices(poses), skeleton.model_matrices(poses[1])
    result["model scaled"] = skeleton.model_matrices(scaled)
    for name in ("model", "model scaled"):
        palette = rig.skin.palette(result[name])
        for form in ("matrices", "dual_quats", "scales"):
            rows = getattr(palette, form)
            if rows is not None:
                result[f"{name} {form}"] = rows
        result |= skinned(rig, rng, name, palette)
        result |= mesh_stages.prepared(rig.mesh, name, palette)
        result |= mesh_stages.brought_back(rig.mesh, name, palette)
    result |= mesh_stages.solved(skeleton, poses[:SHORT])
    result["quat_trans"] = rig.skin.palette(result["model"]).quat_trans
    if "character" in rig.__dict__:
        result |= baked(rig.character, clip)
    return result


def skinned(rig: SimpleNamespace, rng: np.random.Generator, name: str, palette: lissom.Palette) -> Stages:
    """By every method, all that can be moved; normals also by their cofactors."""
    result: Stages = {}
    amount = rng.random(rig.mesh.vertex_count).astype(np.float32)
    centers = (rig.mesh.positions + 0.1 * (rng.random(rig.mesh.positions.shape) - 0.5)).astype(np.float32)
    has_tangents = rig.mesh.tangents is not None
    for method in METHODS:
        extra: dict[str, Any] = {"blend": amount} if method == "blended" else {}
        if method == "cor":
            moved = lissom.skin_cor(
                rig.mesh,
                palette.dual_quats,
                palette.scales,
                centers=centers,
                normals=True,
                tangents=has_tangents,
            )
        else:
            moved = lissom.deform(rig.mesh, palette, method, normals=True, tangents=has_tangents, **extra)
        for part in moved._fields:
            result[f"{name} {method} {part}"] = getattr(moved, part)
    result[f"{name} cofactor"] = lissom.deform(rig.mesh, palette, "linear", normals="cofactor").normals
    return result


def baked(character: lissom.Character, clip: Clip) -> Stages:
    """Texels in both precisions, and what the report says of them."""
    result: Stages = {}
    for dtype in ("float16", "float32"):
        bake = lissom.bake(character, [clip], rate=8, dtype=dtype)
        result[f"texels {dtype}"] = bake.texels
        result[f"report {dtype}"] = np.frombuffer(json.dumps(bake.report.to_dict()).encode(), np.uint8)
    return result


def hashes(stages: Stages) -> dict[str, str]:
    return {
        name: hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        for name, array in stages.items()
    }


def rigs(assets: list[str]) -> dict[str, SimpleNamespace]:
    result = {"made up": made_up_rig(), "humanoid": rig_of(lissom.samples.humanoid())}
    return result | {Path(path).stem: rig_of(lissom.load(path)) for path in assets}


def main(out: str, assets: list[str]) -> None:
    found: dict[str, dict[str, dict[str, str]]] = {}
    fast: Stages = {}
    lissom.set_deterministic(True)  # for what is computed of the rigs once, too
    made = {name: partial(every_stage, rig) for name, rig in rigs(assets).items()}
    for name, stages in (made | {"weights": mesh_stages.weighed}).items():
        lissom.set_deterministic(True)
        found[name] = {}
        for threads in THREADS:
            lissom.set_thread_count(threads)
            found[name][str(threads)] = hashes(stages())
        lissom.set_deterministic(False)
        for stage, array in stages().items():
            fast[f"{name}: {stage}"] = array
    np.savez(out, **fast)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
