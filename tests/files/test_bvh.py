# SPDX-License-Identifier: MIT
"""Loading BVH: hierarchy, channels and frames, against a twin that walks the words."""

import importlib
import io
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import lissom
from bvh_files import GOOD, random_bvh
from lissom import quat
from lissom.errors import BvhError
from reference import bvh

FILES = ["01_01", "dab", "jumping", "jumping_jacks", "zombie"]
FLOAT32 = 6e-8  # what is rounded once; in float64 clips that is the rest pose alone
CHAIN_ROUNDING = 5e-7  # of the size, offsets of a whole chain rounded to float32


def load(text: str | bytes, **options: object) -> lissom.Character:
    """Load in float64, where nothing is rounded, unless told otherwise."""
    options = {"dtype": np.float64} | options
    return lissom.load_bvh(text.encode() if isinstance(text, str) else text, **options)


def clip_of(text: str, **options: object) -> lissom.Clip:
    return load(text, **options).clips["character"]


def refusal(text: str | bytes, **options: object) -> BvhError:
    with pytest.raises(BvhError) as caught:
        load(text, **options)
    return caught.value


def assert_equals_twin(character: lissom.Character, text: str, frames: np.ndarray | None = None) -> None:
    nodes, frame_time, numbers = bvh.read(text)
    (clip,) = character.clips.values()
    assert character.skeleton.names == tuple(node.name for node in nodes)
    assert character.skeleton.parents.tolist() == [node.parent for node in nodes]
    assert clip.start == 0
    assert clip.end == pytest.approx((len(numbers) - 1) * frame_time, rel=1e-14)
    chosen = np.arange(len(numbers)) if frames is None else frames
    model = character.skeleton.model_matrices(clip.sample(chosen * frame_time, loop=False))
    want = np.array([bvh.model_matrices(nodes, numbers[frame]) for frame in chosen])
    size = max(character.skeleton.size, np.abs(want[..., :3, 3]).max())
    np.testing.assert_allclose(model[..., :3, :3], want[..., :3, :3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(model[..., :3, 3], want[..., :3, 3], rtol=0, atol=CHAIN_ROUNDING * size)


@pytest.mark.parametrize("name", FILES)
def test_real_files_equal_the_twin(asset, name: str) -> None:
    path = asset(f"bvh/{name}.bvh")
    character = lissom.load_bvh(path, dtype=np.float64, up="y", units=1)  # the numbers as they are stored
    assert (character.name, list(character.clips), character.repairs) == (name, [name], ())
    count = len(character.clips[name].keys[: int(character.clips[name].tracks["key_count"].max())])
    chosen = np.unique(np.linspace(0, count - 1, 40).astype(int))
    assert_equals_twin(character, path.read_text(), chosen)


@pytest.mark.parametrize("name", FILES)
def test_real_files_hold_what_is_recorded_of_them(asset, name: str) -> None:
    records = {  # of ASSETS.md: joints, end sites, frames, seconds between frames
        "01_01": (31, 7, 2752, 0.0083333),
        "dab": (27, 7, 339, 0.0333333),
        "jumping": (27, 7, 654, 0.008342),
        "jumping_jacks": (31, 7, 125, 0.03333),
        "zombie": (27, 7, 779, 0.0333333),
    }
    joints, ends, frames, frame_time = records[name]
    character = lissom.load_bvh(asset(f"bvh/{name}.bvh"))
    (clip,) = character.clips.values()
    assert clip.keys.dtype == np.float32
    assert clip.duration == pytest.approx((frames - 1) * frame_time, rel=FLOAT32)
    assert clip.key_rate == pytest.approx(1 / frame_time, rel=FLOAT32)
    character = lissom.load_bvh(asset(f"bvh/{name}.bvh"), dtype=np.float64)
    (clip,) = character.clips.values()
    assert len(character.skeleton) == joints + ends
    assert sum(joint.endswith("_end") for joint in character.skeleton.names) == ends
    assert clip.duration == pytest.approx((frames - 1) * frame_time, rel=1e-14)
    assert clip.key_rate == pytest.approx(1 / frame_time, rel=1e-12)
    assert clip.keys.dtype == np.float64


@pytest.mark.parametrize("seed", range(12))
def test_channels_in_any_order_and_subset(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = random_bvh(rng, joint_count=12, frame_count=7)
    assert_equals_twin(load(text), text)


def test_hierarchy() -> None:
    skeleton = load(GOOD).skeleton
    assert skeleton.names == ("Hips", "Leg", "Leg_end")
    assert skeleton.parents.tolist() == [-1, 0, 1]
    assert skeleton.source_nodes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(skeleton.rest[:, :3], np.float32([[1, 2, 3], [0, -4, 0.5], [0, -3, 0]]))
    np.testing.assert_array_equal(skeleton.rest[:, 3:], np.float32([[0, 0, 0, 1, 1, 1, 1]] * 3))


def test_positions_replace_the_offset_and_rotations_turn_in_order() -> None:
    pose = clip_of(GOOD).sample(0.25)
    np.testing.assert_array_equal(pose[0, :3], [1, 5, -2])
    np.testing.assert_allclose(
        pose[1, 3:7], quat.from_euler("YXZ", [10, 20, 30], degrees=True), rtol=0, atol=1e-15
    )


def test_a_position_channel_leaves_the_other_axes_at_the_offset() -> None:
    text = GOOD.replace("CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 4 Yposition")
    text = text.replace("\n0 0 0 0", "\n0 0").replace("\n1 5 -2", "\n5").replace("\n2 6 -3", "\n6")
    np.testing.assert_array_equal(clip_of(text).sample(0.25)[0, :3], [1, 5, 3])


def test_signs_are_aligned_along_time() -> None:
    turning = GOOD.split("Frames")[0] + "Frames: 40\nFrame Time: 0.1\n"
    turning += "".join(f"0 0 0 {(30 * i + 180) % 360 - 180} 0 0 0 0 0\n" for i in range(40))
    clip = clip_of(turning)
    (track,) = (t for t in clip.tracks if t["joint"] == 0 and t["path"] == 1)
    keys = clip.keys[track["values"] : track["values"] + 160].reshape(40, 4)
    assert (np.sum(keys[1:] * keys[:-1], axis=1) > 0.9).all()
    assert keys[:, 3].min() < -0.9  # it went round: without the signs it would not be negative


def test_what_does_not_change_is_one_key() -> None:
    moving = clip_of(GOOD)
    assert sorted(moving.tracks["key_count"].tolist()) == [3, 3, 3]
    lines = GOOD.splitlines()
    still = "\n".join([*lines[:-3], *([lines[-1]] * 3)])
    clip = clip_of(still)
    assert sorted(clip.tracks["key_count"].tolist()) == [1, 1, 3]  # one keeps the times
    assert clip.duration == 0.5
    np.testing.assert_array_equal(clip.sample(0.1), clip.sample(0.5))
    np.testing.assert_allclose(clip.sample(0.1), moving.sample(0.5, loop=False), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("units", "metres"), [(0.5, 0.5), ("cm", 0.01), ("m", 1), ("inch", 0.0254), ("cmu", 0.0254 / 0.45)]
)
def test_units_scale_offsets_and_positions(units: float | str, metres: float) -> None:
    plain, scaled = load(GOOD), load(GOOD, units=units)
    np.testing.assert_allclose(
        scaled.skeleton.rest[:, :3], metres * plain.skeleton.rest[:, :3], rtol=1e-7, atol=0
    )
    got, want = (c.clips["character"].sample([0, 0.3, 0.5], loop=False) for c in (scaled, plain))
    np.testing.assert_allclose(got[:, 0, :3], metres * want[:, 0, :3], rtol=1e-14, atol=0)
    np.testing.assert_array_equal(got[..., 3:], want[..., 3:])


def test_a_cmu_performer_is_as_tall_as_a_person(asset) -> None:
    character = lissom.load_bvh(asset("bvh/01_01.bvh"), units="cmu")
    heights = character.skeleton.positions(character.skeleton.rest)[:, 1]
    # From the joints of the feet to the end of the head's bone, which lies at the eyes.
    assert 1.4 < heights.max() - heights.min() < 1.7


@pytest.mark.parametrize("name", FILES)
def test_float32_is_float64_rounded(asset, name: str) -> None:
    """Key for key to the last bit; poses between keys to 1e-6 of the size, and what the times are rounded."""
    single, double = (
        lissom.load_bvh(asset(f"bvh/{name}.bvh"), dtype=dtype).clips[name] for dtype in (None, np.float64)
    )
    np.testing.assert_array_equal(single.tracks, double.tracks)
    np.testing.assert_array_equal(single.keys, double.keys.astype(np.float32))
    skeleton = double.skeleton
    count = int(single.tracks["key_count"].max())
    frames = np.arange(0, count - 1, 7) + 0.3
    stored = np.interp(frames, np.arange(count), single.keys[:count].astype(np.float64))
    times = np.interp(frames, np.arange(count), double.keys[:count])
    want = skeleton.positions(double.sample(times))
    size = max(skeleton.size, np.abs(want).max())
    got = skeleton.positions(single.sample(stored).astype(np.float64))
    assert np.abs(got - want).max() <= 1e-6 * size
    # The same at the file's own times: half an ulp of float32 later or earlier.
    speed = np.linalg.norm(np.diff(skeleton.positions(double.sample(double.keys[:count])), axis=0), axis=-1)
    late = np.spacing(np.float32(double.end)) / 2
    got = skeleton.positions(single.sample(times).astype(np.float64))
    slack = 1e-6 * size + float(late) * speed.max() * count / double.duration
    assert np.linalg.norm(got - want, axis=-1).max() <= slack


def recording(minutes: float, frame_time: str, dtype: str | None = None) -> lissom.Clip:
    count = 2 * int(minutes * 30 / float(frame_time))
    head = GOOD[: GOOD.index("Frames")]
    rows = "0 1 2 3 4 5 6 7 8\n8 7 6 5 4 3 2 1 0\n" * (count // 2)
    return clip_of(f"{head}Frames: {count}\nFrame Time: {frame_time}\n{rows}", dtype=dtype)


@pytest.mark.parametrize("frame_time", ["0.008333333", "0.0083333", "0.008342"])
def test_ten_minutes_at_120_hertz_are_regular_in_float32(frame_time: str) -> None:
    clip = recording(10, frame_time)
    assert clip.keys.dtype == np.float32
    assert clip.key_rate == pytest.approx(1 / float(frame_time), rel=1e-7)


def test_recordings_too_long_for_float32_stay_float64() -> None:
    clip = recording(35, "0.008333333")
    assert clip.keys.dtype == np.float64
    assert clip.key_rate == pytest.approx(120, rel=1e-6)
    assert recording(50, "0.008333333", "float32").key_rate is None  # why


def test_line_ends_tabs_case_and_byte_order_marks_change_nothing() -> None:
    want = clip_of(GOOD).sample([0.1, 0.4])
    texts = [
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.replace(" ", "\t"),
        GOOD.replace(" ", "   ").replace("\n", " \n\n"),
        GOOD.replace("Hips", "@").lower().replace("@", "Hips").replace("leg", "Leg"),
        GOOD.replace("Hips", "@").upper().replace("@", "Hips").replace("LEG", "Leg"),
        GOOD.replace("\n{", " {"),
        GOOD.rstrip("\n"),
        "\ufeff" + GOOD,
        GOOD.replace(" 90 0 0", "\n90 0\n0"),  # a frame over several lines
    ]
    for text in texts:
        character = load(text)
        assert (character.repairs, character.skeleton.names) == ((), ("Hips", "Leg", "Leg_end"))
        np.testing.assert_array_equal(character.clips["character"].sample([0.1, 0.4]), want)


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text(GOOD)
    with open(path, "rb") as file:
        named = lissom.load_bvh(file)
    assert [c.name for c in (lissom.load_bvh(path), lissom.load_bvh(str(path)), named)] == ["walk"] * 3
    assert lissom.load_bvh(path, name="other").clips["other"].name == "other"
    assert lissom.load_bvh(io.BytesIO(GOOD.encode())).name == "character"
    assert lissom.load_bvh(bytearray(GOOD.encode())).clips["character"].end == 0.5
    with pytest.raises(TypeError, match="load_bvh: source must be opened in binary mode"):
        lissom.load_bvh(io.StringIO(GOOD))
    with pytest.raises(TypeError, match="load_bvh: source must be a path, bytes or an open binary file, got"):
        lissom.load_bvh(3)
    with pytest.raises(FileNotFoundError):
        lissom.load_bvh(tmp_path / "none.bvh")


def test_load_takes_bvh_by_name_and_by_content(tmp_path: Path) -> None:
    path = tmp_path / "walk.BVH"
    path.write_text("not a BVH")
    with pytest.raises(BvhError, match="must begin with HIERARCHY, got 'not'"):
        lissom.load(path)
    path.write_bytes(lissom.save_glb(lissom.samples.two_bone_tube()))
    with pytest.raises(BvhError, match=r"HIERARCHY, got a GLB, which lissom.load reads if its name does not"):
        lissom.load_bvh(path)
    character = lissom.load(b"\xef\xbb\xbf \n" + GOOD.encode())
    assert character.clips["character"].end == 0.5
    with pytest.raises(BvhError, match="Frames says 4"):
        lissom.load(GOOD.replace("Frames: 3", "Frames: 4").encode(), strict=True)


# What is mended, each with its record.


def test_frames_that_are_there_count() -> None:
    for declared in (2, 4, 10**17):
        character = load(GOOD.replace("Frames: 3", f"Frames: {declared}"))
        assert character.clips["character"].end == 0.5
        (repair,) = character.repairs
        assert (repair.code, repair.pointer) == ("BVH_FRAME_COUNT", "line 17")
        assert f"says {declared}, but the file holds 3" in repair.message


def test_a_frame_cut_off_is_left_out() -> None:
    character = load(GOOD[:-8])
    assert character.clips["character"].end == 0.25
    assert [r.code for r in character.repairs] == ["BVH_FRAME_CUT_OFF", "BVH_FRAME_COUNT"]
    assert "7 of 9 numbers" in character.repairs[0].message
    # Cut within the last number of a frame: whole by count, but not to be trusted.
    cut = GOOD[: GOOD.index("30\n2 6") + 1]
    character = load(cut)
    assert character.clips["character"].end == 0
    assert [r.code for r in character.repairs] == ["BVH_FRAME_CUT_OFF", "BVH_FRAME_COUNT"]
    assert refusal(cut, strict=True).line == 20


def test_repeated_and_missing_names_are_made_unique() -> None:
    two = GOOD.replace("MOTION", GOOD[GOOD.index("ROOT") : GOOD.index("MOTION")] + "MOTION")
    numbers = two[two.index("0 0 0") :].splitlines()
    two = two[: two.index("0 0 0")] + "".join(f"{row} {row}\n" for row in numbers)
    character = load(two)
    assert character.skeleton.names == ("Hips", "Leg", "Leg_end", "Hips_2", "Leg_2", "Leg_2_end")
    assert [r.code for r in character.repairs] == ["BVH_NAME_REPEATED"] * 2
    assert refusal(two, strict=True).message.startswith("'Hips' is repeated")
    unnamed = load(GOOD.replace("JOINT Leg", "JOINT"))
    assert unnamed.skeleton.names == ("Hips", "joint", "joint_end")
    assert [r.code for r in unnamed.repairs] == ["BVH_NAME_EMPTY"]
    foreign = load(GOOD.encode().replace(b"JOINT Leg", b"JOINT F\xfc\xdf"))
    assert foreign.skeleton.names[1] == "Füß"
    assert [r.code for r in foreign.repairs] == ["BVH_NAME_ENCODING"]


def test_names_may_hold_spaces_and_any_script() -> None:
    assert load(GOOD.replace("JOINT Leg", "JOINT 左 Leg:1")).skeleton.names[1] == "左 Leg:1"


def test_several_end_sites_of_one_joint() -> None:
    end = "End Site\n{\nOFFSET 1 0 0\n}\n"
    assert load(GOOD.replace("\t\tEnd Site", end + "End Site")).skeleton.names[2:] == ("Leg_end", "Leg_end_2")


def test_without_frames_there_is_no_clip() -> None:
    text = GOOD.split("Frames")[0] + "Frames: 0\nFrame Time: 0.1\n"
    character = load(text)
    assert (len(character.skeleton), len(character.clips)) == (3, 0)
    assert [r.code for r in character.repairs] == ["BVH_NO_FRAMES"]


def test_one_frame_may_have_no_frame_time() -> None:
    text = GOOD[: GOOD.index("1 5 -2")].replace("Frames: 3", "Frames: 1").replace("0.25", "0")
    clip = clip_of(text)
    assert (clip.duration, clip.key_rate) == (0, None)


# What is refused, with its line.


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("HIERARCHY", "HIERARCHIE", 1, "must begin with HIERARCHY, got 'HIERARCHIE'"),
        ("ROOT Hips", "JOINT Hips", 2, "ROOT or MOTION must follow, got 'JOINT'"),
        ("ROOT Hips\n{", "ROOT Hips\n", 4, "an opening brace must follow 'Hips', got 'OFFSET'"),
        ("OFFSET 1 2 3", "OFFSET 1 2", 5, "OFFSET must be three numbers up to 1e30, got 'CHANNELS'"),
        ("OFFSET 1 2 3", "OFFSET 1 nan 3", 4, "three numbers up to 1e30, got 'nan'"),
        ("OFFSET 1 2 3", "OFFSET 1 1e31 3", 4, "three numbers up to 1e30, got '1e31'"),
        ("OFFSET 1 2 3", "OFFSET 1,0 2 3", 4, "three numbers up to 1e30, got '1,0'"),
        ("OFFSET 1 2 3", "OFFSET 1 2 3\nOFFSET 1 2 3", 5, "'Hips' has a second OFFSET"),
        ("OFFSET 1 2 3", "", 15, "'Hips' must have an OFFSET"),
        ("CHANNELS 6", "CHANNELS 7", 5, "must count 0 to 6, got '7'"),
        ("CHANNELS 6", "CHANNELS six", 5, "must count 0 to 6, got 'six'"),
        ("CHANNELS 6", "CHANNELS 5", 5, "must follow, got 'Yrotation'"),
        ("CHANNELS 3", "CHANNELS 4", 10, "must name 4 channels, each X, Y or Z with position or rotation"),
        ("Xposition", "Xscale", 5, "must name 6 channels, each X, Y or Z with position or rotation, got"),
        ("Xposition", "Yposition", 5, "'Hips' has Yposition twice"),
        ("Xrotation", "Zrotation", 5, "none of them twice in a row, got Zrotation, Zrotation, Yrotation"),
        ("Zposition", "Yrotation", 5, "must have up to three rotation channels"),
        ("CHANNELS 3 Y", "CHANNELS 0\nCHANNELS 3 Y", 10, "'Leg' has second CHANNELS"),
        ("OFFSET 0 -3 0", "OFFSET 0 -3 0 JOINT a", 12, "an End Site must have no children, got 'JOINT'"),
        ("MOTION", "}\nMOTION", 16, "ROOT or MOTION must follow, got '}'"),
        ("}\nMOTION", "MOTION", 15, "JOINT, End Site or a brace must follow, got 'MOTION'"),
        ("Frames: 3", "", 18, "'Frames: <count>' must follow MOTION, got 'Frame'"),
        ("Frames: 3", "Frames: -3", 17, "Frames must be a whole number, got '-3'"),
        ("Frames: 3", "Frames: " + "9" * 99, 17, "Frames must be a whole number, got '9999"),
        ("Frame Time: 0.25", "", 19, "'Frame Time: <seconds>' must follow Frames, got '0'"),
        ("0.25", "0", 18, "Frame Time must be seconds between 1e-6 and 86400, got '0'"),
        ("0.25", "-1", 18, "Frame Time must be seconds between"),
        ("0.25", "inf", 18, "Frame Time must be seconds between"),
        ("-2 90", "-2 nan", 20, "frames hold finite decimal numbers, got 'nan'"),
        ("-2 90", "-2 1e999", 20, "got '1e999'"),
        ("-2 90", "-2 90,5", 20, "got '90,5'; write a point before decimals"),
        ("-2 90", "-2", 21, "the one that begins in line 20 ends within this line"),
        ("-2 90", "-2 90 1", 20, "9 numbers, as many as there are channels, but this line goes on with '30'"),
        ("-2 90", "-2 \0", 20, "got '?'"),
    ],
)  # fmt: skip
def test_refusals(old: str, new: str, line: int, says: str) -> None:
    assert old in GOOD
    error = refusal(GOOD.replace(old, new, 1))
    assert says in error.message
    assert error.line == line
    assert str(error) == f"line {line}: {error.message}"


def test_every_beginning_of_a_file_is_refused_or_mended() -> None:
    frames = GOOD.index("1 5 -2")
    for end in range(len(GOOD)):
        if end < frames:
            # Before the end of the first frame's line nothing can be used.
            refusal(GOOD[:end])
        else:
            # Nothing tells that digits of the very last number are missing, or the last line end.
            assert bool(load(GOOD[:end]).repairs) == (end < len(GOOD) - 2)


@pytest.mark.parametrize(
    "data",
    [b"", b" \n\t", b"\x00" * 100, b"glTF\x02\x00\x00\x00", bytes(range(256)), b"HIERARCHY",
     b"HIERARCHY MOTION", "\ufeffHIERARCHY".encode("utf-16"), b"{}", b"\xff" * 9],
)  # fmt: skip
def test_junk_is_refused(data: bytes) -> None:
    assert len(str(refusal(data))) < 200


def test_random_damage_gives_bvh_errors_and_nothing_else() -> None:
    rng = np.random.default_rng(3)
    good = GOOD.encode()
    words = [
        b"{",
        b"}",
        b"JOINT a",
        b"End Site",
        b"OFFSET",
        b"CHANNELS 3",
        b"MOTION",
        b"nan",
        b"1e400",
        b"\xff",
        b"\0",
    ]
    outcomes = {"refused": 0, "loaded": 0}
    for _ in range(3000):
        data = bytearray(good)
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(data)))
            kind = rng.integers(3)
            if kind == 0:
                data[at] = rng.integers(256)
            elif kind == 1:
                del data[at : at + int(rng.integers(1, 30))]
            else:
                data[at:at] = words[rng.integers(len(words))]
        try:
            character = lissom.load_bvh(bytes(data))
            for clip in character.clips.values():
                assert np.isfinite(clip.sample([0.0, 0.1])).all()
            outcomes["loaded"] += 1
        except BvhError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 50


def test_depth_is_no_danger() -> None:
    depth = 20000
    text = "HIERARCHY\n" + "".join(
        f"{'JOINT' if i else 'ROOT'} j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for i in range(depth)
    )
    text += "}\n" * depth + "MOTION\nFrames: 1\nFrame Time: 1\n"
    assert len(load(text).skeleton) == depth


def test_more_joints_than_any_character_are_refused() -> None:
    text = "HIERARCHY\n" + "ROOT a\n{\nOFFSET 0 0 0\n}\n" * 65537
    error = refusal(text)  # a name in every line that repeats: quadratic work would never end
    assert "at most 65536 joints" in error.message


def test_memory_grows_with_the_file_and_not_with_its_claims() -> None:
    head = GOOD.split("Frames")[0]
    rows = "0 1 2 3 4 5 6 7 8\n8 7 6 5 4 3 2 1 0\n" * 20000
    text = f"{head}Frames: {10**18 - 1}\nFrame Time: 0.001\n{rows}".encode()
    lissom.load_bvh(GOOD.encode())  # what is imported once
    tracemalloc.start()
    try:
        lissom.load_bvh(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * len(text)


def test_units_and_dtype_are_checked() -> None:
    for units in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="load_bvh: units must be above zero and finite"):
            load(GOOD, units=units)
    with pytest.raises(ValueError, match="one of 'm', 'cm', 'mm', 'inch', 'cmu', got 'yard'"):
        load(GOOD, units="yard")
    with pytest.raises(TypeError, match="load_bvh: dtype must be float32 or float64, got int"):
        load(GOOD, dtype=int)
    assert (
        "offsets must fit float32 in metres" in refusal(GOOD.replace("1 2 3", "1 1e30 3"), units=1e30).message
    )
    assert "must fit float64" in refusal(GOOD.replace("-2 90", "1e300 90"), units=1e30).message
    assert "must fit float32" in refusal(GOOD.replace("-2 90", "1e39 90"), dtype=None).message


def test_errors_carry_the_path_and_cross_processes(tmp_path: Path) -> None:
    path = tmp_path / "bad.bvh"
    path.write_text(GOOD.replace("MOTION", "MOTIONS"))
    with pytest.raises(BvhError) as caught:
        lissom.load_bvh(path)
    assert str(caught.value).startswith(f"{path}: line 16: ROOT or MOTION must follow")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line, again.path) == (str(caught.value), 16, path)


def test_tracks_are_converted_some_at_a_time_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = random_bvh(np.random.default_rng(5), 9, 12)
    whole = clip_of(text)
    monkeypatch.setattr(importlib.import_module("lissom._files.load_bvh"), "_BLOCK", 1)
    np.testing.assert_array_equal(clip_of(text).keys, whole.keys)
