# SPDX-License-Identifier: MIT
"""How long do bounded biharmonic weights take for bones, points and cages in meshes of all kinds?

One thread, processor time of the whole call, lattice and all, at the size that is chosen from the surface:
some 17 000 nodes. Bones lie along the axis or are the character's own; points are on the axis, or vertices as
far from each other as can be; cages are boxes. Beside the time stand nodes, cycles of multigrid and the
error: estimated, and against the exact solution with --exact. The last is a solid bar of 100 000
nodes. The bars: 1.5 s each, 1 s for the bones of the sample, 15 s for the last. Fox and wolf are in
../shared/assets.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _measure import Run, Timing
from lissom import weights
from lissom.weights._constraints import find_constraints
from lissom.weights._inputs import as_cage_faces, as_handles
from lissom.weights._solve import solve
from weights import bar

ASSETS = Path(__file__).resolve().parents[2] / "shared/assets/characters"
TOLERANCE = 1e-3
CLAIM = 1.5
CLAIMS = {"lissom: humanoid, 42 bones": 1.0}
CLAIM_SOLID = 15.0
TITLE = "twenty layouts"


def along(positions: Any, count: int) -> list[Any]:
    """Bones of equal length along the middle of the longest side."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    axis = int((high - low).argmax())
    ends = np.repeat(((low + high) / 2)[None], count + 1, axis=0)
    ends[:, axis] = np.linspace(low[axis], high[axis], count + 1)
    return [(ends[k], ends[k + 1]) for k in range(count)]


def on_axis(positions: Any, places: tuple[float, ...]) -> list[Any]:
    ((start, end),) = along(positions, 1)
    return [start + place * (end - start) for place in places]


def far(positions: Any, count: int) -> list[Any]:
    """Vertices, each as far from those before it as can be."""
    chosen = [0]
    away = np.linalg.norm(positions - positions[0], axis=1)
    while len(chosen) < count:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.linalg.norm(positions - positions[chosen[-1]], axis=1))
    return [positions[k] for k in chosen]


def box(positions: Any) -> tuple[list[Any], Any]:
    low, high = positions.min(axis=0), positions.max(axis=0)
    out = 0.05 * (high - low).max()
    corners = [np.where([k & 1, k & 2, k & 4], high + out, low - out) for k in range(8)]
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return corners, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])


def layouts(bench: Bench) -> dict[str, tuple[Any, Any, Any]]:
    """Surface, handles and cage faces by name."""
    found: dict[str, tuple[Any, Any, Any]] = {}

    def add(name: str, mesh: Any, handles: Any, faces: Any = None) -> None:
        found[name] = mesh, handles, faces

    straight = lissom.samples.twisted_bar().mesh
    tube = lissom.samples.two_bone_tube().mesh
    for name, mesh, counts, places in (
        ("twisted bar", straight, (2, 3, 5), (0.05, 0.35, 0.65, 0.95)),
        ("tube", tube, (2, 4), (0.1, 0.9)),
    ):
        for count in counts:
            add(f"{name}, {count} bones", mesh, along(mesh.positions, count))
        add(f"{name}, {len(places)} points on its axis", mesh, on_axis(mesh.positions, places))
        add(f"{name}, cage", mesh, *box(mesh.positions))
    add("twisted bar, 6 far points", straight, far(straight.positions, 6))
    characters = {"humanoid": lissom.samples.humanoid()}
    for name, path in (("fox", "khronos/Fox.glb"), ("wolf", "quaternius/animals_pack/Wolf.glb")):
        if (ASSETS / path).is_file():
            characters[name] = lissom.load(ASSETS / path)
        else:
            bench.note(f"not there: {ASSETS / path}")
    points = {"humanoid": (5, 12), "fox": (3, 8), "wolf": (6, 12)}
    for name, character in characters.items():
        bones = weights.bones(character.skeleton)
        # The wolf's first bone lies on the ground, and its nodes are all held by points.
        handles = list(bones)[1:] if name == "wolf" else bones
        add(f"{name}, {len(handles)} bones", character.mesh, handles)
        for count in points[name]:
            add(f"{name}, {count} far points", character.mesh, far(character.mesh.positions, count))
    add("humanoid, cage", characters["humanoid"].mesh, *box(characters["humanoid"].mesh.positions))
    return found


def measure(bench: Bench, cells: int | None, keep: int | None) -> None:
    runs, timings = {}, {}
    for name, (mesh, handles, faces) in list(layouts(bench).items())[:keep]:

        def call(mesh: Any = mesh, handles: Any = handles, faces: Any = faces, **more: Any) -> Any:
            return weights.bounded_biharmonic(
                mesh, handles, cage_faces=faces, cells=cells, outside="move", report=True, **more
            )

        # Once each, as there is no rival to take turns with: all twenty take half a minute.
        begin = bench.clock()
        found, report = call()
        seconds = bench.clock() - begin
        assert report.converged
        estimate = report.residuals["error_estimate"]
        note = f"{report.node_count} nodes, {report.iterations} cycles, error below {estimate:.1e}"
        if bench.options.exact:
            error = float(np.abs(found - call(polish=True)[0]).max())
            assert error <= TOLERANCE
            note += f", was {error:.1e}"
        runs[f"lissom: {name}"] = Run(call, note=note)
        timings[f"lissom: {name}"] = Timing(seconds, seconds, 1)
    table = bench.add_table(TITLE, runs, timings, 1, "")
    for name in runs:
        table.judge(name, CLAIMS.get(name, CLAIM), 1, "s")


def measure_solid(bench: Bench) -> None:
    nodes, tets = bar(24, 24, 159)
    ends = np.linspace(0, 159, 6)
    bones = [[(12, 12, ends[k]), (12, 12, ends[k + 1])] for k in range(5)]
    handles = as_handles(bones, "bones")
    fixed, rows, _ = find_constraints(nodes, handles, as_cage_faces(None, handles, "bones"), 0.5)
    begin = bench.clock()
    _, facts = solve(nodes, tets, fixed, rows)
    seconds = bench.clock() - begin
    note = f"{facts['iterations']} cycles, error below {facts['error_estimate']:.1e}"
    title = f"solid bar, {len(nodes)} nodes, 5 bones"
    table = bench.add_table(title, {"lissom": Run(note=note)}, {"lissom": Timing(seconds, seconds, 1)}, 1, "")
    table.judge("lissom", CLAIM_SOLID, 1, "s")


def main(bench: Bench) -> None:
    bench.one_thread()
    warnings.simplefilter("ignore", RuntimeWarning)  # of parts that hold no handle
    if bench.quick:
        measure(bench, 24, 2)
        return
    measure(bench, None, None)
    measure_solid(bench)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument(
        "--exact",
        action="store_true",
        # So no record has it: 252 handles, for each of which what is free is factorised several times.
        help="errors against exact solutions, too: seconds for each factor of each handle, an hour or more",
    )
    bench.run(main)
