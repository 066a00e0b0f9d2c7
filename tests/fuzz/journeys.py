# SPDX-License-Identifier: MIT
"""What an input goes through: read, sampled, skinned, baked, saved and read again.

Success, or the errors that are documented for that step; a warning is an error, too.
"""

import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import lissom
from bases import bases
from lissom._jobs.bake_work import bake_to
from lissom.cli.job_file import read as read_jobs

MOST_VERTEX_POSES = 200_000  # that one input may make
MOST_PIXEL_BYTES = 1 << 24


class BrokenPromiseError(AssertionError):
    """An input made lissom do what it promises not to."""


def travel(kind: str, data: bytes) -> str:
    """Return how far an input came; raise what is not allowed to happen."""
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        warnings.simplefilter("error")
        return JOURNEYS[kind](data, Path(folder))


def gltf(data: bytes, folder: Path) -> str:
    try:
        character = lissom.load(data)
    except lissom.GltfError:
        return "refused"
    with suppress(lissom.GltfError):
        strict = lissom.load(data, strict=True)
        require(strict.skeleton.names == character.skeleton.names, "a strict load has other joints")
    return whole(character, folder)


def bvh(data: bytes, folder: Path) -> str:
    try:
        character = lissom.load_bvh(data)
    except lissom.BvhError:
        return "refused"
    with suppress(lissom.BvhError):
        strict = lissom.load_bvh(data, strict=True)
        require(strict.skeleton.names == character.skeleton.names, "a strict load has other joints")
    for clip in character.clips.values():
        require_finite(clip.sample(moments(clip)), "sampled poses")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # documented: names that BVH cannot hold
            clip.to_bvh(rate=30.0)
    return "played"


def whole(character: lissom.Character, folder: Path) -> str:
    """Play, bake, save and load again."""
    require_finite(character.skeleton.model_matrices(character.skeleton.rest), "matrices of the rest pose")
    for part in () if character.mesh is None else character.mesh.parts:
        if part.texture is not None:
            with suppress(ValueError):
                part.texture.decode(max_decoded=MOST_PIXEL_BYTES)
    for clip in list(character.clips.values())[:4]:
        poses = clip.sample(moments(clip))
        require_finite(poses, "sampled poses")
        require_finite(character.skeleton.model_matrices(poses), "model matrices")
        if character.mesh is None or character.skin is None:
            continue
        poses = poses[: max(1, MOST_VERTEX_POSES // max(1, character.mesh.vertex_count))]
        for method in ("linear", "dual_quat"):
            require_finite(character.deform(poses, method), f"vertices by {method}")
        if clip.duration < 100:
            with suppress(lissom.BakeError):
                lissom.bake(character, [clip.name], rate=5.0, dtype="float32")
    path = folder / "again.glb"
    try:
        lissom.save_glb(character, path)
    except ValueError:  # what glTF cannot hold
        return "played"
    again = lissom.load(path)
    require(again.skeleton.names == character.skeleton.names, "a saved file has other joints")
    require(len(again.clips) == len(character.clips), "a saved file has other clips")
    return "saved"


def safetensors(data: bytes, folder: Path) -> str:
    path = folder / "bake.safetensors"
    path.write_bytes(data)
    try:
        bake = lissom.load_bake(path)
    except ValueError:
        return "refused"
    for name, clip in bake.clips.items():
        sampled = bake.sample(name, np.linspace(clip.start, clip.start + clip.duration, 5))
        require_finite(sampled.matrices, "sampled matrices")
        if bake.mesh is not None:
            require_finite(lissom.deform(bake.mesh, sampled, "linear"), "vertices")
    bake.save(folder / "again.safetensors")
    again = lissom.load_bake(folder / "again.safetensors")
    require(np.array_equal(again.texels, bake.texels), "a saved bake has other texels")
    return "saved"


def job(data: bytes, folder: Path) -> str:
    (folder / "model.glb").write_bytes(bases("glb")[-1])
    path = folder / "job.toml"
    path.write_bytes(data)
    try:
        jobs = read_jobs(path, folder / "out", lissom.BakeJob)
    except (ValueError, OSError):
        return "refused"
    came = "read"
    for each in jobs:
        target = folder / "baked.safetensors"
        try:
            report = bake_to(each, target)
        except (ValueError, OSError):
            continue
        if report is not None:
            require_finite(lissom.load_bake(target).texels, "texels")
            came = "baked"
    return came


def moments(clip: lissom.Clip) -> Any:
    return np.linspace(clip.start, clip.end, 7)


def require(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenPromiseError(what)


def require_finite(values: Any, what: str) -> None:
    require(bool(np.isfinite(values).all()), f"{what} are not finite")


JOURNEYS = {"glb": gltf, "gltf": gltf, "bvh": bvh, "safetensors": safetensors, "job": job}
