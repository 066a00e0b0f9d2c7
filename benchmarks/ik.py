# SPDX-License-Identifier: MIT
"""How fast do chains reach, and how surely, beside numba, NumPy, three.js, SciPy, ikpy and mink?

One thread, float32, poses in and poses out, the Python call included. Chains of 4 to 10 joints in batches of
4096, each from a pose of its own, targets at 30 to 90 % of their reach; an answer counts as solved where
forward kinematics of it, in float64, ends within 1e-3 of the reach from the target, whatever its solver says.
Bars are for a quiet machine with AVX-512; the shares of solved chains hold anywhere and are asserted.

Rivals that are given and give positions only (NumPy; one row of numba's) are spared the rotations. CCD in
numba sweeps from tip to root, as it is mostly written, though in one pass: that is why fewer chains arrive.
Packages for robots solve one chain at a time, which is what they are made for; where one has hinges only, it
solves a third of the unknowns. What is missing is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from _bench import Bench, require
from _ik_chains import SUCCESS, Problems, make_limited_problems, make_problems
from _measure import Run

require("numba")
import _ik_packages as packages  # noqa: E402
import _ik_rivals as rivals  # noqa: E402
from lissom import ik  # noqa: E402

COUNT = 4096
FEWER = 512  # where solves are dear: a call must be shorter than the time slices of a busy machine
# ns per solve. Those of ten joints and of two_bone are for cores that add and multiply two whole AVX-512
# vectors in a cycle: where each takes two halves, to check, read and write poses (rows without iterations)
# takes most of them.
BARS = {"fabrik": {4: 60.0, 10: 100.0}, "ccd": {4: 150.0, 10: 200.0}, "two_bone": {3: 20.0}}
# Shares of chains that FABRIK and CCD without limits solve within so many iterations, at least.
SHARES = {
    "fabrik": {15: {4: 0.98, 6: 0.98, 8: 0.95, 10: 0.90}, 60: dict.fromkeys((4, 6, 8, 10), 0.99)},
    "ccd": {15: {}, 100: dict.fromkeys((4, 6, 8, 10), 0.99)},
}
SINGLE = 10.0  # microseconds of one solve from Python, 6 joints
# How far the solver's own measure of what is left may be from ours, of the reach: float32 positions.
HONEST = 2e-6


def share_solved(problems: Problems, result: Any) -> float:
    """By forward kinematics of the result, which must have moved rotations only and told the truth."""
    effectors = problems.positions(result.pose)[:, -1]
    misses = problems.misses(effectors)
    np.testing.assert_array_equal(
        np.delete(result.pose, range(3, 7), -1), np.delete(problems.poses, range(3, 7), -1)
    )
    assert np.abs(misses - result.residual / problems.reach).max() < HONEST
    assert np.abs(np.linalg.norm(result.pose[..., 3:7], axis=-1) - 1).max() < 1e-6
    is_told = (misses <= SUCCESS) == result.reached
    assert np.all(is_told | (np.abs(misses - SUCCESS) < HONEST))
    return problems.share_solved(effectors)


def solvers(*names: str) -> list[tuple[str, Callable[..., Any]]]:
    return [(name, getattr(ik, name)) for name in names]


def compare_batch(bench: Bench, joints: int) -> None:
    """FABRIK and CCD of 4096 chains, 15 iterations and as many as convergence takes."""
    problems = make_problems(joints, COUNT)
    poses, targets = problems.poses, problems.targets
    chain = ik.Chain(problems.skeleton, 0, joints - 1)
    near = np.float32(SUCCESS * problems.reach)
    places, lengths = problems.positions().astype(np.float32), problems.offsets[:, 1].astype(np.float32)
    out, points = np.empty_like(poses), np.empty_like(places)

    def of_positions(iterations: int) -> None:
        points[...] = places
        rivals.numba_fabrik(points, lengths, targets, near, iterations)

    calls = {
        "fabrik": lambda n: rivals.numba_fabrik_poses(poses, lengths, targets, near, n, out),
        "ccd": lambda n: rivals.numba_ccd_poses(poses, targets, near, n, out),
    }
    for name, solve in solvers("fabrik", "ccd"):
        for iterations, floors in SHARES[name].items():
            options: dict[str, Any] = {"tolerance": SUCCESS, "max_iterations": iterations}
            calls[name](iterations)
            theirs = problems.share_solved(problems.positions(out)[:, -1])
            share = share_solved(problems, solve(chain, poses, targets, **options))
            runs = {
                "lissom": Run(
                    lambda solve=solve, options=options: solve(chain, poses, targets, out=out, **options),
                    note=arrive(share),
                ),
                "numba": Run(lambda n=iterations, name=name: calls[name](n), note=arrive(theirs)),
            }
            if iterations == 15 and joints in BARS[name]:
                none: dict[str, Any] = {**options, "max_iterations": 0}
                runs["lissom, no iterations"] = Run(
                    lambda solve=solve, none=none: solve(chain, poses, targets, out=out, **none),
                    lacks="the solve: poses are checked, read and written",
                )
            if name == "fabrik":
                of_positions(iterations)
                share_points = problems.share_solved(points[:, -1])
                assert share_points > 0.97
                runs["numba, positions only"] = Run(
                    lambda n=iterations: of_positions(n), note=arrive(share_points), lacks="rotations"
                )
            table = bench.table(f"{name}, {joints} joints, {iterations} iterations", runs, COUNT, "solve")
            assert share >= floors.get(joints, 0), f"{table.title}: {share:.3%} solved"
            if iterations == 15 and joints in BARS[name]:
                table.judge("lissom", BARS[name][joints])


def arrive(share: float) -> str:
    return f"{share:.1%} arrive"


def compare_limited(bench: Bench, joints: int) -> None:
    """The same with a limit at every joint; targets are where poses within the limits have the effector."""
    problems, limits = make_limited_problems(joints, FEWER)
    chain = ik.Chain(problems.skeleton, 0, joints - 1, limits=limits)
    out = np.empty_like(problems.poses)
    title = f"{joints} joints with limits, 100 iterations"
    runs, shares = {}, {}
    for name, solve in solvers("fabrik", "ccd", "damped_least_squares"):
        options: dict[str, Any] = {"tolerance": SUCCESS, "max_iterations": 100}
        shares[name] = share_solved(problems, solve(chain, problems.poses, problems.targets, **options))
        runs[f"lissom.ik.{name}"] = Run(
            lambda solve=solve, options=options: solve(
                chain, problems.poses, problems.targets, out=out, **options
            ),
            note=arrive(shares[name]),
        )
    bench.table(title, runs, FEWER, "solve")
    for name, share in shares.items():
        floor = 95 if name == "damped_least_squares" else 90
        bench.judge(f"{name} arrives", 100 * share, floor, "%", at_most=False, table=title)


def measure_two_bone(bench: Bench) -> None:
    problems = make_problems(3, COUNT)
    chain = ik.Chain(problems.skeleton, 0, 2)
    share = share_solved(problems, ik.two_bone(chain, problems.poses, problems.targets))
    assert share == 1, share
    out = np.empty_like(problems.poses)
    run = Run(lambda: ik.two_bone(chain, problems.poses, problems.targets, out=out), note=arrive(share))
    runs = {
        "lissom": run,
        "lissom.ik.fabrik, no iterations": Run(
            lambda: ik.fabrik(chain, problems.poses, problems.targets, out=out, max_iterations=0),
            lacks="the solve: poses are checked, read and written",
        ),
    }
    # A pose of three joints is read and written, and a target read.
    table = bench.table("two_bone", runs, COUNT, "solve", moved=2 * 120 + 12)
    table.judge("lissom", BARS["two_bone"][3])


def compare_packages(bench: Bench) -> None:
    """Chains of 6 links, the same for all, beside NumPy, three.js and packages for robots."""
    problems = make_problems(7, COUNT)
    chain = ik.Chain(problems.skeleton, 0, 6)
    near, poses, targets = SUCCESS * problems.reach, problems.poses, problems.targets
    places, lengths = problems.positions().astype(np.float32), problems.offsets[:, 1].astype(np.float32)
    options: dict[str, dict[str, Any]] = {
        "fabrik": {"tolerance": SUCCESS, "max_iterations": 15},
        "ccd": {"tolerance": SUCCESS, "max_iterations": 100},
        "damped_least_squares": {"tolerance": SUCCESS},
    }
    out = np.empty_like(poses)
    shares, runs = {}, {}
    for name, solve in solvers(*options):
        shares[name] = share_solved(problems, solve(chain, poses, targets, **options[name]))
        runs[name] = {
            "lissom": Run(
                lambda solve=solve, name=name: solve(chain, poses, targets, out=out, **options[name]),
                note=arrive(shares[name]),
            )
        }

    rows, sizes = [list(chain) for chain in places[:200].astype(float)], [float(size) for size in lengths]
    goals = targets[:200].astype(float)

    def loop() -> list[Any]:
        return [
            rivals.numpy_fabrik(p, sizes, goal, near, 15)[-1] for p, goal in zip(rows, goals, strict=True)
        ]

    columns, ends = np.ascontiguousarray(places.transpose(1, 2, 0)), np.ascontiguousarray(targets.T)
    found = rivals.numpy_fabrik_batch(columns, lengths, ends, near, 15)
    runs["fabrik"]["NumPy, all chains at once"] = Run(
        lambda: rivals.numpy_fabrik_batch(columns, lengths, ends, near, 15),
        note=arrive(problems.share_solved(found[-1].T)),
        lacks="rotations",
    )
    runs["fabrik"]["NumPy, chain by chain"] = Run(
        loop, items=200, note=arrive(problems.first(200).share_solved(loop())), lacks="rotations"
    )
    table = bench.table("6 links, fabrik", runs["fabrik"], COUNT, "solve")
    table.judge_ratio("NumPy, chain by chain", "lissom", 500)
    compare_three(bench, problems.first(200 if bench.quick else 1000), runs["ccd"])

    few = problems.first(5 if bench.quick else 20)
    bars = {"ikpy": 100, "mink": 20}
    for name, make, needed, note in (
        ("mink and daqp", packages.with_mink, ("mink", "daqp", "mujoco"), "6 ball joints"),
        ("SciPy least_squares", packages.with_scipy, ("scipy",), "6 hinges"),
        ("ikpy", packages.with_ikpy, ("ikpy",), "6 hinges"),
    ):
        if bench.has(*needed):
            call, effectors = make(few)
            share = few.share_solved(effectors)
            runs["damped_least_squares"][name] = Run(
                call, items=len(few.poses), note=f"{arrive(share)}, {note}"
            )
            assert shares["damped_least_squares"] >= min(share, 0.999)
    table = bench.table("6 links, damped_least_squares", runs["damped_least_squares"], COUNT, "solve")
    for name in table.rows:
        if name.split()[0] in bars:
            table.judge_ratio(name, "lissom", bars[name.split()[0]])


def compare_three(bench: Bench, some: Problems, runs: dict[str, Run]) -> None:
    if not bench.has("three"):
        bench.table("6 links, ccd", runs, COUNT, "solve")
        return
    labels = {
        "15, stopped": "three.js, 15 sweeps, stopped by its caller",
        "15": "three.js, 15 sweeps as it is",
        "100, stopped": "three.js, up to 100 sweeps",
    }
    with packages.with_three(some) as three:
        for key, label in labels.items():
            share = some.share_solved(np.reshape(three.answer[key], (-1, 3)))
            runs[label] = three.run(key, items=1, note=arrive(share))
        table = bench.table("6 links, ccd", runs, COUNT, "solve")
    table.judge_ratio(labels["15, stopped"], "lissom", 10)


def measure_single(bench: Bench) -> None:
    """One chain, as dragged by a mouse: mostly the call."""
    problems = make_problems(6, 64)
    chain = ik.Chain(problems.skeleton, 0, 5)
    pose, out = problems.poses[0], np.empty_like(problems.poses[0])

    def drag(solve: Callable[..., Any]) -> None:
        for target in problems.targets:
            solve(chain, pose, target, tolerance=SUCCESS, out=out)

    names = ("fabrik", "ccd", "damped_least_squares")
    runs = {f"lissom.ik.{name}": lambda solve=solve: drag(solve) for name, solve in solvers(*names)}
    table = bench.table("one solve from Python, 6 joints", runs, len(problems.targets), "solve")
    for name in runs:
        table.judge(name, SINGLE, 1e6, "us")


def main(bench: Bench) -> None:
    bench.one_thread()
    bench.note(f"batches of {COUNT}; one thread; success: within {SUCCESS:g} of the reach")
    for joints in (4, 6, 8, 10):
        compare_batch(bench, joints)
    for joints in (4, 6, 8, 10):
        compare_limited(bench, joints)
    measure_two_bone(bench)
    compare_packages(bench)
    measure_single(bench)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
