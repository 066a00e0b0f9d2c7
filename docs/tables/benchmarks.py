# SPDX-License-Identifier: MIT
"""Run benchmarks and keep what they print, with machine and date, for the docs' page of benchmarks.

    python docs/tables/benchmarks.py [name ...]     # skinning, algebra, ...; all that are kept where none is

Each run is one file below docs/project/measured, as it was printed; the page lists those that there are.
"""

import ast
import contextlib
import datetime
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import lissom

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "project" / "measured"
PAGE = KEPT.parent / "benchmarks.md"
BEGIN, END = "<!-- runs: made by docs/tables/benchmarks.py -->", "<!-- end of runs -->"
# Packages that benchmarks run beside lissom, and what their files call them.
RIVALS = {
    "dqrobotics": "dqrobotics",
    "dracopy": "dracopy",
    "embreex": "embree",
    "ikpy": "ikpy",
    "libigl": "igl",
    "mink": "mink",
    "numba": "numba",
    "pygltflib": "pygltflib",
    "pytransform3d": "pytransform3d",
    "scipy": "scipy",
    "trimesh": "trimesh",
    "upc-pymotion": "pymotion",
    "usd-core": "usd-core",
}
LIMIT = 900  # seconds a benchmark may take


def machine() -> str:
    """Name the processor as the system does."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else "a processor that does not say its name"


def versions(name: str) -> str:
    """Name the packages that a benchmark runs beside lissom, those that are installed."""
    files = [path for path in (ROOT / "benchmarks").glob("*.py") if path.stem == name or _helps(path, name)]
    text = "".join(path.read_text() for path in files).lower()
    found = [f"NumPy {importlib.metadata.version('numpy')}"]
    for rival, word in RIVALS.items():
        if re.search(rf"\b{word}", text):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                found.append(f"{rival} {importlib.metadata.version(rival)}")
    return ", ".join(found)


def _helps(path: Path, name: str) -> bool:
    """Whether a file of benchmarks is imported by one only."""
    return path.stem.startswith(f"_{name}_")


def recorded(name: str) -> str:
    """Run a benchmark; what it printed, below what one must know to read it."""
    config = lissom.show_config("dicts")
    load = os.getloadavg()[0]
    command = [sys.executable, f"benchmarks/{name}.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=True)
    return (
        f"$ python benchmarks/{name}.py\n"
        f"{machine()}, {os.cpu_count()} cores, instruction set {config['instruction_set']}; "
        f"load average before it {load:.1f}\n"
        f"{datetime.date.today()}, lissom {config['lissom']}, {config['platform']}, "
        f"Python {config['python']}\n"
        f"{versions(name)}\n\n{done.stdout.strip()}\n"
    )


def question(name: str) -> str:
    """Read what a benchmark asks: the first line of its docstring."""
    text = ast.get_docstring(ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text()))
    assert text is not None
    return text.splitlines()[0]


def listed() -> str:
    """Write the part of the page that shows the runs."""
    parts = []
    for path in sorted(KEPT.glob("*.txt")):
        script = f"[benchmarks/{path.stem}.py](../../benchmarks/{path.stem}.py)"
        shown = f"```{{literalinclude}} measured/{path.name}\n:language: text\n```"
        parts.append(f"### {path.stem}\n\n{question(path.stem)} {script}\n\n{shown}\n")
    return "\n".join(parts)


def main(names: list[str]) -> None:
    """Run the benchmarks named, keep what they print, and list all that is kept in the page."""
    for name in names or [path.stem for path in sorted(KEPT.glob("*.txt"))]:
        print(name, flush=True)
        (KEPT / f"{name}.txt").write_text(recorded(name))
    text = PAGE.read_text()
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n\n{listed()}\n{after}")


if __name__ == "__main__":
    main(sys.argv[1:])
