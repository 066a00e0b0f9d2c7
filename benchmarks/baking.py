# SPDX-License-Identifier: MIT
"""How long does a bake take, how does that compare, how large is its error, and is that true?

    python benchmarks/baking.py [folder of the characters] [--all]

1. A clip of 42 joints and one of 57, 256 frames, one thread, without the report: clip to float16 texels in
   one pass, as bakes take it, beside the same steps in turn, with what each of them takes, and in NumPy
   (float32, vectorised over frames). All answers are compared.
2. What the report in full costs beside the skinning it needs, and beside the same in NumPy.
3. All clips of a character with the report, all threads.
4. The error at 30, 60 and 120 frames per second of three characters, and whether `max_error` is kept:
   measured again at random times, which the bake has not seen.
5. With --all, all clips of all characters: no error at 200 random times is above the stated one by more than
   half a percent, none across the seam of a loop, and `max_error=0.001` is kept or refused with the best
   report.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import numpy as np

import lissom
from _bench import Bench
from _measure import PART, Run
from lissom import _core
from lissom._bake.error_metric import BakeErrorMetric
from lissom.clip._frames import jump_times
from lissom.pose_texture._layouts import LAYOUTS, ClipSource, Plan, Source, Texels

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets"
CHARACTERS = [
    ("kaykit/Knight.glb", "Walking_A"),
    ("khronos/Fox.glb", "Run"),
    ("quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),
]
SPEED = [("gdquest/bee_bot.glb", "Idle"), CHARACTERS[0]]
FRAMES = 256
LIMIT_MS = 0.08  # what the core may take for 256 frames of about 41 joints
LIMIT_S = 0.7  # what all 76 clips may take with their report, on two cores
SEAM_MOMENTS = 16  # on each side of a seam, within one and a half frames
NOISE = 1e-6  # of the size: what float32 poses, palettes and vertices add to any distance
TEXEL_TOLERANCE = 2e-3  # two roundings to half precision of numbers near 1, and of float32 before them


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
    layout = LAYOUTS["dual_quat"]
    source = ClipSource(character.skeleton, character.skin, clip, times, 1.0)
    texels = layout.texels(source, Plan(2, layout.methods), np.dtype(np.float16))
    assert texels is not None
    return texels.array


def bake_in_turn(character: lissom.Character, clip: lissom.Clip, times: np.ndarray) -> np.ndarray:
    layout = LAYOUTS["dual_quat"]
    source = Source(character.skeleton, character.skin, clip.sample(times, loop=False), clip.name, 1.0)
    rows = layout.rows(source, layout.plan(source))
    return Texels.of(rows, layout.form(2, rows.shape[1]), np.float16).array


def speed(bench: Bench, folder: Path, file: str, name: str) -> None:
    character = lissom.load(folder / "characters" / file)
    clip = character.clips[name]
    times = clip.start + np.arange(FRAMES) * (clip.duration / (FRAMES - 1))
    rows, joints = len(character.skin), len(character.skeleton)
    title = f"{character.name}, {clip.name}: {rows} rows x {FRAMES} frames to float16, 1 thread"
    bench.note(f"{joints} joints, {len(clip.tracks)} tracks", title)
    threads = lissom.thread_count()
    lissom.set_thread_count(1)
    rival = NumpyBake(character, clip)
    ours = core_bake(character, clip, times)
    difference = np.abs(ours.astype(np.float64) - rival.run(times).astype(np.float64)).max()
    assert difference < TEXEL_TOLERANCE, f"the two bakes differ by {difference}"
    in_turn = np.abs(ours.astype(np.float64) - bake_in_turn(character, clip, times).astype(np.float64)).max()
    assert in_turn < TEXEL_TOLERANCE, f"one pass and the steps in turn differ by {in_turn}"
    poses = clip.sample(times, loop=False)
    model = character.skeleton.model_matrices(poses)
    stored = character.skin.palette(model).dual_quats
    form = LAYOUTS["dual_quat"].form(2, stored.shape[1])
    parts = {
        "sample": lambda: clip.sample(times, loop=False),
        "model matrices": lambda: character.skeleton.model_matrices(poses),
        "dual quaternions": lambda: character.skin.palette(model).dual_quats,
        "signs, float16": lambda: Texels.of(stored, form, np.float16),
    }
    runs = {
        "lissom": Run(lambda: core_bake(character, clip, times)),
        "NumPy": Run(lambda: rival.run(times)),
        "the steps in turn": Run(lambda: bake_in_turn(character, clip, times), kind=PART),
    }
    runs |= {f"  {name}": Run(part, kind=PART) for name, part in parts.items()}
    table = bench.table(title, runs, 1, "", clock=time.process_time)
    lissom.set_thread_count(threads)
    bench.number("largest difference of the texels", difference, "", title)
    if joints < 45:
        table.judge("lissom", LIMIT_MS, 1e3, "ms")


def report(bench: Bench, folder: Path) -> None:
    character = lissom.load(folder / "characters" / CHARACTERS[0][0])
    clip = character.clips[CHARACTERS[0][1]]
    judge = BakeErrorMetric(character, "linear")
    times = clip.start + np.linspace(0, clip.duration, 64)
    palette = judge.palette(clip, times)
    expected = character.deform(clip.sample(times, loop=False))
    actual = lissom.deform(
        character.mesh, lissom.bake(character, clip.name).sample(clip.name, times, loop=False)
    )
    count, vertices = expected.shape[:2]
    groups = np.zeros(count, np.int32)
    copies, maxima = np.ones(vertices, np.uint32), np.empty(count, np.float32)
    sums, squares = np.zeros((3, vertices)), np.zeros((3, vertices), np.float32)
    histogram = np.zeros((3, _core.DISTANCE_BIN_COUNT), np.int64)
    bounds = np.array([[np.inf] * 3, [-np.inf] * 3], np.float32)

    def measure() -> None:
        sums[:], squares[:], histogram[:] = 0, 0, 0
        _core.measure_error(expected, actual, groups, copies, maxima, sums, squares, histogram, bounds)

    def in_numpy() -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
        squared = ((actual - expected) ** 2).sum(axis=2)
        return (
            squared.max(axis=0),
            squared.sum(axis=0, dtype=np.float64),
            np.quantile(squared, 0.99),
            squared.max(1),
        )

    measure()
    highest, total, _, peaks = in_numpy()
    assert np.allclose(squares[0], highest, rtol=1e-4, atol=1e-12)
    assert np.allclose(sums[0], total, rtol=1e-4, atol=1e-10)
    assert np.allclose(maxima**2, peaks, rtol=1e-4, atol=1e-12)
    moved = count * vertices
    title = f"the report of {vertices} vertices at {count} moments, {lissom.thread_count()} threads"
    bench.table(
        title,
        {
            "lissom, comparing": measure,
            "NumPy": Run(in_numpy, lacks="sums and maxima by joint"),
            "skinning, which is needed twice": Run(
                lambda: lissom.deform(character.mesh, palette, out=actual), kind=PART
            ),
        },
        moved,
        "vertex",
    )


def whole(bench: Bench, folder: Path) -> None:
    for file, _ in CHARACTERS:
        character = lissom.load(folder / "characters" / file)
        for method in ("linear", "dual_quat"):
            bake = lissom.bake(character, method=method)
            assert bake.report.joint_max.shape == (len(bake.clips), len(character.skin))
            moments = sum(
                clip.error.at_frames.moment_count + getattr(clip.error.between, "moment_count", 0)
                for clip in bake.clips.values()
            )
            skinned = 2 * moments * character.mesh.vertex_count
            title = f"{character.name}, {len(bake.clips)} clips with their report, {method}"
            table = bench.table(title, {"lissom": partial(lissom.bake, character, method=method)}, 1, "")
            bench.number("skinned", skinned / 1e6, "million vertices", title)
            bench.number("frames", len(bake.texels), "", title)
            if len(bake.clips) > 70:
                table.judge("lissom", LIMIT_S, 1, "s")


def error(bench: Bench, folder: Path) -> None:
    title = "largest error as a share of the size [at frames alone], float16, dual quaternion skinning"
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
        bench.note(f"{character.name:<7} {name:<22} {keys}   " + "   ".join(cells), title)
        for wanted in (5e-3, 1e-3, 2e-4):
            bake = lissom.bake(character, name, max_error=wanted, method="dual_quat")
            moments = clip.start + rng.uniform(0, clip.duration, 500)
            source = character.deform(clip.sample(moments, loop=False), method="dual_quat")
            baked = lissom.deform(character.mesh, bake.sample(name, moments, loop=False), "dual_quat")
            found = float(np.linalg.norm(source - baked, axis=-1).max()) / character.size
            report = bake.clips[name]
            assert report.error.max_relative <= wanted
            assert found <= 1.02 * wanted, f"{name}: {found} at random times, {wanted} was asked"
            bench.note(
                f"  max_error={wanted:g}: {report.rate:.0f} frames/s, {bake.texels.dtype}, reported "
                f"{report.error.max_relative:.2e}, at 500 random times {found:.2e}",
                title,
            )


def largest(
    bake: lissom.PoseTexture, judge: BakeErrorMetric, clip: lissom.Clip, times: np.ndarray, loop: bool
) -> float:
    """Largest distance of baked and source vertices at some times."""
    distance = 0.0
    for part in np.array_split(times, 1 + len(times) * judge.mesh.vertex_count // (1 << 20)):
        model = judge.skeleton.model_matrices(clip.sample(part, loop=loop))
        expected = lissom.deform(judge.mesh, judge.skin.palette(model))
        actual = lissom.deform(judge.mesh, bake.sample(clip.name, part, loop=loop))
        distance = max(distance, float(np.linalg.norm(expected - actual, axis=-1).max(initial=0)))
    return distance


def truth(bench: Bench, folder: Path) -> None:
    """All clips of all characters: what is stated, and what is found apart from it."""
    title = "all clips of all characters, what is stated and what is found"
    rng = np.random.default_rng(0)
    random_ratio = seam_ratio = 0.0
    clips = loops = wide = refused = 0
    start = time.perf_counter()
    for file in sorted(
        path for path in (folder / "characters").rglob("*") if path.suffix in {".glb", ".gltf"}
    ):
        try:
            character = lissom.load(file)
        except lissom.GltfError:  # compressed
            continue
        if not character.clips:
            continue
        bake, judge = lissom.bake(character, method="linear"), BakeErrorMetric(character, "linear")
        for clip in character.clips.values():
            entry = bake.clips[clip.name]
            stated = entry.error.max + NOISE * judge.size
            times = clip.start + rng.uniform(0, clip.duration, 200)
            step = 1 / entry.rate if entry.rate else 0.0
            jumps = jump_times(clip)
            if len(jumps):  # stated apart
                times = times[np.abs(times[:, None] - jumps).min(axis=1) > 2 * step]
            found = largest(bake, judge, clip, times, False) / stated
            assert found <= 1.005, f"{file.name}, {clip.name}: {found} of what is stated"
            random_ratio, clips = max(random_ratio, found), clips + 1
            if clip.loop is True and clip.duration > 0:
                aside = step * np.linspace(1e-3, 1.5, SEAM_MOMENTS)
                found = (
                    largest(bake, judge, clip, clip.end + np.concatenate([-aside, [0], aside]), True) / stated
                )
                assert found <= 1.01, f"{file.name}, {clip.name}: {found} of what is stated, at the seam"
                seam_ratio, loops = max(seam_ratio, found), loops + 1
        try:
            best_report = lissom.bake(character, max_error=1e-3, method="linear").report
        except lissom.BakeError as error:
            best_report = error.report
            missed = [name for name, c in best_report.clips.items() if c.error.max_relative > 1e-3]
            refused += len(missed)
            bench.note(f"{file.name}: max_error=0.001 is refused for {', '.join(missed)}", title)
        wide += best_report.dtype != "float16"
    bench.number("clips", clips, "", title)
    bench.number("seconds of all", time.perf_counter() - start, "s", title)
    bench.number("found at 200 random times, of the stated error", random_ratio, "", title)
    bench.number(f"found across the seams of {loops} loops", seam_ratio, "", title)
    bench.number("characters that max_error=0.001 has in float32", wide, "", title)
    bench.number("clips refused, with the best report", refused, "", title)


def main(bench: Bench) -> None:
    folder = bench.options.folder
    if not (folder / "characters").is_dir():
        bench.skip(f"not measured: no characters at {folder}; pass the folder of the assets")
    for file, name in SPEED:
        speed(bench, folder, file, name)
    report(bench, folder)
    whole(bench, folder)
    error(bench, folder)
    if bench.options.all:
        truth(bench, folder)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    default = os.environ.get("LISSOM_ASSETS", DEFAULT)
    bench.argument("folder", nargs="?", type=Path, default=Path(default), help="of the characters")
    bench.argument("--all", action="store_true", help="all clips of all characters, too")
    bench.run(main)
