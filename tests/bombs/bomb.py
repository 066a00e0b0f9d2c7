# SPDX-License-Identifier: MIT
"""The list of bombs, and what several are made of."""

from collections.abc import Callable
from pathlib import Path

from gltf_files import triangle

Bomb = Callable[[Path, int], Path]
BOMBS: dict[str, tuple[str, Bomb]] = {}
"""By name: how the file is read, as in `measure_bombs.READERS`, and its maker."""
SLOW: set[str] = set()
"""Names of those that take long to make, and resemble another that does not."""

WIDE = "\U0001f9b4"  # beyond the basic plane: Python then takes four bytes for each character of the string


def bomb(how: str = "load", *, is_slow: bool = False) -> Callable[[Bomb], Bomb]:
    def named(make: Bomb) -> Bomb:
        name = make.__name__.replace("_", " ")
        BOMBS[name] = how, make
        if is_slow:
            SLOW.add(name)
        return make

    return named


def written(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def members(count: int, value: str = "0") -> str:
    """An object's members, with names that are all different."""
    return ",".join(map(f'"%06x":{value}'.__mod__, range(count)))


def gltf(folder: Path, **more: str) -> Path:
    """A glTF whose members are texts of JSON."""
    text = ",".join(f'"{name}":{value}' for name, value in more.items())
    return written(folder, "bomb.gltf", f'{{"asset":{{"version":"2.0"}},{text}}}')


def repeated_mesh(folder: Path, name: str, material: str, count: int) -> Path:
    file = triangle()
    file.json["nodes"][0]["name"] = name
    (mesh,) = file.json["meshes"]
    file.json["materials"] = [{"name": material}]
    mesh["primitives"] = [{**mesh["primitives"][0], "material": 0}] * count
    return written(folder, "bomb.glb", file.glb())
