# SPDX-License-Identifier: MIT
"""Make the tables of docs/concepts/inverse-kinematics.md anew: how often solvers reach, and what they keep.

python docs/tables/ik_success.py [chains of a class, 10000 if omitted]

Asserts on the way what holds whatever the chain: answers are finite, end in time, keep bones and limits.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from ik_solvers import ITERATIVE, Solver, chain_of  # noqa: E402
from random_chains import CLASSES, COUNTS, Chains, random_chains  # noqa: E402
from reference import ik as twin  # noqa: E402

PAGE = ROOT / "docs" / "concepts" / "inverse-kinematics.md"
BEGIN = "<!-- {name}: made by docs/tables/ik_success.py -->\n"
END = "<!-- end of {name} -->\n"
TOLERANCE = 1e-3  # of the chain's length
SIZE = 200  # poses of one skeleton

SHOWN = {
    "reachable": "free",
    "collinear": "straight, target in line",
    "zero length": "with bones of no length",
    "duplicate": "with joints, or joint and target, in one place",
    "ball": "all ball and socket",
    "hinge": "ball and socket, then hinges",
    "swing twist": "all elliptic cones with twist",
    "mixed": "any limits, some joints free",
    "below a mirror": "below a mirrored joint",
    "scaled joints": "any limits, scaled joints",
    "unreachable": "out of reach",
}
FREE_COUNTS = (3, 4, 6, 8, 10, 16, 32, 64)


def lengths(chains: Chains, poses: np.ndarray) -> np.ndarray:
    points = twin.positions(chains.skeleton.parents, np.asarray(poses, np.float64))[:, chains.joints]
    return np.linalg.norm(np.diff(points, axis=1), axis=-1)


def judged(chains: Chains, solver: Solver, most: int) -> tuple[np.ndarray, float, float]:
    """Whether each target was met by forward kinematics, the worst drift of a bone, the worst excess."""
    poses, targets = chains.poses.astype(np.float32), chains.targets.astype(np.float32)
    done = solver(chain_of(chains), poses, targets, tolerance=TOLERANCE, max_iterations=most)
    assert np.isfinite(done.pose).all(), "an answer is finite"
    assert 0 <= done.iterations.min() <= done.iterations.max() <= most, "ends in time"
    before, after = lengths(chains, poses), lengths(chains, done.pose)
    drift = float(np.max(np.abs(after - before) / np.where(before > 0, before, 1)))
    excess = float(chains.excess(done.pose).max())
    assert drift <= 1e-5, "bones keep their lengths"
    assert excess <= 1e-5, "limits hold"
    away = np.linalg.norm(chains.tips(done.pose) - chains.targets, axis=-1)
    return away <= 1.001 * TOLERANCE * chains.length, drift, excess


Shares = dict[tuple[str, int], list[float]]


def measured(
    name: str, count: int, seed: int, size: int
) -> tuple[dict[tuple[str, int], int], int, float, float]:
    """One skeleton: how many targets each solver met within so many iterations, of how many."""
    chains = random_chains(name, count, size, seed)
    met: dict[tuple[str, int], int] = {}
    drift = excess = 0.0
    for solver in ITERATIVE.values():
        for most in (15, 60, 100):
            fits, moved, over = judged(chains, solver, most)
            met[solver.name, most] = int(np.count_nonzero(fits & chains.reachable))
            drift, excess = max(drift, moved), max(excess, over)
    return met, int(np.count_nonzero(chains.reachable)), drift, excess


def summed(
    jobs: list[tuple[str, int, int, int]], workers: ProcessPoolExecutor
) -> tuple[dict, int, float, float]:
    met: dict[tuple[str, int], int] = {}
    tried, drift, excess = 0, 0.0, 0.0
    for one, count, moved, over in workers.map(measured, *zip(*jobs, strict=True)):
        for key, number in one.items():
            met[key] = met.get(key, 0) + number
        tried, drift, excess = tried + count, max(drift, moved), max(excess, over)
    return met, tried, drift, excess


def percent(met: int, tried: int) -> str:
    return f"{100 * met / tried:.1f}" if tried else "-"


def head(first: str, columns: list[str]) -> str:
    return f"| {first} | " + " | ".join(columns) + " |\n| --- |" + " --: |" * len(columns) + "\n"


def table_of_counts(total: int, workers: ProcessPoolExecutor) -> str:
    """Free chains by how many joints they have."""
    columns = [(solver, most) for solver in ITERATIVE for most in (15, 60)]
    text = head("joints", [f"{solver}: {most}" for solver, most in columns])
    for count in FREE_COUNTS:
        batches = -(-total // SIZE)
        met, tried, _, _ = summed([("reachable", count, seed, SIZE) for seed in range(batches)], workers)
        row = [percent(met[column], tried) for column in columns]
        text += f"| {count} | " + " | ".join(row) + " |\n"
        print(text.splitlines()[-1], flush=True)
    return text


def table_of_classes(total: int, workers: ProcessPoolExecutor) -> str:
    """Chains of all classes, of 2 to 64 joints."""
    columns = [(solver, most) for solver in ITERATIVE for most in (60, 100)]
    text = head("chains", [*(f"{solver}: {most}" for solver, most in columns), "drift", "outside, rad"])
    for name in CLASSES:
        if name not in SHOWN:
            continue
        batches = -(-total // SIZE)
        jobs = [(name, COUNTS[seed % len(COUNTS)], seed, SIZE) for seed in range(batches)]
        met, tried, drift, excess = summed(jobs, workers)
        row = [percent(met[column], tried) for column in columns]
        text += f"| {SHOWN[name]} | " + " | ".join(row) + f" | {drift:.0e} | {excess:.0e} |\n"
        print(text.splitlines()[-1], flush=True)
    return text


def put(page: str, name: str, table: str) -> str:
    begin, end = BEGIN.format(name=name), END.format(name=name)
    return f"{page[: page.index(begin) + len(begin)]}\n{table}\n{page[page.index(end) :]}"


def main(total: int) -> None:
    """Measure, and put the tables into the page."""
    with ProcessPoolExecutor(2) as workers:
        tables = {"counts": table_of_counts(total, workers), "classes": table_of_classes(total, workers)}
    page = PAGE.read_text()
    for name, table in tables.items():
        page = put(page, name, table)
    PAGE.write_text(page)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
