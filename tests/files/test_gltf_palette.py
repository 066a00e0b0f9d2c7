# SPDX-License-Identifier: MIT
"""One palette for all skins of a file: equal rows once, different rows apart."""

import numpy as np
import pytest

import lissom
from gltf_files import arm


def _two_skins(change: float) -> lissom.Character:
    """The arm twice, its second skin with the first's bind matrices, one entry changed by `change`."""
    file = arm()
    first = file.json["skins"][0]
    inverse_bind = file.json["accessors"][first["inverseBindMatrices"]]
    offset = file.json["bufferViews"][inverse_bind["bufferView"]]["byteOffset"]
    count = 16 * inverse_bind["count"]
    matrices = np.frombuffer(bytes(file.binary), "<f4", count, offset).reshape(-1, 16).copy()
    matrices[-1, 13] *= 1 + change
    second = file.push("skins", {**first, "inverseBindMatrices": file.add(matrices)})
    carrier = next(node for node in file.json["nodes"] if "mesh" in node)
    twin = file.push("nodes", {**carrier, "name": "twin", "skin": second})
    file.json["scenes"][0]["nodes"].append(twin)
    return lissom.load(file.glb())


def test_skins_with_one_bind_pose_share_their_rows() -> None:
    once, twice = lissom.load(arm().glb()), _two_skins(change=0.0)
    assert once.skin is not None
    assert twice.skin is not None
    assert once.mesh is not None
    assert twice.mesh is not None
    np.testing.assert_array_equal(twice.skin.joints, once.skin.joints)
    np.testing.assert_array_equal(twice.mesh.indices, np.tile(once.mesh.indices, (2, 1)))
    moved = once.deform(once.clips["bend"].at(0.5))
    np.testing.assert_array_equal(twice.deform(twice.clips["bend"].at(0.5)), np.tile(moved, (2, 1)))


def test_skins_with_different_bind_poses_keep_their_rows() -> None:
    once, twice = lissom.load(arm().glb()), _two_skins(change=1e-3)
    assert once.skin is not None
    assert twice.skin is not None
    assert len(twice.skin.joints) == len(once.skin.joints) + 1


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        # Skins times joints without sharing: 4 x 51, 5 x 49, 4 x 25, 4 x 29.
        ("modular_women/Casual.glb", 51),
        ("modular_men/Adventurer.glb", 49),
        ("cyberpunk_pack/Character.glb", 25),
        ("platformer_game_pack/Character.glb", 29),
    ],
)
def test_modular_characters_have_one_row_per_joint(asset, name: str, rows: int) -> None:
    character = lissom.load(asset(f"characters/quaternius/{name}"))
    assert character.skin is not None
    assert len(character.skin.joints) == rows
