# SPDX-License-Identifier: MIT
"""What lissom.compare chooses by itself: the pose, the pair, the side to look from; and what it writes."""

from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from lissom._pictures import compare_pose as moments
from lissom._pictures import compare_sheet as _compare_sheet
from lissom._pictures import compare_text as _compare_words
from lissom._pictures import compare_view as _compare_view
from lissom._pictures.sharpest_bend import sharpest_bend, vertices_of

SMALL = {"width": 96, "height": 32}  # a picture without words, quickly drawn


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture(scope="module")
def tube():
    return lissom.samples.two_bone_tube()


@pytest.fixture
def written(monkeypatch):
    """The words on pictures, in the order in which they were written."""
    words = []
    write = _compare_sheet.Sheet.text

    def text(sheet, at, line, **options):
        words.append(line)
        return write(sheet, at, line, **options)

    monkeypatch.setattr(_compare_sheet.Sheet, "text", text)
    return words


def without_clips(character):
    return lissom.Character(character.name, character.skeleton, character.mesh, character.skin)


def test_without_a_pose_the_methods_are_shown_where_they_differ_most(context, bar):
    comparison = lissom.compare(bar, **SMALL)
    assert comparison.searched
    best = max(
        (
            np.linalg.norm(bar.deform(pose, "linear") - bar.deform(pose, "dual_quat"), axis=-1).max(),
            clip.name,
        )
        for clip in bar.clips.values()
        for pose in clip.sample(np.linspace(clip.start, clip.end, 200), loop=False)
    )
    assert comparison.clip == best[1] == "twist"
    assert comparison.numbers["max"] == pytest.approx(best[0], rel=0.02)
    clip = bar.clips[comparison.clip]
    again = lissom.compare(bar, clip=clip, time=comparison.time, **SMALL)
    assert (again.clip, again.time, again.searched) == ("twist", comparison.time, False)
    assert again.numbers["max"] == pytest.approx(comparison.numbers["max"], rel=1e-6)


def test_without_a_time_the_clip_is_shown_where_the_methods_differ_most(context, bar, written):
    clip = bar.clips["bend"]
    comparison = lissom.compare(bar, clip="bend", width=780, height=260)
    apart = [
        np.linalg.norm(bar.deform(pose, "linear") - bar.deform(pose, "dual_quat"), axis=-1).max()
        for pose in clip.sample(np.linspace(clip.start, clip.end, 200), loop=False)
    ]
    assert (comparison.clip, comparison.searched) == ("bend", True)
    assert comparison.numbers["max"] == pytest.approx(max(apart), rel=0.02)
    most = _compare_words.percent(comparison.numbers["max_relative"])
    assert f"most in this clip: {most} of size" in written
    first_tenth = clip.trimmed(clip.start, clip.start + clip.duration / 10)
    early = lissom.compare(bar, clip=first_tenth, **SMALL)
    assert early.searched
    assert early.numbers["max"] < max(apart) / 2  # not in the clip of that name that the bar has


def test_the_search_is_for_the_pair_that_is_asked_for(context, bar):
    """Linear and centres of rotation differ as the bar twists, dual quaternions and they as it bends."""
    methods = ("linear", "dual_quat", "cor")
    assert lissom.compare(bar, None, methods, heat=("linear", "cor"), **SMALL).clip == "twist"
    assert lissom.compare(bar, None, methods, heat=("cor", "dual_quat"), **SMALL).clip == "bend"


def ten_a_second(clip):
    return min(32, 1 + int(np.ceil(10 * clip.duration)))


def near(character, joint):
    """Vertices whose largest weight is a joint's or its child's, one by one."""
    mesh, names = character.mesh, character.skeleton.names
    found = []
    for vertex, (rows, weights) in enumerate(zip(mesh.indices, mesh.weights, strict=True)):
        largest = character.skin.joints[rows[np.argmax(weights)]]
        parent = character.skeleton.parents[largest]
        if joint in (names[largest], names[parent] if parent >= 0 else None):
            found.append(vertex)
    return found


def test_the_search_is_near_the_joint_that_is_looked_at(context, written):
    hero = lissom.samples.humanoid()
    joint = "LowerLeg.L"
    chosen = near(hero, joint)
    assert 0 < len(chosen) < hero.mesh.vertex_count / 4
    np.testing.assert_array_equal(vertices_of(hero, joint), chosen)
    comparison = lissom.compare(hero, focus=joint, width=780, height=260)
    apart = {
        clip.name: max(
            np.linalg.norm(hero.deform(pose, "linear") - hero.deform(pose, "dual_quat"), axis=-1)[
                chosen
            ].max()
            for pose in clip.sample(np.linspace(clip.start, clip.end, ten_a_second(clip)), loop=False)
        )
        for clip in hero.clips.values()
    }
    assert comparison.clip == max(apart, key=apart.get)
    most = comparison.distances[chosen].max()
    assert most == pytest.approx(max(apart.values()), rel=1e-4)
    words = f"most near {joint}: {_compare_words.percent(most / hero.size)} of size"
    assert words in written
    assert comparison.numbers["bend"]["joint"] == joint
    everywhere = lissom.compare(hero, **SMALL)
    assert (everywhere.clip, everywhere.numbers["bend"]["joint"]) == ("wave", "LowerArm.R")
    one = lissom.compare(hero, focus=joint, clip="wave", **SMALL)
    assert f": most in this clip near {joint}: " in one.summary


def test_the_bulge_is_measured_where_one_looks_if_it_bends_there(context):
    hero = lissom.samples.humanoid()
    pose = hero.clips["run"].at(0.25)
    joints = ("LowerLeg.L", "LowerLeg.R", "LowerArm.R", None)
    bends = {joint: lissom.compare(hero, pose, focus=joint, **SMALL).numbers["bend"] for joint in joints}
    assert [bend["joint"] for bend in bends.values()][:3] == list(joints[:3])
    assert bends[None] == max(bends.values(), key=lambda bend: bend["angle"])
    wave = hero.clips["wave"].at(0.5)
    for joint in ("Head", "max"):  # not bent
        assert lissom.compare(hero, wave, focus=joint, **SMALL).numbers["bend"]["joint"] == "LowerArm.R"


def test_what_is_bent_by_less_than_five_degrees_is_not_bent():
    hero = lissom.samples.humanoid()
    bends = []
    for degrees in (4.6, 5.4):
        knee = lissom.quat.from_euler("x", [np.radians(degrees)])
        bends.append(sharpest_bend(hero, hero.skeleton.rotate(hero.skeleton.rest, "LowerLeg.L", knee)))
    assert bends[0] is None
    assert bends[1] is not None
    assert bends[1].joint == "LowerLeg.L"
    assert np.degrees(bends[1].angle) == pytest.approx(5.4, abs=0.01)


def test_a_joint_without_skin_is_searched_by_all_of_it(context, bar):
    skeleton = bar.skeleton
    ended = lissom.Skeleton(
        [*skeleton.names, "End"], [*skeleton.parents, 1], np.concatenate([skeleton.rest, skeleton.rest[:1]])
    )
    pose_of = bar.clips["twist"].at(0.5)
    longer = lissom.Character("longer", ended, bar.mesh, bar.skin)
    pose = np.concatenate([pose_of, ended.rest[2:]])
    shown = lissom.compare(longer, pose, focus="End", **SMALL)
    assert shown.numbers["max"] == pytest.approx(lissom.compare(bar, pose_of, **SMALL).numbers["max"])


def test_many_vertices_are_searched_in_pieces(context, bar, monkeypatch):
    whole = lissom.compare(bar, **SMALL)
    monkeypatch.setattr(moments, "CHUNK", 5 * bar.mesh.vertex_count)
    pieces = lissom.compare(bar, **SMALL)
    assert (pieces.clip, pieces.time) == (whole.clip, whole.time)


def test_without_clips_it_is_the_rest_pose(context, written):
    comparison = lissom.compare(without_clips(lissom.samples.humanoid()))
    assert (comparison.clip, comparison.time, comparison.searched) == (None, None, False)
    assert comparison.numbers["max_relative"] < 1e-6
    assert "humanoid_adult, rest pose" in written
    assert "rest pose: the methods agree" in written
    assert [word for word in written if "% of size" in word] == ["0.01 % of size"]
    heat = comparison.image[60:380, 965:]  # below the words, right of the line
    assert heat[np.ptp(heat, axis=-1) > 60].size > 0
    assert (heat[..., 1].astype(int) - heat[..., 2]).max() < 30  # the dark end of the map, no green or yellow
    assert comparison.numbers["max_relative"] > 0  # there is noise, and it is not drawn


def test_the_caption_says_which_pose_it_is(context, bar, written):
    chosen = lissom.compare(bar)
    assert f"twisted_bar: twist at {chosen.time:.2f} s" in written
    assert "where they differ most: 16.5 % of size" in written
    written.clear()
    lissom.compare(bar, clip="bend", time=0.5)
    assert "twisted_bar: bend at 0.50 s" in written
    assert not [word for word in written if "differ most" in word]
    written.clear()
    lissom.compare(bar, bar.skeleton.rest)
    assert "twisted_bar" in written
    assert "equal within rounding" in written


def test_the_heat_map_shows_the_two_that_are_farthest_apart(context, bar):
    pose = bar.clips["twist"].at(0.5)
    numbers = lissom.compare(bar, pose, ("dual_quat", "cor", "linear"), **SMALL).numbers
    assert "linear" in numbers["between"]
    apart = {
        other: lissom.metrics.distance(bar.deform(pose, "linear"), bar.deform(pose, other)).max
        for other in ("dual_quat", "cor")
    }
    assert numbers["max"] == pytest.approx(max(apart.values()))
    bend = bar.clips["bend"].at(0.5)
    methods = ("quat_trans", "linear", "dual_quat")
    assert lissom.compare(bar, bend, methods, **SMALL).numbers["between"] == ("linear", "dual_quat")


@pytest.mark.parametrize(
    ("methods", "pairs"),
    [
        (("linear", "quat_trans"), [("linear", "quat_trans")]),
        (("quat_trans", "cor"), [("quat_trans", "cor")]),
        (("quat_trans", "cor", "linear"), [("cor", "linear")]),
    ],
)
def test_two_names_of_one_result_are_no_pair(methods, pairs):
    assert moments.pairs_of(methods) == pairs


def test_shares_are_told_as_far_as_they_are_known():
    percent = _compare_words.percent
    assert [percent(share) for share in (0, 1e-7, -3e-6)] == ["0 %", "0 %", "0 %"]
    assert [percent(share) for share in (5e-6, 4.9e-5)] == ["< 0.005 %", "< 0.005 %"]
    assert [percent(share) for share in (5e-5, 1e-4, 0.00123, 0.0094)] == [
        "0.005 %", "0.01 %", "0.12 %", "0.94 %",
    ]  # fmt: skip
    assert [percent(share) for share in (0.0096, 0.123, 0.994, 1.0)] == ["1.0 %", "12.3 %", "99.4 %", "100 %"]
    assert [_compare_words.signed(share) for share in (0.123, -0.123, 1e-5, -1e-5)] == [
        "+12.3 %", "-12.3 %", "0 %", "0 %",
    ]  # fmt: skip
    assert _compare_words.heat_ticks(0.2) == ["0", "10.0 %", "20.0 % of size"]


@pytest.mark.parametrize(
    ("apart", "at_rest", "words"),
    [
        (1e-7, True, "rest pose: the methods agree"),
        (1e-7, False, "equal within rounding"),
        (3.9e-6, False, "equal within rounding"),
        (4.1e-6, True, "equal within 0.01 % of size"),
        (9.9e-5, False, "equal within 0.01 % of size"),
        (1.1e-4, False, "up to 0.011 % of size"),
    ],
)
def test_what_nobody_sees_is_said_to_be_equal(apart, at_rest, words):
    moment = moments.Moment(np.zeros((1, 10)), is_rest=at_rest)
    assert _compare_words.agreement(apart, moment) == words


def test_titles_say_which_blend(context, tube, written):
    pose = tube.clips["bend"].at(0.5)
    painted = np.linspace(0, 1, tube.mesh.vertex_count)
    for blend, title in (
        (0.3, "blended, 0.3"),
        (None, "blended, 0.5"),
        ("bend", "blended, bend"),
        (painted, "blended, painted"),
        (np.ones(len(painted)), "blended, 1"),
    ):
        written.clear()
        methods = ("linear", "dual_quat", "blended")
        lissom.compare(tube, pose, methods, heat=("linear", "blended"), blend=blend, width=320, height=260)
        assert title in written
        assert f"linear blend to {title}" in written


def test_in_one_line_as_on_the_picture(context, bar):
    chosen = lissom.compare(bar, **SMALL)
    assert chosen.summary == (
        f"twisted_bar: twist at {chosen.time:.2f} s: where they differ most: 16.5 % of size"
    )
    rest = lissom.compare(without_clips(bar), **SMALL)
    assert rest.summary == "rest pose: the methods agree"
    still = lissom.Character(
        "still", bar.skeleton, bar.mesh, bar.skin, clips={"still": bar.clips["twist"].trimmed(0.0, 1e-3)}
    )
    searched = lissom.compare(still, **SMALL)
    assert (searched.searched, searched.summary) == (True, "still: twist at 0.00 s: equal within rounding")


@pytest.mark.parametrize(
    ("count", "spare", "width", "height"),
    [(2, (0, 2), 800, 261), (2, (0, 1), 16, 16), (3, (1, 1), 801, 601), (5, (1, 1), 799, 401)],
)
def test_the_picture_has_the_size_that_is_asked_for(context, bar, count, spare, width, height):
    methods = lissom.skinning.METHODS[:count]
    image = lissom.compare(bar, clip="bend", methods=methods, width=width, height=height).image
    assert image.shape == (height, width, 3)
    down, across = height - 1 - spare[0], width - 1 - spare[1]
    np.testing.assert_array_equal(image[:, across:], image[:, across, None].repeat(1 + spare[1], axis=1))
    np.testing.assert_array_equal(image[down:], image[down, None].repeat(1 + spare[0], axis=0))


def test_a_blend_is_a_number_an_array_or_painted(context, tube):
    pose = tube.clips["bend"].at(0.5)
    mesh = tube.mesh

    def vertices(blend):
        return lissom.compare(tube, pose, ("linear", "blended"), blend=blend, **SMALL).vertices["blended"]

    painted = lissom.bend_blend(tube, pose)
    np.testing.assert_array_equal(vertices("bend"), tube.deform(pose, "blended", blend=painted))
    np.testing.assert_array_equal(vertices(None), vertices(0.5))
    np.testing.assert_array_equal(vertices(0.25), vertices(np.full(mesh.vertex_count, 0.25)))
    assert lissom.compare(tube, None, ("linear", "blended"), blend="bend", **SMALL).searched


def test_render_takes_the_same_blends(context, tube):
    pose = tube.clips["bend"].at(0.5)

    def drawn(blend):
        return lissom.render(tube, pose, method="blended", blend=blend, width=96, height=54).array

    np.testing.assert_array_equal(drawn(0.25), drawn(np.full(tube.mesh.vertex_count, 0.25)))
    np.testing.assert_array_equal(drawn("bend"), drawn(lissom.bend_blend(tube, pose)))
    assert (drawn(0.0) != drawn(1.0)).any()
    with pytest.raises(ValueError, match="render: blend must be numbers from 0 to 1 or 'bend', got 'twist'"):
        drawn("twist")


# The view


def seen_share(image, panel=2):
    """Share of the heat panel's middle that is of another colour than the ground and the sky."""
    width = image.shape[1] // 3
    inside = image[:, panel * width + 3 : (panel + 1) * width].astype(int)
    return (np.ptp(inside, axis=-1) > 60).mean()


def test_a_close_up_fills_the_panel(context, tube):
    pose = tube.clips["bend"].at(0.5)
    size = {"width": 240, "height": 80}
    whole = seen_share(lissom.compare(tube, pose, **size).image)
    for focus in ("Tip", "max"):
        assert seen_share(lissom.compare(tube, pose, focus=focus, **size).image) > 1.5 * whole


def test_a_close_up_is_of_the_joint_and_of_the_worst_vertex(tube):
    pose = tube.clips["bend"].at(0.5)
    vertices = {method: tube.deform(pose, method).astype(float) for method in ("linear", "dual_quat")}
    distances = np.linalg.norm(vertices["linear"] - vertices["dual_quat"], axis=1)
    between = ("linear", "dual_quat")
    joint = _compare_view.focus_points(tube, pose, "Tip", vertices, between, distances, 0)
    np.testing.assert_allclose(joint.mean(axis=0), tube.skeleton.positions(pose)[1], atol=1e-6)
    assert np.ptp(joint[:, 0]) == pytest.approx(0.2 * tube.size)
    worst = distances.argmax()
    points = _compare_view.focus_points(tube, pose, None, vertices, between, distances, worst)
    middle = (vertices["linear"][worst] + vertices["dual_quat"][worst]) / 2
    rounding = 4 * np.finfo(float).eps * np.abs(points).max()  # of a mean of three
    np.testing.assert_allclose(points.mean(axis=0), middle, atol=rounding)
    assert 0.1 * tube.size <= np.ptp(points[:, 0]) <= 0.2 * tube.size
    far = {"linear": vertices["linear"], "dual_quat": vertices["linear"] + [tube.size, 0, 0]}
    moved = np.full(len(distances), tube.size)
    wide = _compare_view.focus_points(tube, pose, None, far, between, moved, 0)
    assert np.ptp(wide[:, 0]) == pytest.approx(1.2 * tube.size)  # both of them are in it


def test_a_close_up_of_what_differs_all_over_is_close(tube):
    at_rest = tube.mesh.positions.astype(float)
    vertices = {"linear": at_rest, "dual_quat": at_rest + np.array([0.1 * tube.size, 0, 0])}
    moved = np.full(len(at_rest), 0.1 * tube.size)
    points = _compare_view.focus_points(
        tube, tube.skeleton.rest, None, vertices, ("linear", "dual_quat"), moved, 9
    )
    assert np.ptp(points[:, 0]) <= 0.2 * tube.size * (1 + 1e-9)
    for place in vertices.values():
        assert (np.abs(place[9] - points.mean(axis=0)) < np.ptp(points[:, 0]) / 2).all()


def test_of_vertices_that_differ_alike_one_that_is_seen_is_shown():
    """One face is behind a wall, one beside it; both look to +z."""
    face = np.array([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0, 0.1, 0]])
    wall = np.array([[-1.0, -1, 0.1], [1, -1, 0.1], [0, 1, 0.1]])
    positions = np.concatenate([face, face + np.array([9.0, 0, 0]), wall])
    normals = np.tile([0.0, 0, 1], (9, 1))
    mesh = lissom.Mesh(positions, np.arange(9).reshape(3, 3))
    hidden_and_seen = SimpleNamespace(mesh=mesh, skeleton=None, size=1.0)

    def shown(*differences, azimuth=0.0, look=1.0):
        distances = np.zeros(9)
        distances[[0, 3]] = differences
        surface = positions, look * normals
        return _compare_view.worst_seen(hidden_and_seen, surface, distances, azimuth, 0.0)

    assert shown(1.0, 0.99) == 3
    assert shown(1.0, 0.97) == 0  # not alike
    assert shown(0.99, 1.0) == 3
    assert shown(1.0, 0.99, look=-1.0) == 0  # neither looks this way
    assert shown(1.0, 0.99, azimuth=180.0, look=-1.0) == 0  # from behind both are seen
    assert shown(1.0, 0.99, azimuth=None) in (0, 3)


def test_the_close_up_of_the_bent_tube_is_of_its_elbow(context, tube, monkeypatch):
    """The crease and the elbow differ alike; the crease is hidden."""
    shown = []
    focus_points = _compare_view.focus_points

    def noted(*arguments, **options):
        shown.append(focus_points(*arguments, **options))
        return shown[-1]

    monkeypatch.setattr("lissom._pictures.compare.focus_points", noted)
    pose = tube.skeleton.rest.astype(float)
    pose[1, 3:7] = lissom.quat.from_axis_angle([0, 0, 1], np.pi / 2)
    for options in ({}, {"focus": "max", "azimuth": 35.0}):
        shown.clear()
        lissom.compare(tube, pose, width=780, height=300, **options)
        (points,) = shown
        elbow = points.mean(axis=0) - tube.skeleton.positions(pose)[1]
        assert elbow @ [1, -1, 0] > 0


def test_the_picture_is_taken_from_where_the_difference_is_seen(bar):
    """One face of a bar differs, and is looked at."""
    positions = bar.mesh.positions.astype(float)
    normals = bar.mesh.normals.astype(float)
    for direction, azimuth in (([0, 0, 1.0], 35.0), ([0, 0, -1.0], 145.0)):
        distances = (normals @ direction > 0.9).astype(float)
        assert _compare_view.azimuth_to_see(bar, (positions, normals), distances, 15.0, None) == azimuth
    nothing = np.zeros(len(positions))
    assert _compare_view.azimuth_to_see(bar, (positions, normals), nothing, 15.0, None) == 35.0
    # A close-up may be from any side: of the ends of the bar, along it.
    tip = (normals[:, 0] > 0.9).astype(float)
    shown = np.array([4.0, 0, 0]) + np.concatenate([np.eye(3), -np.eye(3)])
    assert _compare_view.azimuth_to_see(bar, (positions, normals), tip, 15.0, shown) in (65.0, 95.0)


def test_the_picture_is_taken_from_where_nothing_hides_the_difference():
    """A small face that looks up, and a wall before it: it is seen from behind."""
    floor = np.array([[-0.1, 0, 0], [0.1, 0, 0], [0, 0, 0.1]])
    wall = np.array([[-9.0, -9, 1], [9, -9, 1], [0, 9, 1]])
    positions = np.concatenate([floor, wall])
    normals = np.repeat([[0.0, 1, 0], [0, 0, 1]], 3, axis=0)
    distances = np.array([1.0, 1, 1, 0, 0, 0])
    for wall_at, azimuth in ((1.0, 145.0), (-1.0, 35.0)):
        placed = np.concatenate([floor, wall * [1, 1, wall_at]])
        mesh = lissom.Mesh(positions, [[0, 1, 2], [3, 4, 5]])
        stage = SimpleNamespace(mesh=mesh, skeleton=None, size=1.0)
        assert _compare_view.azimuth_to_see(stage, (placed, normals), distances, 15.0, None) == azimuth


# The scale


def test_a_heat_map_has_its_scale(context, bar, written):
    heat = np.full(bar.mesh.vertex_count, 0.5)
    options = {"heat": heat, "heat_maximum": 3.0, "width": 320, "height": 180}
    plain = lissom.render(bar, color_bar=False, **options)
    assert not written
    scaled = lissom.render(bar, color_bar="metres", **options)
    assert written == ["metres", "0", "1.5", "3"]
    np.testing.assert_array_equal(lissom.gpu.with_color_bar(plain, 3.0, "metres").array, scaled.array)
    changed = np.argwhere((plain.array != scaled.array).any(axis=-1))
    assert changed[:, 0].min() > 90  # at the bottom,
    assert changed[:, 1].max() < 220  # to the left
    written.clear()
    largest = lissom.render(bar, heat=heat, width=320, height=180)
    assert written == ["0", "0.25", "0.5"]
    assert (largest.array != plain.array).any()
    written.clear()
    lissom.render(bar, width=320, height=180)
    lissom.render(bar, heat=heat, width=96, height=54)
    assert not written


def test_a_scale_has_the_colours_of_the_map():
    pytest.importorskip("PIL")
    blank = lissom.Picture(np.full((200, 400, 3), 230, np.uint8))
    array = lissom.gpu.with_color_bar(blank, 1.0).array.astype(int)
    rows = (np.ptp(array, axis=-1) > 60).sum(axis=1)
    row = array[rows.argmax()]
    first, last = np.flatnonzero(np.ptp(row, axis=-1) > 60)[[0, -1]]
    np.testing.assert_allclose(row[first], (0x44, 0x01, 0x54), atol=2)
    np.testing.assert_allclose(row[last], (0xFD, 0xE7, 0x25), atol=2)
    assert np.abs(np.diff(row[first : last + 1], axis=0)).max() < 12  # no step between


@pytest.mark.parametrize(
    ("picture", "maximum", "error", "message"),
    [
        (np.zeros((200, 200, 3), np.uint8), 1.0, TypeError, "picture must be a Picture, got ndarray"),
        (None, "a", TypeError, "maximum must be a number, got str"),
        (None, -1.0, ValueError, "maximum must be finite and at least 0, got -1"),
        (None, np.nan, ValueError, "maximum must be finite and at least 0, got nan"),
    ],
)
def test_a_scale_refuses_what_it_cannot_show(picture, maximum, error, message):
    blank = lissom.Picture(np.zeros((200, 200, 3), np.uint8)) if picture is None else picture
    with pytest.raises(error, match=f"with_color_bar: {message}"):
        lissom.gpu.with_color_bar(blank, maximum)


def test_words_are_cut_to_their_width_and_stand_where_they_are_put():
    pytest.importorskip("PIL")
    blank = np.full((60, 300, 3), 255, np.uint8)
    for anchor, low, high in (("left", 150, 195), ("middle", 128, 172), ("right", 105, 150)):
        sheet = _compare_sheet.Sheet(blank, unit=16)
        taken = sheet.text((150, 10), "WWWWWWWWWW", anchor=anchor, max_width=45)
        assert taken <= 45
        inked = np.flatnonzero((sheet.pixels() < 200).any(axis=(0, 2)))
        assert low - 2 <= inked[0]
        assert inked[-1] <= high + 2
    sheet = _compare_sheet.Sheet(blank, unit=16)
    assert sheet.text((0, 0), "word", max_width=3) == 0
    assert (sheet.pixels() == 255).all()
    # Letters stand evenly: a word moved by half a pixel is not the same picture, nor one moved by a whole.
    drawn = []
    for x in (20, 20.5, 21):
        sheet = _compare_sheet.Sheet(blank, unit=16)
        sheet.text((x, 10), "worst change", faint=True)
        drawn.append(sheet.pixels())
    assert (drawn[0] != drawn[1]).any()
    np.testing.assert_array_equal(drawn[0][:, :-1], drawn[2][:, 1:])


# The close-up in a corner


def test_a_free_corner_shows_the_worst_place_from_near(context, monkeypatch):
    hero = lissom.samples.humanoid()
    options = {"clip": "wave", "time": 0.8, "width": 780, "height": 300}
    shown = lissom.compare(hero, **options).image.astype(int)
    monkeypatch.setattr(_compare_view, "SQUARES", ())
    without = lissom.compare(hero, **options).image.astype(int)
    changed = (shown != without).any(axis=-1)
    boxes = []
    for panel in range(3):
        inside = np.argwhere(changed[:, 260 * panel : 260 * panel + 260])
        low, high = inside.min(axis=0), inside.max(axis=0)
        boxes.append([*low, *high])
        assert 40 < (high - low).min() < 110
        # It lies on ground and sky, where nothing else was: all greys.
        covered = without[low[0] : high[0], 260 * panel + low[1] : 260 * panel + high[1]]
        assert np.ptp(covered, axis=-1).max() < 20
    np.testing.assert_allclose(boxes[1:], boxes[:-1], atol=3)  # the same place in each
    top, left, bottom, right = boxes[2]
    square = shown[top:bottom, 520 + left : 520 + right]
    assert ((square[..., 0] > 180) & (square[..., 2] < 100)).any()  # the hot end of the map
    assert (np.ptp(square, axis=-1) > 60).mean() > 0.4  # near: much of it is skin


def test_a_close_up_hides_nothing(bar):
    """A square stands where no triangle is, the largest that there is room for."""
    from lissom.gpu import Camera

    camera = Camera((0.0, 0.0, 0.0), 10.0, 0.0, 0.0, field_of_view=90.0)  # sees 10 to each side at depth 0

    def place(*points, above=0.0):
        return _compare_view.inset_place(
            [np.array([*point, 0.0]) + 1e-6 * np.eye(3) for point in points],
            np.array([[0, 1, 2]]),
            camera,
            (200, 200),
            64,
            above,
        )

    assert place((0, 0)) == (132, 132, 64)  # a border of 64 / 16
    assert place((9, -9)) == (4, 132, 64)
    assert place((9, -9), (-9, -9)) == (132, 4, 64)
    assert place((9, -9), (-9, -9), above=50.0) == (132, 54, 64)
    assert place((9, -9), (-9, -9), (9, 9)) == (4, 4, 64)
    assert place((9, -9), (-9, -9), (9, 9), (-9, 9)) is None
    # 64 pixels from the right reach to x = 3.2, 51 to 4.5: what stands between lets in the smaller one.
    assert place((3.8, -3.8), (-9, -9), (9, 9), (-9, 9)) == (145, 145, 51)
    large = [
        np.array([[-9.0, -9, 0], [9, -9, 0], [9, 9, 0]])
    ]  # covers corners without a vertex at any centre
    assert _compare_view.inset_place(large, np.array([[0, 1, 2]]), camera, (200, 200), 64, 0.0) is None


def test_what_is_large_already_has_no_close_up(context, bar, monkeypatch):
    monkeypatch.setattr(_compare_sheet, "with_inset", None)  # a call would fail
    lissom.compare(bar, clip="twist", width=780, height=260)


def test_rounding_has_no_close_up(context, bar, monkeypatch):
    monkeypatch.setattr(_compare_sheet, "with_inset", None)  # a call would fail
    lissom.compare(bar, bar.skeleton.rest)
    lissom.compare(bar, clip="bend", focus="max")


@pytest.mark.parametrize(("function", "size"), [(lissom.render, 32), (lissom.compare, 64)])
def test_a_clip_with_weights_for_no_target_is_warned_of(function, size):
    tube = lissom.samples.two_bone_tube()
    poses = np.tile(tube.skeleton.rest, (2, 1, 1))
    clip = lissom.Clip.from_poses(tube.skeleton, [0, 1], poses, morphs={"nose": [0.0, 1.0]})
    sentence = rf"^{function.__name__}: weights of 1 morph target in clip 'clip' are left out, .*'nose'"
    with pytest.warns(UserWarning, match=sentence) as caught:
        function(tube, clip=clip, width=size, height=size)
    assert [each.filename for each in caught] == [__file__]


# The worst vertex


def test_the_worst_vertex_is_looked_for_from_all_sides():
    """A face that looks to +z, with a wall before it, or in a box."""
    face = np.array([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0, 0.1, 0]])
    wall = np.array([[-1.0, -1, 0.1], [1, -1, 0.1], [0, 1, 0.1]])
    normals = np.tile([0.0, 0, 1], (9, 1))

    def looked(*walls):
        positions = np.concatenate([face, *walls])
        triangles = np.arange(len(positions)).reshape(-1, 3)
        stage = SimpleNamespace(mesh=lissom.Mesh(positions, triangles), skeleton=None, size=1.0)
        return positions, triangles, _compare_view.side_to_see(stage, (positions, normals), 0, 0.0, 0.0)

    aside = wall + np.array([9.0, 0, 0])
    assert looked(wall * [1, 1, -1], aside)[2] == (0.0, 0.0, True)
    azimuth, elevation, is_seen = looked(wall, aside)[2]
    assert is_seen
    assert (azimuth, elevation) != (0.0, 0.0)
    positions, triangles, (azimuth, elevation, is_seen) = looked(
        1e3 * wall * [1, 1, 1e-3], aside * [1, 1, -9]
    )
    assert (azimuth, elevation, is_seen) == (0.0, 0.0, False)
    cut = _compare_view.opened(triangles, positions, 0, _compare_view.to_eye(azimuth, elevation))
    np.testing.assert_array_equal(cut, [[0, 1, 2], [3, 3, 3], [6, 7, 8]])


def test_the_picture_turns_to_the_worst_vertex(context, monkeypatch, asset):
    fox = lissom.load(asset("characters/khronos/Fox.glb"))
    cuts = []
    opened = _compare_view.opened
    monkeypatch.setattr(
        "lissom._pictures.compare.opened", lambda *given: cuts.append(given) or opened(*given)
    )
    image = lissom.compare(fox, clip="Run", time=0.87).image
    assert len(cuts) == 3, "hidden from all sides, it is seen in a body that is cut open"
    map_, inset = image[60:385, 960:], image[245:375, 1300:1430]
    for part in (map_, inset):
        hot = (part[..., 1] > 160) & (part[..., 2] < 90)  # the upper third of the colours, lit
        assert hot.sum() > 60


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_ring_is_about_its_point(is_hidden):
    from lissom.gpu import Camera

    camera = Camera((0.0, 0.0, 0.0), 10.0, 0.0, 0.0, field_of_view=90.0)  # sees 10 to each side at depth 0
    plain = np.full((200, 200, 3), 100, np.uint8)
    point = np.array([5.0, 2.0, 0.0])
    ringed = _compare_sheet.with_ring(plain, camera, point, is_hidden=is_hidden)
    rows, columns = np.nonzero((ringed != plain).any(axis=-1))
    np.testing.assert_allclose([columns.mean(), rows.mean()], [149.5, 79.5], atol=0.1)
    inside = ringed[79:81, 149:151].reshape(-1, 3)
    assert (inside == ([253, 231, 37] if is_hidden else [100, 100, 100])).all()
    behind = np.array([0.0, 0.0, 20.0])
    np.testing.assert_array_equal(_compare_sheet.with_ring(plain, camera, behind), plain)
