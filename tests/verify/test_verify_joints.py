# SPDX-License-Identifier: MIT
"""The judge of bakes of joints in the files of engines: planted faults, and files read themselves."""

import itertools
import json
import shutil
import struct

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom._export import unity_file
from lissom._export.unity_bake import BLOCKS
from lissom._formats import godot_resource
from lissom._verify.other_side import other_sides
from verify import planted_joints
from verify.planted_joints import JointBake

KINDS = {
    "row_off_by_one": "row_off_by_one",
    "flipped_v": "flipped_v",
    "column_off_by_one": "column_off_by_one",
    "frame_count": "frame_count",
    "missing_last_frame": "missing_last_frame",
    "gamma": "gamma",
    "clamped_range": "clamped_range",
    "axes": "axes",
    "handedness": "handedness",
    "wrong_bind": "wrong_bind",
    "no_inverse_bind": "wrong_bind",
    "lost_joint": "lost_joint",
    "transposed": "transposed",
    "quaternion_order": "quaternion_order",
    "units": "units",
    "whole_units": "units",
    "mirrored_skin": "mirrored_skin",
    "joint_order": "joint_order",
    "offset": "offset",
    "wrong_clip": "wrong_clip",
}
"""Of each function of `planted_joints` what the judge calls it."""


@pytest.fixture(scope="module")
def subjects():
    fox = lissom.load(asset("characters/khronos/Fox.glb"))
    return {
        "godot": JointBake(fox, ["Run", "Walk"]),
        "unity": JointBake(lissom.samples.humanoid(), ["run", "walk"]),
    }


@pytest.mark.parametrize(
    ("kind", "form"), list(zip(KINDS, itertools.cycle(["godot", "unity"]), strict=False))
)
def test_a_planted_fault_is_named(subjects, kind, form, tmp_path):
    subject = subjects[form]
    planted = getattr(planted_joints, kind)(subject)
    planted.export(form, tmp_path / "out")
    report = lissom.verify(subject.character, tmp_path / "out")
    assert {fault.name for fault in report.faults} == {KINDS[kind]}, report


@pytest.mark.parametrize("kind", ["flipped_v", "transposed", "joint_order"])
@pytest.mark.parametrize("form", ["bake", "babylon"])
def test_other_forms_of_joints(subjects, kind, form, tmp_path):
    subject = subjects["unity"]
    planted = getattr(planted_joints, kind)(subject)
    path = tmp_path / "out" if form != "bake" else planted.save(tmp_path / "out.safetensors")
    if form != "bake":
        planted.export(form, path)
    report = lissom.verify(subject.character, path)
    assert {fault.name for fault in report.faults} == {KINDS[kind]}, report


@pytest.mark.parametrize("kind", ["transposed", "units", "mirrored_skin"])
def test_joints_that_were_wrong_when_vertices_were_skinned(subjects, kind, tmp_path):
    subject = subjects["unity"]
    getattr(planted_joints, kind)(subject).export("vertices", tmp_path / "out")
    report = lissom.verify(subject.character, tmp_path / "out")
    assert {fault.name for fault in report.faults} == {KINDS[kind]}, report


def test_an_offset_is_told_in_metres(subjects, tmp_path):
    planted_joints.offset(subjects["unity"]).export("unity", tmp_path / "out")
    fault = lissom.verify(subjects["unity"].character, tmp_path / "out").faults[0]
    assert fault.sentence.startswith(
        "it stands 2 m along +x of where the source does, at all frames; take off (2, 0, 0)"
    )


def test_a_matrix_layout_that_is_stored_by_columns(tmp_path):
    hero = lissom.samples.humanoid()
    subject = JointBake(hero, ["run"], layout="matrix")

    def by_columns(texels):
        rows = texels.reshape(*texels.shape[:2], 3, 4)
        return np.swapaxes(rows, -1, -2).reshape(texels.shape)

    subject.of_texels(by_columns).export("godot", tmp_path / "out")
    (fault,) = lissom.verify(hero, tmp_path / "out").faults
    assert fault.name == "transposed"
    assert "column by column" in fault.sentence


def test_the_other_side_of_a_body():
    names = [
        "Hips",
        "LeftArm",
        "RightArm",
        "leg.l",
        "leg.r",
        "b_LeftFoot_01",
        "b_RightFoot_17",
        "Hand.L",
        "l_r",
    ]
    assert other_sides(names).tolist() == [0, 2, 1, 4, 3, 6, 5, 7, 8]


# --- files are read themselves


@pytest.fixture
def godot(bar, tmp_path):
    lissom.bake(bar, rate=30).export("godot", tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def unity(bar, tmp_path):
    lissom.bake(bar, rate=30).export("unity", tmp_path / "out")
    return tmp_path / "out" / "out.lissom"


def edit_resource(path, change):
    found = list(godot_resource.decode(path.read_bytes()))
    change(found)
    path.write_bytes(godot_resource.encode(found))


def edit_unity(path, change):
    header, blocks = unity_file.decode(path.read_bytes(), (*BLOCKS, "normals", "uvs", "colors"))
    blocks = {name: bytearray(block) for name, block in blocks.items()}
    change(header, blocks)
    path.write_bytes(unity_file.encode(header, {name: bytes(block) for name, block in blocks.items()}, []))


def test_godots_own_files_are_judged(bar, godot):
    assert lissom.verify(bar, godot).faults == ()
    assert lissom.verify(bar, godot / "out.tscn").form == "godot"
    (godot / "lissom-export.json").unlink()
    assert lissom.verify(bar, godot).form == "godot"

    def shorter(found):
        data = found[0].properties["data"]
        table = np.frombuffer(data["data"], "<f4").copy().reshape(-1, 4)
        table[:, 1] -= 3
        data["data"] = table.tobytes()

    edit_resource(godot / "out_clips.res", shorter)
    assert {fault.name for fault in lissom.verify(bar, godot).faults} == {"frame_count"}


def test_godots_texels_are_judged(bar, godot):
    def rolled(found):
        data = found[0].properties["data"]
        texels = np.frombuffer(data["data"], "<f2").copy().reshape(-1, 4)
        texels[: 242 * 4] = np.roll(texels[: 242 * 4], 4, axis=0)  # two rows of two texels
        data["data"] = texels.tobytes()

    edit_resource(godot / "out_poses.res", rolled)
    assert {fault.name for fault in lissom.verify(bar, godot).faults} == {"row_off_by_one"}


def test_unitys_own_file_is_judged(bar, unity):
    assert lissom.verify(bar, unity).faults == ()
    assert lissom.verify(bar, unity.parent).form == "unity"

    def slower(header, blocks):
        for clip in header["clips"]:
            clip["duration"] *= 30 / 24

    edit_unity(unity, slower)
    faults = lissom.verify(bar, unity).faults
    assert {fault.name for fault in faults} == {"frame_count"}
    assert "121 frames are played at 24 a second, and are those of 30" in faults[0].sentence


def test_a_shader_that_mixes_frames_is_not_judged_as_another(bar, godot):
    with pytest.raises(
        ValueError, match="playback of form 'godot' must be 'interpolate', which its shader does"
    ):
        lissom.verify(bar, godot, playback="snap")


def nan_texel(found):
    data = found[0].properties["data"]
    texels = np.frombuffer(data["data"], "<f2").copy()
    texels[16 * 3 + 1] = np.nan
    data["data"] = texels.tobytes()


def one_clip_less(found):
    data = found[0].properties["data"]
    data["data"], data["width"] = data["data"][:16], 1


def early_first(found):
    data = found[0].properties["data"]
    table = np.frombuffer(data["data"], "<f4").copy()
    table[0] = -2
    data["data"] = table.tobytes()


def far_first(found):
    data = found[0].properties["data"]
    table = np.frombuffer(data["data"], "<f4").copy()
    table[0] = 5000
    data["data"] = table.tobytes()


def other_format(found):
    found[0].properties["data"]["format"] = "RGB8"


def other_surfaces(found):
    found[0].properties["_surfaces"] = [{}]


def no_surface(found):
    found[0].properties["_surfaces"] = []


def huge_texel(found):
    data = found[0].properties["data"]
    data.update(format="RGBAFloat", data=np.full(2048 * 4, 3e37, "<f4").tobytes())


def no_rotation(found):
    data = found[0].properties["data"]
    data["data"] = bytes(16) + data["data"][16:]


BROKEN = [
    ("poses.res", nan_texel, "must hold finite numbers, got another in clip 'twist' at frame 3, row 0"),
    (
        "poses.res",
        no_rotation,
        "must hold quaternions that are not zero, .* in clip 'twist' at frame 0, row 0",
    ),
    ("poses.res", other_format, "must hold a picture of RGBAHalf or RGBAFloat, got another"),
    ("clips.res", one_clip_less, "must hold each clip of its scene, 2, got 1"),
    ("clips.res", early_first, "clip 'twist' must have a first frame, intervals and seconds, from 0, got -2"),
    ("clips.res", far_first, r"must hold the 5121 frames of 2 rows that clip 'twist' reaches, got \d+"),
    ("mesh.res", other_surfaces, "must hold an ArrayMesh as the shader takes it"),
    ("mesh.res", no_surface, "must hold an ArrayMesh as the shader takes it"),
]


@pytest.mark.parametrize(("file", "change", "words"), BROKEN)
def test_broken_folders_of_godot_are_refused(bar, godot, file, change, words):
    edit_resource(godot / f"out_{file}", change)
    with pytest.raises(ValueError, match=f"^verify: .*{words}"):
        lissom.verify(bar, godot)


def test_folders_of_godot_that_are_not_whole(bar, godot, tmp_path):
    for file, words in {
        "out_crowd.tscn": "must hold the clips of the crowd",
        "out_pose.gdshaderinc": "must define ROWS, from 1",
        "out_mesh.res": "must be a resource of Godot",
    }.items():
        shutil.copytree(godot, tmp_path / "copy", dirs_exist_ok=True)
        (tmp_path / "copy" / file).write_text("nothing")
        with pytest.raises(ValueError, match=words):
            lissom.verify(bar, tmp_path / "copy")
        (tmp_path / "copy" / file).unlink()
        with pytest.raises(
            ValueError, match=rf"^verify: \S+ must hold {file}, got none; export the folder whole$"
        ):
            lissom.verify(bar, tmp_path / "copy")
        shutil.rmtree(tmp_path / "copy")


def test_hostile_resources_take_no_memory_and_no_stack():
    deep = struct.pack("<II", godot_resource.ARRAY, 1) * 100_000
    head = godot_resource.encode([godot_resource.Resource("A", {"b": None})])
    with pytest.raises(ValueError, match="at most 64 levels deep"):
        godot_resource.decode(head[:-8] + deep + b"RSRC")
    # Thousands of resources that are one and the same of a megabyte.
    one = godot_resource.encode([godot_resource.Resource("A", {"b": bytes(1 << 20)})])
    paths = one.index(b"local://0") - 4
    entry = one[paths : paths + 4 + 10 + 8]
    count, at = struct.pack("<I", 3000), one[paths + 14 : paths + 22]
    offset = struct.unpack("<Q", at)[0] + 2999 * len(entry)
    many = one[: paths - 4] + count + 3000 * (entry[:14] + struct.pack("<Q", offset)) + one[paths + 22 :]
    with pytest.raises(ValueError, match=r"needs \d+ MiB decoded, at most \d+ MiB are allowed"):
        godot_resource.decode(many)


def test_broken_files_of_unity_are_refused(bar, unity):
    sound = unity.read_bytes()

    def header(**fields):
        return lambda found, blocks: found.update(fields)

    def first_clip(**fields):
        return lambda found, blocks: found["clips"][0].update(fields)

    def nan(found, blocks):
        blocks["poses"][16:18] = np.float16(np.nan).tobytes()

    def other_rows(found, blocks):
        blocks["influenceRows"][0:4] = np.float32(7).tobytes()

    for change, words in {
        header(version=2): "version is 2, not 1",
        header(rows=0): "rows are 0",
        header(kind=9): "kind is 9",
        header(texels="x"): "texels is 'x'",
        header(clips=[]): "it has no clip",
        lambda found, blocks: found.pop("half"): "got another: 'half'",
        lambda found, blocks: blocks.update(poses=blocks["poses"][:-1]): "got another: buffer size must be",
        header(vertices=3): "got another: cannot reshape",
        first_clip(first=-1): "clip 'twist' must have a first frame",
        first_clip(duration=float("nan")): "clip 'twist' must have a first frame",
        first_clip(first=10_000): r"must hold the 10121 frames of 2 rows that clip 'twist' reaches, got \d+",
        nan: "must hold finite numbers, got another in clip 'twist' at frame 0, row 1",
        other_rows: "must have rows for the influences of its mesh, 8, got 2",
    }.items():
        unity.write_bytes(sound)
        edit_unity(unity, change)
        with pytest.raises(ValueError, match=f"^verify: .*{words}"):
            lissom.verify(bar, unity)
    text = json.dumps({name: {"offset": 0, "bytes": 1 << 40} for name in BLOCKS}).encode()
    for data, words in {
        b"": "it begins with b''",
        sound[:8] + b"\xff\xff\xff\x7f" + sound[12:]: "its header has 2147483647 bytes",
        sound[
            : len(sound) // 2
        ]: r"poses are \d+ bytes from 0 on|positions are|influenceRows are|triangles are",
        b"lissom-u" + struct.pack("<I", 4) + b"[[[[": "its header does not say where",
        b"lissom-u" + struct.pack("<I", len(text)) + text: "poses are 1099511627776 bytes from 0 on, of 0",
    }.items():
        unity.write_bytes(data)
        with pytest.raises(
            ValueError, match=f'^verify: .*must be a file of the form "unity", got another: {words}'
        ):
            lissom.verify(bar, unity)
