# SPDX-License-Identifier: MIT
"""Painting the mix of linear and dual quaternion skinning from bends."""

from pathlib import Path

import numpy as np
import pytest

import lissom
from lissom import quat, trs
from lissom._pictures.compare_numbers import numbers_of

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "howto" / "choose-a-method.md"

ELBOW = 0.5  # along x, where the two bones of the strip meet


def strip(vertex_count=41):
    """A row of vertices along two bones of half a metre, weights running over from 0.3 to 0.7."""
    rest = trs.identity((2,))
    rest[1, :3] = [ELBOW, 0, 0]
    tip = trs.identity((1,))
    tip[0, :3] = [ELBOW, 0, 0]
    skeleton = lissom.Skeleton(["upper", "lower", "tip"], [-1, 0, 1], np.concatenate([rest, tip]))
    x = np.linspace(0, 1, vertex_count)
    lower = np.clip((x - 0.3) / 0.4, 0, 1)
    mesh = lissom.Mesh(
        np.stack([x, 0 * x, 0 * x], axis=1), [], [[0, 1]] * vertex_count, np.stack([1 - lower, lower], axis=1)
    )
    skin = lissom.Skin([0, 1, 2], np.linalg.inv(skeleton.model_matrices(skeleton.rest)))
    return lissom.Character("strip", skeleton, mesh, skin)


def turned(character, axis, angle):
    pose = character.skeleton.rest.copy()
    pose[1, 3:7] = quat.from_axis_angle(np.array(axis, float), angle)
    return pose


def test_a_bend_paints_the_middle_and_leaves_the_ends() -> None:
    character = strip()
    blend = lissom.bend_blend(character, turned(character, [0, 0, 1], np.pi / 2))
    assert blend.dtype == np.float32
    assert blend[20] == pytest.approx(0, abs=1e-6)
    np.testing.assert_array_equal(blend[[0, 5, 40]], 1)
    np.testing.assert_allclose(blend, blend[::-1], atol=1e-6)
    # Half the bend: 2 min(w) = 1, times 1/2, smooth: 1 - 1/2.
    half = lissom.bend_blend(character, turned(character, [0, 0, 1], np.pi / 4))
    assert half[20] == pytest.approx(0.5, abs=1e-6)
    assert lissom.bend_blend(character, turned(character, [0, 1, 0], 2.0), least=0.4)[20] == pytest.approx(
        0.4
    )


def test_paint_is_smooth_and_goes_down_to_the_least() -> None:
    # A quarter of the bend, b = 1/4: b^2 (3 - 2 b) = 5/32 of the way from 1 to the least.
    character = strip()
    quarter = turned(character, [0, 0, 1], np.pi / 8)
    for least in (0.0, 0.4):
        painted = lissom.bend_blend(character, quarter, least=least)[20]
        assert painted == pytest.approx(1 - (1 - least) * 5 / 32, abs=1e-6)


def with_joints(names, parents, skinned, offsets=None):
    """The strip with other joints: each where the name begins as in the strip, the skin at the rows given."""
    plain = strip()
    place = {"upper": 0, "lower": ELBOW, "tip": ELBOW, "socket": 0}
    rest = trs.identity((len(names),))
    rest[:, 0] = [place[name.split()[0]] for name in names]
    for name, offset in (offsets or {}).items():
        rest[names.index(name), :3] += offset
    skeleton = lissom.Skeleton(names, parents, rest)
    bind = np.linalg.inv(skeleton.model_matrices(rest))[skinned]
    return lissom.Character("strip", skeleton, plain.mesh, lissom.Skin(skinned, bind))


def test_joints_without_skin_between_are_passed_over() -> None:
    plain = strip()
    character = with_joints(["upper", "socket", "lower", "tip"], [-1, 0, 1, 2], [0, 2, 3])
    pose = character.skeleton.rest.copy()
    pose[2] = turned(plain, [0, 0, 1], 1.0)[1]
    expected = lissom.bend_blend(plain, turned(plain, [0, 0, 1], 1.0))
    assert expected.min() < 0.5
    np.testing.assert_allclose(lissom.bend_blend(character, pose), expected, atol=1e-6)


def test_a_joint_at_the_end_points_on_from_its_parent() -> None:
    plain = strip()
    character = with_joints(["upper", "lower"], [-1, 0], [0, 1])
    for axis, angle in (([0, 0, 1], 1.0), ([1, 0, 0], 2.0)):
        pose = turned(character, axis, angle)
        expected = lissom.bend_blend(plain, turned(plain, axis, angle))
        np.testing.assert_allclose(lissom.bend_blend(character, pose), expected, atol=1e-6)


def test_a_joint_points_to_the_middle_of_its_children() -> None:
    """Fingers at both sides of a hand: turning about what lies between them is a twist."""
    names, aside = ["upper", "lower", "tip left", "tip right"], 0.4
    offsets = {"tip left": [0, aside, 0], "tip right": [0, -aside, 0]}
    character = with_joints(names, [-1, 0, 1, 1], [0, 1, 2, 3], offsets)
    np.testing.assert_allclose(lissom.bend_blend(character, turned(character, [1, 0, 0], 2.0)), 1, atol=1e-6)


def test_of_two_rows_of_a_joint_the_first_counts() -> None:
    """A second mesh may be bound to the same joint in another pose."""
    character = strip()
    joints, bind = character.skin.joints, character.skin.joint_from_bind
    other = trs.to_matrix(trs.from_parts(rotation=quat.from_axis_angle(np.array([0, 0, 1.0]), 1.0)))
    skin = lissom.Skin([*joints, 1], np.concatenate([bind, (other @ bind[1])[None]]))
    twice = lissom.Character("strip", character.skeleton, character.mesh, skin)
    np.testing.assert_allclose(lissom.bend_blend(twice, character.skeleton.rest), 1, atol=1e-6)
    pose = turned(character, [0, 0, 1], 1.0)
    np.testing.assert_allclose(lissom.bend_blend(twice, pose), lissom.bend_blend(character, pose), atol=1e-6)


def test_a_twist_paints_nothing() -> None:
    character = strip()
    np.testing.assert_allclose(lissom.bend_blend(character, turned(character, [1, 0, 0], 2.5)), 1, atol=1e-6)


def test_the_sharpest_of_many_poses_counts() -> None:
    character = strip()
    poses = np.stack([turned(character, [0, 0, 1], angle) for angle in (0, 1.2, 0.3)])
    np.testing.assert_array_equal(lissom.bend_blend(character, poses), lissom.bend_blend(character, poses[1]))


def test_moving_and_turning_the_whole_changes_nothing() -> None:
    character = strip()
    pose = turned(character, [0, 0, 1], 1.0)
    before = lissom.bend_blend(character, pose)
    pose[0, :3] = [3, 1, 2]
    pose[0, 3:7] = quat.from_axis_angle(np.array([0.6, 0, 0.8]), 2.0)
    np.testing.assert_allclose(lissom.bend_blend(character, pose), before, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"angle": 0}, ValueError, "angle must be above zero and finite, got 0; it is in radians"),
        ({"angle": np.nan}, ValueError, "angle must be above zero and finite, got nan"),
        ({"angle": "90"}, TypeError, "angle must be a number, got str"),
        ({"least": 2}, ValueError, r"least must lie in \[0, 1\], got 2"),
        ({"least": -0.5}, ValueError, r"least must lie in \[0, 1\], got -0.5"),
        ({"least": None}, TypeError, "least must be a number, got NoneType"),
        ({"poses": np.zeros((0, 3, 10))}, ValueError, r"poses must hold at least one pose, got shape \(0, 3"),
        ({"poses": "bend"}, TypeError, "poses must be an array of real numbers"),
    ],
)
def test_refusals(options, error, sentence) -> None:
    character = strip()
    poses = options.pop("poses", character.skeleton.rest)
    with pytest.raises(error, match=f"^bend_blend: {sentence}"):
        lissom.bend_blend(character, poses, **options)


def test_only_characters_with_a_mesh_have_vertices_to_paint() -> None:
    character = strip()
    bare = lissom.Character("bare", character.skeleton, None, None)
    with pytest.raises(ValueError, match="bend_blend: character must have a mesh, 'bare' has none"):
        lissom.bend_blend(bare, character.skeleton.rest)
    with pytest.raises(TypeError, match="bend_blend: character must be a Character, got Skeleton"):
        lissom.bend_blend(character.skeleton, character.skeleton.rest)


@pytest.mark.parametrize(
    "row", ["0, all linear", "1, all dual quaternion", "0.5 everywhere", "`bend_blend`", "`cor` instead"]
)
def test_the_figures_of_the_how_to(row) -> None:
    said = next(line for line in HOW_TO.read_text().splitlines() if line.startswith(f"| {row} |"))
    cells = []
    for who, bend, twist, shown in (
        (lissom.samples.two_bone_tube(), 90, 0, ("volume_change", "bulge")),
        (lissom.samples.twisted_bar(), 0, 179, ("volume_change",)),
        (lissom.samples.two_bone_tube(), 90, 150, ("volume_change", "smallest_determinant")),
    ):
        pose = who.skeleton.rest.copy()
        pose[1, 3:7] = quat.from_euler("zx", [bend, twist], degrees=True)
        method, shares = "blended", None
        if "cor" in row:
            method = "cor"
        elif "bend" in row:
            shares = lissom.bend_blend(who, pose)
        else:
            shares = np.full(who.mesh.vertex_count, float(row.split(",")[0].split()[0]))
        vertices = {method: who.deform(pose, method, blend=shares).astype(np.float64)}
        numbers, _ = numbers_of(who, pose, vertices, (method,), (method, method), shares)
        for name in shown:
            value = numbers["by_method"][method][name]
            text = f"{value:.2f}" if name == "smallest_determinant" else f"{100 * value:.1f} %"
            cells.append(text.replace("-", "\N{MINUS SIGN}"))
    assert [cell.strip() for cell in said.strip("|").split("|")][1:] == cells
