# SPDX-License-Identifier: MIT
"""What skinning refuses: in one sentence that names the function called, before anything is written."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lissom
from lissom.skinning import METHODS

FORMS = {
    "linear": ("matrices",),
    "dual_quat": ("dual_quats",),
    "quat_trans": ("quat_trans",),
    "cor": ("dual_quats",),
    "blended": ("matrices", "dual_quats"),
}


@pytest.fixture(scope="module")
def tube() -> lissom.Character:
    return lissom.samples.two_bone_tube()


@pytest.fixture(scope="module")
def forms(tube) -> dict[str, Any]:
    """The arrays of a palette, by name; the tube's is rigid, these scale by nothing."""
    palette = tube.skin.palette(tube.skeleton.model_matrices(tube.clips["bend"].sample(0.5)))
    scales = np.tile(np.eye(3, 4, dtype=np.float32), (len(palette), 1, 1))
    return {name: getattr(palette, name) for name in ("matrices", "dual_quats", "quat_trans")} | {
        "scales": scales
    }


def options(mesh: Any, method: str) -> dict[str, Any]:
    return {"blend": np.full(mesh.vertex_count, 0.5)} if method == "blended" else {}


def refused(error: type[Exception], sentence: str) -> Any:
    return pytest.raises(error, match="^" + re.escape(sentence))


@pytest.mark.parametrize("with_scales", [False, True])
@pytest.mark.parametrize(("method", "missing"), [(m, form) for m in METHODS for form in FORMS[m]])
def test_only_scales_may_be_none(tube, forms, method, missing, with_scales) -> None:
    mesh = tube.mesh
    given = {**forms, missing: None, "scales": forms["scales"] if with_scales else None}
    rows = [given[name] for name in FORMS[method]] + ([given["scales"]] if method != "linear" else [])
    sentence = f"{missing} must be an array of real numbers, got NoneType"
    for skinned in (mesh, mesh.prepare()):
        with refused(TypeError, f"skin_{method}: {sentence}"):
            getattr(lissom, f"skin_{method}")(skinned, *rows, **options(mesh, method))
        with refused(TypeError, f"deform: {sentence}"):
            lissom.deform(skinned, SimpleNamespace(**given), method, **options(mesh, method))


@pytest.mark.parametrize(("method", "missing"), [("linear", "matrices"), ("dual_quat", "dual_quats")])
def test_only_scales_may_be_none_on_the_way_back(tube, forms, method, missing) -> None:
    mesh = tube.mesh
    sentence = f"{missing} must be an array of real numbers, got NoneType"
    for scales in (forms["scales"], None):
        rows = [None] if method == "linear" else [None, scales]
        with refused(TypeError, f"unskin_{method}: {sentence}"):
            getattr(lissom, f"unskin_{method}")(mesh, *rows, mesh.positions)
        with refused(TypeError, f"undeform: {sentence}"):
            lissom.undeform(
                mesh, SimpleNamespace(**{missing: None, "scales": scales}), mesh.positions, method
            )
    with refused(TypeError, "undeform: palette must be a Palette, got ndarray; skin.palette(model_matrices)"):
        lissom.undeform(mesh, forms["matrices"], mesh.positions, method)


def test_blend_may_not_be_none(tube, forms) -> None:
    with refused(TypeError, "skin_blended: blend must be an array of real numbers, got NoneType"):
        lissom.skin_blended(tube.mesh, forms["matrices"], forms["dual_quats"], blend=None)


@pytest.mark.parametrize("method", METHODS)
def test_bare_arrays_are_no_palette(tube, forms, method) -> None:
    sentence = "palette must be a Palette, got ndarray; skin.palette(model_matrices) makes one"
    with refused(TypeError, f"deform: {sentence}"):
        lissom.deform(tube.mesh, forms["matrices"], method, **options(tube.mesh, method))
    with refused(TypeError, f"metrics.blend_collapse: {sentence}"):
        lissom.metrics.blend_collapse(tube.mesh, forms["matrices"], method, **options(tube.mesh, method))


def test_what_is_no_mesh_is_refused_with_both_kinds_there_are(tube, forms) -> None:
    kinds = "mesh must be a lissom.Mesh or a lissom.PreparedMesh, got"
    with refused(TypeError, f"deform: {kinds} Character; pass its .mesh"):
        lissom.deform(tube, SimpleNamespace(**forms))
    with refused(TypeError, f"skin_cor: {kinds} NoneType"):
        lissom.skin_cor(None, forms["dual_quats"])


@pytest.mark.parametrize("normals", [True, "faces"])
@pytest.mark.parametrize("is_prepared", [False, True])
def test_nothing_is_written_where_a_later_output_is_wrong(tube, forms, normals, is_prepared) -> None:
    mesh = tube.mesh.prepare() if is_prepared else tube.mesh
    shape = (mesh.vertex_count, 3)
    positions = np.full(shape, 7, np.float32)

    def skin(moved_normals: Any) -> None:
        lissom.skin_linear(mesh, forms["matrices"], out=(positions, moved_normals), normals=normals)

    with refused(TypeError, "skin_linear: out.normals must be float32, got float64"):
        skin(np.empty(shape))
    with refused(ValueError, f"skin_linear: out.normals must have shape (..., {shape[0]}, 3), got (1, 3)"):
        skin(np.empty((1, 3), np.float32))
    with refused(ValueError, "skin_linear: out.normals shares memory with out.positions"):
        skin(positions)
    with refused(TypeError, "skin_linear: out.normals must be a NumPy array, got NoneType"):
        skin(None)
    np.testing.assert_array_equal(positions, 7)


def test_each_output_is_named(tube, forms) -> None:
    count = tube.mesh.vertex_count
    tangents = np.tile(np.float32([1, 0, 0, 1]), (count, 1))
    mesh = lissom.Mesh(tube.mesh.positions, tube.mesh.triangles, tangents=tangents)

    def skin(*out: Any) -> None:
        lissom.skin_linear(mesh, forms["matrices"], out=out, tangents=True)

    one, other = np.empty((2, count, 3), np.float32)
    with refused(ValueError, f"skin_linear: out.positions must have shape (..., {count}, 3), got (1, 3)"):
        skin(one[:1], other, tangents)
    with refused(
        ValueError, f"skin_linear: out.tangents must have shape (..., {count}, 4), got ({count}, 3)"
    ):
        skin(one, other, np.empty((count, 3), np.float32))
    with refused(ValueError, f"skin_linear: out must have shape (..., {count}, 3), got (1, 3)"):
        lissom.skin_linear(mesh, forms["matrices"], out=one[:1])


def test_the_function_that_was_called_is_named(tube) -> None:
    palette = tube.skin.palette(tube.skeleton.model_matrices(tube.skeleton.rest))
    calls = {
        "deform": lambda *args, **more: lissom.deform(tube.mesh, palette, *args, **more),
        "Character.deform": lambda *args, **more: tube.deform(tube.skeleton.rest, *args, **more),
    }
    for function, call in calls.items():
        with refused(ValueError, f"{function}: tangents need a mesh that has some, got Mesh("):
            call(tangents=True)
        with pytest.raises(ValueError, match=r"; pass tangents= to lissom\.Mesh$"):
            call(tangents=True)
        for number in (1.5, -0.5, np.float32(np.nan)):
            with refused(ValueError, f"{function}: blend must lie in [0, 1], got {float(number)}"):
                call("blended", blend=number)
        with refused(ValueError, f"{function}: blend must have shape ({tube.mesh.vertex_count},), got (1,)"):
            call("blended", blend=[0.5])
        with refused(
            ValueError,
            f"{function}: blend must be omitted for methods other than 'blended', got method 'cor'",
        ):
            call("cor", blend=[0.5])
        with refused(ValueError, f"{function}: method must be one of 'linear', 'dual_quat', "):
            call("dqs")
        with refused(ValueError, f"{function}: method must be one of 'linear', 'dual_quat', "):
            call("")
        with refused(TypeError, f"{function}: out must be float32, got float64"):
            call(out=np.empty((tube.mesh.vertex_count, 3)))


def test_normals_are_a_rule_here_and_an_array_there(tube) -> None:
    mesh = tube.mesh
    palette = tube.skin.palette(tube.skeleton.model_matrices(tube.skeleton.rest))
    rules = "normals must be a bool, 'rotate', 'cofactor' or 'faces', got"
    for wrong in (mesh.normals, None, 1):
        with refused(
            TypeError, f"deform: {rules} {type(wrong).__name__}; it says how the mesh's own normals"
        ):
            lissom.deform(mesh, palette, normals=wrong)
    for rule in (True, "faces"):
        with refused(
            TypeError,
            f"undeform: normals must be an array of shape (..., V, 3), got {rule!r}; pass the posed",
        ):
            lissom.undeform(mesh, palette, mesh.positions, normals=rule)


def test_mirrors_turn_the_bitangent_of_linear_methods_but_not_by_the_cofactor() -> None:
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], normals=[[0, 0, 1]] * 3, tangents=[[0.6, 0.8, 0, -1]] * 3)
    skin = lissom.Skin([0], np.eye(4)[None])
    pose = lissom.trs.identity((1,), dtype=float)
    pose[0, 3:7] = lissom.quat.from_axis_angle(np.array([0.6, 0, 0.8]), 1.0)
    pose[0, 7:] = [-1, 1, 1]
    skeleton = lissom.Skeleton(["a"], [-1], lissom.trs.identity((1,)))
    palette = skin.palette(skeleton.model_matrices(pose))
    bitangent = palette.matrices[0, :3, :3] @ np.cross(mesh.normals[0], mesh.tangents[0, :3]) * -1
    for method in METHODS:
        for rule in ("rotate", "cofactor"):
            more = {"blend": [0.25] * 3} if method == "blended" else {}
            moved = lissom.deform(mesh, palette, method, rule, tangents=True, **more)
            got = np.cross(moved.normals[0], moved.tangents[0, :3]) * moved.tangents[0, 3]
            turns = rule == "rotate" and method in ("linear", "quat_trans", "blended")
            np.testing.assert_allclose(got, -bitangent if turns else bitangent, atol=1e-12)


def test_prepared_meshes_collapse_where_theirs_do(tube) -> None:
    mesh, prepared = tube.mesh, tube.mesh.prepare()
    palette = tube.skin.palette(tube.skeleton.model_matrices(tube.clips["bend"].sample(0.5)))
    expected = lissom.metrics.blend_collapse(mesh, palette)
    got = lissom.metrics.blend_collapse(prepared, palette)
    assert got.determinant == pytest.approx(expected.determinant, abs=1e-6)
    influences = [
        sorted(zip(m.indices[v].tolist(), m.weights[v].tolist(), strict=True))
        for m, v in ((mesh, expected.at), (prepared.mesh, got.at))
    ]
    assert influences[0] == influences[1]


def test_one_number_blends_all_vertices(tube, forms) -> None:
    pose = tube.clips["bend"].sample(1.0)
    palette = tube.skin.palette(tube.skeleton.model_matrices(pose))
    shares = np.full(tube.mesh.vertex_count, 0.25)
    expected = tube.deform(pose, "blended", blend=shares)
    rows = (palette.matrices, palette.dual_quats, palette.scales)
    for number in (0.25, np.float32(0.25), np.array(0.25)):
        np.testing.assert_array_equal(tube.deform(pose, "blended", blend=number), expected)
        np.testing.assert_array_equal(lissom.deform(tube.mesh, palette, "blended", blend=number), expected)
        np.testing.assert_array_equal(lissom.skin_blended(tube.mesh, *rows, blend=number), expected)
        prepared = tube.mesh.prepare(original_order=True)
        got = lissom.deform(prepared, palette, "blended", blend=number)
        np.testing.assert_allclose(got, expected, atol=1e-5 * tube.size)
    collapse = lissom.metrics.blend_collapse(tube.mesh, palette, "blended", blend=0.25)
    whole = lissom.metrics.blend_collapse(tube.mesh, palette, "blended", blend=shares)
    np.testing.assert_array_equal(collapse.determinant, whole.determinant)
    with refused(TypeError, "skin_blended: blend must be an array of real numbers"):
        lissom.skin_blended(tube.mesh, *rows, blend="bend")


def test_deform_says_which_poses_fit_the_character():
    hero = lissom.samples.twisted_bar()
    start = "Character.deform: poses must have shape (..., 2, 10) for the 2 joints of this skeleton, got "
    with refused(ValueError, f"{start}(2, 9)"):
        hero.deform(hero.skeleton.rest[:, :9])
    with refused(ValueError, f"{start}(3, 10); poses of another skeleton"):
        hero.deform(np.zeros((3, 10)))


def test_poses_that_are_not_finite_are_named_by_pose_and_joint(tube) -> None:
    pose = tube.clips["bend"].sample(1.0)
    broken = pose.copy()
    broken[1, 4] = np.nan
    name = tube.skeleton.names[1]
    start = "Character.deform: poses must be finite, got NaN or infinity at "
    for method in lissom.skinning.METHODS:
        options_of = {"blend": 0.5} if method == "blended" else {}
        for poses, place in (
            (broken, f"joint 1, {name!r}"),
            (np.stack([pose, broken]), f"pose 1, joint 1, {name!r}"),
            (np.stack([pose, broken])[None], f"pose (0, 1), joint 1, {name!r}"),
        ):
            with refused(ValueError, start + place):
                tube.deform(poses, method, **options_of)
    broken = pose.astype(np.float32)
    broken[:2, :3] = 3e38
    broken[0, 7:] = 3e38
    sentence = f"numbers that float32 can multiply, they overflow at joint 1, {name!r}"
    with refused(ValueError, f"Character.deform: poses must be of {sentence}"):
        tube.deform(broken)
