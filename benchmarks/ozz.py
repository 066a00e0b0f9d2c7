# SPDX-License-Identifier: MIT
"""How fast are the same jobs in ozz-animation, the C++ library that games use?

    OZZ_SOURCE=../ozz-animation python benchmarks/ozz.py

ozz is built from its source, which lies beside this checkout or where OZZ_SOURCE says, in release and for all
that this machine has (`-march=native`, which lissom's wheel is not); without it there is nothing to measure.
Both get the same data, and answers are compared before they are timed. ozz's jobs are called from C++
(benchmarks/ozz/jobs.cpp), lissom from Python, the call included. Batches are many jobs of ozz, one call of
lissom. One pose at a time is one job of ozz, a thousand times over, so that no call from Python is in it.

ozz works on vectors of four joints and on keys that its builder has compressed; putting poses into that form
and back is not timed. One thread, float32.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _ik_chains import make_problems
from _machine import ROOT
from _measure import Run
from _rigs import make_poses
from _skinning_case import INFLUENCES, make_case
from lissom import Clip, Skeleton, ik, quat

SOURCE = Path(os.environ.get("OZZ_SOURCE") or ROOT.parent / "ozz-animation")
BUILT = ROOT / "build" / "ozz"
JOINTS, KEYS, RATE = 64, 33, 30.0
COUNT, CHAINS, ALONE = 256, 4096, 1000
RESULTS = 7  # the slot of results
# What float32 leaves of unit-sized numbers where lengths are estimates of 12 bits and a step of Newton's, and
# what ozz's compressed keys leave: rotations in 15 bits, the rest in halves.
CLOSE, COMPRESSED = 2e-5, 2e-3
FROM_CPP = "called from C++"


def why_not() -> str | None:
    """Say in one sentence why ozz cannot be measured here."""
    if not (SOURCE / "include" / "ozz").is_dir():
        return f"ozz-animation was left out: its source is not at {SOURCE}; say where it is by OZZ_SOURCE="
    return None


def version() -> str:
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return ".".join(re.findall(r"set\(OZZ_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)\)", text))


def built() -> ctypes.CDLL:
    """Build ozz and the functions that call it, and load them."""
    settings = (f"-DOZZ_SOURCE={SOURCE.resolve()}", "-DCMAKE_BUILD_TYPE=Release")
    for command in (
        ["cmake", "-S", str(ROOT / "benchmarks" / "ozz"), "-B", str(BUILT), *settings],
        ["cmake", "--build", str(BUILT), "--parallel", str(os.cpu_count() or 1)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"ozz-animation could not be built:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    library = ctypes.CDLL(str(BUILT / "libozz_jobs.so"))
    library.ozz_simd.restype = ctypes.c_char_p
    library.ozz_rig.restype = ctypes.c_void_p
    return library


def pointer(array: Any) -> Any:
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


class Ozz:
    """A skeleton of ozz, its poses in slots, its clip and its chains."""

    def __init__(self, library: ctypes.CDLL, skeleton: Skeleton) -> None:
        self.library, self.joints = library, len(skeleton)
        parents = np.ascontiguousarray(skeleton.parents, np.int32)
        rest = np.ascontiguousarray(skeleton.rest, np.float32)
        self.rig = ctypes.c_void_p(library.ozz_rig(self.joints, pointer(parents), pointer(rest)))
        assert self.rig, "ozz orders the joints otherwise"

    def set_poses(self, slot: int, poses: Any) -> None:
        poses = np.ascontiguousarray(poses, np.float32)
        self.library.ozz_set_poses(self.rig, slot, pointer(poses), len(poses))

    def poses(self, slot: int, count: int) -> Any:
        out = np.empty((count, self.joints, 10), np.float32)
        self.library.ozz_get_poses(self.rig, slot, pointer(out), count)
        return out

    def models(self, count: int) -> Any:
        out = np.empty((count, self.joints, 4, 4), np.float32)
        self.library.ozz_get_models(self.rig, pointer(out), count)
        return out.swapaxes(-1, -2)

    def set_clip(self, times: Any, poses: Any) -> None:
        poses = np.ascontiguousarray(poses, np.float32)
        assert self.library.ozz_set_clip(self.rig, len(times), pointer(times), pointer(poses))

    def set_chains(self, *arrays: Any) -> None:
        arrays = tuple(np.ascontiguousarray(array, np.float32) for array in arrays)
        self.library.ozz_set_chains(self.rig, *map(pointer, arrays), len(arrays[0]))

    def job(self, name: str, *arguments: Any, repeats: int = 1) -> Any:
        """A call that runs one of the jobs on all poses, `repeats` times over."""
        call = getattr(self.library, f"ozz_{name}")

        def run() -> None:
            assert call(self.rig, *arguments, repeats), name

        return run


def make_skeleton(rng: np.random.Generator) -> Skeleton:
    """Joints depth first, as ozz orders them: each below one of the last four on its branch."""
    rest = np.zeros((JOINTS, 10))
    rest[:, 6:] = 1
    parents, branch = [-1], [0]
    for joint in range(1, JOINTS):
        branch = branch[: len(branch) - int(rng.integers(0, min(4, len(branch))))]
        parents.append(branch[-1])
        branch.append(joint)
    return Skeleton([f"joint {i}" for i in range(JOINTS)], parents, rest)


def same_poses(got: Any, want: Any, tolerance: float) -> None:
    sign = np.sign(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True))
    got = got.copy()
    got[..., 3:7] *= sign
    # A short sum of rotations has fewer digits.
    assert np.quantile(np.abs(got - want), 0.999) < tolerance, np.quantile(np.abs(got - want), 0.999)
    assert np.abs(got - want).max() < 1e3 * tolerance


def sampling(bench: Bench, ozz: Ozz, skeleton: Skeleton, rng: np.random.Generator) -> None:
    poses = np.tile(skeleton.rest.astype(np.float64), (KEYS, 1, 1))
    poses[..., :3] = 0.3 * rng.normal(size=(KEYS, JOINTS, 3))
    steps = np.cumsum(0.15 * rng.normal(size=(KEYS, JOINTS, 4)), axis=0) + rng.normal(size=(JOINTS, 4))
    poses[..., 3:7] = steps / np.linalg.norm(steps, axis=-1, keepdims=True)
    poses[..., 7:] = rng.uniform(0.9, 1.1, size=(KEYS, JOINTS, 3))
    keys = (np.arange(KEYS) / RATE).astype(np.float32)
    clip = Clip.from_poses(skeleton, keys, poses.astype(np.float32), loop=False)
    ozz.set_clip(keys, poses)
    ozz.set_poses(0, np.repeat(skeleton.rest[None], COUNT, axis=0))
    random = rng.uniform(0, keys[-1], COUNT).astype(np.float32)
    forward = np.sort(random)
    for label, times in (("random times", random), ("times that go forward", forward)):
        out, doubles = np.empty((COUNT, JOINTS, 10), np.float32), times.astype(np.float64)
        ozz.job("sample", pointer(times), COUNT)()
        same_poses(ozz.poses(0, COUNT), clip.sample(doubles, out=out), COMPRESSED)
        bench.table(
            f"sampling {COUNT} poses of {JOINTS} joints, {label}",
            {
                "lissom": lambda doubles=doubles, out=out: clip.sample(doubles, out=out),
                "ozz SamplingJob": Run(
                    ozz.job("sample", pointer(times), COUNT), note=f"{FROM_CPP}; compressed keys"
                ),
            },
            COUNT * JOINTS,
            "joint",
        )
    one, single = np.empty((JOINTS, 10), np.float32), iter_times(forward)
    # A step of 1/60 s from one call to the next, as it is played.
    steps_of_play = np.ascontiguousarray(np.arange(ALONE) / 60 % keys[-1], np.float32)
    ozz.set_poses(0, np.repeat(skeleton.rest[None], ALONE, axis=0))
    bench.table(
        f"sampling one pose of {JOINTS} joints, 1/60 s after the last",
        {
            "lissom": lambda: clip.sample(next(single), out=one),
            "ozz SamplingJob": Run(
                ozz.job("sample", pointer(steps_of_play), ALONE),
                items=ALONE * JOINTS,
                note=f"{FROM_CPP}; compressed keys",
            ),
        },
        JOINTS,
        "joint",
    )


def iter_times(times: Any) -> Any:
    """Times of play over and over."""
    end, number = float(times[-1]), 0
    while True:
        yield number / 60 % end
        number += 1


def posing(bench: Bench, ozz: Ozz, skeleton: Skeleton, rng: np.random.Generator) -> None:
    poses = make_poses(rng, COUNT, JOINTS)
    out = np.empty((COUNT, JOINTS, 4, 4), np.float32)
    ozz.set_poses(0, poses)
    ozz.job("models", COUNT)()
    want = skeleton.model_matrices(poses, out=out)
    assert np.abs(ozz.models(COUNT) - want).max() < CLOSE * np.abs(want).max()
    bench.table(
        f"model matrices of {COUNT} poses of {JOINTS} joints",
        {
            "lissom": lambda: skeleton.model_matrices(poses, out=out),
            "ozz LocalToModelJob": Run(ozz.job("models", COUNT), note=FROM_CPP),
        },
        COUNT * JOINTS,
        "joint",
        moved=40 + 64,
    )
    bench.table(
        f"model matrices of one pose of {JOINTS} joints",
        {
            "lissom": lambda: skeleton.model_matrices(poses[0], out=out[0]),
            "ozz LocalToModelJob": Run(
                ozz.job("models", 1, repeats=ALONE), items=ALONE * JOINTS, note=FROM_CPP
            ),
        },
        JOINTS,
        "joint",
    )


def blending(bench: Bench, ozz: Ozz, rng: np.random.Generator) -> None:
    poses = make_poses(rng, 4, COUNT, JOINTS)
    for slot, some in enumerate(poses):
        ozz.set_poses(slot, some)
    ozz.set_poses(RESULTS, poses[0])
    out = np.empty_like(poses[0])
    for layers in (2, 4):
        weights = np.float32([0.6, 0.4, 0.5, 0.3][:layers])
        some = poses[:layers]
        ozz.job("blend", layers, pointer(weights), COUNT)()
        # ozz turns each layer to the side of the sum so far, lissom to that of the heaviest, which is first.
        # Of two layers that is the same; of more, where they are no more than right angles apart so turned.
        want = lissom.blend_layers(some, weights)
        dots = np.einsum("inja,knja->nikj", some[..., 3:7], some[..., 3:7])
        alike = (dots * dots[:, :1].swapaxes(1, 2) * dots[:, :1] >= 0).all(axis=(1, 2))
        got = ozz.poses(RESULTS, COUNT)
        assert alike.mean() > 0.1
        same_poses(got[alike], want[alike], CLOSE)
        runs: dict[str, Any] = {}
        if layers == 2:
            weight = float(weights[1] / weights.sum())
            runs["lissom.blend"] = lambda weight=weight: lissom.blend(poses[0], poses[1], weight, out=out)
        runs["lissom.blend_layers"] = lambda some=some, weights=weights: lissom.blend_layers(
            some, weights, out=out
        )
        job = ("blend", layers, pointer(weights))
        bench.table(
            f"blending {COUNT} times {layers} poses of {JOINTS} joints",
            runs | {"ozz BlendingJob": Run(ozz.job(*job, COUNT), note=FROM_CPP)},
            COUNT * JOINTS,
            "joint",
            moved=40 * (layers + 1),
        )
        first = [pose[0] for pose in some]
        runs = {
            "lissom.blend_layers": lambda first=first, weights=weights: lissom.blend_layers(
                first, weights, out=out[0]
            )
        }
        if layers == 2:
            one = {
                "lissom.blend": lambda weight=weight: lissom.blend(
                    poses[0, 0], poses[1, 0], weight, out=out[0]
                )
            }
            runs = one | runs
        alone = Run(ozz.job(*job, 1, repeats=ALONE), items=ALONE * JOINTS, note=FROM_CPP)
        bench.table(
            f"blending {layers} poses of {JOINTS} joints once",
            runs | {"ozz BlendingJob": alone},
            JOINTS,
            "joint",
        )


def skinning(bench: Bench, library: ctypes.CDLL, vertices: int) -> None:
    case = make_case(vertices)
    mesh = lissom.Mesh(
        case["positions"],
        np.zeros((0, 3), np.uint32),
        case["indices"],
        case["weights"],
        normals=case["normals"],
    )
    columns = np.ascontiguousarray(case["matrices"].swapaxes(1, 2))
    weights = np.ascontiguousarray(case["weights"][:, :-1])
    arrays = (case["indices"], weights, case["positions"], case["normals"])
    outs = [np.empty_like(case["positions"]) for _ in range(4)]

    def by_ozz(repeats: int) -> Any:
        facts = (pointer(columns), len(columns), vertices, INFLUENCES)
        places = [pointer(array) for array in (*arrays, *outs[2:])]

        def run() -> None:
            assert library.ozz_skin(*facts, *places, repeats)

        return run

    def ours() -> Any:
        return lissom.skin_linear(mesh, case["matrices"], normals=True, out=tuple(outs[:2]))

    ours()
    by_ozz(1)()
    assert np.abs(outs[0] - outs[2]).max() < CLOSE
    length = np.linalg.norm(outs[3], axis=1, keepdims=True)
    assert np.abs(outs[1] - outs[3] / length).max() < CLOSE
    repeats = max(1, 20_000 // vertices)
    bench.table(
        f"linear skinning of {vertices} vertices, {INFLUENCES} influences, normals",
        {
            "lissom": ours,
            "ozz SkinningJob": Run(
                by_ozz(repeats), items=repeats * vertices, note=FROM_CPP, lacks="normals of unit length"
            ),
        },
        vertices,
        "vertex",
        moved=24 + 6 * INFLUENCES + 24,
    )


def two_bone(bench: Bench, library: ctypes.CDLL, rng: np.random.Generator) -> None:
    problems = make_problems(3, CHAINS)
    chain = ik.Chain(problems.skeleton, 0, 2)
    poses, targets, out = problems.poses, problems.targets, np.empty_like(problems.poses)
    # Poles perpendicular to the way to the target, as directions for ozz and as points for lissom.
    ways = np.cross(targets, rng.normal(size=targets.shape))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    start, middle, end = problems.positions().swapaxes(0, 1)
    poles = (start + problems.reach * ways).astype(np.float32)
    assert ik.two_bone(chain, poses, targets, pole=poles, out=out).reached.all()
    # A hinge of ozz is the normal of the plane in which a chain is bent, in the middle joint's space.
    turns = (quat.normalize(poses[:, joint, 3:7].astype(float)) for joint in (0, 1))
    normals = np.cross(start - middle, end - middle)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    hinges = quat.rotate(quat.conjugate(quat.multiply(*turns)), normals)
    ozz = Ozz(library, problems.skeleton)
    ozz.set_poses(0, poses)
    ozz.set_poses(RESULTS, poses)
    ozz.set_chains(hinges, ways, targets)
    ozz.job("models", CHAINS)()
    ozz.job("two_bone", CHAINS, 1)()
    mine, theirs = problems.positions(out), problems.positions(ozz.poses(RESULTS, CHAINS))
    ours, share = problems.share_solved(mine[:, 2]), problems.share_solved(theirs[:, 2])
    apart = np.linalg.norm(mine[:, 1] - theirs[:, 1], axis=1)
    assert min(ours, share) > 0.999, (ours, share)
    assert np.quantile(apart, 0.99) < 1e-4 * problems.reach  # knees that are nearly straight are less sure
    bench.table(
        f"two-bone inverse kinematics of {CHAINS} chains",
        {
            "lissom": Run(
                lambda: ik.two_bone(chain, poses, targets, pole=poles, out=out), note=f"{ours:.1%} arrive"
            ),
            "ozz IKTwoBoneJob": Run(
                ozz.job("two_bone", CHAINS, 1),
                note=f"{share:.1%} arrive; {FROM_CPP}; with its matrices, rotations put back",
            ),
            "ozz IKTwoBoneJob alone": Run(
                ozz.job("two_bone", CHAINS, 0), note=FROM_CPP, lacks="matrices and rotations put back"
            ),
        },
        CHAINS,
        "solve",
    )


def main(bench: Bench) -> None:
    if why := why_not():
        bench.skip(why)
    library = built()
    bench.one_thread()
    bench.record["versions"]["ozz-animation"] = version()
    bench.note(f"ozz-animation {version()}: {library.ozz_simd().decode()}")
    rng = np.random.default_rng(1)
    skeleton = make_skeleton(rng)
    ozz = Ozz(library, skeleton)
    sampling(bench, ozz, skeleton, rng)
    posing(bench, ozz, skeleton, rng)
    blending(bench, ozz, rng)
    for vertices in (100, 4000, 20_000 if bench.quick else 100_000):
        skinning(bench, library, vertices)
    two_bone(bench, library, rng)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
