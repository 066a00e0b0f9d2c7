# SPDX-License-Identifier: MIT
"""Write streams of Draco of meshes of every topology, which draco_walks changes.

Usage: python tests/fuzz/draco_bases.py FOLDER
"""

import sys
from pathlib import Path

import draco_meshes


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kind in draco_meshes.KINDS:
        for seed in range(20):
            options = {"compression_level": seed % 11, "preserve_order": seed % 7 == 6}
            size = 9 if seed < 17 else 60  # many of the larger ones are walked by valences
            (folder / f"{kind}-{seed}.drc").write_bytes(draco_meshes.stream(kind, seed, size, **options))


if __name__ == "__main__":
    main()
