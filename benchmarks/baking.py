# SPDX-License-Identifier: MIT
"""How long does a bake take, how does that compare, and how large is its error?

    python benchmarks/baking.py [folder of the characters]

1. Knight `Walking_A`, 256 frames, one thread, without the report: clip to float16 texels in the core, beside
the same
   steps in NumPy (float32, vectorised over frames). All answers are compared.
2. All clips of a character with the report, all threads.
3. The error at 30, 60 and 120 frames per second of three characters, and whether `max_error` is kept:
measured again
   at random times, which the bake has not seen.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import lissom
from lissom._layouts import LAYOUTS, Texels

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets"
CHARACTERS = [
    ("kaykit/Knight.glb", "Walking_A"),
    ("khronos/Fox.glb", "Run"),
    ("quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),
]
FRAMES = 256
LIMIT_MS = 1.0  # what the core may take for 256 frames
TEXEL_TOLERANCE = 2e-3  # two roundings to half precision of numbers near 1, and of float32 before them


def best(work: Callable[[], object], repeats: int = 30) -> float:
    """Milliseconds of the fastest of some runs: what the machine can do when nothing else runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


class NumpyBake:
    """The steps as one writes them in NumPy: tracks sampled one by one, the hierarchy joint by joint."""

    def __init__(self, character: lissom.Character, clip: lissom.Clip) -> None:
        self.skeleton, self.skin = character.skeleton, character.skin
        self.parents = [int(parent) for parent in self.skeleton.parents]
        self.tracks = []
        for track in clip.tracks:
            assert track["interpolation"] == 1, "the NumPy rival knows LINEAR tracks alone"
            count, width = int(track["key_count"]), (3, 4, 3)[track["path"]]
            keys = clip.keys[track["times"] : track["times"] + count]
            values = clip.keys[track["values"] : track["values"] + count * width].reshape(count, width)
            self.tracks.append((int(track["joint"]), int(track["path"]), keys, values))

    def run(self, times: np.ndarray) -> np.ndarray:
        pose = np.repeat(self.skeleton.rest[None], len(times), axis=0)
        for joint, path, keys, values in self.tracks:
            if len(keys) == 1:
                pose[:, joint, (slice(0, 3), slice(3, 7), slice(7, 10))[path]] = values[0]
                continue
            k = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
            t = np.clip((times - keys[k]) / (keys[k + 1] - keys[k]), 0, 1).astype(np.float32)[:, None]
            a, b = values[k], values[k + 1]
            if path == 1:
                dot = (a * b).sum(axis=1, keepdims=True)
                angle = np.arccos(np.minimum(np.abs(dot), 1))
                sine = np.sin(angle)
                near = sine < 1e-4
                sine = np.where(near, 1, sine)
                first = np.where(near, 1 - t, np.sin((1 - t) * angle) / sine)
                second = np.where(near, t, np.sin(t * angle) / sine) * np.where(dot < 0, -1, 1)
                q = first * a + second * b
                pose[:, joint, 3:7] = q / np.linalg.norm(q, axis=1, keepdims=True)
            else:
                pose[:, joint, (slice(0, 3), None, slice(7, 10))[path]] = (1 - t) * a + t * b
        x, y, z, w = np.moveaxis(pose[..., 3:7], -1, 0)
        local = np.zeros((*pose.shape[:2], 4, 4), np.float32)
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        for i in range(3):
            for j in range(3):
                local[..., i, j] = rows[i][j] * pose[..., 7 + j]
        local[..., :3, 3] = pose[..., :3]
        local[..., 3, 3] = 1
        model = np.empty_like(local)
        for joint, parent in enumerate(self.parents):
            model[:, joint] = local[:, joint] if parent < 0 else model[:, parent] @ local[:, joint]
        palette = model[:, self.skin.joints] @ self.skin.joint_from_bind
        return self.texels(palette)

    @staticmethod
    def texels(palette: np.ndarray) -> np.ndarray:
        """Dual quaternions of rigid matrices (Shepperd 1978), signs aligned along time, as halves."""
        m = palette[..., :3, :3]
        xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
        squares = np.stack([1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], axis=-1)
        pick = squares.argmax(axis=-1)
        sx, sy, sz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
        dx, dy, dz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
        table = np.stack(
            [
                np.stack([squares[..., 0], sx, sy, dx], axis=-1),
                np.stack([sx, squares[..., 1], sz, dy], axis=-1),
                np.stack([sy, sz, squares[..., 2], dz], axis=-1),
                np.stack([dx, dy, dz, squares[..., 3]], axis=-1),
            ],
            axis=-2,
        )
        real = np.take_along_axis(table, pick[..., None, None], axis=-2)[..., 0, :]
        real /= np.linalg.norm(real, axis=-1, keepdims=True)
        turns = np.where((real[1:] * real[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
        first = np.where(real[:1, :, 3] < 0, -1.0, 1.0)
        real *= np.cumprod(np.concatenate([first, turns]), axis=0)[..., None]
        t = palette[..., :3, 3]
        vector = 0.5 * (np.cross(t, real[..., :3]) + real[..., 3:] * t)
        scalar = -0.5 * (t * real[..., :3]).sum(axis=-1, keepdims=True)
        return (
            np.concatenate([real, vector, scalar], axis=-1).reshape(*real.shape[:2], 2, 4).astype(np.float16)
        )


def core_bake(character: lissom.Character, clip: lissom.Clip, times: np.ndarray) -> np.ndarray:
    model = character.skeleton.model_matrices(clip.sample(times, loop=False))
    palette = character.skin.palette(model)
    return write(palette)


def write(palette: lissom.Palette) -> np.ndarray:
    rows = palette.dual_quats
    return Texels.of(rows, LAYOUTS["dual_quat"].form(2, rows.shape[1]), np.float16).array


def speed(folder: Path) -> None:
    character = lissom.load(folder / "characters" / CHARACTERS[0][0])
    clip = character.clips[CHARACTERS[0][1]]
    times = clip.start + np.arange(FRAMES) * (clip.duration / (FRAMES - 1))
    rows, joints = len(character.skin), len(character.skeleton)
    print(
        f"1. {clip.name}: {joints} joints, {len(clip.tracks)} tracks, {rows} rows x {FRAMES} frames, 1 thread"
    )
    threads = lissom.thread_count()
    lissom.set_thread_count(1)
    rival = NumpyBake(character, clip)
    ours = core_bake(character, clip, times)
    difference = np.abs(ours.astype(np.float64) - rival.run(times).astype(np.float64)).max()
    assert difference < TEXEL_TOLERANCE, f"the two bakes differ by {difference}"
    taken = best(lambda: core_bake(character, clip, times), 60)
    numpy_taken = best(lambda: rival.run(times), 5)
    poses = clip.sample(times, loop=False)
    model = character.skeleton.model_matrices(poses)
    palette = character.skin.palette(model)
    parts = {
        "sample": best(lambda: clip.sample(times, loop=False)),
        "model matrices": best(lambda: character.skeleton.model_matrices(poses)),
        "dual quaternions": best(lambda: character.skin.palette(model).dual_quats),
        "signs, float16": best(lambda: write(palette)),
    }
    print(f"   lissom        {taken:8.3f} ms   " + ", ".join(f"{k} {v:.3f}" for k, v in parts.items()))
    print(f"   NumPy         {numpy_taken:8.3f} ms   {numpy_taken / taken:.0f} times as long")
    print(f"   largest difference of the texels {difference:.1e}")
    lissom.set_thread_count(threads)
    print(f"   within {LIMIT_MS} ms: {'yes' if taken <= LIMIT_MS else 'NO'}\n")


def whole(folder: Path) -> None:
    print(f"2. all clips with the report, {lissom.thread_count()} threads")
    for file, _ in CHARACTERS:
        character = lissom.load(folder / "characters" / file)
        for method in ("linear", "dual_quat"):
            start = time.perf_counter()
            bake = lissom.bake(character, method=method)
            taken = time.perf_counter() - start
            moments = sum(
                clip.error.at_frames.moment_count + getattr(clip.error.between, "moment_count", 0)
                for clip in bake.clips.values()
            )
            skinned = 2 * moments * character.mesh.vertex_count
            print(
                f" {character.name:<8} {method:<10} {len(bake.clips):3d} clips {len(bake.texels):5d} frames "
                f"{taken:6.2f} s, {skinned / 1e6:4.0f} million vertices, {taken / skinned * 1e9:.1f} ns each"
            )
    print()


def error(folder: Path) -> None:
    print("3. largest error as a share of the size [at frames alone], float16, dual quaternion skinning")
    rng = np.random.default_rng(0)
    for file, name in CHARACTERS:
        character = lissom.load(folder / "characters" / file)
        cells = []
        for rate in (30, 60, 120):
            stats = lissom.bake(character, name, rate=rate, method="dual_quat").clips[name].error
            frames = stats.at_frames.max / character.size
            cells.append(f"{rate}: {stats.max_relative:8.4%} [{frames:.4%}]")
        clip = character.clips[name]
        keys = f"{clip.key_rate:.4g} keys/s" if clip.key_rate else "irregular keys"
        print(f"   {character.name:<7} {name:<22} {keys}   " + "   ".join(cells))
        for wanted in (5e-3, 1e-3, 2e-4):
            bake = lissom.bake(character, name, max_error=wanted, method="dual_quat")
            moments = clip.start + rng.uniform(0, clip.duration, 500)
            source = character.deform(clip.sample(moments, loop=False), method="dual_quat")
            baked = lissom.deform(character.mesh, bake.sample(name, moments, loop=False), "dual_quat")
            found = float(np.linalg.norm(source - baked, axis=-1).max()) / character.size
            report = bake.clips[name]
            assert report.error.max_relative <= wanted
            assert found <= 1.02 * wanted, f"{name}: {found} at random times, {wanted} was asked"
            print(
                f"      max_error={wanted:g}: {report.rate:.0f} frames/s, {bake.texels.dtype}, reported "
                f"{report.error.max_relative:.2e}, at 500 random times {found:.2e}"
            )


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LISSOM_ASSETS", DEFAULT))
    if not (folder / "characters").is_dir():
        raise SystemExit(f"no characters at {folder}; pass the folder of the assets")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, NumPy {np.__version__}\n")
    speed(folder)
    whole(folder)
    error(folder)


if __name__ == "__main__":
    main()
