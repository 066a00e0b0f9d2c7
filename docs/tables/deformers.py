# SPDX-License-Identifier: MIT
"""Make the tables of docs/concepts/skinning.md anew: what methods do to the bent tube and the twisted bar."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import deformers  # noqa: E402

PAGE = ROOT / "docs" / "concepts" / "skinning.md"
BEGIN = "<!-- {name}: made by docs/tables/deformers.py -->\n"
END = "<!-- end of {name} -->\n"
NAMES = {
    "linear": "linear",
    "dual_quat": "dual quaternion",
    "cor": "centres of rotation",
    "blended": "half of each",
}


def table(
    angles: Sequence[float],
    found: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, tuple[str, float, str]],
) -> str:
    """Return a table with a row for each number and method, and a column for each angle."""
    head = "| | | " + " | ".join(f"{angle:.0f}°" for angle in angles) + " |\n"
    rule = "| --- | --- |" + " --: |" * len(angles) + "\n"
    rows = []
    for name, (title, unit, form) in columns.items():
        for i, (method, values) in enumerate(found.items()):
            cells = " | ".join(shown(unit * value, form) for value in values[name])
            rows.append(f"| {title if i == 0 else ''} | {NAMES[method]} | {cells} |\n")
    return head + rule + "".join(rows)


def shown(value: float, form: str) -> str:
    """Return a number without a sign where it rounds to nothing."""
    text = format(value, form)
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def main() -> None:
    tables = {
        "tube": table(
            deformers.BENDS,
            deformers.tube_numbers(),
            {
                "volume": ("volume, %", 100, ".1f"),
                "bulge": ("bulge, %", 100, ".1f"),
                "beyond_axis": ("of that beyond the axis, %", 100, ".1f"),
            },
        ),
        "bar": table(
            deformers.TWISTS,
            deformers.bar_numbers(),
            {
                "volume": ("volume, %", 100, ".1f"),
                "determinant": ("smallest determinant", 1, ".2f"),
                "edge": ("worst edge, %", 100, ".0f"),
            },
        ),
    }
    text = PAGE.read_text()
    for name, lines in tables.items():
        begin, end = BEGIN.format(name=name), END.format(name=name)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        assert after, f"{PAGE.name} has no place for {name}"
        text = before + begin + lines + end + after
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
