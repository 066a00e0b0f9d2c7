# SPDX-License-Identifier: MIT
"""Write ``tests/data/golden/*.json`` anew: ``make golden``, or ``python tests/golden/generate.py [folder]``.

Needs mpmath and nothing else; the same bytes on every machine. Takes about a minute.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from golden import dual_quat_algebra, dual_quat_motion, quat_algebra, quat_conversions, trs_cases
from golden.case import Case, Function, measured

DATA = Path(__file__).resolve().parents[1] / "data" / "golden"
VERSION = 1


def everything() -> list[tuple[Function, list[Case]]]:
    modules = (quat_algebra, quat_conversions, dual_quat_algebra, dual_quat_motion, trs_cases)
    return [pair for module in modules for pair in module.functions()]


def text_of(function: Function, cases: list[dict[str, Any]]) -> str:
    """One case a line, so that a change shows as the lines that changed."""
    head = {
        "golden": VERSION,
        "function": function.name,
        "about": function.about,
        "inputs": dict(function.inputs),
        "outputs": dict(function.outputs),
    }
    lines = ",\n".join("  " + json.dumps(case, allow_nan=False) for case in cases)
    return json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + lines + "\n ]\n}\n"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for function, cases in everything():
        text = text_of(function, [measured(function, case) for case in cases])
        (folder / function.file_name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
