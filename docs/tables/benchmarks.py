# SPDX-License-Identifier: MIT
"""Run benchmarks, or take the records of runs, and write README's numbers and the docs' page from them.

    python docs/tables/benchmarks.py [name ...]        # run some; all that are kept where none is named
    python docs/tables/benchmarks.py --records FOLDER  # take what `make bench` left there
    python docs/tables/benchmarks.py --page            # write both anew, from the records that are kept

Each record is a file below docs/project/measured, beside it the run as text; ratios and shares of the page
are computed from records. Runs older than records are texts alone.
"""

import argparse
import ast
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from _record import Record, in_unit, printed, read, times  # noqa: E402

KEPT = ROOT / "docs" / "project" / "measured"
PAGE = KEPT.parent / "benchmarks.md"
README = ROOT / "README.md"
LIMIT = 1800  # seconds a benchmark may take
HEAD = "| | lissom | share of the limit | how many times as long others take |\n| --- | --- | --- | --- |\n"
# What the page shows first: of which table, in which words.
SHORT = {
    ("skinning", "linear, v4"): "linear skinning, 100 000 vertices, 4 influences, normals",
    ("skinning", "dual_quat, v4"): "dual quaternion skinning, the same",
    ("skinning", "cor, v4"): "skinning with centres of rotation, the same",
    ("prepared", "linear"): "linear skinning of a prepared character of 104 292 vertices",
    ("prepared", "dual_quat"): "dual quaternion skinning, the same",
    ("sampling", "keys, same times, random times"): "sampling keys at random times, joints keyed together",
    ("sampling", "keys, own times, random times"): "the same, each joint keyed on its own",
    ("sampling", "uniform, 2048 random times"): "a uniform clip at 2 048 random times",
    ("posing", "256 poses of 64 joints"): "model matrices of 256 poses of 64 joints",
    ("blending", "2 poses, 256 times"): "blending 256 pairs of poses",
    ("blending", "4 poses, 256 times"): "256 means of four poses",
    ("blending", "2 poses, 1 times"): "blending one pair of poses of 64 joints, the call included",
    (
        "morphs",
        "52 targets, 8 active, each moving 1000 of 20000 vertices",
    ): "8 of 52 morph targets, then skinning",
    ("playing", "a step, 43 joints"): "a step of a `CrossFade` of one clip, 43 joints",
    ("players", "a step of 1000 players mid-fade, 34 joints"): "a step of 1 000 `Players` mid-fade",
    ("ik", "fabrik, 4 joints, 15 iterations"): "FABRIK, chains of 4 joints in batches of 4 096",
    ("ik", "fabrik, 10 joints, 15 iterations"): "FABRIK, 10 joints",
    ("ik", "6 links, ccd"): "CCD, 6 links",
    ("ik", "6 links, damped_least_squares"): "damped least squares, 6 links",
    ("ik", "two_bone"): "`two_bone`, in batches",
    ("weights", "7381 nodes, 36000 tetrahedra, 5 bones"): "bounded biharmonic weights, exact, 7 381 nodes",
    ("centers", "smooth tube, 4 joints, 13000 vertices"): "finding centres of rotation, 13 000 vertices",
    (
        "baking",
        "Knight, Walking_A: 50 rows x 256 frames to float16, 1 thread",
    ): "baking 256 frames of 50 palette rows to float16",
    (
        "baking",
        "Knight, 76 clips with their report, dual_quat",
    ): "baking 76 clips of a character of 7 024 vertices, error report and all, two threads",
    (
        "bake_folder",
        "55 files, 46 with 532 clips",
    ): "`lissom bake` of 55 files, 46 of them characters with 532 clips in all, two cores",
    ("ground", "terrain, 100352 triangles: down"): "casting rays down onto 100 000 triangles",
    ("ground", "terrain, 100352 triangles: making the tree"): "building the tree",
    ("loading", "loading Fox.glb"): "loading a GLB of 160 kB, every check on",
    ("loading", "loading Knight.glb"): "loading a GLB of 3.6 MB with 76 clips",
    ("loading", "loading 01_01.bvh"): "loading motion capture of 2 752 frames",
    ("crowd", "80 instances"): "a picture of 80 robots of 7 218 vertices, software OpenGL, the same faces",
    (
        "crowd",
        "1000 instances",
    ): "a picture of 1 000 robots of 7 218 vertices, software OpenGL, the same faces",
    (
        "player",
        "1 figure, shadows, 720 x 480",
    ): "a picture of the player in Chromium, software OpenGL, shadows",
    ("player", "100 figures, shadows, 720 x 480"): "the same, 100 figures",
    (
        "three_crowd",
        "1000 instances, whole mesh, materials: 1",
    ): "a picture of 1 000 characters of 11 588 vertices in three.js by `lissom-three`, software OpenGL",
    ("three_crowd", "1000 instances, whole mesh, materials: 13"): "the same, of 13 materials",
    ("algebra", "dual_quat.multiply, one, float64"): "`dual_quat.multiply`, one call",
    ("algebra", "dual_quat.multiply, a million, float32"): "the same, a million in float32",
    ("algebra", "quat.slerp, a million, float32"): "`quat.slerp`, a million",
    (
        "ozz",
        "model matrices of 256 poses of 64 joints",
    ): "beside ozz-animation, called from C++: model matrices",
    ("ozz", "blending 256 times 2 poses of 64 joints"): "blending pairs of poses",
    ("ozz", "sampling 256 poses of 64 joints, times that go forward"): "sampling forward",
    ("ozz", "two-bone inverse kinematics of 4096 chains"): "two-bone inverse kinematics",
    ("ozz", "linear skinning of 100000 vertices, 4 influences, normals"): "linear skinning, 100 000 vertices",
}


# What README shows of it.
README_TABLES = (
    ("skinning", "linear, v4"),
    ("skinning", "dual_quat, v4"),
    ("sampling", "keys, same times, random times"),
    ("blending", "2 poses, 1 times"),
    ("players", "a step of 1000 players mid-fade, 34 joints"),
    ("ik", "6 links, ccd"),
    ("weights", "7381 nodes, 36000 tetrahedra, 5 bones"),
    ("ground", "terrain, 100352 triangles: down"),
    ("loading", "loading Knight.glb"),
    ("bake_folder", "55 files, 46 with 532 clips"),
    ("crowd", "1000 instances"),
)


def run(name: str) -> None:
    """Run a benchmark, and keep its record."""
    command = [sys.executable, f"benchmarks/{name}.py", "--json", str(KEPT / f"{name}.json")]
    subprocess.run(command, cwd=ROOT, timeout=LIMIT, check=True, stdout=subprocess.DEVNULL)


def question(name: str) -> str:
    """Read what a benchmark asks: the first line of its docstring."""
    text = ast.get_docstring(ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text()))
    assert text is not None
    return text.splitlines()[0]


def as_text(record: Record) -> str:
    """Write a run as it was printed, below what one must know to read it."""
    lines = [f"$ python benchmarks/{record['benchmark']}.py", *printed(record)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def row_of(record: Record, table: str, words: str, alone: bool = False) -> str | None:
    """Write one table in a row: our time, its share of what the machine can do, and the others' ratios.

    None where nothing is beside our time, unless `alone`.
    """
    rows = [row for row in record["rows"] if row["table"] == table]
    ours = next((row for row in rows if row["kind"] == "ours"), None)
    if ours is None:
        return None
    shares = [
        f"{ours[key]:.0%} of {limit}"
        for key, limit in (("share", "memcpy"), ("fma_share", "FMA"))
        if ours.get(key)
    ]
    rivals = [ratio_of(row) for row in rows if row["kind"] == "rival" and row["beside"] == ours["name"]]
    if not shares and not rivals and not alone:
        return None
    cells = [words, in_unit(ours["seconds"], ours["unit"]), ", ".join(shares), "; ".join(rivals)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def ratio_of(row: dict[str, Any]) -> str:
    """Write how many times as long a rival takes, and what it leaves out."""
    lacks = f" (without {row['lacks']})" if row["lacks"] else ""
    return f"{row['name']} {times(row['ratio'])}{lacks}"


def short(records: dict[str, Record], tables: Iterable[tuple[str, str]] = SHORT) -> str:
    """Write the table that the page, or README, shows first."""
    rows = [
        row_of(records[name], table, SHORT[name, table], alone=True)
        for name, table in tables
        if name in records
    ]
    return HEAD + "\n".join(filter(None, rows)) + "\n"


def where(records: dict[str, Record], tables: Iterable[tuple[str, str]]) -> str:
    """Write which machines the runs of tables were made on."""
    machines = {
        f"{machine['cores']} cores of an {machine['processor']}, {month(record['date'])}"
        for name in dict(tables)
        if (record := records.get(name)) and (machine := record["machine"])
    }
    return f"On {' and '.join(sorted(machines))}:\n\n"


def month(date: str) -> str:
    """Write the month of a date, such as November 2026."""
    return datetime.fromisoformat(date).strftime("%B %Y")


def listed(records: dict[str, Record]) -> Iterator[str]:
    """Write the part of the page that shows the runs: of each its ratios, and the text."""
    for path in sorted(KEPT.glob("*.txt")):
        name = path.stem
        yield f"### {name}\n\n{question(name)} [benchmarks/{name}.py](../../benchmarks/{name}.py)\n"
        record = records.get(name)
        rows = [row_of(record, table, table) for table in record["tables"]] if record else []
        if any(rows):
            yield HEAD + "\n".join(filter(None, rows)) + "\n"
        yield f"```{{literalinclude}} measured/{path.name}\n:language: text\n```\n"


def between(text: str, name: str, part: str) -> str:
    """Put a part between its markers."""
    begin, end = f"<!-- {name}: made by docs/tables/benchmarks.py -->", f"<!-- end of {name} -->"
    return f"{text[: text.index(begin) + len(begin)]}\n\n{part}\n{text[text.index(end) :]}"


def kept() -> dict[str, Record]:
    return {path.stem: read(path) for path in sorted(KEPT.glob("*.json"))}


def page(text: str) -> str:
    """Return the page with its tables from the records that are kept."""
    records = kept()
    return between(between(text, "ratios", short(records)), "runs", "\n".join(listed(records)))


def write() -> None:
    """Write the page and README's numbers anew from the records that are kept."""
    records = kept()
    PAGE.write_text(page(PAGE.read_text()))
    numbers = where(records, README_TABLES) + short(records, README_TABLES)
    README.write_text(between(README.read_text(), "numbers", numbers))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--records", type=Path, help="a folder of records to take")
    parser.add_argument("--page", action="store_true", help="the page alone")
    options = parser.parse_args()
    if options.records:
        for path in sorted(options.records.glob("*.json")):
            shutil.copy(path, KEPT / path.name)
    elif not options.page:
        for name in options.names or [path.stem for path in sorted(KEPT.glob("*.txt"))]:
            print(name, flush=True)
            run(name)
    for path in KEPT.glob("*.json"):
        path.with_suffix(".txt").write_text(as_text(read(path)))
    write()


if __name__ == "__main__":
    main()
