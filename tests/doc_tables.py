# SPDX-License-Identifier: MIT
"""Tables that scripts in docs/tables put into pages: the script as a module, and the rows of its page."""

import importlib.util
import re
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).resolve().parents[1] / "docs" / "tables"


def script_of(name: str) -> Any:
    """The script of a name, as a module; it has PAGE, and the marks BEGIN and END of its part of the page."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def part_of(script: Any) -> str:
    """The part of the page that the script makes."""
    page = script.PAGE.read_text(encoding="utf-8")
    return page[page.index(script.BEGIN) : page.index(script.END)]


def rows_of(script: Any) -> list[list[str]]:
    """The cells of all rows below the head."""
    return [cells(line) for line in part_of(script).splitlines() if line.startswith("| ")][2:]


def cells(line: str) -> list[str]:
    """The cells of a row, in which a bar may be escaped."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
