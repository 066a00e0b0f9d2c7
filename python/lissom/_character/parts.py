# SPDX-License-Identifier: MIT
"""Characters with fewer parts: methods of `Character`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.names import unknown_name
from lissom._character.pieces import whole, with_pieces

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["only", "without"]


def without(self: Character, *part_names: str) -> Character:
    """Leave out parts, such as the shield it holds.

    Parameters
    ----------
    *part_names : str
        Names of ``mesh.parts``. The name of a node stands for all parts it carries ("Body" for
        "Body/Skin" and "Body/Cloth").

    Returns
    -------
    Character
        With the same skeleton, skin and clips; vertices and triangles of the parts are gone, and what morph
        targets did to them. All targets stay, so that weights of clips still fit.

    Raises
    ------
    ValueError
        If no part has such a name, or nothing would be left.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> [part.name for part in hero.without("Hair", "Brows").mesh.parts][:3]
    ['Skin', 'Lips', 'Eyes']
    """
    return _with_parts(self, _parts_named(self, "without", part_names), False)


def only(self: Character, *part_names: str) -> Character:
    """Keep some parts and leave out all others.

    Parameters
    ----------
    *part_names : str
        As `without` takes them.

    Returns
    -------
    Character
        With the same skeleton, skin and clips.

    Raises
    ------
    ValueError
        If no part has such a name, or nothing would be left.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> shoes = hero.only("Shoes", "Soles")
    >>> shoes.mesh.bounds[:, 1].round(2)  # metres: from the ground to above the ankles
    array([0.  , 0.11], dtype=float32)
    >>> len(shoes.skeleton) == len(hero.skeleton)
    True
    """
    return _with_parts(self, _parts_named(self, "only", part_names), True)


def _parts_named(self: Character, function: str, names: tuple[str, ...]) -> set[int]:
    parts = () if self.mesh is None else self.mesh.parts
    chosen: set[int] = set()
    for name in names:
        found = {
            index for index, part in enumerate(parts) if part.name == name or part.name.startswith(f"{name}/")
        }
        if not found:
            known = [part.name for part in parts]
            raise ValueError(f"Character.{function}: {unknown_name('part', name, known)}")
        chosen |= found
    return chosen


def _with_parts(self: Character, chosen: set[int], keep: bool) -> Character:
    mesh = self.mesh
    if mesh is None:
        return self._with_mesh(None, None)
    parts = [part for index, part in enumerate(mesh.parts) if (index in chosen) == keep]
    return with_pieces(self, mesh, [whole(mesh, part) for part in parts])
