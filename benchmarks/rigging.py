# SPDX-License-Identifier: MIT
"""How long does rigging a real character take, and how near does it come to its artist's weights?

    python benchmarks/rigging.py [CHARACTER ...] [--cells N]

Each character's own skeleton is its handles: bounded biharmonic weights of its bones on a lattice, two
threads, summed for each joint, beside the weights that the file has. L1 is the sum of the differences in a
row of weights, 0 where they agree, 2 where they have nothing in common. Characters are files below the
assets' ``characters``.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

import lissom
from lissom.weights import bounded_biharmonic

ASSETS = Path(os.environ.get("LISSOM_ASSETS", Path(__file__).resolve().parents[2] / "shared" / "assets"))
CHARACTERS = (
    "quaternius/modular_women/Casual.glb",
    "quaternius/modular_women/Medieval.glb",
    "quaternius/modular_men/Worker.glb",
)
LONGEST = 60.0  # seconds, of a character of 13 000 vertices and 50 joints on 2 cores
FARTHEST = 0.4  # mean L1 that says that something is wrong


def bones(character: lissom.Character, weighted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give bones (H, 2, 3) from weighted joints to their children, and the joints (H,).

    A joint without children continues the bone above it by half.
    """
    skeleton = character.skeleton
    places = skeleton.positions(skeleton.rest)
    handles, owners = [], []
    for joint in np.flatnonzero(weighted):
        children = [c for c, parent in enumerate(skeleton.parents) if parent == joint]
        tails = [
            places[c] for c in children if np.linalg.norm(places[c] - places[joint]) > 1e-6 * character.size
        ]
        if not tails and skeleton.parents[joint] >= 0:
            tails = [places[joint] + 0.5 * (places[joint] - places[skeleton.parents[joint]])]
        for tail in tails:
            handles.append([places[joint], tail])
            owners.append(joint)
    return np.array(handles, float), np.array(owners)


def authored(character: lissom.Character) -> np.ndarray:
    """Give the file's weights, (V, joints of the skeleton)."""
    mesh = character.mesh
    of_rows = np.zeros((len(mesh.positions), len(character.skin.joints)))
    np.add.at(of_rows, (np.arange(len(of_rows))[:, None], mesh.indices.astype(int)), mesh.weights)
    of_joints = np.zeros((len(of_rows), len(character.skeleton.names)))
    np.add.at(of_joints.T, character.skin.joints, of_rows.T)
    return of_joints


def measure(name: str, cells: int | None) -> None:
    character = lissom.load(ASSETS / "characters" / name)
    want = authored(character)
    handles, owners = bones(character, want.sum(axis=0) > 0)
    surface = character.mesh.positions, character.mesh.triangles
    begin = time.perf_counter()
    weights, report = bounded_biharmonic(surface, list(handles), cells=cells, outside="move", report=True)
    seconds = time.perf_counter() - begin
    got = np.zeros_like(want)
    np.add.at(got.T, owners, weights.T)
    apart = np.abs(got - want).sum(axis=1)
    assert np.abs(weights.sum(axis=1) - 1).max() < 1e-6
    assert weights.min() >= 0
    assert report.converged
    assert apart.mean() < FARTHEST, apart.mean()
    same = float((got.argmax(axis=1) == want.argmax(axis=1)).mean())
    print(f"{name}: {len(want)} vertices, {len(handles)} bones of {len(np.unique(owners))} joints")
    print(f"  {report.node_count} nodes, cells of {report.cell:.4g}: {seconds:.1f} s of {LONGEST:.0f} s")
    print(f"  beside the authored weights: mean L1 {apart.mean():.3f}, median {np.median(apart):.3f}")
    print(f"  the same joint comes first in {same:.1%} of the vertices")
    for part, taken in report.seconds.items():
        print(f"  {part:<16}{taken:8.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("characters", nargs="*", default=CHARACTERS)
    parser.add_argument("--cells", type=int)
    options = parser.parse_args()
    if not ASSETS.is_dir():
        print(f"the assets are not at {ASSETS}; set LISSOM_ASSETS to their folder")
        return
    lissom.set_thread_count(2)
    for name in options.characters:
        measure(name, options.cells)


if __name__ == "__main__":
    main()
