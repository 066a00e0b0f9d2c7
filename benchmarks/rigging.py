# SPDX-License-Identifier: MIT
"""How long does rigging a real character take, and how near does it come to its artist's weights?

    python benchmarks/rigging.py [CHARACTER ...] [--cells N]

Each character's own skeleton is its handles: bounded biharmonic weights of its bones on a lattice, two
threads, summed for each joint, beside the weights that the file has. L1 is the sum of the differences in a
row of weights, 0 where they agree, 2 where they have nothing in common. Characters are files below the
assets' ``characters``.

Islands of the surface that a bone passes through are judged apart from those that none does. The first
are the body and clothes around it. The others are worn, such as hair: which joint moves them is the
artist's choice and not always in the geometry. In ``Medieval.glb`` it is not: its shoulder plates meet
the surface at the upper arms, but move with the shoulders; its hood moves with the head, but keeps away
from it and meets nothing but the plates. The way through the volume leads from both to the upper arms.
They are an eighth of the vertices and 0.22 of the mean L1.

Where one joint's part ends and the next begins is the artist's choice, too: the vest of ``Worker.glb``
moves with the chest up to the neck, and its waist with abdomen and legs, hardly with the hips between. So
the figure of a character is held against what it was, and against inverse distance in the same run.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import lissom
from _bench import Bench
from _measure import Run, Timing
from lissom.weights import bones, bounded_biharmonic, inverse_distance

ASSETS = Path(os.environ.get("LISSOM_ASSETS", Path(__file__).resolve().parents[2] / "shared" / "assets"))
CHARACTERS = {  # and the mean L1 of what bones pass through, when it was last looked into
    "quaternius/modular_women/Casual.glb": 0.356,
    "quaternius/modular_women/Medieval.glb": 0.389,
    "quaternius/modular_men/Worker.glb": 0.488,
}
LONGEST = 60.0  # seconds, of a character of 13 000 vertices and 50 joints on 2 cores
WORSE = 0.01  # than that figure is too much: the solver is exact to 0.001 of a weight
NEARER = 0.85  # of what inverse distance leaves there: it knows nothing of the surface
SAMPLES = 9  # places of a bone that are looked up

Floats = NDArray[np.float64]


def authored(character: lissom.Character) -> Floats:
    """Return the file's weights, (V, joints of the skeleton)."""
    mesh = character.mesh
    weights = np.zeros((len(mesh.positions), len(character.skeleton)))
    rows = np.arange(len(weights))[:, None]
    np.add.at(weights, (rows, character.skin.joints[mesh.indices.astype(int)]), mesh.weights)
    return weights


def islands(positions: Floats, triangles: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number the connected components, by vertex; vertices in one place are one."""
    _, place = np.unique(positions, axis=0, return_inverse=True)
    place = place.ravel()
    corners = place[triangles]
    names = np.arange(place.max() + 1)
    while True:
        lower = names.copy()
        np.minimum.at(lower, corners.ravel(), names[corners].min(axis=1).repeat(3))
        lower = lower[lower]
        if (lower == names).all():
            return np.unique(names[place], return_inverse=True)[1].ravel()
        names = lower


def winding_numbers(points: Floats, corners: Floats) -> Floats:
    """Sum the solid angles of triangles (F, 3, 3) seen from points (Van Oosterom and Strackee 1983)."""
    result = np.empty(len(points))
    for index, point in enumerate(points):
        a, b, c = np.moveaxis(corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        rest = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        result[index] = np.arctan2(volume, rest).sum() / (2 * np.pi)
    return result


def passed_through(positions: Floats, triangles: NDArray[np.integer], handles: Floats) -> NDArray[np.bool_]:
    """Tell the vertices of islands that a bone passes through."""
    along = np.linspace(0, 1, SAMPLES)[:, None]
    places = np.concatenate([(1 - along) * head + along * tail for head, tail in handles])
    names = islands(positions, triangles)
    passed = [
        bool(
            (
                np.abs(winding_numbers(places, positions[triangles[names[triangles[:, 0]] == name]])) > 0.5
            ).any()
        )
        for name in range(names.max() + 1)
    ]
    return np.array(passed)[names]


def measure(bench: Bench, name: str, cells: int | None) -> None:
    character = lissom.load(ASSETS / "characters" / name)
    mesh, skeleton = character.mesh, character.skeleton
    want = authored(character)
    handles = bones(skeleton, exclude=np.flatnonzero(want.sum(axis=0) == 0).tolist())
    want = want[:, handles.skin_joints]
    begin = time.perf_counter()
    weights, report = bounded_biharmonic(mesh, handles, cells=cells, outside="move", report=True)
    seconds = time.perf_counter() - begin
    assert np.abs(weights.sum(axis=1) - 1).max() < 1e-6
    assert weights.min() >= 0
    assert report.converged
    got = handles.per_joint(weights)
    apart = np.abs(got - want).sum(axis=1)
    baseline = np.abs(handles.per_joint(inverse_distance(mesh, handles)) - want).sum(axis=1)
    is_body = passed_through(mesh.positions.astype(np.float64), mesh.triangles, handles.handles)

    same = float((got.argmax(axis=1) == want.argmax(axis=1)).mean())
    title = f"{name}: {len(want)} vertices, {len(handles)} bones of {len(handles.skin_joints)} joints"
    table = bench.add_table(title, {"lissom": Run()}, {"lissom": Timing(seconds, seconds, 1)}, 1, "")
    table.judge("lissom", LONGEST, 1, "s")
    bench.note(f"{report.node_count} nodes, cells of {report.cell:.4g}", title)
    for part, taken in report.seconds.items():
        bench.number(f"{part}, seconds", taken, "s", title)
    bench.number("vertices in which the same joint comes first", 100 * same, "%", title)
    for which, chosen in (("all", is_body | True), ("bones inside", is_body), ("worn", ~is_body)):
        if chosen.any():
            l1, other = apart[chosen].mean(), baseline[chosen].mean()
            bench.number(f"mean L1, {which}, {chosen.mean():.1%} of the vertices", l1, "", title)
            bench.number(f"mean L1, {which}, by inverse distance", other, "", title)
    body, baseline_of_body = apart[is_body].mean(), baseline[is_body].mean()
    assert body < NEARER * baseline_of_body, (body, baseline_of_body)
    if name in CHARACTERS and cells is None:
        assert body < CHARACTERS[name] + WORSE, body


def main(bench: Bench) -> None:
    if not ASSETS.is_dir():
        bench.skip(f"not measured: the assets are not at {ASSETS}; set LISSOM_ASSETS to their folder")
    lissom.set_thread_count(2)
    for name in bench.options.characters:
        measure(bench, name, bench.options.cells)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("characters", nargs="*", default=list(CHARACTERS))
    bench.argument("--cells", type=int)
    bench.run(main)
