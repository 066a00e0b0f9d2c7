# SPDX-License-Identifier: MIT
"""Bombs of BVH."""

from pathlib import Path

from bombs.bomb import WIDE, bomb, written


def bvh(nodes: str, frames: str, count: int) -> str:
    return f"HIERARCHY\n{nodes}\nMOTION\nFrames: {count}\nFrame Time: 0.01\n{frames}"


@bomb()
def end_sites_of_a_long_name(folder: Path, size: int) -> Path:
    ends = "End Site\n{\nOFFSET 0 0 0\n}\n" * 1500
    node = f"ROOT {'n' * (100_000 * size)}\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{ends}}}"
    return written(folder, "bomb.bvh", bvh(node, "", 0))


@bomb()
def end_sites_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    ends = "End Site\n{\nOFFSET 0 0 0\n}\n" * 1000
    node = f"ROOT {WIDE}{'n' * (50_000 * size)}\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{ends}}}"
    return written(folder, "bomb.bvh", bvh(node, "", 0))


@bomb()
def rows_of_one_digit(folder: Path, size: int) -> Path:
    node = "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}"
    rows = 1_500_000 * size
    return written(folder, "bomb.bvh", bvh(node, "0 1 0\n1 0 1\n" * (rows // 2), rows))


@bomb(is_slow=True)
def rows_of_zeros(folder: Path, size: int) -> Path:
    node = "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}"
    rows = 1_500_000 * size
    return written(folder, "bomb.bvh", bvh(node, "0 0 0\n" * rows, rows))


@bomb(is_slow=True)
def as_many_joints_as_may_be(folder: Path, size: int) -> Path:
    six = "Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    count = min(65_536, 30_000 * size)
    nodes = "".join(f"ROOT {n}\n{{\nOFFSET 0 0 0\nCHANNELS 6 {six}\n}}\n" for n in range(count))
    return written(folder, "bomb.bvh", bvh(nodes, "0 " * (6 * count), 1))


@bomb()
def a_number_of_millions_of_digits(folder: Path, size: int) -> Path:
    node = f"ROOT a\n{{\nOFFSET 0.{'7' * (4_000_000 * size)} 0 0\nCHANNELS 1 Xposition\n}}"
    return written(folder, "bomb.bvh", bvh(node, f"0.{'7' * (4_000_000 * size)}\n", 1))
