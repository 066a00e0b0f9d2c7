# SPDX-License-Identifier: MIT
"""What can be asked of a bake besides its error: rates, sockets, root motion; and what is refused."""

import re

import numpy as np
import pytest

import bake_rigs
import lissom

# What float32 poses, palettes and texels add up to, for a figure of 2 m.
FLOAT32_NOISE = 1e-5


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


def travelling_clip(bones, *, name="walk", distance=3.0, turn=0.0, loop=None):
    """A waving clip whose root goes straight along z and turns about y."""
    poses = bake_rigs.waving_poses(bones)
    share = np.linspace(0, 1, len(poses))
    poses[:, 0, 2] += distance * share
    spin = lissom.quat.from_axis_angle([0, 1, 0], turn * share)
    poses[:, 0, 3:7] = lissom.quat.multiply(spin.astype(np.float32), poses[:, 0, 3:7])
    return lissom.Clip.from_poses(bones, share.astype(np.float32), poses, name=name, loop=loop)


# --- rates by name ---


def test_rates_by_name(bones):
    clips = [bake_rigs.waving_clip(bones, name=name) for name in "abc"]
    entries = lissom.bake(bake_rigs.character(*clips), rate={"b": 15, "c": np.float32(90)}).clips
    assert [round(entries[name].rate, 4) for name in "abc"] == [60, 15, 90]


def test_a_clip_of_one_moment_among_others(bones):
    still = lissom.Clip.from_poses(bones, [0.5], bake_rigs.waving_poses(bones)[8:9], name="still")
    bake = lissom.bake(bake_rigs.character(bake_rigs.waving_clip(bones), still), rate={"still": 30})
    entry = bake.clips["still"]
    assert (entry.frame_count, entry.rate, entry.duration, entry.start) == (1, 0.0, 0.0, 0.5)
    assert entry.error.worst.at_frame
    assert entry.error.worst.time == 0.5


# --- extra joints ---


@pytest.mark.parametrize("layout", ["dual_quat", "matrix", "quat_trans", "trs", "rotations"])
def test_extra_joints_are_rows_of_their_own(bones, layout):
    """The rows after the skin's are where the joints stand, within the error that the report states."""
    clip = bake_rigs.waving_clip(bones)
    character = bake_rigs.character(clip)
    bake = lissom.bake(character, layout=layout, dtype="float32", extra_joints=["joint3", 1])
    assert bake.palette_row_count == 7
    assert bake.report.joints == (*bones.names, "joint3", "joint1")
    assert [bake.joints[joint] for joint in bake.skin.joints] == list(bake.report.joints)
    times = np.linspace(0, 1, 33)
    model = bones.model_matrices(clip.sample(times, loop=False))
    rows = bake.sample("wave", times, loop=False).matrices[:, 5:]
    away = np.linalg.norm(rows[:, :, :3, 3] - model[:, [3, 1]][:, :, :3, 3], axis=-1).max(axis=0)
    stated = bake.report.joint_max[0, 5:]
    assert (away <= stated + FLOAT32_NOISE).all()
    assert (stated > 0).all()
    assert bake.report.vertex_count == character.mesh.vertex_count + 8


def test_extra_joints_are_saved(bones, tmp_path):
    bake = lissom.bake(bake_rigs.character(), extra_joints=["joint2"])
    bake.save(tmp_path / "hero.safetensors")
    back = lissom.load_bake(tmp_path / "hero.safetensors")
    assert back.report.joints == bake.report.joints
    np.testing.assert_array_equal(back.sample("wave", 0.3).matrices, bake.sample("wave", 0.3).matrices)


def test_shells_of_scaled_joints_have_their_size_in_model_space(bones):
    """A rig in centimetres below a root that scales by 0.01: its sockets are judged like any other."""
    rest = bones.rest.copy()
    rest[0, 7:] = 0.01
    rest[1:, :3] *= 100
    small = lissom.Skeleton(bones.names, bones.parents, rest)
    poses = bake_rigs.waving_poses(small)
    clip = lissom.Clip.from_poses(small, np.linspace(0, 1, 31), poses, name="wave")
    errors = []
    for character in (bake_rigs.character(clip), bake_rigs.character()):
        report = lissom.bake(
            character, rate=20, layout="matrix", dtype="float32", extra_joints=["joint4"]
        ).report
        errors.append(report.joint_max[0, 5] / report.size)
    assert errors[0] == pytest.approx(errors[1], rel=0.01)


def test_extra_joints_without_a_mesh(bones):
    character = bake_rigs.character(bake_rigs.waving_clip(bones), with_mesh=False)
    report = lissom.bake(character, rate=20, extra_joints=["joint4"]).report
    assert report.measured == "joint shell"
    assert report.vertex_count == 24
    assert np.isfinite(report.joint_max).all()


# --- stubs of meshes ---


def with_triangle(bones, side, *clips):
    """A triangle at the root in place of a mesh, as in files of clips; its box has a diagonal of `side`."""
    corners = side * np.array([[0, 0, 0], [0.6, 0, 0], [0, 0.8, 0]])
    mesh = lissom.Mesh(corners, [[0, 1, 2]], np.zeros((3, 1), np.int64), np.ones((3, 1)))
    return lissom.Character("clips", bones, mesh, bake_rigs.skin(bones), clips)


def test_a_stub_of_a_mesh_is_no_measure(bones, tmp_path):
    """Errors are those of the joints, as without a mesh: fractions of the 1.6 m that they extend over."""
    clip = bake_rigs.waving_clip(bones)
    character = with_triangle(bones, 0.02, clip)
    assert character.size == pytest.approx(0.02, rel=1e-6)
    bake, alone = (
        lissom.bake(made, rate=20) for made in (character, bake_rigs.character(clip, with_mesh=False))
    )
    assert bake.report.size == pytest.approx(4 * bake_rigs.SPACING, rel=1e-6)
    assert (bake.report.measured, bake.report.vertex_count) == ("joint shell", 20)
    assert bake.report.clips["wave"].error == alone.report.clips["wave"].error
    assert bake.report.notes == (
        "The mesh, of size 0.02, is a stub beside its joints, of 1.6: errors are measured at joint shells, "
        "and are fractions of the extent of the joints.",
    )
    assert not alone.report.notes
    assert lissom.bake(character, max_error=1e-3).report.max_relative <= 1e-3
    assert clip.resampled(20, character=character).report.judged == "joint shell"
    bake.save(tmp_path / "clips.safetensors")
    back = lissom.load_bake(tmp_path / "clips.safetensors")
    assert back.report.size == bake.report.size
    assert back.mesh.vertex_count == 3


def test_a_mesh_from_a_tenth_of_its_joints_on_is_a_measure(bones):
    clip = bake_rigs.waving_clip(bones)
    for side, measured in ((0.159, "joint shell"), (0.161, "skinned vertices")):
        character = with_triangle(bones, side, clip)
        assert lissom.bake(character, rate=20).report.measured == measured
    assert not lissom.bake(character, rate=20).report.notes


# --- root motion and markers ---


def test_markers_and_root_motion_are_carried(bones):
    clip = travelling_clip(bones).extract_root_motion()
    clip = clip.with_markers([(0.25, "left"), (0.75, "right")])
    entry = lissom.bake(bake_rigs.character(clip)).clips["walk"]
    assert entry.markers == clip.markers
    assert entry.root_motion is clip.root_motion
    assert lissom.bake(bake_rigs.character(), root_motion=True).clips["wave"].root_motion is None


@pytest.mark.parametrize(("distance", "turn"), [(3.0, 0.0), (0.0, 1.2), (2.0, -0.8)])
def test_root_motion_is_taken_out(bones, distance, turn):
    """In place, and with where it goes the clip again, within the error stated."""
    clip = travelling_clip(bones, distance=distance, turn=turn)
    character = bake_rigs.character(clip)
    bake = lissom.bake(character, rate=120, dtype="float32", root_motion=True)
    entry = bake.clips["walk"]
    assert entry.root_motion.cycle[2] == pytest.approx(distance if turn == 0 else entry.root_motion.cycle[2])
    assert np.linalg.norm(entry.root_motion.cycle[:3]) == pytest.approx(distance, abs=0.05)
    assert entry.root_motion.turn == pytest.approx(turn, abs=0.02)
    if turn == 0:  # in place: no larger than the figure itself
        assert np.ptp(entry.bounds[:, 2]) < 2.5
    times = np.random.default_rng(0).uniform(0, 1, 50)
    in_place = lissom.deform(character.mesh, bake.sample("walk", times, loop=False))
    back = lissom.trs.to_matrix(entry.root_motion.at(times, loop=False))
    moved = np.einsum("tij,tvj->tvi", back[:, :3, :3], in_place) + back[:, None, :3, 3]
    expected = character.deform(clip.sample(times, loop=False))
    assert np.linalg.norm(moved - expected, axis=-1).max() <= 1.02 * entry.error.max + FLOAT32_NOISE


def test_what_taking_out_root_motion_costs_is_added(bones):
    clip = travelling_clip(bones, distance=2.0, turn=-0.8)
    character = bake_rigs.character(clip)
    in_place = clip.extract_root_motion()
    lost = in_place.root_motion.error
    assert lost > 1e-7
    plain = lissom.bake(character, in_place, rate=40).clips["walk"].error
    bake = lissom.bake(character, rate=40, root_motion=True)
    added = bake.clips["walk"].error
    for name in ("max", "p99", "rms"):
        assert getattr(added, name) == pytest.approx(getattr(plain, name) + lost)
        assert getattr(added.between, name) == pytest.approx(getattr(plain.between, name) + lost)
    assert added.worst.distance == added.max == pytest.approx(np.nanmax(bake.report.joint_max), rel=1e-6)
    assert added.max_relative == added.max / character.size
    assert any(
        note.startswith("Root motion was taken out of 'walk'; what that costs") for note in bake.report.notes
    )
    bound = plain.max_relative + 0.5 * lost / character.size
    assert lissom.bake(character, in_place, rate=40, max_error=bound).clips["walk"].rate == 40
    assert lissom.bake(character, rate=40, max_error=bound, root_motion=True).clips["walk"].rate > 40


def test_clips_that_go_nowhere_stay_as_they_are(bones):
    character = bake_rigs.character()
    plain, asked = lissom.bake(character), lissom.bake(character, root_motion=True)
    np.testing.assert_array_equal(plain.texels, asked.texels)
    assert asked.clips["wave"].root_motion is None
    assert asked.report.notes == plain.report.notes


def test_source_hash_follows_markers_and_root_motion(bones):
    clip = travelling_clip(bones)
    hashes = {
        lissom.bake(bake_rigs.character(c), rate=10).source_hash
        for c in (
            clip,
            clip.extract_root_motion(),
            clip.with_markers([(0.5, "step")]),
            clip.with_markers([(0.6, "step")]),
        )
    }
    assert len(hashes) == 4


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"layout": "matrixes"}, ValueError, r"layout must be one of 'dual_quat', .*, got 'matrixes'"),
        (
            {"layout": "matrix", "method": "dual_quat"},
            ValueError,
            r"method 'dual_quat' cannot be driven by the layout 'matrix' .* pass method='linear', or a "
            r"layout that can: 'dual_quat', 'quat_trans', 'trs', 'rotations'",
        ),
        ({"dtype": "int8"}, ValueError, "dtype must be one of 'float32', 'float16', 'uint8', got 'int8'"),
        ({"rate": {"wav": 30}}, ValueError, r"rate: no baked clip is named 'wav'; did you mean 'wave'\?"),
        ({"rate": {"wave": -3}}, ValueError, "rate of 'wave' must be above zero and finite, got -3"),
        ({"rate": {"wave": "60"}}, TypeError, "rate of 'wave' must be a number, got str"),
        ({"rate": {3: 60}}, ValueError, "rate: no baked clip is named '3'"),
        (
            {"rate": 1e12},
            ValueError,
            r"rate must let clip 'wave' take at most 4 GiB to bake, got \S+ GiB for 1e\+12 frames per "
            r"second, 1 s and 5 joints; pass a rate of at most \S+, or a part of the clip \(Clip\.trimmed\)$",
        ),
        ({"rate": 10**400}, ValueError, "rate must be above zero and finite, got 1000"),
        ({"rate": True}, TypeError, "rate must be a number, got bool"),
        ({"max_error": "1 %"}, TypeError, "max_error must be a number, got str"),
        ({"extra_joints": ["join2"]}, ValueError, r"extra_joints: no joint is named 'join2'; did you mean"),
        (
            {"extra_joints": [5]},
            ValueError,
            "extra_joints: a joint's index must be at least 0 and below 5, got 5",
        ),
        (
            {"extra_joints": [-1]},
            ValueError,
            "extra_joints: a joint's index must be at least 0 and below 5, got -1",
        ),
        (
            {"extra_joints": [True]},
            TypeError,
            "extra_joints: a joint must be given by name or index, got bool",
        ),
        (
            {"extra_joints": [1.0]},
            TypeError,
            "extra_joints: a joint must be given by name or index, got float",
        ),
        (
            {"extra_joints": "joint1"},
            TypeError,
            "extra_joints must be a sequence of names or indices, got str",
        ),
        ({"extra_joints": 3}, TypeError, "extra_joints must be a sequence of names or indices, got int"),
        (
            {"extra_joints": ["joint1", 1]},
            ValueError,
            "extra_joints must name each joint once, got 'joint1' twice",
        ),
        ({"clips": 3}, TypeError, "clips must be names or Clip objects, got int"),
        (
            {"method": np.array(["linear"])},
            ValueError,
            "method must be one of 'linear', 'dual_quat', got arr",
        ),
        ({"root_motion": "yes"}, TypeError, "root_motion must be True or False, got str"),
        ({"include_mesh": 1}, TypeError, "include_mesh must be True or False, got int"),
    ],
)
def test_wrong_options_are_refused(options, error, sentence):
    with pytest.raises(error, match=f"^bake: .*{sentence}"):
        lissom.bake(bake_rigs.character(), **options)


def test_a_method_of_the_character_that_no_texel_drives(bones):
    character = bake_rigs.character(bake_rigs.waving_clip(bones), method="cor")
    with pytest.raises(
        ValueError, match="method must be one of 'linear', 'dual_quat', got 'cor' from 'tube'; pass"
    ):
        lissom.bake(character)
    assert lissom.bake(character, method="linear").method == "linear"


def test_additive_clips_are_refused(bones):
    wave = bake_rigs.waving_clip(bones)
    with pytest.raises(
        ValueError, match="bake: clip 'wave' must hold poses, got an additive clip; pass what it is added"
    ):
        lissom.bake(bake_rigs.character(wave), lissom.make_additive(wave, bones.rest))


def test_root_motion_that_cannot_be_taken_out(bones):
    rest = bones.rest.copy()
    rest[0, 7:] = 1, 2, 3  # a turn below it shears
    uneven = lissom.Skeleton(bones.names, bones.parents, rest)
    poses = np.repeat(rest[None], 2, axis=0)
    poses[1, 1, 3:7] = lissom.quat.from_axis_angle([0, 1, 0], 1.0)
    full = lissom.Clip.from_poses(uneven, [0, 1], poses, name="turn")
    clip = lissom.Clip("turn", uneven, full.keys, full.tracks[full.tracks["joint"] == 1])
    character = lissom.Character("uneven", uneven, None, bake_rigs.skin(bones), [clip])
    with pytest.raises(ValueError, match=r"bake: root_motion of clip 'turn': Clip.extract_root_motion: ."):
        lissom.bake(character, root_motion=True)


def test_clips_of_another_hierarchy_are_refused(bones):
    other = lissom.Skeleton(bones.names, [-1, 0, 0, 2, 3], bones.rest)
    with pytest.raises(ValueError, match=r"clip 'wave' must be of the same skeleton, but the parent of"):
        lissom.bake(bake_rigs.character(), bake_rigs.waving_clip(other))


@pytest.mark.parametrize("dtype", [">f2", "<f2", ">f4"])
def test_the_byte_order_of_a_type_means_nothing(dtype):
    bake = lissom.bake(bake_rigs.character(), rate=10, dtype=dtype)
    assert bake.texels.dtype == np.dtype(dtype).newbyteorder("=")
    assert bake.report.dtype == bake.texels.dtype.name


@pytest.mark.parametrize("wrong", ["hero.glb", 5, None])
def test_a_path_is_not_a_character(wrong: object) -> None:
    message = (
        f"bake: character must be a Character, got {type(wrong).__name__}; lissom.load makes one of a file"
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        lissom.bake(wrong)


def test_the_rate_that_is_suggested_is_taken_and_searches_end_below_the_limit(monkeypatch):
    bones = bake_rigs.skeleton()
    wave = bake_rigs.waving_clip(bones, duration=0.25)
    arm = bake_rigs.character(wave)
    assert lissom.bake(arm).clips["wave"].rate > 200  # doubled
    # Of 256 bytes for each frame, and 300 for each joint of the skeleton and of the skin.
    per_frame = 256 + 300 * (len(arm.skeleton) + len(arm.skin))
    monkeypatch.setattr("lissom._bake.frame_sampler.MOST_BYTES", per_frame * (1 + int(200 * wave.duration)))
    with pytest.raises(ValueError, match=r"^bake: rate must let clip") as caught:
        lissom.bake(arm, rate=201)
    suggested = float(re.search(r"a rate of at most ([\d.]+),", str(caught.value))[1])
    assert 190 < suggested <= 200
    lissom.bake(arm, rate=suggested)
    assert lissom.bake(arm).clips["wave"].rate <= 200
    with pytest.raises(lissom.BakeError, match="was not reached") as missed:
        lissom.bake(arm, max_error=1e-12)
    assert missed.value.report.clips["wave"].rate <= 200
