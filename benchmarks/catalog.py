# SPDX-License-Identifier: MIT
"""How long does a question to a catalogue of a million clips take, and how fast are pages packed and loaded?

1. A catalogue of so many rows, made up, of random errors: opening it and finding the clips above an error,
and the loops of about a second, beside reading all of it and asking NumPy.
2. Packing clips of the built-in humanoid into pages, beside copying as many bytes.
3. A crowd of two instances that plays clips by turns of more pages than its library holds: each picture of
poses loads a page. Beside it, the same where all pages fit.

    python benchmarks/catalog.py [--rows 1000000]
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import numpy as np

import lissom
from _bench import Bench, require
from lissom._catalog.schema import COLUMNS, schema

LIMIT_SECONDS = 0.2
CLIPS = ("idle", "walk", "run", "jump", "wave", "turn", "sit", "climb")
BAKES = 24
SIDE = 32


def main(bench: Bench) -> None:
    require("pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        ask(bench, Path(folder), 10_000 if bench.quick else bench.options.rows)
        pack_and_play(bench, Path(folder))


def write(path: Path, count: int) -> dict[str, np.ndarray]:
    """Write a catalogue of so many rows of random numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    bake = np.arange(count) // len(CLIPS)
    digests = rng.bytes(32 * (bake[-1] + 1)).hex()
    hashes = np.array([digests[64 * i : 64 * i + 64] for i in range(bake[-1] + 1)], object)[bake]
    values = {
        "name": np.array([f"library/{i // 1000:04}/{i:07}" for i in range(bake[-1] + 1)], object)[bake],
        "clip": np.array(CLIPS, object)[np.arange(count) % len(CLIPS)],
        "hash": hashes,
        "key": hashes,
        "frames": rng.integers(30, 600, count).astype(np.int32),
        "rate": rng.choice([30.0, 60.0], count),
        "duration": rng.uniform(0.5, 10, count),
        "loop": rng.random(count) < 0.5,
        "bytes": rng.integers(10_000, 400_000, count),
        "max_relative": rng.lognormal(-8, 1, count),
        "p99_relative": rng.lognormal(-9, 1, count),
        "worst_joint": np.array([f"Joint {i}" for i in range(60)], object)[rng.integers(0, 60, count)],
    }
    columns = {name: pa.nulls(count) if name not in values else pa.array(values[name]) for name in COLUMNS}
    wanted = schema("bakes")
    arrays = [columns[field.name].cast(field.type) for field in wanted]
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=wanted), path, compression="zstd", row_group_size=1 << 17
    )
    return values


def ask(bench: Bench, folder: Path, count: int) -> None:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = folder / "million.parquet"
    values = write(path, count)
    bench.number("bytes of a row in the file", path.stat().st_size / count, "bytes")
    wrong = values["max_relative"] > 0.001
    loops = values["loop"] & (np.abs(values["duration"] - 1) < 0.01)
    above = pc.field("max_relative") > 0.001
    around = pc.field("loop") & (pc.field("duration") > 0.99) & (pc.field("duration") < 1.01)

    def asked(condition: object) -> dict[str, np.ndarray]:
        return lissom.Catalog(path).filter(condition).arrays(["name", "clip"])

    def read() -> dict[str, list]:
        table = pq.read_table(path)
        found = table.column("max_relative").to_numpy() > 0.001
        return {name: table.column(name).to_numpy()[found] for name in ("name", "clip")}

    for answer, mask in ((asked(above), wrong), (asked(around), loops), (read(), wrong)):
        for name in ("name", "clip"):
            assert answer[name].tolist() == values[name][mask].tolist()
    bench.note(f"{count} rows, {wrong.sum()} above 0.1 %, {loops.sum()} loops of a second")
    table = bench.table(
        "open a catalogue and filter it",
        {
            "lissom: clips above 0.1 %, name and clip": lambda: asked(above),
            "lissom: how many are above 0.1 %": lambda: len(lissom.Catalog(path).filter(above)),
            "lissom: loops of a second, name and clip": lambda: asked(around),
            "pyarrow: read all, ask NumPy": read,
        },
    )
    for name in list(table.rows)[:3]:
        table.judge(name, LIMIT_SECONDS, scale=1, unit="s")


def pack_and_play(bench: Bench, folder: Path) -> None:
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, rate=60)
    (folder / "bakes").mkdir()
    for i in range(BAKES):
        bake.save(folder / "bakes" / f"{i:02}.safetensors")
    catalog = lissom.Catalog.build(folder / "bakes", folder / "bakes.parquet")
    turn = itertools.count()
    size = BAKES * bake.texels.nbytes
    bench.table(
        f"pack {len(catalog)} clips of {BAKES} bakes into pages of {SIDE} lines",
        {
            "lissom: Catalog.pack": lambda: catalog.pack(folder / f"pages{next(turn)}", side=SIDE),
        },
        items=size,
        unit="byte",
        moved=1,
    )
    pages = catalog.pack(folder / "pages", side=SIDE)
    texels = np.concatenate([pages.texels("00", clip) for clip in pages.clips("00")])
    assert np.array_equal(texels, bake.texels)
    page_bytes = SIDE * 2048 * 8
    used = sum(path.stat().st_size for path in pages.files)
    bench.number("share of the pages that clips fill", size / used)
    with (
        lissom.gpu.CrowdLibrary(pages, memory=2 * page_bytes) as small,
        lissom.gpu.CrowdLibrary(pages, memory=len(pages.files) * page_bytes) as large,
    ):
        instances = lissom.gpu.plain_instances(1)
        names = ("00", "12", "23")  # of pages that are apart
        crowds = {
            library: [library.crowd(name, 1, instances=instances) for name in names]
            for library in (small, large)
        }

        def play(library: lissom.gpu.CrowdLibrary) -> None:
            for crowd in crowds[library]:
                with crowd.context as gl:
                    crowd.prepare({})
                    gl.finish()

        play(small)
        play(large)
        before = small.loads
        play(small)
        assert small.loads == before + 3
        before = large.loads
        play(large)
        assert large.loads == before
        bench.table(
            "poses of an instance, from a page that is loaded first",
            {
                f"lissom: 2 of {len(pages.files)} pages fit": lambda: play(small),
                "lissom: all pages fit": lambda: play(large),
            },
            items=3,
            unit="page",
        )


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--rows", type=int, default=1_000_000, help="rows of the catalogue (1 000 000)")
    bench.run(main)
