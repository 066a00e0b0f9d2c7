# SPDX-License-Identifier: MIT
"""Bombs of files with hints to roles: as large as may be, and larger from size 2 on."""

from pathlib import Path

from bombs.bomb import bomb, written

MOST = 65_000


@bomb("hints")
def brackets_of_hints(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "hips = " + "[" * (MOST * size))


@bomb("hints")
def a_dotted_key_of_hints(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "a" + ".a" * (MOST // 2 * size - 10) + "=1\n")


@bomb("hints")
def dotted_keys_of_hints(folder: Path, size: int) -> Path:
    lines = "".join(f"k{n}{'.a' * 100}=1\n" for n in range(MOST // 210 * size))
    return written(folder, "bomb.toml", lines)


@bomb("hints")
def tables_of_hints(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "[[a]]\n" * (MOST // 6 * size))


@bomb("hints")
def a_number_of_hints(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "hips = " + "7" * (MOST * size))
