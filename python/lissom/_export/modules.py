# SPDX-License-Identifier: MIT
"""The ES modules of a package, with those that it shares with another, for a folder of an export."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from lissom._base.stripped import tightened

__all__ = ["modules_of", "types_of", "write_modules"]

SHARED = "three"
"""The package whose folder holds the modules that all packages take, in one copy."""


def modules_of(package: str) -> dict[str, str]:
    """Return the modules of a package by name: its own, and those of `SHARED` that they import."""
    return _with_imports(package, ".js")


def types_of(package: str) -> dict[str, str]:
    """Return the types of a package by name, as `modules_of` its modules."""
    return _with_imports(package, ".d.ts")


def _with_imports(package: str, ending: str) -> dict[str, str]:
    folders = [resources.files("lissom") / "packages" / name for name in (package, SHARED)]
    found: dict[str, str] = {}
    wanted = [file.name for file in folders[0].iterdir() if file.name.endswith(ending)]
    while wanted:
        name = wanted.pop()
        if name not in found:
            file = next(path for path in (folder / name for folder in folders) if path.is_file())
            found[name] = file.read_text(encoding="utf-8")
            # Types name the module that they are of.
            wanted += [f"{stem}{ending}" for stem in re.findall(r'from "\./([\w-]+)\.js"', found[name])]
    return dict(sorted(found.items()))


def write_modules(package: str, folder: Path) -> None:
    """Write the modules without comments, their types and the licence into a new folder."""
    folder.mkdir()
    for name, text in modules_of(package).items():
        bare = f"// SPDX-License-Identifier: MIT\n{tightened(text)}\n"
        (folder / name).write_text(bare, encoding="utf-8")
    licence = (resources.files("lissom") / "packages" / package / "LICENSE").read_text(encoding="utf-8")
    for name, text in [*types_of(package).items(), ("LICENSE", licence)]:
        (folder / name).write_text(text, encoding="utf-8")
