# SPDX-License-Identifier: MIT
"""The report of a bake: what is said about it, and that it is true."""

import dataclasses
import json
import pickle
import re

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom.bake_report import ClipError, ErrorStats, WorstVertex
from reference import bake as twin

# What float32 sampling, palettes and skinning add to a distance measured in float64, for a figure of 2 m.
FLOAT32_NOISE = 3e-6


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.parametrize(
    ("dtype", "growth"), [("float16", 1.0), ("float32", 1.0), ("float32", 1.3), ("float16", 1.3)]
)
def test_report_equals_the_twin(bones, method, dtype, growth):
    """All distances again in float64, from the stored texels and the key poses."""
    key_count = 13
    scale = np.linspace(1, growth, 15).reshape(5, 3)
    clip = bake_rigs.waving_clip(bones, start=0.5, key_count=key_count, scale=scale)
    times = 0.5 + np.linspace(0, 1, key_count)
    poses = bake_rigs.waving_poses(bones, key_count)
    if growth != 1.0:
        poses[..., 7:] = 1 + np.sin(np.linspace(0, np.pi, key_count))[:, None, None] * (scale - 1)
    character = bake_rigs.character(clip, method=method)
    bake = lissom.bake(character, rate=24, dtype=dtype)
    error = bake.clips["wave"].error
    assert bake.method == bake.report.method == method
    assert bake.texels.shape[2] == (2 if growth == 1.0 else 5)

    frames = 0.5 + np.arange(25) / 24
    between = 0.5 + (np.arange(24)[:, None] + [0.25, 0.5, 0.75]).ravel() / 24
    at_frames = bake_rigs.twin_distances(character, bake, "wave", times, poses, frames, method)
    inside = bake_rigs.twin_distances(character, bake, "wave", times, poses, between, method)
    for stats, distances in (
        (error.at_frames, at_frames),
        (error.between, inside),
        (error, np.concatenate([at_frames, inside])),
    ):
        assert stats.max == pytest.approx(distances.max(), abs=FLOAT32_NOISE)
        assert stats.rms == pytest.approx(np.sqrt((distances**2).mean()), abs=FLOAT32_NOISE)
        exact = np.quantile(distances, 0.99, method="inverted_cdf")
        assert exact - FLOAT32_NOISE <= stats.p99 <= 1.009 * exact + FLOAT32_NOISE
    assert error.at_frames.moment_count == 25
    assert error.between.moment_count == 72
    assert error.max_relative == error.max / character.size
    assert error.jumps is None
    assert error.between.max > 3 * FLOAT32_NOISE  # the comparison has something to compare


def test_keys_between_frames_are_measured(bones):
    """Corners of the motion lie at keys: a grid that misses them would understate the error."""
    times = np.array([0.0, 0.33, 0.41, 1.0], np.float32)
    poses = bake_rigs.waving_poses(bones)[[0, 8, 22, 30]]
    clip = lissom.Clip.from_poses(bones, times, poses, name="wave")
    character = bake_rigs.character(clip)
    bake = lissom.bake(character, rate=10, dtype="float32")
    dense = np.unique(np.concatenate([np.linspace(0, 1, 201), times.astype(np.float64)]))
    truth = bake_rigs.twin_distances(
        character, bake, "wave", times.astype(np.float64), poses, dense, "linear"
    ).max()
    error = bake.clips["wave"].error
    assert error.between.moment_count == 10 * 3 + 2
    assert error.max == pytest.approx(truth, rel=0.02)
    grid = dense[np.abs(dense * 40 - np.round(dense * 40)) < 1e-6]
    missed = bake_rigs.twin_distances(
        character, bake, "wave", times.astype(np.float64), poses, grid, "linear"
    ).max()
    assert missed < 0.9 * truth


def test_float32_at_frames_is_exact(bones):
    error = lissom.bake(bake_rigs.character(), dtype="float32").clips["wave"].error
    assert error.at_frames.max < 1e-5 * bake_rigs.character().size


def test_step_tracks_are_reported_apart(bones):
    clip = bake_rigs.waving_clip(bones)
    tracks = clip.tracks.copy()
    moves = np.flatnonzero((tracks["joint"] == 0) & (tracks["path"] == 0))
    assert len(moves) == 1
    smooth = lissom.bake(bake_rigs.character(clip), dtype="float32").clips["wave"].error
    tracks["interpolation"][moves] = 0
    stepping = lissom.Clip("wave", bones, clip.keys, tracks)
    error = lissom.bake(bake_rigs.character(stepping), dtype="float32", rate=607).clips["wave"].error
    assert smooth.jumps is None
    assert error.jumps.max > 0.02  # a whole step of the root, except for the first moment of the interval
    assert error.max < 1e-3
    # 30 intervals at three moments each, and the keys themselves where they lie between those.
    assert 3 * 30 <= error.jumps.moment_count <= 4 * 30
    honoured = lissom.bake(bake_rigs.character(stepping), max_error=1e-3)
    assert honoured.clips["wave"].error.max_relative <= 1e-3 < honoured.clips["wave"].error.jumps.max


def test_bounds_hold_all_vertices(bones):
    character = bake_rigs.character()
    bake = lissom.bake(character)
    low, high = bake.clips["wave"].bounds
    vertices = lissom.deform(bake.mesh, bake.sample("wave", np.linspace(0, 1, 500)), bake.method)
    slack = 1e-3
    assert (vertices >= low - slack).all()
    assert (vertices <= high + slack).all()
    np.testing.assert_allclose(vertices.min(axis=(0, 1)), low, atol=slack)
    np.testing.assert_allclose(vertices.max(axis=(0, 1)), high, atol=slack)


def test_without_a_mesh_joints_carry_a_shell(bones):
    clip = bake_rigs.waving_clip(bones)
    character = bake_rigs.character(clip, with_mesh=False)
    bake = lissom.bake(character, rate=20, dtype="float32")
    report = bake.report
    assert (report.measured, report.vertex_count) == ("joint shell", 20)
    # The largest distance of joints and points at 3 % of the size, once more from matrices.
    times = np.concatenate([(np.arange(20)[:, None] + [0.25, 0.5, 0.75]).ravel() / 20, np.arange(30) / 30])
    model_from_bind = [
        character.skin.palette(bones.model_matrices(clip.sample(times))).matrices.astype(np.float64),
        bake.sample("wave", times).matrices.astype(np.float64),
    ]
    bind = np.linalg.inv(character.skin.joint_from_bind.astype(np.float64))
    points = np.stack(
        [bind @ [0, 0, 0, 1], *(bind @ [*(0.03 * report.size * a), 1] for a in np.eye(3))], axis=1
    )
    expected, actual = (np.einsum("tsij,spj->tspi", m, points)[..., :3] for m in model_from_bind)
    distance = np.linalg.norm(expected - actual, axis=-1).max()
    assert bake.clips["wave"].error.max == pytest.approx(distance, abs=FLOAT32_NOISE)
    assert bake.mesh is None


# --- joints, and the worst vertex ---


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_errors_of_joints_equal_the_twin(bones, method):
    times, poses = np.linspace(0, 1, 13), bake_rigs.waving_poses(bones, 13)
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13), method=method)
    bake = lissom.bake(character, rate=24, dtype="float32")
    moments = np.arange(97) / 96  # frames, and three between each two
    distances = bake_rigs.twin_distances(character, bake, "wave", times, poses, moments, method)
    rows = twin.heaviest_rows(character.mesh.indices, character.mesh.weights)
    largest, rms = twin.joint_errors(distances, rows, 5)
    report = bake.report
    assert report.joints == tuple(bones.names)
    assert report.joint_max.shape == report.joint_rms.shape == (1, 5)
    assert report.joint_max.dtype == report.joint_rms.dtype == np.float32
    np.testing.assert_allclose(report.joint_max[0], largest, atol=FLOAT32_NOISE)
    np.testing.assert_allclose(report.joint_rms[0], rms, atol=FLOAT32_NOISE)
    assert report.joint_max.max() == np.float32(bake.clips["wave"].error.max)

    worst = bake.clips["wave"].error.worst
    moment, vertex = np.unravel_index(np.argmax(distances), distances.shape)
    assert worst.distance == bake.clips["wave"].error.max
    assert distances[round(worst.frame * 4), worst.vertex] == pytest.approx(
        distances[moment, vertex], abs=FLOAT32_NOISE
    )
    assert worst.joint == bones.names[rows[worst.vertex]]
    assert worst.time == pytest.approx(worst.frame / 24)
    assert worst.at_frame == (worst.frame % 1 == 0) is False


def test_a_vertex_belongs_to_its_heaviest_row(bones):
    """Weights of one row count together; of equal rows the lower is taken; a row without vertices has NaN."""
    indices = [[4, 1, 4, 0], [3, 1, 0, 0], [1, 3, 0, 0]]
    weights = [[0.3, 0.4, 0.3, 0.0], [0.5, 0.5, 0.0, 0.0], [0.4, 0.6, 0.0, 0.0]]
    rows = twin.heaviest_rows(indices, weights)
    assert rows.tolist() == [4, 1, 3]
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], indices, weights)
    character = lissom.Character(
        "triangle", bones, mesh, bake_rigs.skin(bones), {"wave": bake_rigs.waving_clip(bones)}
    )
    report = lissom.bake(character, rate=10).report
    np.testing.assert_array_equal(np.isnan(report.joint_max[0]), [True, False, True, False, False])
    np.testing.assert_array_equal(np.isnan(report.joint_rms), np.isnan(report.joint_max))
    error = report.clips["wave"].error
    assert error.worst.joint == bones.names[rows[error.worst.vertex]]
    total = error.rms**2 * 3  # mean squares of three vertices
    assert np.nansum(report.joint_rms.astype(float) ** 2) == pytest.approx(total, rel=1e-6)


def test_jumps_are_left_out_of_joints_and_of_the_worst_vertex(bones):
    clip = bake_rigs.waving_clip(bones)
    tracks = clip.tracks.copy()
    tracks["interpolation"][(tracks["joint"] == 0) & (tracks["path"] == 0)] = 0
    stepping = lissom.Clip("wave", bones, clip.keys, tracks)
    report = lissom.bake(bake_rigs.character(stepping), dtype="float32", rate=607).report
    error = report.clips["wave"].error
    assert error.jumps.max > 0.02
    assert error.worst.distance == error.max == np.nanmax(report.joint_max) < 1e-3


def test_the_worst_vertex_is_where_the_report_says(bones):
    """Found again by skinning that moment: the fast end of a long clip, among jumps that count apart."""
    poses = bake_rigs.waving_poses(bones, 61, turns=2)
    times = np.concatenate([np.linspace(0, 20, 31), np.linspace(20.3, 21, 30)])
    clip = lissom.Clip.from_poses(bones, times, poses, name="wave")
    tracks = clip.tracks.copy()
    tracks["interpolation"][(tracks["joint"] == 0) & (tracks["path"] == 0)] = 0
    character = bake_rigs.character(lissom.Clip("wave", bones, clip.keys, tracks))
    bake = lissom.bake(character, rate=60)
    worst = bake.clips["wave"].error.worst
    assert bake.clips["wave"].error.jumps.max > 2 * worst.distance
    assert worst.time > 20
    assert worst.time == pytest.approx(worst.frame / bake.clips["wave"].rate)
    expected = character.deform(character.clips["wave"].sample(worst.time))
    actual = lissom.deform(character.mesh, bake.sample("wave", worst.time))
    distances = np.linalg.norm(expected - actual, axis=1)
    assert distances[worst.vertex] == distances.max() == pytest.approx(worst.distance, abs=FLOAT32_NOISE)


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_the_worst_vertex_of_a_mesh_is_numbered_in_its_own_order(method):
    """Vertices are measured in the order that is skinned fastest, which is another one."""
    hero = lissom.samples.humanoid()  # shared by all tests: its own method stays
    assert (hero.mesh.prepare().order != np.arange(hero.mesh.vertex_count)).any()
    bake = lissom.bake(hero, "run", rate=10, method=method)
    worst = bake.clips["run"].error.worst
    expected = hero.deform(hero.clips["run"].sample(worst.time), method)
    actual = lissom.deform(hero.mesh, bake.sample("run", worst.time), method)
    distances = np.linalg.norm(expected - actual, axis=1)
    noise = FLOAT32_NOISE * hero.size
    assert distances[worst.vertex] == pytest.approx(distances.max(), abs=noise)
    assert worst.distance == pytest.approx(distances.max(), abs=noise)
    rows = twin.heaviest_rows(hero.mesh.indices, hero.mesh.weights)
    assert worst.joint == hero.skeleton.names[hero.skin.joints[rows[worst.vertex]]]
    of_row = [distances[rows == row].max() for row in np.unique(rows)]
    assert (bake.report.joint_max[0][np.unique(rows)] >= np.array(of_row) - noise).all()


def test_the_worst_moment_may_be_a_frame(bones):
    """Where only rounding is left, nothing between frames is worse for certain."""
    poses = np.repeat(bones.rest[None], 2, axis=0)
    poses[:, 0, 0] = 1000.1  # float16 holds no such number
    clip = lissom.Clip.from_poses(bones, [0.5, 0.6], poses, name="still")
    worst = lissom.bake(bake_rigs.character(clip), rate=10).clips["still"].error.worst
    assert (worst.frame, worst.time, worst.at_frame) == (0.0, 0.5, True)


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_the_same_report_for_any_number_of_threads(bones, method):
    clips = [bake_rigs.waving_clip(bones, name=n, duration=d) for n, d in (("a", 0.5), ("b", 9.0))]
    character = bake_rigs.character(*clips, method=method)
    wanted = lissom.thread_count()
    try:
        reports = []
        for count in (1, 2, 3, 8):
            lissom.set_thread_count(count)
            reports.append(lissom.bake(character).report.to_json())
    finally:
        lissom.set_thread_count(wanted)
    assert len(set(reports)) == 1


# --- object, JSON, picture ---


def test_report_speaks(bones):
    report = lissom.bake(bake_rigs.character(), max_error=1e-4).report
    worst = report.clips["wave"].error.worst
    assert f"{worst.joint}, {worst.time:.3f} s" in str(report)
    assert "skinned vertices" in str(report)
    assert repr(report) == (
        f"<BakeReport: 1 clip, dual_quat float32, skinned vertices, error {report.max_relative:.2%} of size>"
    )
    assert re.fullmatch(
        r"<BakedClip: \d+ frames at \d+ a second, (loops|plays once), error 0\.0\d% of size>",
        repr(report.clips["wave"]),
    )
    assert report.max_relative <= 1e-4
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()


def test_the_error_of_a_clip_is_one_line_and_more_when_printed():
    stats = ErrorStats(0.25, 0.125, 0.0625, 3)
    worst = WorstVertex(7, "Tip", 2.68333, 161.0, 0.25, True)
    error = ClipError(0.25, 0.125, 0.0625, 0.00031, stats, stats, None, worst)
    assert repr(error) == (
        "<ClipError: max 0.25 (0.03% of size), p99 0.125, rms 0.0625, worst at 'Tip', 2.683 s>"
    )
    assert str(error).splitlines() == [
        "max 0.25, p99 0.125, rms 0.0625; max is 0.0310% of size",
        "at frames: max 0.25, p99 0.125, rms 0.0625 over 3 moments",
        "between frames: max 0.25, p99 0.125, rms 0.0625 over 3 moments",
        "worst: vertex 7 of joint 'Tip' at 2.6833 s, frame 161",
    ]
    between = dataclasses.replace(worst, frame=160.5, at_frame=False)
    assert str(between) == "vertex 7 of joint 'Tip' at 2.6833 s, between frames, at 160.50"
    page = error._repr_html_()
    for words in ("ClipError", "at frames", "over 3 moments", "vertex 7 of joint"):
        assert words in page
    # As in a file of format version 1, of a clip with jumps.
    old = dataclasses.replace(error, between=None, jumps=stats, worst=None)
    assert repr(old) == "<ClipError: max 0.25 (0.03% of size), p99 0.125, rms 0.0625>"
    assert str(old).splitlines()[2:] == [
        "where STEP tracks jump: max 0.25, p99 0.125, rms 0.0625 over 3 moments"
    ]
    assert pickle.loads(pickle.dumps(error)) == error
    assert len(repr(lissom.bake(bake_rigs.character(), rate=10).clips["wave"].error)) < 110


def test_report_as_json(bones, tmp_path):
    report = lissom.bake(bake_rigs.character(), rate=10).report
    report.save(tmp_path / "bake.json")
    read = json.loads((tmp_path / "bake.json").read_text())
    assert read == json.loads(report.to_json()) == report.to_dict()
    clip = read["clips"]["wave"]
    assert clip["rate"] == 10
    assert clip["joint_max"] == report.joint_max[0].tolist()
    assert clip["joint_rms"] == report.joint_rms[0].tolist()
    assert clip["error"]["worst"]["joint"] in read["joints"] == list(bones.names)
    with pytest.raises(ValueError, match=r"BakeReport.save: path must end in .json, got 'a.png'"):
        report.save(tmp_path / "a.png")


def test_joints_without_vertices_are_null_in_json(bones):
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], [[0], [0], [2]], [[1.0], [1.0], [1.0]])
    character = lissom.Character(
        "triangle", bones, mesh, bake_rigs.skin(bones), {"wave": bake_rigs.waving_clip(bones)}
    )
    clip = json.loads(lissom.bake(character, rate=10).report.to_json())["clips"]["wave"]
    assert [value is None for value in clip["joint_max"]] == [False, True, False, True, True]


@pytest.mark.parametrize("layout", ["dual_quat", "quat_trans"])
def test_errors_that_float32_cannot_hold_are_refused(bones, layout):
    poses = bake_rigs.waving_poses(bones)
    poses[:, 0, 0] += 1e30
    far = lissom.Clip.from_poses(bones, np.linspace(0, 1, len(poses)), poses, name="far")
    with pytest.raises(lissom.BakeError, match=r"^bake: clip 'far' goes so far out that float32"):
        lissom.bake(bake_rigs.character(far), layout=layout, dtype="float32")


def test_the_picture_of_an_edited_bake_says_so():
    bake = lissom.bake(bake_rigs.character(), rate=10)
    assert bake.edited().report.picture().height == bake.report.picture().height + 20


def test_tables_of_another_shape_are_refused(bones):
    report = lissom.bake(bake_rigs.character(), rate=10).report
    with pytest.raises(ValueError, match=r"joint_max must have shape \(1 clips, 5 joints\), got \(5,\)"):
        dataclasses.replace(report, joint_max=np.zeros(5))
    assert not report.joint_max.flags.writeable


def test_picture_of_the_report(bones):
    """A row for each clip, its bars as long as its errors, its joints in the colours of theirs."""
    clips = [bake_rigs.waving_clip(bones, name=n, duration=d) for n, d in (("fast", 0.4), ("slow", 2.0))]
    picture = lissom.bake(bake_rigs.character(*clips), rate=20, dtype="float32").report.picture()
    assert picture.array.dtype == np.uint8
    assert picture.width == 900
    dark = (picture.array == (178, 68, 38)).all(axis=-1).sum(axis=1)
    runs = dark[dark > 20]  # rows of pixels with a bar in them, not those of the legend
    assert runs.max() > 1.4 * runs.min()
    shorter = lissom.bake(bake_rigs.character(clips[0]), rate=20).report.picture()
    assert picture.height - shorter.height == 26
    assert lissom.bake(bake_rigs.character(), rate=20).report.picture(width=1300).width == 1300


def test_pictures_of_extreme_reports(bones):
    """One still clip; 200 clips of 200 joints; no table of joints, no size: all can be drawn."""
    still = lissom.Clip.from_poses(bones, [0.0], bones.rest[None], name="still")
    report = lissom.bake(bake_rigs.character(still), dtype="float32").report
    assert report.picture().width == 900
    clip = lissom.bake(bake_rigs.character(), rate=10).report.clips["wave"]
    table = np.random.default_rng(0).uniform(1e-6, 1e-2, (200, 200)).astype(np.float32)
    joints = tuple(f"a joint with a rather long name {i}" for i in range(200))
    clips = {f"clip {i}": clip for i in range(200)}
    many = dataclasses.replace(report, clips=clips, joints=joints, joint_max=table, joint_rms=table)
    assert many.picture().height < 150 * 17 + 600
    bare = dataclasses.replace(report, joints=(), joint_max=None, joint_rms=None, size=0.0, max_error=1e-3)
    assert bare.picture().height > 150


@pytest.mark.parametrize(
    ("width", "error", "sentence"),
    [
        (800, ValueError, "width must be at least 900, got 800"),
        ("wide", TypeError, "width must be a whole number, got str"),
    ],
)
def test_pictures_of_no_width(bones, width, error, sentence):
    with pytest.raises(error, match=f"BakeReport.picture: {sentence}"):
        lissom.bake(bake_rigs.character(), rate=10).report.picture(width=width)
