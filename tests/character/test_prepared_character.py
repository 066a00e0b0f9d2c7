# SPDX-License-Identifier: MIT
"""Characters whose mesh is in the order in which skinning is fastest, and what is painted on characters."""

import numpy as np
import pytest

import lissom
from lissom.skinning import METHODS
from lissom.testing import assert_vertices_close

TOLERANCE = 2e-6  # of the size: float32, whose sums a prepared mesh may take in another order


@pytest.fixture(scope="module")
def hero() -> lissom.Character:
    """The sample, painted, and with a copy of half of its figure as a part of its own."""
    figure = lissom.samples.humanoid()
    mesh = figure.mesh
    assert mesh is not None
    half = mesh.triangle_count // 2
    parts = [
        lissom.Part("body", slice(0, mesh.vertex_count), slice(0, half)),
        lissom.Part("cloth", slice(mesh.vertex_count, 2 * mesh.vertex_count), slice(half, 2 * half)),
    ]
    both = lissom.Mesh(
        np.concatenate([mesh.positions, mesh.positions + np.float32([0, 0, 0.01])]),
        np.concatenate([mesh.triangles[:half], mesh.triangles[:half] + np.uint32(mesh.vertex_count)]),
        np.concatenate([mesh.indices] * 2),
        np.concatenate([mesh.weights] * 2),
        parts=parts,
    )
    hero = lissom.Character("hero", figure.skeleton, both, figure.skin, figure.clips)
    hero.blend = np.random.default_rng(0).uniform(0, 1, both.vertex_count)
    return hero


@pytest.mark.parametrize("original_order", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_prepared_character_does_as_its_own(hero, method, original_order) -> None:
    fast = hero.prepared(original_order)
    prepared = fast.prepared_mesh
    assert prepared.original_order is original_order
    places = np.arange(prepared.vertex_count) if original_order else prepared.order
    assert (fast.mesh is hero.mesh) is original_order
    np.testing.assert_array_equal(fast.mesh.positions, hero.mesh.positions[places])
    np.testing.assert_array_equal(fast.blend, hero.blend[places])
    poses = hero.clips["walk"].sample([0.1, 0.6])
    expected, got = (who.deform(poses, method, normals=True) for who in (hero, fast))
    assert_vertices_close(got.positions, expected.positions[:, places], share=TOLERANCE, of=fast)
    palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    more = {"blend": fast.blend} if method == "blended" else {}
    same = lissom.deform(prepared, palette, method, normals=True, **more)
    np.testing.assert_array_equal(got.positions, same.positions)
    np.testing.assert_array_equal(got.normals, same.normals)


def test_a_prepared_character_skins_its_blocks(hero, monkeypatch) -> None:
    fast = hero.prepared()
    seen = []
    plain, skin = lissom._core.plain_skin_poses, lissom._core.skin
    monkeypatch.setattr(lissom._core, "plain_skin_poses", lambda *a: seen.append(a[1]) or plain(*a))
    monkeypatch.setattr(lissom._core, "skin", lambda *a, **k: (seen.append(k["prepared"]), skin(*a, **k)))
    for poses in (hero.skeleton.rest, hero.skeleton.rest.tolist()):
        seen.clear()
        fast.deform(poses)
        hero.deform(poses)
        assert {*seen[: len(seen) // 2]} == {fast.prepared_mesh._blocks}
        assert {*seen[len(seen) // 2 :]} == {None}


@pytest.mark.parametrize("original_order", [False, True])
def test_all_else_goes_on_as_before(hero, original_order) -> None:
    fast = hero.prepared(original_order)
    fast.method = "blended"
    assert fast.size == pytest.approx(hero.size, rel=1e-6)
    assert "prepared" in repr(fast)
    assert "prepared" not in repr(hero)
    pose = hero.clips["run"].sample(0.3)
    places = np.arange(hero.mesh.vertex_count) if original_order else fast.prepared_mesh.order
    np.testing.assert_array_equal(lissom.bend_blend(fast, pose), lissom.bend_blend(hero, pose)[places])
    again = lissom.load(lissom.save_glb(fast, clips=["walk"]))
    np.testing.assert_array_equal(again.mesh.positions, fast.mesh.positions)
    np.testing.assert_array_equal(again.mesh.triangles, fast.mesh.triangles)
    bake = lissom.bake(fast, ["walk"], rate=5, method="linear")
    assert bake.mesh is fast.mesh
    cloth = fast.only("cloth")
    assert cloth.prepared_mesh.original_order is original_order
    assert cloth.method == "blended"
    # The same vertices, wherever they stand: sorted rows.
    expected, got = (
        np.sort(np.round(who.deform(pose, "blended"), 4).view("f4,f4,f4").ravel())
        for who in (hero.only("cloth"), cloth)
    )
    for column in expected.dtype.names:
        np.testing.assert_allclose(got[column], expected[column], atol=2e-4)


def test_blend_goes_with_the_parts_that_are_kept(hero) -> None:
    count = hero.mesh.vertex_count // 2
    np.testing.assert_array_equal(hero.only("cloth").blend, hero.blend[count:])
    np.testing.assert_array_equal(hero.without("cloth").blend, hero.blend[:count])


def test_blend_is_what_blended_skinning_mixes_by(hero) -> None:
    pose = hero.clips["run"].sample(0.3)
    expected = hero.deform(pose, "blended", blend=np.array(hero.blend))
    np.testing.assert_array_equal(hero.deform(pose, "blended"), expected)
    np.testing.assert_array_equal(
        hero.deform(pose, "blended", blend=np.zeros(len(expected))), hero.deform(pose, "linear")
    )
    hero.deform(pose, "cor")  # no method but "blended" looks at it


def test_blend_is_checked_when_it_is_set() -> None:
    tube = lissom.samples.two_bone_tube().without()  # a copy: samples are shared
    assert tube.blend is None
    count = tube.mesh.vertex_count
    tube.method = "blended"
    with pytest.raises(ValueError, match=r"^Character\.deform: method 'blended' needs a number per vertex"):
        tube.deform(tube.skeleton.rest)
    painted = np.full(count, 0.5)
    tube.blend = painted
    painted[:] = 7
    assert tube.blend.dtype == np.float32
    assert tube.blend.tolist() == [0.5] * count
    assert not tube.blend.flags.writeable
    for wrong, error, sentence in (
        ([0.5], ValueError, rf"must have shape \({count},\), got \(1,\)"),
        (1.5, ValueError, r"must lie in \[0, 1\], got 1.5"),
        (np.nan, ValueError, r"must lie in \[0, 1\], got nan"),
        (painted, ValueError, r"must lie in \[0, 1\], got 7.0 at vertex 0"),
        (painted * np.nan, ValueError, r"must lie in \[0, 1\], got nan at vertex 0"),
        ("bend", TypeError, "must be an array of real numbers, got"),
    ):
        with pytest.raises(error, match=rf"^Character\.blend:? {sentence}"):
            tube.blend = wrong
    assert tube.blend.tolist() == [0.5] * count
    tube.blend = 0.25
    assert tube.blend.tolist() == [0.25] * count
    assert not tube.blend.flags.writeable
    tube.blend = None
    assert tube.blend is None
    bare = lissom.Character("bare", tube.skeleton, None, None)
    bare.blend = None
    with pytest.raises(ValueError, match=r"^Character\.blend: 'bare' has no mesh to paint on"):
        bare.blend = [1]


def test_meshes_of_another_kind_are_refused() -> None:
    tube = lissom.samples.two_bone_tube()
    with pytest.raises(TypeError, match=r"^Character: mesh must be a lissom\.Mesh, a lissom\.PreparedMesh"):
        lissom.Character("tube", tube.skeleton, tube, tube.skin)
    skin = lissom.Skin([0], np.eye(4)[None])
    with pytest.raises(ValueError, match="the mesh uses 2 palette rows, the skin has 1"):
        lissom.Character("tube", tube.skeleton, tube.mesh.prepare(), skin)
    bare = lissom.Character("bare", tube.skeleton, None, None)
    with pytest.raises(ValueError, match=r"^Character\.prepared: 'bare' has no mesh to prepare"):
        bare.prepared()
    with pytest.raises(TypeError, match="original_order must be True or False, got int"):
        tube.prepared(1)
