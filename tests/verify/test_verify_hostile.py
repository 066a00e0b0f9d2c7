# SPDX-License-Identifier: MIT
"""The judge of files that ask for more than they hold: rates, pipes, archives, meshes drawn many times."""

import json
import os
import struct
import warnings
import zipfile

import numpy as np
import pytest

import lissom
from lissom._export.float_images import read_image
from lissom._verify import lengths, read_openvat
from lissom._verify.lengths import moments

MESH = lissom.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


@pytest.fixture(scope="module")
def swing():
    """A triangle that rises within a second, at 10 frames a second."""
    up = np.linspace(0, 1, 11)[:, None, None] * np.float32([[[0, 0, 0], [0, 0, 1], [0, 1, 0]]])
    return lissom.VertexAnimation(MESH, MESH.positions + up, {"up": lissom.VertexClip(0, 11, 10.0)})


@pytest.fixture
def vat(swing, tmp_path, monkeypatch):
    """A folder of OpenVAT, of which a table or a mesh is changed."""
    pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")
    monkeypatch.setattr(read_openvat, "read_apart", read_image)  # ours need no process of their own
    swing.export("openvat", tmp_path / "vat", normals=None)
    (table,) = (tmp_path / "vat").rglob("*-remap_info.json")
    return table


def retold(table, part, **values):
    told = json.loads(table.read_text())
    told[part].update(values)
    table.write_text(json.dumps(told))
    return table.parent


@pytest.mark.parametrize("told", [{"rate": 1e10}, {"rate": 1e300}, {"rate": 1e-300}])
def test_a_rate_that_no_engine_plays_is_refused(swing, vat, told):
    with pytest.raises(ValueError, match=r"verify: .*clip 'up' must have a rate from 1e-09 to 1e\+09"):
        lissom.verify(swing, retold(vat, "lissom", **told))


def test_a_start_that_no_engine_plays_is_refused(swing, tmp_path):
    clips = {"up": {"first_frame": 0, "frame_count": 11, "rate": 10.0, "start": -1e300}}
    path = packed(tmp_path / "up.npz", swing, {"clips": np.array(json.dumps(clips))})
    with pytest.raises(ValueError, match=r"a start within 1e\+09 s of 0, got 10 a second from -1e\+300 s on"):
        lissom.verify(swing, path)


def test_a_number_that_no_float_holds_is_refused(swing, vat):
    with pytest.raises(ValueError, match=r"must have another lissom\.rate"):
        lissom.verify(swing, retold(vat, "lissom", rate=10**400))


def test_a_rate_makes_no_more_moments_than_there_are_frames_for(swing, vat):
    """A hundred million frames a second: the end of the clip is missing, at which some moments are judged."""
    report = lissom.verify(swing, retold(vat, "lissom", rate=1e8))
    assert not report.ok
    assert len(report.curves["up"][0]) <= 5 * 11 + lengths.MOST_LACKING


def test_moments_behind_the_end_reach_the_end_of_the_source(swing):
    source = lissom._export.source.AnimationSource(swing)
    for rate, lacking in {20.0: np.arange(10.25, 20, 0.25), 1e8: None}.items():
        times, _ = moments(source, "up", lissom.VertexClip(0, 11, rate), "interpolate")
        behind = times[11 + 3 * 10 :]
        if lacking is not None:
            np.testing.assert_allclose(behind, lacking / rate)
        else:
            assert len(behind) == lengths.MOST_LACKING
            assert behind[-1] == pytest.approx(1.0, abs=1e-3)
            np.testing.assert_allclose(np.diff(behind), behind[1] - behind[0], rtol=1e-6)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("form", ["openvat", "vertices"])
def test_a_pipe_beside_a_bake_is_passed_over(swing, vat, tmp_path, form):
    folder = vat.parent
    os.mkfifo(folder / "a.json")
    if form == "openvat":
        assert lissom.verify(swing, folder).form == "openvat"
    else:
        swing.export("vertices", tmp_path / "arrays")
        os.mkfifo(tmp_path / "arrays" / "a.json")
        assert lissom.verify(swing, tmp_path / "arrays").form == "vertices"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize(
    "end", [".json", ".npz", ".lissom", ".safetensors", "-remap_info.json", "_poses.res"]
)
def test_a_pipe_is_refused(swing, tmp_path, end):
    os.mkfifo(tmp_path / f"up{end}")
    with pytest.raises(OSError, match="it is a pipe, not a file"):
        lissom.verify(swing, tmp_path / f"up{end}")
    if end in (".npz", ".lissom"):
        form = {".npz": "vertices", ".lissom": "unity"}[end]
        with pytest.raises(
            (OSError, ValueError), match=r"it is a pipe, not a file|must hold up\.lissom, got none"
        ):
            lissom.verify(swing, tmp_path, form=form)


def packed(path, swing, extra):
    """The arrays of the form "vertices", and others."""
    clips = {"up": {"first_frame": 0, "frame_count": 11, "rate": 10.0}}
    arrays = {"rest": MESH.positions, "triangles": MESH.triangles, "clips": np.array(json.dumps(clips))}
    arrays["offsets"] = swing.positions - MESH.positions
    np.savez_compressed(path, allow_pickle=False, **(arrays | extra))
    return path


def test_arrays_that_are_not_used_are_not_read(swing, tmp_path):
    """Of any size, and of any kind: here Python objects, which are never read."""
    path = packed(tmp_path / "up.npz", swing, {})
    with zipfile.ZipFile(path, "a") as archive, archive.open("more.npy", "w") as file:
        np.lib.format.write_array(file, np.array([None]), allow_pickle=True)
    assert lissom.verify(swing, path).faults == ()


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (
            {"rest": np.float32([[0, 0, 0], [1, np.nan, 0], [0, 1, 0]])},
            r"finite numbers, .* in rest at \[1, 1\]",
        ),
        ({"offsets": np.full((11, 3, 3), np.inf)}, r"finite numbers, got another in offsets at \[0, 0, 0\]"),
        ({"offsets": np.zeros((9, 3, 3))}, "hold the 11 frames that clip 'up' reaches, got 9"),
        ({"method": np.array("lbs")}, "one of the methods linear, dual_quat, got 'lbs'"),
    ],
)
def test_arrays_of_other_numbers_are_told_with_their_file(swing, tmp_path, extra, words):
    path = packed(tmp_path / "up.npz", swing, extra)
    with pytest.raises(ValueError, match=rf"up\.npz: must .*{words}"):
        lissom.verify(swing, path)


def test_arrays_that_are_packed_too_much_are_refused_before_they_are_made(swing, tmp_path):
    zeros = np.zeros((5_000, 1_000, 3), np.float32)
    path = packed(tmp_path / "up.npz", swing, {"offsets": zeros})
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match=r"offsets needs \d+ MiB decoded, at most \d+ MiB are allowed"):
        lissom.verify(swing, path)
    path = packed(tmp_path / "up.npz", swing, {"clips": np.array("[" + "[]," * 200_000 + "[]]")})
    with pytest.raises(ValueError, match=r"clips needs \d+ MiB decoded"):
        lissom.verify(swing, path)


def test_a_file_that_was_written_just_now_may_be_packed_well(tmp_path):
    """A mesh that stands still: its zeros take a thousandth of their size."""
    many = np.repeat(MESH.positions, 4_000, axis=0)
    still = lissom.VertexAnimation(
        lissom.Mesh(many, [[0, 1, 2]]),
        np.broadcast_to(many, (380, *many.shape)),
        {"up": lissom.VertexClip(0, 380)},
    )
    report = still.export("vertices", tmp_path / "still", file="npz")
    assert sum(report.files.values()) < 1_000_000
    assert report.error.max == 0


def changed_glb(path, change):
    """Change the JSON of a GLB."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    document, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    change(document, document["meshes"][0]["primitives"][0])
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<II", 2, 20 + len(text) + len(rest)) + struct.pack("<I", len(text))
    path.write_bytes(b"glTF" + head + b"JSON" + text + rest)


def no_mesh(document, primitive):
    document["nodes"][0]["mesh"] = 5


def no_positions(document, primitive):
    primitive["attributes"]["POSITION"] = 99


def no_indices(document, primitive):
    primitive["indices"] = 99


def fewer_coordinates(document, primitive):
    document["accessors"][primitive["attributes"]["TEXCOORD_1"]]["count"] -= 1


def cut_triangles(document, primitive):
    document["accessors"][primitive["indices"]]["count"] -= 1


def flat_positions(document, primitive):
    primitive["attributes"]["POSITION"] = primitive["attributes"]["TEXCOORD_1"]


def lines(document, primitive):
    primitive["mode"] = 1


def far(document, primitive):
    """A chain of nodes, each of which is as large as numbers may be."""
    chain = [{"scale": [1e9] * 3, "children": [number + 1]} for number in range(40)]
    document["nodes"] = [*chain, document["nodes"][0]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (no_mesh, "/nodes/0/mesh: the index must be below 1, the number of meshes in the file, got 5"),
        (no_positions, r"/attributes/POSITION: the index must be below \d, the number of accessors"),
        (no_indices, r"/indices: the index must be below \d, the number of accessors in the file, got 99"),
        (fewer_coordinates, "TEXCOORD_1 must have 3 elements, as POSITION has, got 2"),
        (cut_triangles, "indices must be SCALAR of .*, three of each triangle, got 2 of SCALAR"),
        (flat_positions, "/attributes/POSITION: must be VEC3, got VEC2 of float"),
        (lines, "/mode: the mesh must be triangles, mode 4, got 1"),
        (far, "/nodes/40: its vertices must be at finite places, got others"),
    ],
)
def test_a_mesh_that_is_damaged_is_refused_in_a_sentence(swing, vat, change, words):
    (model,) = vat.parent.glob("*.glb")
    changed_glb(model, change)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lissom.GltfError, match=rf"{model.name}: .*{words}"):
            lissom.verify(swing, vat.parent)


def test_a_mesh_without_second_coordinates_is_told_by_the_judge(swing, vat):
    (model,) = vat.parent.glob("*.glb")
    changed_glb(model, lambda document, primitive: primitive["attributes"].pop("TEXCOORD_1"))
    with pytest.raises(ValueError, match=r"^verify: .*must have a second set of texture coordinates, VAT_UV"):
        lissom.verify(swing, vat.parent)


def test_a_mesh_under_many_nodes_is_charged(swing, vat):
    (model,) = vat.parent.glob("*.glb")

    def many(document, primitive):
        document["accessors"][primitive["attributes"]["POSITION"]].pop("bufferView")
        for accessor in document["accessors"]:
            accessor["count"] = 1 << 16
            accessor.pop("bufferView", None)
        document["nodes"] = [{"mesh": 0} for _ in range(500)]
        document["scenes"] = [{"nodes": list(range(500))}]
        del primitive["indices"]

    changed_glb(model, many)
    with pytest.raises(lissom.GltfError, match="it uses the same data too many times"):
        lissom.verify(swing, vat.parent)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"Frames": True}, "must have a whole number of frames, from 1, got"),
        ({"Min": ["0", "0", "0"]}, "must be a table of OpenVAT"),
        ({"Min": [-3e38] * 3, "Max": [3e38] * 3}, r"must have finite ranges, from -4e\+09 to 4e\+09, got"),
    ],
)
def test_tables_of_other_numbers_are_refused(swing, vat, values, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words):
            lissom.verify(swing, retold(vat, "os-remap", **values))
