# SPDX-License-Identifier: MIT
"""How fast do chains reach, and how surely, beside numba, NumPy, three.js, SciPy, ikpy and mink?

One thread, float32, poses in and poses out, the Python call included. Chains of 4 to 10 joints in batches of
4096, each from a pose of its own, targets at 30 to 90 % of their reach; an answer counts as solved where
forward kinematics of it, in float64, ends within 1e-3 of the reach from the target, whatever its solver says.
Bars are for a quiet machine with AVX-512; the shares of solved chains hold anywhere and are asserted.

Rivals that are given and give positions only (NumPy; numba's first row) are spared the rotations. CCD in
numba sweeps from tip to root, as it is mostly written, though in one pass: that is why fewer chains arrive.
Packages for robots solve one chain at a time, which is what they are made for. Run: make bench; the packages
come with `uv pip install --group bench`, three.js with `make test-python`, and what is missing is named.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lissom
from _ik_chains import SUCCESS, Problems, make_limited_problems, make_problems
from _measure import best, row
from lissom import _core

try:
    import _ik_rivals as rivals
except ImportError:
    sys.exit("this benchmark needs numba: uv pip install --group bench")

import _ik_packages as packages
from lissom import ik

COUNT = 4096
FEWER = 512  # where solves are dear: a call must be shorter than the time slices of a busy machine
BARS = {"fabrik": {4: 60.0, 10: 250.0}, "ccd": {4: 150.0, 10: 450.0}, "two_bone": {3: 40.0}}  # ns per solve
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


def judge(got: float, bar: float, unit: str) -> None:
    met = f"met {bar / got:.2f} times over" if got <= bar else f"missed by a factor of {got / bar:.2f}"
    print(f"    bar {bar:g} {unit}: {met}")


def solvers(*names: str) -> list[tuple[str, Callable[..., Any]]]:
    return [(name, getattr(ik, name)) for name in names]


def compare_batch(joints: int) -> None:
    """FABRIK and CCD of 4096 chains, 15 iterations and as many as convergence takes."""
    problems = make_problems(joints, COUNT)
    poses, targets = problems.poses, problems.targets
    chain = ik.Chain(problems.skeleton, 0, joints - 1)
    near = np.float32(SUCCESS * problems.reach)
    places, lengths = problems.positions().astype(np.float32), problems.offsets[:, 1].astype(np.float32)
    out, points = np.empty_like(poses), np.empty_like(places)

    def of_positions() -> None:
        points[...] = places
        rivals.numba_fabrik(points, lengths, targets, near, 15)

    of_positions()
    assert problems.share_solved(points[:, -1]) > 0.97
    row(f"numba FABRIK, {joints} joints, positions only", best(of_positions, 20), COUNT, "solve")
    calls = {
        "fabrik": lambda n: rivals.numba_fabrik_poses(poses, lengths, targets, near, n, out),
        "ccd": lambda n: rivals.numba_ccd_poses(poses, targets, near, n, out),
    }
    for name, solve in solvers("fabrik", "ccd"):
        for iterations, floors in SHARES[name].items():
            options: dict[str, Any] = {"tolerance": SUCCESS, "max_iterations": iterations}
            calls[name](iterations)
            theirs = problems.share_solved(problems.positions(out)[:, -1])
            rival = best(lambda: calls[name](iterations), 10)  # noqa: B023
            result = solve(chain, poses, targets, **options)
            share = share_solved(problems, result)
            ours = best(lambda: solve(chain, poses, targets, out=out, **options), 30)  # noqa: B023
            label = f"{name}, {joints} joints, {iterations} iterations"
            row(f"{label}: numba, {theirs:.1%}", rival, COUNT, "solve")
            row(f"{label}: lissom, {share:.1%}", ours, COUNT, "solve", rival)
            assert share >= floors.get(joints, 0), (
                f"{label}: {share:.3%} solved, expected {floors[joints]:.0%}"
            )
            if iterations == 15 and joints in BARS[name]:
                judge(ours / COUNT * 1e9, BARS[name][joints], "ns/solve")


def compare_limited(joints: int) -> None:
    """The same with a limit at every joint; targets are where poses within the limits have the effector."""
    problems, limits = make_limited_problems(joints, FEWER)
    chain = ik.Chain(problems.skeleton, 0, joints - 1, limits=limits)
    out = np.empty_like(problems.poses)
    for name, solve in solvers("fabrik", "ccd", "damped_least_squares"):
        options: dict[str, Any] = {"tolerance": SUCCESS, "max_iterations": 100}
        share = share_solved(problems, solve(chain, problems.poses, problems.targets, **options))
        ours = best(lambda: solve(chain, problems.poses, problems.targets, out=out, **options), 30)  # noqa: B023
        row(f"{name}, {joints} joints with limits: lissom, {share:.1%}", ours, FEWER, "solve")
        floor = 0.95 if name == "damped_least_squares" else 0.90
        print(f"    at least {floor:.0%}: {'met' if share >= floor else 'missed'}")


def measure_two_bone() -> None:
    problems = make_problems(3, COUNT)
    chain = ik.Chain(problems.skeleton, 0, 2)
    share = share_solved(problems, ik.two_bone(chain, problems.poses, problems.targets))
    assert share == 1, share
    out = np.empty_like(problems.poses)
    ours = best(lambda: ik.two_bone(chain, problems.poses, problems.targets, out=out))
    row(f"two_bone: lissom, {share:.1%}", ours, COUNT, "solve")
    judge(ours / COUNT * 1e9, BARS["two_bone"][3], "ns/solve")


def compare_packages() -> None:
    """Chains of 6 links, the same for all, beside NumPy, three.js and packages for robots."""
    problems = make_problems(7, COUNT)
    chain = ik.Chain(problems.skeleton, 0, 6)
    near, poses, targets = SUCCESS * problems.reach, problems.poses, problems.targets
    places, lengths = problems.positions().astype(np.float32), problems.offsets[:, 1].astype(np.float32)
    ours: dict[str, float] = {}
    options: dict[str, dict[str, Any]] = {
        "fabrik": {"tolerance": SUCCESS, "max_iterations": 15},
        "ccd": {"tolerance": SUCCESS, "max_iterations": 100},
        "damped_least_squares": {"tolerance": SUCCESS},
    }
    shares: dict[str, float] = {}
    for name, solve in solvers(*options):
        shares[name] = share_solved(problems, solve(chain, poses, targets, **options[name]))
        ours[name] = best(lambda: solve(chain, poses, targets, **options[name]), 20) / COUNT  # noqa: B023
        row(f"6 links, {name}: lissom, {shares[name]:.1%}", ours[name], 1, "solve")

    def against(label: str, name: str, seconds: float, share: float, bar: float | None = None) -> None:
        ratio = seconds / ours[name]
        print(f"{f'  {label}, {share:.1%}':<56}{seconds * 1e6:10.1f} us/solve   {name} {ratio:.0f}x faster")
        if bar is not None:
            print(f"    bar {bar:g}x at the same success or better: {'met' if ratio >= bar else 'missed'}")

    rows, sizes = [list(chain) for chain in places[:200].astype(float)], [float(size) for size in lengths]
    goals = targets[:200].astype(float)

    def loop() -> list[Any]:
        return [
            rivals.numpy_fabrik(p, sizes, goal, near, 15)[-1] for p, goal in zip(rows, goals, strict=True)
        ]

    share = problems.first(200).share_solved(loop())
    against(
        "NumPy FABRIK, chain by chain", "fabrik", best(loop, 5, clock=time.process_time) / 200, share, 500
    )
    columns, ends = np.ascontiguousarray(places.transpose(1, 2, 0)), np.ascontiguousarray(targets.T)
    found = rivals.numpy_fabrik_batch(columns, lengths, ends, near, 15)
    together = best(lambda: rivals.numpy_fabrik_batch(columns, lengths, ends, near, 15), 30) / COUNT
    against("NumPy FABRIK, all chains at once", "fabrik", together, problems.share_solved(found[-1].T))

    why = packages.why_no_three()
    if why:
        print(f"  {why}: three.js was left out")
    else:
        some = problems.first(1000)
        for label, sweeps, stop in (
            ("three.js, 15 sweeps, stopped by its caller", 15, True),
            ("three.js, 15 sweeps as it is", 15, False),
            ("three.js, up to 100 sweeps", 100, True),
        ):
            seconds, effectors = packages.with_three(some, sweeps, stop)
            bar = 10 if (sweeps, stop) == (15, True) else None
            against(label, "ccd", seconds, some.share_solved(effectors), bar)

    few = problems.first(100)
    for label, solve, bar in (
        ("SciPy least_squares, 6 hinges", packages.with_scipy, None),
        ("ikpy, 6 hinges", packages.with_ikpy, 100),
        ("mink and daqp, 6 ball joints", packages.with_mink, 20),
    ):
        try:
            seconds, effectors = solve(few)
        except ImportError as error:
            print(f"  {error.name} is not installed and was left out: uv pip install --group bench")
            continue
        share = few.share_solved(effectors)
        against(label, "damped_least_squares", seconds, share, bar)
        if bar is not None:
            assert shares["damped_least_squares"] >= min(share, 0.999)


def measure_single() -> None:
    """One chain, as dragged by a mouse: mostly the call."""
    problems = make_problems(6, 64)
    chain = ik.Chain(problems.skeleton, 0, 5)
    pose, out = problems.poses[0], np.empty_like(problems.poses[0])
    for name, solve in solvers("fabrik", "ccd", "damped_least_squares"):
        # The middle one of many targets, as the call is the larger part of it.
        times = [
            best(lambda: solve(chain, pose, target, tolerance=SUCCESS, out=out), 5, 0.001)  # noqa: B023
            for target in problems.targets
        ]
        row(f"one solve, 6 joints, {name}: lissom", float(np.median(times)), 1, "solve")
        judge(float(np.median(times)) * 1e6, SINGLE, "us")


def main() -> None:
    lissom.set_thread_count(1)
    print(f"batches of {COUNT}; one thread; kernels {_core.isa()}; success: within {SUCCESS:g} of the reach")
    for joints in (4, 6, 8, 10):
        compare_batch(joints)
    for joints in (4, 6, 8, 10):
        compare_limited(joints)
    measure_two_bone()
    compare_packages()
    measure_single()


if __name__ == "__main__":
    main()
