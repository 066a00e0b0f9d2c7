# SPDX-License-Identifier: MIT
"""The bytes that the browser's player reads."""

import json

import numpy as np
import pytest

import bake_rigs
import baked_textures
import lissom
from lissom._formats.png import png_bytes
from lissom.gpu._looks import grouped
from lissom.player import bones_of, bundle
from lissom.player._container import from_bytes, to_bytes

LAYOUTS = ("dual_quat", "matrix", "quat_trans", "trs", "rotations")


@pytest.fixture(scope="module")
def tube():
    return lissom.samples.two_bone_tube()


def read(data):
    arrays, strings = from_bytes(data)
    return arrays, json.loads(strings["player"])


def test_arrays_lie_at_multiples_of_eight_bytes(tube):
    odd = lissom.Mesh(np.eye(3), [[0, 1, 2]])  # 6 bytes of triangles
    assert len(bundle(odd, None)) % 8 == 0
    data = to_bytes({"three": np.zeros(3, np.uint8), "one": np.zeros(1, np.float32)}, {})
    length = int.from_bytes(data[:8], "little")
    assert json.loads(data[8 : 8 + length])["one"]["data_offsets"] == [8, 12]
    data = bundle(tube.mesh, tube.skin, bake=lissom.bake(tube))
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    del header["__metadata__"]
    assert start % 8 == 0
    assert all(entry["data_offsets"][0] % 8 == 0 for entry in header.values())
    assert {"positions", "normals", "colors", "rows", "weights", "triangles", "texels"} == set(header)


def test_same_bake_same_bytes(tube):
    bake = lissom.bake(tube)
    assert bundle(tube.mesh, tube.skin, bake=bake) == bundle(bake.mesh, None, bake=bake)


def test_positions_are_within_half_a_step_of_the_box():
    mesh = lissom.samples.humanoid().mesh
    arrays, facts = read(bundle(mesh, None))
    back = np.array(facts["low"]) + np.array(facts["step"]) * arrays["positions"]
    half = 0.5 * np.array(facts["step"])
    assert (np.abs(back - mesh.positions) <= half * (1 + 1e-6)).all()
    assert (half * 2 * (2**21 - 1) <= np.ptp(mesh.positions, axis=0) * (1 + 1e-9)).all()
    away = np.degrees(np.arccos(np.clip(np.einsum("vk,vk->v", unit(arrays["normals"]), mesh.normals), -1, 1)))
    assert away.max() < 0.5  # 1/127 of the unit, perpendicular to it


def unit(normals):
    values = normals[:, :3].astype(float)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def test_a_flat_mesh_keeps_its_plane():
    mesh = lissom.Mesh([[0, 2, 0], [1, 2, 0], [0, 2, 1]], [[0, 2, 1]])
    arrays, facts = read(bundle(mesh, None))
    assert facts["step"][1] == 0
    assert not arrays["positions"][:, 1].any()
    assert facts["low"][1] == 2


def test_influences_are_those_of_a_crowd_and_sum_to_one():
    rng = np.random.default_rng(5)
    weights = rng.uniform(size=(40, 6))
    weights /= weights.sum(axis=1, keepdims=True)
    rows = rng.permuted(np.tile(np.arange(300), (40, 1)), axis=1)[:, :6]
    mesh = lissom.Mesh(rng.normal(size=(40, 3)), np.arange(39).reshape(-1, 3), rows, weights)
    arrays, facts = read(bundle(mesh, None))
    assert facts["influences"] == 6
    assert arrays["rows"].dtype == np.uint16
    others = np.concatenate([arrays["weights"], arrays["more_weights"]], axis=1) * facts["weight_step"]
    both = np.concatenate([1 - others.sum(axis=1, keepdims=True), others], axis=1)
    # What the mesh says of each row, whatever its order.
    meant, stored = np.zeros((2, 40, 300))
    np.put_along_axis(meant, rows, weights, axis=1)
    stored_rows = np.concatenate([arrays["rows"], arrays["more_rows"]], axis=1)[:, :6]
    np.put_along_axis(stored, stored_rows.astype(int), both[:, :6], axis=1)
    assert np.abs(stored - meant).max() < 5 * 2.5e-7
    assert not both[:, 6:].any()
    assert (both[:, :1] >= both[:, 1:]).all()


def test_four_influences_need_no_more(tube):
    arrays, facts = read(bundle(tube.mesh, tube.skin))
    assert "more_rows" not in arrays
    assert arrays["rows"].dtype == np.uint8
    assert facts["influences"] <= 4


def test_triangles_come_in_the_order_of_the_draw_calls():
    hero = lissom.samples.humanoid()
    arrays, facts = read(bundle(hero.mesh, hero.skin))
    triangles, groups = grouped(hero.mesh, True)
    np.testing.assert_array_equal(arrays["triangles"], triangles)
    assert arrays["triangles"].dtype == np.uint16
    assert [(part["first"], part["count"]) for part in facts["parts"]] == [
        (group.first, group.index_count) for group in groups
    ]
    assert [part["two_sided"] for part in facts["parts"]] == [not group.closed for group in groups]


def test_the_largest_index_of_sixteen_bits_is_never_a_vertex():
    # WebGL2 ends a primitive there.
    for count, dtype in ((65535, np.uint16), (65536, np.uint32)):
        mesh = lissom.Mesh(np.zeros((count, 3)) + np.arange(3), [[0, 1, count - 1]])
        arrays, _ = read(bundle(mesh, None))
        assert arrays["triangles"].dtype == dtype
        assert arrays["triangles"].max() == count - 1


def test_light_of_parts_goes_along_where_there_is_any():
    one, other = lissom.Texture(b"one", "image/png"), lissom.Texture(b"other", "image/png")
    looks = [
        {"texture": one, "emissive": (1.0, 0.5, 2.0), "emissive_texture": other},
        {"unlit": True, "texture": other},
        {"emissive_texture": one},  # of no strength: as if there were none
        {"emissive": (0.0, 1.0, 0.0)},
    ]
    parts = [
        lissom.Part(str(i), slice(3 * i, 3 * i + 3), slice(i, i + 1), **look) for i, look in enumerate(looks)
    ]
    mesh = lissom.Mesh(np.eye(12, 3), np.arange(12).reshape(-1, 3), uvs=np.zeros((12, 2)), parts=parts)
    arrays, facts = read(bundle(mesh, None))
    assert [arrays[f"image.{i}"].tobytes() for i in (0, 1)] == [b"one", b"other"]
    keys = ("image", "unlit", "emissive", "emissive_image")
    assert [tuple(part.get(key) for key in keys) for part in facts["parts"]] == [
        (None, None, None, None),
        (0, None, [1.0, 0.5, 2.0], 1),
        (1, True, None, None),
        (None, None, [0.0, 1.0, 0.0], None),
    ]
    _, facts = read(bundle(lissom.Mesh(np.eye(12, 3), np.arange(12).reshape(-1, 3), parts=parts), None))
    assert [part.get("emissive") for part in facts["parts"]] == [
        None,
        None,
        [0.0, 1.0, 0.0],
    ]  # no coordinates


def test_alpha_goes_along_where_it_does_something():
    clear, solid = (
        lissom.Texture(png_bytes(np.full((2, 2, channels), 255, np.uint8)), "image/png", str(channels))
        for channels in (4, 3)
    )
    looks = [
        {"base_color": (1, 1, 1, 0.25)},
        {"alpha_mode": "mask", "alpha_cutoff": 0.1, "base_color": (1, 1, 1, 0.3)},
        {"alpha_mode": "mask", "alpha_cutoff": 0.6, "base_color": (1, 1, 1, 0.3), "double_sided": True},
        {"alpha_mode": "mask", "alpha_cutoff": 0.0, "texture": clear},
        {"alpha_mode": "blend", "texture": solid},
        {"alpha_mode": "blend", "texture": clear, "double_sided": True},
        {"alpha_mode": "blend", "base_color": (1, 1, 1, 0.75)},
    ]
    parts = [
        lissom.Part(str(i), slice(3 * i, 3 * i + 3), slice(i, i + 1), **look) for i, look in enumerate(looks)
    ]
    count = 3 * len(looks)
    positions = np.arange(3.0 * count).reshape(count, 3)
    mesh = lissom.Mesh(positions, np.arange(count).reshape(-1, 3), uvs=np.zeros((count, 2)), parts=parts)
    arrays, facts = read(bundle(mesh, None))
    np.testing.assert_array_equal(arrays["alphas"], np.repeat(np.float32([0.25, 0.3, 0.3, 1, 1, 1, 0.75]), 3))
    covered = {(part["first"] // 3): part for part in facts["parts"] if "alpha" in part}
    assert [(part["alpha"]["mode"], part["alpha"]["cutoff"]) for part in covered.values()] == [
        ("mask", 0.6),
        ("blend", 0.0),
        ("blend", 0.0),
    ]
    assert [part["two_sided"] for part in covered.values()] == [True, True, False]
    for part in covered.values():
        own = arrays["triangles"].reshape(-1)[part["first"] : part["first"] + part["count"]]
        np.testing.assert_allclose(part["alpha"]["center"], positions[own].mean(axis=0))
    arrays, facts = read(bundle(lissom.samples.two_bone_tube().mesh, None))
    assert "alphas" not in arrays
    assert not any("alpha" in part for part in facts["parts"])


def test_pictures_go_along_once_with_the_coordinates():
    picture, other = lissom.Texture(b"one", "image/png"), lissom.Texture(b"other", "image/png")
    parts = [
        lissom.Part(str(i), slice(3 * i, 3 * i + 3), slice(i, i + 1), texture=texture)
        for i, texture in enumerate([picture, other, picture, None])
    ]
    uvs = np.linspace(0, 1, 24).reshape(12, 2)
    mesh = lissom.Mesh(np.eye(12, 3), np.arange(12).reshape(-1, 3), uvs=uvs, parts=parts)
    arrays, facts = read(bundle(mesh, None))
    assert arrays["image.0"].tobytes() == b"one"
    assert arrays["image.1"].tobytes() == b"other"
    np.testing.assert_array_equal(arrays["uvs"], uvs.astype(np.float16))
    assert [(part["image"], part["count"]) for part in facts["parts"]] == [(None, 3), (0, 6), (1, 3)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float16", "uint8"])
def test_texels_are_kept_to_the_bit(tube, layout, dtype):
    bake = lissom.bake(tube, layout=layout, dtype=dtype)
    arrays, facts = read(bundle(bake.mesh, None, bake=bake))
    np.testing.assert_array_equal(arrays["texels"], bake.texels)
    assert (facts["frames"], facts["pose_rows"], facts["texels"]) == bake.texels.shape[:3]
    assert facts["layout"] == LAYOUTS.index(layout)
    assert facts["methods"] == list(bake.methods)
    assert facts["palette_rows"] == len(facts["rows"]) == bake.palette_row_count
    assert ("ranges" in arrays) == (dtype == "uint8")
    assert ("rig" in arrays) == (layout in ("trs", "rotations"))
    if dtype == "uint8":
        np.testing.assert_array_equal(arrays["ranges"], bake.ranges.reshape(-1, 4))


def test_clips_say_what_time_needs_and_how_far_the_methods_are_apart(tube):
    bake = lissom.bake(tube)
    name, clip = next(iter(bake.clips.items()))
    _, facts = read(bundle(bake.mesh, None, bake=bake))
    told = facts["clips"][0]
    for field in ("first_frame", "frame_count", "rate", "loop", "start", "duration"):
        assert told[field] == getattr(clip, field)
    assert told["name"] == name
    assert told["error"] == clip.error.max_relative
    assert read(bundle(bake.mesh, None, bake=bake.edited()))[1]["clips"][0]["error"] is None
    np.testing.assert_array_equal(told["bounds"], clip.bounds)
    palette = bake.sample_frames(np.arange(clip.frame_count) + clip.first_frame)
    apart = lissom.skin_linear(bake.mesh, palette.matrices) - lissom.skin_dual_quat(
        bake.mesh, palette.dual_quats
    )
    largest = np.linalg.norm(apart, axis=-1).max() / bake.size
    assert 0.98 * largest <= told["difference"] <= largest * (1 + 1e-5)  # some of the frames were looked at
    matrices = lissom.bake(tube, layout="matrix")
    assert read(bundle(matrices.mesh, None, bake=matrices))[1]["clips"][0]["difference"] is None


def test_the_difference_is_that_of_all_its_frames():
    """A mesh so large that its frames are looked at a few at a time."""
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, ["walk", "run"], rate=15)
    told = read(bundle(bake.mesh, None, bake=bake))[1]["clips"]
    for clip, (name, stored) in zip(told, bake.clips.items(), strict=True):
        assert stored.frame_count <= 48
        palette = bake.sample(name, stored.start + np.arange(stored.frame_count) / stored.rate, loop=False)
        linear, dual_quat = (
            lissom.deform(bake.mesh, palette, method).astype(np.float64) for method in ("linear", "dual_quat")
        )
        largest = np.linalg.norm(linear - dual_quat, axis=-1).max() / bake.size
        assert clip["difference"] == pytest.approx(largest, rel=1e-4)


def test_what_one_row_moves_is_the_same_by_both_methods():
    """Whatever rounding makes of it: the player then has a range of its own for its heat map."""
    bones = bake_rigs.skeleton()
    mesh = bake_rigs.mesh()
    rows = mesh.indices[np.arange(mesh.vertex_count), mesh.weights.argmax(axis=1)][:, None]
    rigid = lissom.Mesh(mesh.positions, mesh.triangles, rows, np.ones((mesh.vertex_count, 1)))
    skin, clips = bake_rigs.skin(bones), {"wave": bake_rigs.waving_clip(bones)}
    for shown, is_apart in ((rigid, False), (mesh, True)):
        bake = lissom.bake(lissom.Character("tube", bones, shown, skin, clips), rate=10)
        assert (read(bundle(shown, None, bake=bake))[1]["clips"][0]["difference"] > 0) == is_apart
        palette = bake.sample_frames(np.arange(bake.texels.shape[0]))
        linear, dual_quat = (lissom.deform(shown, palette, method) for method in ("linear", "dual_quat"))
        assert (np.abs(linear - dual_quat).max() > 1e-6) == is_apart


def test_ground_is_where_most_clips_stand():
    texels = baked_textures.random_texels(np.random.default_rng(1), frames=6, rows=1)
    clips = {str(i): baked_textures.baked_clip(2 * i, 2) for i in range(3)}
    for clip, low in zip(clips.values(), (-3.0, 0.5, 0.25), strict=True):
        clip.bounds[0, 1] = low
    bake = baked_textures.texture(texels, clips)
    _, facts = read(bundle(lissom.Mesh(np.eye(3), [[0, 1, 2]]), None, bake=bake))
    assert facts["ground"] == 0.25
    assert facts["bounds"] == [[-1, -3, -1], [1, 1, 1]]


def test_without_a_bake_the_rows_are_the_skins(tube):
    names = tube.skeleton.names
    _, facts = read(bundle(tube.mesh, tube.skin, names=names, size=3.0, scaled=True, title="</script>"))
    assert facts["rows"] == list(names)
    assert facts["size"] == 3.0
    assert facts["scaled"] is True
    assert facts["layout"] is None
    assert facts["clips"] == []
    assert facts["title"] == "</script>"


def test_what_a_bake_mirrors_is_seen_from_both_sides():
    mesh = lissom.samples.two_bone_tube().mesh
    texels = np.zeros((2, 2, 3, 4), np.float16)
    texels[:, :, range(3), range(3)] = 1
    clips = {"clip": baked_textures.baked_clip(0, 2)}
    report = lissom.bake_report.BakeReport(clips, 2.5, "matrix", "linear", "float16", "skinned vertices", 3)

    def sides():
        bake = lissom.PoseTexture(texels, clips, ["a", "b"], report)
        return [part["two_sided"] for part in read(bundle(mesh, None, bake=bake))[1]["parts"]]

    before = sides()
    texels[1, 1, 0, 0] = -1
    assert all(sides())
    assert not all(before)


def test_bones_pass_over_parents_without_a_row():
    binds = np.tile(np.eye(4), (3, 1, 1))
    binds[:, :3, 3] = [[0, 0, 0], [0, -1, 0], [0, -3, 0]]
    skin = lissom.Skin([0, 2, 3], binds)
    found = bones_of([-1, 0, 1, 1], skin)
    np.testing.assert_array_equal(found, [[0, 0, 0, 0, 1, 0, 1, 0], [0, 0, 0, 0, 2, 0, 3, 0]])


def test_bones_follow_the_first_row_of_a_joint():
    binds = np.tile(np.eye(4), (3, 1, 1))
    found = bones_of([-1, 0], lissom.Skin([1, 0, 1], binds))
    assert found[:, [0, 4]].tolist() == [[1, 0]]


def test_bones_of_a_loaded_bake_of_joints(tube, tmp_path):
    path = tmp_path / "tube.safetensors"
    lissom.bake(tube, layout="trs").save(path)
    bake = lissom.load_bake(path)
    _, facts = read(bundle(bake.mesh, None, bake=bake))
    np.testing.assert_allclose(facts["bones"], bones_of(tube.skeleton.parents, tube.skin), atol=1e-6)


REFUSALS = [
    ({"mesh": 3}, TypeError, "player.bundle: mesh must be a Mesh"),
    ({"bake": 3}, TypeError, "player.bundle: bake must be a PoseTexture, got int"),
    ({"names": ["a"]}, ValueError, "names must hold 2, one per palette row, got 1"),
    ({"bones": np.zeros((2, 7))}, ValueError, r"bones must be finite numbers of shape \(B, 8\), got"),
    ({"bones": [[0, 0, 0, 0, 2, 0, 0, 0]]}, ValueError, "rows below 2 in columns 0 and 4, got 0 to 2"),
    ({"skin": lissom.Skin([0], np.eye(4)[None])}, ValueError, "palette rows below 1, got 1"),
]


@pytest.mark.parametrize(("change", "error", "sentence"), REFUSALS, ids=[str(r[0])[:12] for r in REFUSALS])
def test_refusals(tube, change, error, sentence):
    with pytest.raises(error, match=sentence):
        bundle(**({"mesh": tube.mesh, "skin": tube.skin} | change))


def test_container_goes_there_and_back():
    arrays = {
        "a": np.arange(5, dtype=np.uint8),
        "b": np.ones((2, 0), np.float32),
        "c": np.eye(3, dtype="<f2"),
    }
    back, strings = from_bytes(to_bytes(arrays, {"ä": "<"}))
    assert strings == {"ä": "<"}
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array)
