# SPDX-License-Identifier: MIT
"""What notebooks show: of every class, whole and small, whatever names a file has, and never an error."""

import base64
import html.parser
import io
import pickle
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from lissom._notebook import builder
from lissom._notebook import html as notebook_html
from lissom._notebook.builder import Html, bullets, card, details, number, percent, table, text
from morphed_characters import faced

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;\u202e\ud800\x00" + "n" * 500
LARGEST = 32_000  # bytes of HTML, except for a comparison's picture
EMPTY_TAGS = {"img", "line", "polygon"}


class Page(html.parser.HTMLParser):
    """Holds the tags and the words of a piece of HTML; asserts that it is well formed."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.words, self._open = [], [], [], []
        self.feed(source)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]
        if tag not in EMPTY_TAGS:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(self.words)


def checked(thing):
    """Return the page of an object, after the checks that every page passes."""
    source = thing._repr_html_()
    assert isinstance(source, str)
    assert not source.startswith("<pre"), source
    source.encode()  # no half of a surrogate pair
    page = Page(source)
    assert not {"script", "iframe", "link", "style", "object"} & set(page.tags)
    assert not [name for name in page.attributes if name.startswith("on")]
    # Colours are the page's own, except for a rule that is visible on any.
    assert set(re.findall(r"(?:color|background)[^;\"]*", source)) <= {"color"}
    assert "http" not in source
    if type(thing).__name__ != "Comparison":
        assert len(source) < LARGEST
    return page


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, ["walk", "wave"])


@pytest.fixture(scope="module")
def legs(hero):
    return lissom.ik.Leg.find(hero)


def test_a_character_is_shown(hero):
    page = checked(hero)
    assert "humanoid_adult" in page.text
    for words in ("34", "11588", "23060", "5 clips", "13 parts", "walk", "Hair"):
        assert words in page.text
    assert page.tags.count("img") == 1


def test_repairs_are_shown(hero):
    mended = lissom.Character(
        "mended", hero.skeleton, None, None, repairs=[lissom.Repair("CODE", "/skins/0", "weights were < 0")]
    )
    page = checked(mended)
    assert "1 thing repaired or left out" in page.text
    assert "/skins/0: weights were < 0 [CODE]" in page.text
    assert "no mesh" in page.text
    assert checked(mended.repairs[0]).text.count("weights were < 0") == 1


def test_a_skeleton_is_a_nested_list(hero):
    page = checked(hero.skeleton)
    assert page.tags.count("li") == 34
    source = hero.skeleton._repr_html_()
    depth = 0
    found = {}
    for mark in re.finditer(r"<ul|</ul>|<li>([^<]*)", source):
        depth += {"<ul": 1, "</ul>": -1}.get(mark[0], 0)
        if mark[1] is not None:
            found[mark[1]] = depth
    for name, parent in zip(hero.skeleton.names, hero.skeleton.parents, strict=True):
        assert found[name] == (found[hero.skeleton.names[parent]] + 1 if parent >= 0 else 1)


def test_morph_targets_are_counted_and_listed():
    face = faced(lissom.samples.two_bone_tube())
    counts = np.diff(face.mesh.morphs.offsets)
    for thing in (face.mesh, face.mesh.morphs):
        page = checked(thing)
        for name, count in zip(face.mesh.morphs.names, counts.tolist(), strict=True):
            assert name in page.text
            assert str(count) in page.text
    assert "6 morph targets" in checked(face.mesh).text
    assert "morph targets" in checked(face).text
    assert "morph" not in checked(lissom.samples.two_bone_tube()).text


def test_roles_are_a_drawing(hero):
    found = lissom.roles(hero)
    page = checked(found)
    assert page.tags.count("circle") == len(found.joints) + 2  # the hands once more, with their fingers
    for role, joint in found.joints.items():
        assert f"{role}: {joint}" in page.text
    names = [f"{HOSTILE}{i}" for i in range(len(hero.skeleton))]
    hostile = lissom.Skeleton(names, hero.skeleton.parents, hero.skeleton.rest)
    assert "<script>alert(1)</script>" in checked(lissom.roles(hostile, {"hips": names[0]})).text


def test_a_picture_has_few_colours_unless_it_is_exact():
    noise = lissom.Picture(np.random.default_rng(0).integers(0, 256, (120, 120, 3)).astype(np.uint8))
    images = pytest.importorskip("PIL.Image")
    for exact, mode in ((True, "RGB"), (False, "P")):
        packed = base64.b64decode(re.search(r"base64,([^\"]*)", builder.image(noise, "", exact=exact))[1])
        image = images.open(io.BytesIO(packed))
        assert image.mode == mode
        assert (
            exact
            == (len(packed) > builder.THUMBNAIL_BYTES)
            == (np.array(image).tobytes() == noise.array.tobytes())
        )


def test_a_deep_skeleton_is_cut():
    count = 5000
    rest = np.tile(np.float32([0, 0.1, 0, 0, 0, 0, 1, 1, 1, 1]), (count, 1))
    chain = lissom.Skeleton([f"j{i}" for i in range(count)], np.arange(-1, count - 1), rest)
    page = checked(chain)
    assert "… 4850 more" in page.text
    assert page.tags.count("li") == 151


def test_a_clip_is_shown_as_a_strip(hero):
    page = checked(hero.clips["walk"])
    for words in (
        "walk",
        "1.1 (0 to 1.1)",
        "loops",
        "32 of 34 move",
        "33 tracks",
        "rotation, linear",
        "1088",
    ):
        assert words in page.text
    strip = lissom._notebook.drawings.clip(hero.clips["walk"], 200)
    assert strip.shape == (132, 5 * 96, 3)
    difference = lissom.make_additive(hero.clips["walk"], hero.skeleton.rest)
    assert "img" not in checked(difference).tags
    assert "additive" in checked(difference).text


def test_clips_are_listed(hero):
    page = checked(hero.clips)
    assert page.tags.count("tr") == 1 + 5
    many = {f"clip {i}": hero.clips["walk"].renamed(f"clip {i}") for i in range(60)}
    shown = checked(lissom.Character("many", hero.skeleton, None, None, many))
    assert "… 50 more" in shown.text
    assert "… 20 more" in checked(lissom.Character("many", hero.skeleton, None, None, many).clips).text


def test_only_clips_that_are_shown_are_made(hero):
    def never():
        raise AssertionError("made")

    clips = {f"{i}": hero.clips["walk"].renamed(f"{i}") for i in range(10)} | {"later": never}
    assert "… 1 more" in checked(lissom.Character("lazy", hero.skeleton, None, None, clips)).text


def test_a_mesh_and_a_skin_are_shown(hero):
    page = checked(hero.mesh)
    counts = np.count_nonzero(hero.mesh.weights, axis=1)
    for influences in (1, 2, 3, 4):
        assert str((counts == influences).sum()) in page.text
    bind = np.tile(np.eye(4), (3, 1, 1))
    bind[0, :3, :3] *= 2
    bind[1, 0, 0] = -1
    bind[2, :3, :3] = 0
    skin = checked(lissom.Skin([0, 1, 1], bind))
    for words in ("bind scale 0 to 2", "without inverse 1", "mirrored 1", "joints 2"):
        assert words in re.sub(r"\s+", " ", skin.text)


def test_bakes_and_their_reports_are_shown(bake):
    for thing in (bake, bake.report):
        page = checked(thing)
        for name, clip in bake.clips.items():
            assert name in page.text
            assert percent(clip.error.max_relative) in page.text
            assert f"{clip.error.worst.joint}, {clip.error.worst.time:.2f} s" in page.text
    assert "134912" in checked(bake).text
    bare = lissom.bake(lissom.samples.twisted_bar(), include_mesh=False)
    assert "img" not in checked(bare).tags


def test_many_records_are_a_table(tmp_path):
    jobs = [lissom.BakeJob(f"sample:{name}", tmp_path) for name in ("twisted_bar", "no_such")]
    records = lissom.BakeRecords(lissom.bake_many(jobs, workers=1))
    page = checked(records)
    assert {"1 baked, 1 failed" in page.text, "1 failed, 1 baked" in page.text} == {
        True,
        False,
    }  # as they end
    assert page.tags.count("tr") == 3
    assert page.text.index("no_such") < page.text.index("twisted_bar")  # what went wrong comes first
    assert percent(records[0].report["max_relative"]) in page.text
    single = checked(records[0])
    assert "2 clips" in single.text
    assert str(records[0].report["file_bytes"]) in single.text
    assert "… 60 more" in checked(lissom.BakeRecords(records[:1] * 100)).text
    assert repr(lissom.BakeRecords(records[:1])) == repr(tuple(records[:1]))


def test_notebooks_find_what_to_show(hero):
    formatters = pytest.importorskip("IPython.core.formatters")
    data, _ = formatters.DisplayFormatter().format(hero)
    assert set(data) == {"text/plain", "text/html", "image/png"}
    data, _ = formatters.DisplayFormatter().format(hero, exclude=["image/png"])
    assert set(data) == {"text/plain", "text/html"}
    data, _ = formatters.DisplayFormatter().format(hero.clips)
    assert set(data) == {"text/plain", "text/html"}  # nothing is drawn
    data, _ = formatters.DisplayFormatter().format(object.__new__(lissom.Character))
    assert data["text/html"].startswith("<pre>")
    assert "image/png" not in data


def test_records_of_bakes_are_shown():
    page = checked(lissom.BakeRecord("a.glb", "out", "a", "failed", message=f"a.glb: {HOSTILE}"))
    assert "failed" in page.text


@pytest.mark.gl
def test_a_comparison_is_shown_with_its_picture():
    found = lissom.compare(lissom.samples.twisted_bar(), width=300, height=120)
    page = checked(found)
    assert "img" in page.tags
    assert found.summary in page.text
    assert percent(found.numbers["max_relative"]) in page.text


def test_solved_poses_are_shown(hero):
    skeleton = hero.skeleton
    arms = [lissom.ik.Chain(skeleton, f"UpperArm.{side}", f"Hand.{side}") for side in "LR"]
    hands = [skeleton.positions(skeleton.rest)[arm.joints[-1]] for arm in arms]
    one = lissom.ik.fabrik(arms[0], skeleton.rest, hands[0])
    assert re.search(r"reached\s+yes", checked(one).text)
    near_and_far = np.stack([hands[0], hands[0] + [9, 9, 9]])
    assert "1 of 2" in checked(lissom.ik.fabrik(arms[0], skeleton.rest, near_and_far)).text
    both = checked(lissom.ik.damped_least_squares(arms, skeleton.rest, np.stack(hands)))
    assert "2 of 2" in both.text
    for words in ("effector", "residual, model units", "largest residual, model units"):
        assert words in both.text
    assert "angle" not in both.text
    turned = np.float64([0, 0, 0, 1])
    aimed = lissom.ik.damped_least_squares(arms[0], skeleton.rest, hands[0], orientations=turned)
    gaze = lissom.ik.Chain(skeleton, "Spine", "Head")
    looks = lissom.ik.aim(gaze, skeleton.rest, [[0, 1.5, 2], [0.1, 1.5, 2], [0, 1.5, -2]])
    assert "stopped behind 1, reached 2" in re.sub(r"\s+", " ", checked(looks).text)
    assert f"angle, radians {number(aimed.angle)}" in re.sub(r"\s+", " ", checked(aimed).text)


def test_lengths_have_their_unit(hero, bake, legs):
    walk = hero.clips["walk"]
    contacts = lissom.ik.find_contacts(walk, legs, character=hero)
    placed = lissom.ik.FootPlacement(hero, legs, lissom.samples.uneven_ground()).apply(walk)
    for thing, names in (
        (hero, ["size"]),
        (hero.skeleton, ["size"]),
        (hero.mesh, ["bounds"]),
        (bake.report, ["size"]),
        (placed, ["body moved", "largest residual", "raised"]),
    ):
        words = checked(thing).text
        for name in names:
            assert f"{name}, model units" in words
    assert "model units per second" in checked(contacts).text


def test_contacts_and_placed_feet_are_shown(hero, legs):
    walk = hero.clips["walk"]
    contacts = lissom.ik.find_contacts(walk, legs, character=hero)
    page = checked(contacts)
    assert page.tags.count("polygon") == 2
    for leg, share in zip(contacts.names, (contacts.curves >= 1).mean(axis=0), strict=True):
        assert leg in page.text
        assert percent(share) in page.text
    placed = lissom.ik.FootPlacement(hero, legs, lissom.samples.uneven_ground()).apply(walk)
    assert "136 of 136" in checked(placed).text


def test_reports_are_shown(hero):
    walk = hero.clips["walk"]
    reduced = walk.optimized(max_error=1e-3)
    assert f"1122 became {reduced.report.keys_after}" in checked(reduced.report).text
    tube = lissom.samples.two_bone_tube()
    bones = [([0, 0, 0], [2, 0, 0]), ([2, 0, 0], [4, 0, 0])]
    _, report = lissom.weights.heat(tube.mesh, bones, report=True)
    page = checked(report)
    assert "heat" in page.text
    assert percent(report.influence_shares[1]) in page.text
    _, moved = lissom.weights.transfer(tube.mesh, tube.mesh, tube.mesh.positions, report=True)
    assert "TransferReport" in checked(moved).text
    binding = walk.bind(lissom.samples.humanoid("child").skeleton).binding
    assert "Hand.L, Hand.R" in checked(binding).text
    apart = lissom.metrics.distance(hero.mesh.positions, hero.mesh.positions + 1)
    assert "1.732" in checked(apart).text
    unknown = replace(apart, max=np.full(3, np.nan))
    assert "float64 (3,) " in checked(unknown).text  # and no warning of an empty slice
    assert "float64 (2,), 1 to 1" in checked(replace(apart, max=np.array([1, np.inf]))).text


def test_hostile_names_are_text():
    count = 3
    names = [f"{HOSTILE}{i}" for i in range(count)]
    rest = np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (count, 1))
    skeleton = lissom.Skeleton(names, [-1, 0, 1], rest)
    tube = lissom.samples.two_bone_tube().mesh
    whole = slice(0, tube.vertex_count), slice(0, tube.triangle_count)
    part = lissom.Part(HOSTILE, *whole, texture=lissom.Texture(b"", name=HOSTILE))
    mesh = lissom.Mesh(tube.positions, tube.triangles, uvs=tube.positions[:, :2], parts=[part])
    poses = np.stack([rest, rest])
    clip = lissom.Clip.from_poses(skeleton, [0.0, 1.0], poses, name=HOSTILE).with_markers([(0.5, HOSTILE)])
    bind = np.eye(4)[None]
    repair = lissom.Repair(HOSTILE, HOSTILE, HOSTILE)
    character = lissom.Character(HOSTILE, skeleton, mesh, lissom.Skin([0], bind), [clip], [repair])
    bake = lissom.bake(character)
    for thing in (character, skeleton, mesh, clip, character.clips, bake, bake.report, repair):
        page = checked(thing)
        assert "alert(1)" not in " ".join(page.attributes)
        assert "\u202e" not in page.text
        assert "\x00" not in page.text
    assert "<script>alert(1)</script>" in checked(clip).text


def test_a_broken_object_is_shown_as_its_text():
    for kind in (
        lissom.Character,
        lissom.Skeleton,
        lissom.Clip,
        lissom.Mesh,
        lissom.Skin,
        lissom.PoseTexture,
    ):
        broken = object.__new__(kind)
        source = broken._repr_html_()
        assert source.startswith("<pre>")
        assert kind.__name__ in source


def test_a_clip_that_cannot_be_played_is_still_shown(hero):
    keys = np.array([0, 1, np.nan, 0, 0, 1, 1, 1], np.float32)
    track = np.zeros(1, lissom.clip._tracks.TRACK_DTYPE)
    track["interpolation"], track["key_count"], track["values"] = 1, 2, 2
    broken = lissom.Clip("bad", hero.skeleton, keys, track)
    assert broken._repr_html_().startswith("<pre>")
    clips = {"ok": hero.clips["walk"], "bad": broken}
    page = checked(lissom.Character("x", hero.skeleton, None, None, clips))
    assert "1122" in page.text
    assert "finite" in page.text


def test_parts_of_a_page():
    assert text("a<b") == "a&lt;b"
    assert text(Html("<b>")) == "<b>"
    assert text("x" * 99) == "x" * 59 + "…"
    assert table([]) == ""
    assert bullets([]) == ""
    assert details("empty", Html("")) == ""
    assert "&lt;" in card("<", "<", [("<", "<"), ("none", None)])
    assert "none" not in card("a", "b", [("none", None)])
    assert [number(n) for n in (3, np.int64(12345), 0.123456, True, np.float32(2))] == [
        "3",
        "12345",
        "0.1235",
        "yes",
        "2",
    ]
    assert [percent(p) for p in (0, 0.01234, 1e-9, 2, np.nan)] == [
        "0 %",
        "1.23 %",
        "< 0.0001 %",
        "200 %",
        "nan %",
    ]


def test_every_line_of_the_table_is_a_function():
    for name, place in notebook_html._FUNCTIONS.items():
        function = notebook_html._function_for(type(name, (), {})())
        assert function.__name__ == place[1]


def test_text_stays_as_it_is_and_so_do_copies(hero, bake):
    assert repr(hero) == "Character('humanoid_adult', 34 joints, 11588 vertices, 5 clips)"
    again = pickle.loads(pickle.dumps(bake.report))
    assert again._repr_html_() == bake.report._repr_html_()


def test_numpy_is_enough():
    program = """
import sys
for name in ("moderngl", "glcontext", "matplotlib", "PIL", "IPython"):
    sys.modules[name] = None
import lissom
hero = lissom.samples.humanoid()
bake = lissom.bake(hero, ["wave"])
for thing in (hero, hero.skeleton, hero.mesh, hero.clips["walk"], bake):
    assert "<img" in thing._repr_html_(), thing
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("path", asset_files("characters", "features")[::7], ids=asset_id)
def test_every_file_is_shown(path):
    try:
        character = lissom.load(path)
    except lissom.GltfError as error:
        pytest.skip(str(error))
    for thing in (character, character.skeleton, character.mesh, character.skin, character.clips):
        if thing is not None:
            checked(thing)
