# SPDX-License-Identifier: MIT
"""Plots: the numbers drawn, labels and units, what stays unchanged, and every error by its message."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from lissom import plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def walk(hero):
    return hero.clips["walk"]


@pytest.fixture(scope="module")
def contacts(hero, walk):
    return lissom.ik.find_contacts(walk, lissom.ik.Leg.find(hero), character=hero)


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, ["walk"], rate=20, max_error=None)


@pytest.fixture(scope="module")
def leg(hero):
    return lissom.ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L")


@pytest.fixture(scope="module")
def retarget(hero):
    made = lissom.Retarget(hero, lissom.samples.humanoid("child"))
    for name in ("walk", "run"):
        made.clip(hero.clips[name])
    return made


@pytest.fixture
def calls(hero, walk, contacts, bake, leg, retarget):
    return {
        "bone_errors": lambda **given: plots.bone_errors(retarget.report, **given),
        "clip_curves": lambda **given: plots.clip_curves(walk, "LowerLeg.L", **given),
        "contact_timeline": lambda **given: plots.contact_timeline(contacts, **given),
        "error_over_time": lambda **given: plots.error_over_time(bake, walk, **given),
        "weight_histogram": lambda **given: plots.weight_histogram(hero.mesh, **given),
        "reach_map": lambda **given: plots.reach_map(leg, count=9, **given),
    }


NAMES = plots.__all__


def drawn(axes):
    axes.figure.canvas.draw()  # where matplotlib finds what it cannot draw; warnings are errors


@pytest.mark.parametrize("name", NAMES)
def test_axes_come_back_with_title_and_labels(calls, name):
    axes = calls[name]()
    assert isinstance(axes, matplotlib.axes.Axes)
    assert axes.get_title(loc="left")
    assert axes.get_xlabel()
    assert axes.get_ylabel() or name in ("bone_errors", "contact_timeline")
    drawn(axes)


@pytest.mark.parametrize("name", NAMES)
def test_given_axes_are_drawn_into(calls, name):
    figure, (left, right) = pyplot.subplots(1, 2)
    before = pyplot.get_fignums()
    assert calls[name](axes=right) is right
    assert pyplot.get_fignums() == before
    assert not left.has_data()
    drawn(right)
    assert right.figure is figure


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_matplotlib_is_changed(calls, name, monkeypatch):
    def shown(*_, **__):
        raise AssertionError("shown")

    monkeypatch.setattr(pyplot, "show", shown)
    figure, axes = pyplot.subplots()
    current = pyplot.gca()
    before = dict(matplotlib.rcParams)
    calls[name](axes=axes)
    assert dict(matplotlib.rcParams) == before
    assert pyplot.gcf() is figure
    assert pyplot.gca() is current
    calls[name]()
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", NAMES)
def test_axes_of_another_kind_are_refused(calls, name):
    with pytest.raises(TypeError, match=f"{name}: axes must be matplotlib Axes, got Figure; pass one"):
        calls[name](axes=pyplot.figure())


def test_without_matplotlib_the_extra_is_named():
    program = """
import sys
sys.modules["matplotlib"] = None
import lissom
bar = lissom.samples.twisted_bar()
walk = lissom.samples.humanoid().clips["walk"]
legs = [lissom.ik.Leg("UpperLeg.L", "LowerLeg.L", "Foot.L")]
retarget = lissom.Retarget(lissom.samples.humanoid(), lissom.samples.humanoid("child"))
retarget.clip(walk)
arguments = {
    "bone_errors": (retarget.report,),
    "clip_curves": (bar.clips["twist"], 0),
    "contact_timeline": (lissom.ik.find_contacts(walk, legs),),
    "error_over_time": (bar, "twist"),
    "weight_histogram": (bar,),
    "reach_map": (lissom.ik.Chain(bar.skeleton, 0, 1),),
}
assert set(arguments) == set(lissom.plots.__all__)
for name, given in arguments.items():
    try:
        getattr(lissom.plots, name)(*given)
    except ImportError as error:
        assert str(error).startswith(f"lissom.plots.{name} needs matplotlib, "), error
        assert 'pip install "lissom[plot]"' in str(error)
    else:
        raise AssertionError(name)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_matplotlib_waits_for_the_first_plot():
    program = "import sys, lissom; lissom.plots; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_cells_are_the_angles_between_bones_of_both_bodies(hero, retarget):
    child = lissom.samples.humanoid("child")
    clips = {name: hero.clips[name] for name in ("walk", "run")}
    image = plots.bone_errors(retarget.report).images[0].get_array()
    rows = [label.get_text() for label in pyplot.gca().get_yticklabels()]
    joints = [hero.skeleton.index(name) for name in ("UpperLeg.L", "LowerLeg.L")]
    for column, clip in enumerate(clips.values()):
        times = np.linspace(clip.start, clip.end, round(clip.duration * clip.key_rate) + 1)
        bones = []
        for skeleton, motion in ((hero.skeleton, clip), (child.skeleton, retarget.clip(clip))):
            places = skeleton.positions(motion.sample(times, loop=False).astype(np.float64))[:, joints]
            bone = places[:, 1] - places[:, 0]
            bones.append(bone / np.linalg.norm(bone, axis=1, keepdims=True))
        degrees = np.degrees(np.arccos(np.clip((bones[0] * bones[1]).sum(axis=1), -1, 1))).mean()
        assert image[rows.index("leftUpperLeg"), column] == pytest.approx(degrees, abs=0.01)
        assert degrees > 0.3


def test_one_clip_is_one_column(retarget):
    axes = plots.bone_errors(retarget.report.clips["walk"])
    assert axes.images[0].get_array().shape == (len(retarget.report.clips["walk"].bones), 1)
    assert len(axes.texts) == axes.images[0].get_array().size


def test_curves_are_those_of_the_clip(walk):
    joint = walk.skeleton.index("LowerLeg.L")
    for of, columns in (("rotation", slice(3, 7)), ("translation", slice(0, 3)), ("scale", slice(7, 10))):
        axes = plots.clip_curves(walk, "LowerLeg.L", of=of)
        curves = [line for line in axes.lines if line.get_linestyle() == "-"]
        assert [line.get_label() for line in curves] == list("xyzw"[: len(curves)])
        poses = walk.sample(curves[0].get_xdata(), loop=False)
        np.testing.assert_allclose(
            np.transpose([line.get_ydata() for line in curves]), poses[:, joint, columns], atol=1e-6
        )
    assert axes.get_xlabel() == "time, s"


def test_angles_are_those_from_rest(walk):
    axes = plots.clip_curves(walk, "LowerLeg.L", of="angle")
    (times, degrees) = axes.lines[0].get_data()
    joint = walk.skeleton.index("LowerLeg.L")
    turned = lissom.trs.rotation(walk.sample(times, loop=False))[:, joint]
    rest = lissom.trs.rotation(walk.skeleton.rest)[joint]
    np.testing.assert_allclose(degrees, np.degrees(lissom.quat.angle_between(turned, rest)), atol=0.05)
    difference = lissom.make_additive(walk, walk.sample(0.0))
    assert plots.clip_curves(difference, joint, of="angle").lines[0].get_ydata()[0] < 0.05


def test_positions_are_in_model_space(walk):
    axes = plots.clip_curves(walk, "Foot.L", of="position")
    curves = np.transpose([line.get_ydata() for line in axes.lines])
    poses = walk.sample(axes.lines[0].get_xdata(), loop=False)
    expected = walk.skeleton.positions(poses)[:, walk.skeleton.index("Foot.L")]
    np.testing.assert_allclose(curves, expected, atol=1e-5)


def test_keys_are_dots_and_markers_lines(walk):
    marked = walk.with_markers([(0.2, "left $down$"), (0.7, "right")])
    axes = plots.clip_curves(marked, "LowerLeg.L")
    dots = [line for line in axes.lines if line.get_marker() == "."]
    assert len(dots) == 4
    np.testing.assert_allclose(dots[0].get_xdata(), np.linspace(0, 1.1, 34), atol=1e-5)
    dotted = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    assert dotted == [0.2, 0.7]
    assert [words.get_text() for words in axes.texts] == [r"left \$down\$", "right"]
    drawn(axes)


def test_a_clip_of_one_pose_is_drawn(hero):
    still = lissom.Clip.from_poses(hero.skeleton, [0.5], hero.skeleton.rest[None], name="$1 and 2_$")
    for of in ("rotation", "position"):
        drawn(plots.clip_curves(still, 0, of=of))
    drawn(plots.error_over_time(hero, still))
    bake = lissom.bake(lissom.Character("still", hero.skeleton, hero.mesh, hero.skin, [still]))
    drawn(plots.error_over_time(bake, still))


def test_contacts_are_areas_and_bars(contacts):
    axes = plots.contact_timeline(contacts)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(contacts.names)
    curves = [line for line in axes.lines if len(line.get_xdata()) == len(contacts.times) + 1]
    assert len(curves) == len(contacts.names)
    for row, line in enumerate(curves):
        base = len(curves) - 1 - row
        np.testing.assert_allclose((line.get_ydata()[:-1] - base) / 0.72, contacts.curves[:, row], atol=1e-12)
    bars = [line for line in axes.lines if line.get_linewidth() == 4]
    for row in range(len(curves)):
        mine = [line.get_xdata() for line in bars if line.get_ydata()[0] == len(curves) - 1 - row]
        planted = sum(high - low for low, high in mine)
        assert planted == pytest.approx(sum(high - low for low, high in contacts.stances(row)), abs=1e-6)


def test_the_error_of_a_bake_is_that_of_its_report(bake, walk):
    axes = plots.error_over_time(bake, walk)
    error = bake.clips["walk"].error
    lines = {line.get_label(): line for line in axes.lines}
    percent = 100 / bake.size
    assert lines["max"].get_ydata().max() == pytest.approx(percent * error.max, rel=1e-3)
    rms = np.sqrt(np.mean(lines["rms"].get_ydata() ** 2))
    assert rms == pytest.approx(percent * error.rms, rel=0.05)  # key times count once here and there
    frames = next(line for line in axes.lines if line.get_marker() == "|")
    assert len(frames.get_xdata()) == bake.clips["walk"].frame_count
    times, largest = lines["max"].get_data()
    at_frames = largest[np.searchsorted(times, frames.get_xdata())]
    assert at_frames.max() == pytest.approx(percent * error.at_frames.max, rel=1e-3)


@pytest.mark.parametrize("layout", ["matrix", "quat_trans", "trs"])
def test_every_layout_has_its_error_over_time(hero, walk, layout):
    bake = lissom.bake(hero, ["walk"], layout=layout, rate=10)
    largest = plots.error_over_time(bake, walk).lines[0].get_ydata().max()
    assert largest == pytest.approx(100 * bake.clips["walk"].error.max / bake.size, rel=0.1)


def test_max_error_is_a_line(hero, walk):
    bake = lissom.bake(hero, ["walk"], max_error=1e-3)
    axes = plots.error_over_time(bake, walk)
    asked = next(line for line in axes.lines if line.get_label() == "max_error")
    assert asked.get_ydata()[0] == pytest.approx(0.1)
    assert axes.get_ylim()[1] > 0.1


def test_methods_are_compared_over_time(hero, walk):
    axes = plots.error_over_time(hero, "walk", methods=("linear", "quat_trans"))
    assert axes.lines[0].get_ydata().max() < 1e-3  # the same except for rounding
    axes = plots.error_over_time(hero, walk)
    times, largest = axes.lines[0].get_data()
    at = int(np.argmax(largest))
    found = lissom.metrics.distance(
        *(hero.deform(walk.sample(times[at], loop=False), method) for method in ("linear", "dual_quat"))
    )
    assert largest[at] == pytest.approx(100 * found.max / hero.size, rel=1e-4)


def test_bars_are_shares_of_the_vertices(hero):
    axes = plots.weight_histogram(hero)
    counts = np.count_nonzero(hero.mesh.weights, axis=1)
    heights = {}
    for bar in axes.patches:
        place = round(bar.get_x() + bar.get_width() / 2)
        heights[place] = heights.get(place, 0) + bar.get_height()
    for influences in (1, 2, 3, 4):
        assert heights[influences] == pytest.approx(100 * np.mean(counts == influences))
    lone = [container for container in axes.containers if container.get_label() == "0.95 to 1"]
    share = 100 * np.mean((counts == 1) & (hero.mesh.weights.max(axis=1) > 0.95))
    assert lone[0].patches[0].get_height() == pytest.approx(share)


@pytest.mark.parametrize("size", [(2.0, 2.4), (2.7, 3.0), (5.5, 3.4), (9.0, 2.5)])
@pytest.mark.parametrize("layout", ["constrained", None])
def test_the_legend_of_weights_covers_nothing(hero, size, layout):
    mesh = hero.mesh
    even = np.full((mesh.vertex_count, 4), 0.25, np.float32)
    four = np.broadcast_to(np.arange(4), even.shape)
    one = np.broadcast_to([1, 0, 0, 0], even.shape).astype(np.float32)
    for shown in (mesh, mesh.with_weights(four, even), mesh.with_weights(four, one)):
        figure, axes = pyplot.subplots(figsize=size, layout=layout)
        plots.weight_histogram(shown, axes=axes)
        figure.draw_without_rendering()
        legend = axes.get_legend().get_window_extent()
        for part in (*axes.patches, *axes.texts):
            box = part.get_window_extent()
            assert min(box.x1, legend.x1) <= max(box.x0, legend.x0) or box.y1 <= legend.y0 + 1
        assert axes.get_yticks().max() <= 100


def test_reach_is_a_disc_for_a_free_limb(leg):
    axes = plots.reach_map(leg, count=41)
    left = axes.images[0].get_array() / 100 * leg.length
    low, high = axes.get_xlim()
    assert (low, high) == (pytest.approx(-1.25 * leg.length), pytest.approx(1.25 * leg.length))
    along = np.linspace(low, high, 41)
    # Each number stands in the middle of its pixel.
    edges = np.linspace(*axes.images[0].get_extent()[:2], 42)
    np.testing.assert_allclose((edges[1:] + edges[:-1]) / 2, along, atol=1e-9)
    np.testing.assert_allclose(axes.images[0].get_extent()[2:], edges[[0, -1]])
    assert axes.get_ylim() == axes.get_xlim()
    away = np.hypot(*np.meshgrid(along, along))
    # Two bones reach what lies between their difference and their sum.
    rest = leg.skeleton.positions(leg.skeleton.rest.astype(float))[leg.joints]
    bones = np.linalg.norm(np.diff(rest, axis=0), axis=1)
    expected = np.maximum(0, np.maximum(away - bones.sum(), abs(bones[0] - bones[1]) - away))
    np.testing.assert_allclose(left, expected, atol=2e-3 * leg.length)
    assert axes.get_xlabel() == "z from UpperLeg.L, model units"
    assert axes.get_ylabel() == "y from UpperLeg.L, model units"


def test_reach_is_drawn_where_it_is_asked_for(leg):
    shown = {}

    def solver(chain, pose, targets, **options):
        shown.update(options, targets=targets)
        return lissom.ik.fabrik(chain, pose, targets)

    for normal, labels in (([0, 2, 0], ("x", "-z")), ([0, 0, -1], ("x", "y")), ([1, 0, 1], ("(0.71,", "y"))):
        axes = plots.reach_map(leg, solver=solver, normal=normal, span=0.5, count=5, max_iterations=3)
        root = leg.skeleton.positions(leg.skeleton.rest)[leg.joints[0]]
        assert np.abs((shown["targets"] - root) @ np.array(normal)).max() < 1e-6
        assert shown["max_iterations"] == 3
        assert axes.get_xlabel().startswith(labels[0])
        assert axes.get_ylabel().startswith(labels[1])
    line = axes.lines[-1]
    assert len(line.get_xdata()) == 3
    np.testing.assert_allclose([line.get_xdata()[0], line.get_ydata()[0]], 0, atol=1e-7)


def test_rows_of_a_reach_map_go_up_and_columns_right(leg):
    root = leg.skeleton.positions(leg.skeleton.rest.astype(float))[leg.joints[0]]
    for axis, expected in ((1, np.linspace(-1, 1, 5)[:, None]), (2, np.linspace(-1, 1, 5)[None])):

        def solver(chain, pose, targets, axis=axis):
            return SimpleNamespace(residual=targets[:, axis] - root[axis])

        axes = plots.reach_map(leg, solver=solver, span=1.0, count=5)
        values = axes.images[0].get_array() / 100
        np.testing.assert_allclose(values, np.broadcast_to(expected, (5, 5)), atol=1e-6)
        assert axes.images[0].origin == "lower"


def broken_bake(bake, **changes):
    known = {"mesh": bake.mesh, "skin": bake.skin} | changes
    return lissom.PoseTexture(bake.texels, bake.clips, bake.joints, bake.report, **known)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda k: plots.bone_errors("report"),
            TypeError,
            "bone_errors: report must be a RetargetReport or one of its clips, got str",
        ),
        (
            lambda k: plots.bone_errors(lissom.Retarget(k.hero, k.hero).report),
            ValueError,
            "bone_errors: report must have bones to plot, and no clip was carried over; call Retarget.clip",
        ),
        (lambda k: plots.clip_curves("walk", 0), TypeError, "clip_curves: clip must be a Clip, got str"),
        (lambda k: plots.clip_curves(k.walk, "Tail"), ValueError, "^clip_curves: no joint is named 'Tail'"),
        (
            lambda k: plots.clip_curves(lissom.make_additive(k.walk, k.hero.skeleton.rest), 0, of="position"),
            ValueError,
            "of must be another curve for an additive clip, got 'position'",
        ),
        (
            lambda k: plots.clip_curves(k.walk, 0, of="colour"),
            ValueError,
            "of must be one of rotation, angle, translation, scale, position, got 'colour'",
        ),
        (
            lambda k: plots.contact_timeline([1]),
            TypeError,
            "contact_timeline: contacts must be Contacts, as from .*, got list",
        ),
        (
            lambda k: plots.error_over_time(k.walk, k.walk),
            TypeError,
            "source must be a PoseTexture or a Character, got Clip",
        ),
        (
            lambda k: plots.error_over_time(k.bake, "walk"),
            TypeError,
            r"clip must be the Clip that was baked, got str; .* pass character.clips\[name\]",
        ),
        (
            lambda k: plots.error_over_time(k.bake, k.hero.clips["run"]),
            ValueError,
            "error_over_time: no clip is named 'run'; there are: 'walk'",
        ),
        (
            lambda k: plots.error_over_time(broken_bake(k.bake, mesh=None), k.walk),
            ValueError,
            "source must be a bake with a mesh, got one without",
        ),
        (
            lambda k: plots.error_over_time(broken_bake(k.bake, skin=None), k.walk),
            ValueError,
            "source must be a bake with a skin, got one without",
        ),
        (
            lambda k: plots.error_over_time(k.bake, k.other.renamed("walk")),
            ValueError,
            "clip must have all joints of the bake, but no joint is named",
        ),
        (
            lambda k: plots.error_over_time(k.bake, k.walk, methods=("cor",)),
            ValueError,
            "methods must be 1 of linear, dual_quat, got cor",
        ),
        (
            lambda k: plots.error_over_time(k.hero, "walk", methods=("linear",)),
            ValueError,
            "methods must be 2 of linear, dual_quat, .*, got linear",
        ),
        (lambda k: plots.error_over_time(k.hero, "fly"), ValueError, "no clip is named 'fly'"),
        (lambda k: plots.error_over_time(k.hero, 3), TypeError, "clip must be a name or a Clip, got int"),
        (
            lambda k: plots.error_over_time(k.hero, k.other),
            ValueError,
            "must be of the same skeleton, but joint",
        ),
        (
            lambda k: plots.error_over_time(k.bare, k.walk),
            ValueError,
            "source must be a character with a mesh, got 'bare' without",
        ),
        (
            lambda k: plots.weight_histogram(np.ones(3)),
            TypeError,
            "weight_histogram: mesh must be a Mesh or a Character, got ndarray",
        ),
        (
            lambda k: plots.weight_histogram(k.bare),
            ValueError,
            "mesh must have at least one vertex",
        ),
        (
            lambda k: plots.reach_map(k.hero),
            TypeError,
            "chain must be an ik.Chain, got Character",
        ),
        (
            lambda k: plots.reach_map(k.leg, solver="magic"),
            ValueError,
            "solver must be a function or one of fabrik, ccd, two_bone, damped_least_squares, got 'magic'",
        ),
        (lambda k: plots.reach_map(k.leg, span=0), ValueError, "reach_map: span must be above zero"),
        (
            lambda k: plots.reach_map(k.leg, count=1),
            ValueError,
            "count must be at least 2, got 1",
        ),
        (
            lambda k: plots.reach_map(k.leg, normal=[0, 0, 0]),
            ValueError,
            "normal must be three finite numbers",
        ),
        (
            lambda k: plots.reach_map(k.leg, pose=np.zeros((2, 10))),
            ValueError,
            r"pose must have shape \(34, 10\), one pose, got \(2, 10\)",
        ),
        (
            lambda k: plots.reach_map(k.point),
            ValueError,
            "chain must be longer than 0, got joints all at one point",
        ),
    ],
)
def test_wrong_input_is_refused_before_anything_is_drawn(hero, walk, bake, leg, call, error, message):
    rest = np.tile(np.float32([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1))
    known = SimpleNamespace()
    known.hero, known.walk, known.bake, known.leg = hero, walk, bake, leg
    known.other = lissom.samples.twisted_bar().clips["twist"]
    known.bare = lissom.Character("bare", hero.skeleton, None, None, hero.clips)
    known.point = lissom.ik.Chain(lissom.Skeleton(["a", "b"], [-1, 0], rest), "a", "b")
    with pytest.raises(error, match=message):
        call(known)
    assert not pyplot.get_fignums()
