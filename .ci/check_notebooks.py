# SPDX-License-Identifier: MIT
"""Check the executed notebooks: how long each took, that none left a file behind or wrote to stderr.

Times are those that the cells recorded, from the first one's start to the last one's end. A notebook that
took longer than the limit is run once more, alone, and what it computed counts then, not what it waited for
other programs. The times are written beside the copies, as times.json.
"""

import json
import resource
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).resolve().parents[1] / "build" / "notebooks"
LIMIT = 20.0  # seconds on one of two busy cores
OWN = {".executed", "times.json"}


def seconds(notebook: Any) -> float:
    """Return the time from the first cell's start to the last one's end."""
    runs = [cell.metadata["execution"] for cell in notebook.cells if cell.cell_type == "code"]
    start, end = runs[0]["iopub.execute_input"], runs[-1]["shell.execute_reply"]
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def run_again(path: Path) -> float:
    """Run a notebook alone, as make does; return its time by the clock or the processor's, the lesser."""
    options = ["-q", "-p", "nbmake", "--nbmake", "--nbmake-timeout=60", "--overwrite"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "pytest", *options, path], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return min(computed, seconds(nbformat.read(path, as_version=4)))


faults: list[str] = []
times: dict[str, float] = {}
for path in sorted(FOLDER.glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    took = seconds(notebook)
    if took > LIMIT:
        took = run_again(path)
        if took > LIMIT:
            faults.append(f"{path.name}: takes {took:.0f} s, and {LIMIT:.0f} is the limit")
    times[path.stem] = round(took, 2)
    print(f"{path.stem:42} {took:5.1f} s")
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr":
                faults.append(f"{path.name}: cell {cell.id} wrote to stderr: {output['text'].strip()[:200]}")
left = [path.name for path in FOLDER.iterdir() if path.suffix != ".ipynb" and path.name not in OWN]
faults += [f"{name} was left behind" for name in sorted(left)]
(FOLDER / "times.json").write_text(json.dumps(times, indent=2) + "\n")
for fault in faults:
    print(f"notebooks: {fault}", file=sys.stderr)
sys.exit(bool(faults))
