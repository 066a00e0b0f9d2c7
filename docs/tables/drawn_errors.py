# SPDX-License-Identifier: MIT
"""Make the table of docs/howto/export-a-bake.md anew: how wrong consumers draw exports, and are said to.

    python docs/tables/drawn_errors.py    # runs the tests that ask them; of Godot after `make consumers`

Each of ten characters is drawn at eight moments, one of which is where the export states its largest error.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "export-a-bake.md"
BEGIN, END = "<!-- table: made by docs/tables/drawn_errors.py -->\n", "<!-- end of table -->\n"
TESTS = (
    "tests/browser/test_drawn_errors.py",
    "tests/browser/test_babylon_own.py::test_ten_characters_are_as_wrong_as_stated",
    "tests/export/test_godot.py::test_real_characters_are_as_wrong_as_stated",
    "tests/export/test_openvat_godot.py",
)
CONSUMERS = {
    "Three": "`three`, in three.js",
    "Babylon": '`babylon`, `player="lissom"`',
    "Babylon's own player": "`babylon`, its own player",
    "Godot": "`godot`, in Godot",
    "OpenVAT in Godot": "`openvat`, by OpenVAT's own shader in Godot",
}


def measured() -> list[dict[str, object]]:
    """Run the tests, and take what they told."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "told.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={path}", *TESTS]
        subprocess.run(command, cwd=ROOT, check=True)
        found = ElementTree.parse(path).iter("property")
        return [json.loads(one.attrib["value"]) for one in found if one.attrib["name"] == "drawn"]


def table(rows: list[dict]) -> str:
    """One row of each character: stated error, then what is drawn over that, in each consumer."""
    lines = [f"| character | {' | '.join(CONSUMERS.values())} |", f"| --- |{' --- |' * len(CONSUMERS)}"]
    for name in dict.fromkeys(row["character"] for row in rows):
        cells = []
        for consumer in CONSUMERS:
            row = next((r for r in rows if (r["character"], r["consumer"]) == (name, consumer)), None)
            told = row and f"{100 * row['stated']:.2g} %, {row['drawn'] / row['stated']:.3f}"
            cells.append(told or "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rows = measured()
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{after}", encoding="utf-8")
