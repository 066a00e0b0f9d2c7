# SPDX-License-Identifier: MIT
"""Morph targets in the page: the vertices that are drawn, the weights of clips, and the sliders."""

import base64

import numpy as np
import pytest

import lissom
import morph_faces
from browser.conftest import VIEWPORT
from browser.players import SAME, code_of, share_off
from lissom.gpu._morph_targets import weight_lists
from lissom.player import bundle

PROMISED = 2e-6  # of the size


@pytest.fixture(scope="module")
def face():
    return morph_faces.character()


@pytest.fixture(scope="module")
def face_bake(face):
    return lissom.bake(face, rate=20, dtype="float32")


@pytest.fixture
def shown(tab, face_bake):
    tab.open(face_bake.show(playing=False))
    return tab


def ran(tab, bytes_, body, *arguments):
    """Run code of the player with a bundle and arguments."""
    return tab.page.evaluate(
        f"""([text, a, b]) => {{ {code_of("math.js", "data.js", "morphs.js")}
          const bundle = readBundle(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
          {body} }}""",
        [base64.b64encode(bytes_).decode(), *arguments],
    )


@pytest.mark.parametrize("target_count", [6, 120])
def test_the_shape_that_is_drawn_is_that_of_deform(tab, target_count):
    hero = morph_faces.character(target_count=target_count)
    weights = np.random.default_rng(0).uniform(-0.5, 1.2, target_count).astype(np.float32)
    data = bundle(hero.mesh, hero.skin, size=hero.size)
    found = ran(tab, data, "return Array.from(morphedPositions(bundle, a));", weights.tolist())
    positions = np.reshape(found, (-1, 3))
    mesh = hero.mesh
    read = lissom.Mesh(positions, mesh.triangles, mesh.indices, mesh.weights)
    poses = hero.clips["talk"].sample(np.linspace(0, 1, 5))
    palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    away = lissom.deform(read, palette) - hero.deform(poses, "linear", morphs=weights)
    assert np.linalg.norm(away, axis=-1).max() < PROMISED * hero.size


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
def test_weights_at_a_coordinate_are_those_of_the_bake(tab, face, dtype):
    bake = lissom.bake(face, rate=20, dtype=dtype)
    coordinates = np.float32([0, 3, 4.25, 19.75, 20, *np.random.default_rng(1).uniform(0, 20, 40)])
    data = bundle(face.mesh, None, bake=bake)
    found = ran(tab, data, "return a.map((at) => Array.from(weightsAt(bundle, at)));", coordinates.tolist())
    np.testing.assert_allclose(found, bake.sample_morph_frames(coordinates), rtol=0, atol=2e-7)


def test_a_fade_mixes_weights_and_what_is_set_wins(tab, face, face_bake):
    data = bundle(face.mesh, None, bake=face_bake)
    body = """
      const texels = (fade) => Float32Array.of(3.5, 10, fade, 1);
      return a.map((fade) => Array.from(instanceWeights(bundle, texels(fade), 0, b)));"""
    fades = np.float32([0, 0.25, 1])
    found = np.array(ran(tab, data, body, fades.tolist(), {"face/shape0": -2}))
    wanted = face_bake.sample_morph_frames(3.5, next_coordinates=10.0, fades=fades)
    wanted[:, 0] = -2
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-7)


def test_lists_hold_the_active_targets_of_each_instance(tab, face):
    data = bundle(face.mesh, face.skin)
    body = "const lists = morphLists(a); return lists && [lists.texels, Array.from(lists.data)];"
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(5, 250)).astype(np.float32)
    weights[rng.uniform(size=weights.shape) < 0.9] = 0
    expected = weight_lists(weights)
    found = ran(tab, data, body, weights.tolist())
    assert found == [expected.shape[1], expected.ravel().tolist()]
    assert ran(tab, data, body, [[0] * 6]) is None


def premorphed(face, weights):
    """The same character with a mesh of that shape, normals moved too, and no targets."""
    mesh = face.mesh
    normals = mesh.normals.astype(np.float64)
    for target, weight in enumerate(weights):
        rows = mesh.morphs.rows(target)
        normals[mesh.morphs.vertices[rows]] += weight * mesh.morphs.normals[rows]
    shape = lissom.Mesh(
        morph_faces.morphed(mesh, weights),
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
    )
    return lissom.Character("shape", face.skeleton, shape, face.skin, face.clips)


@pytest.mark.parametrize(
    ("renderer", "method"),
    [("llvmpipe", "linear"), ("llvmpipe", "dual_quat"), ("SwiftShader", "dual_quat")],
    indirect=["renderer"],
)
def test_it_draws_the_shape_that_the_clip_has_then(tab, renderer, face, method):
    view = {"clip": "talk", "time": 0.3, "method": method, "playing": False}
    bake = lissom.bake(face, rate=20, dtype="float32", method=method)
    tab.open(bake.show(playing=False))
    tab.set(**view)
    ours, camera = tab.pixels(), tab.state["camera"]
    weights = bake.sample_morphs("talk", 0.3)
    assert np.abs(weights[[0, 2]]).min() > 0.1
    plain = premorphed(face, np.where(np.arange(6) == 1, weights, 0))  # the default, and no more
    for character, least, most in ((premorphed(face, weights), 0, SAME), (plain, 0.005, 1)):
        other = lissom.bake(character, rate=20, dtype="float32", method=method)
        tab.open(other.show(playing=False))
        tab.set(**view, camera=camera)
        assert least <= share_off(tab.pixels(), ours) <= most, character.name


def test_heat_maps_are_of_morphed_vertices(tab, face):
    """The distance between the methods is that of the shape which is drawn."""
    set_weights = {"face/shape0": 3.0, "face/shape2": -2.0}
    bake = lissom.bake(face, rate=20, dtype="float32")
    view = {"time": 0.25, "color": "difference", "method": "dual_quat", "ground": False}
    tab.open(bake.show(playing=False, morphs=set_weights))
    tab.set(**view)
    ours, camera = tab.pixels(), tab.state["camera"]
    weights = face.mesh.morphs.weights(set_weights, bake.sample_morphs("talk", 0.25))
    data = bundle(premorphed(face, weights).mesh, None, bake=plain_bake(face))
    limit = bake_difference(bundle(face.mesh, None, bake=bake))
    tab.page.evaluate("() => player.destroy()")
    player = lissom.player.Player(with_difference(data, limit), state={"playing": False})
    tab.open(player)
    tab.set(**view, camera=camera)
    assert share_off(tab.pixels(), ours) <= SAME


def plain_bake(face):
    """The same poses, for a mesh without targets."""
    return lissom.bake(premorphed(face, np.zeros(6)), rate=20, dtype="float32")


def bake_difference(data):
    import json

    from lissom.player._container import from_bytes

    return json.loads(from_bytes(data)[1]["player"])["clips"][0]["difference"]


def with_difference(data, limit):
    """A bundle whose colour bar ends elsewhere."""
    import json

    from lissom.player._container import from_bytes, to_bytes

    arrays, strings = from_bytes(data)
    facts = json.loads(strings["player"])
    facts["clips"][0]["difference"] = limit
    return to_bytes(arrays, {"player": json.dumps(facts)})


def test_palettes_mixed_per_vertex_morph_alike(shown, new_tab, browser, face_bake):
    shown.set(time=0.3)
    wanted, camera = shown.pixels(), shown.state["camera"]
    other = new_tab(browser)
    other.page.add_init_script(
        "const getExtension = WebGL2RenderingContext.prototype.getExtension;"
        "WebGL2RenderingContext.prototype.getExtension = function (name) {"
        "  return name === 'EXT_color_buffer_float' ? null : getExtension.call(this, name); };"
    )
    other.open(face_bake.show(playing=False))
    other.set(time=0.3, camera=camera)
    assert share_off(other.pixels(), wanted) <= SAME


def test_instances_have_the_weights_of_their_own_times(shown):
    shown.set(count=5, time=0.1)
    crowd = shown.pixels()
    shown.set(morphs=dict.fromkeys(morph_faces.mesh().morphs.names, 0.0))
    assert share_off(shown.pixels(), crowd) > 0.001
    shown.set(morphs={})
    np.testing.assert_array_equal(shown.pixels(), crowd)


# Sliders.


def test_sliders_follow_the_clip_until_they_are_moved(shown, face_bake):
    page = shown.page
    page.locator(".lissom-morphs > summary").click()
    shown.set(time=0.3)
    sliders = page.locator(".lissom-morph input")
    found = [float(sliders.nth(i).input_value()) for i in range(sliders.count())]
    np.testing.assert_allclose(found, face_bake.sample_morphs("talk", 0.3), atol=1e-3)
    before = shown.pixels()
    sliders.nth(3).fill("1")
    page.evaluate("() => player.draw()")
    assert shown.state["morphs"] == {"face/shape3": 1}
    assert share_off(shown.pixels(), before) > 0.001
    shown.set(time=0.5)  # what was moved stays, the others follow
    assert float(sliders.nth(3).input_value()) == 1
    np.testing.assert_allclose(
        float(sliders.nth(0).input_value()), face_bake.sample_morphs("talk", 0.5)[0], atol=1e-3
    )
    page.get_by_role("button", name="Reset to the clip").click()
    shown.set(time=0.3)
    assert shown.state["morphs"] == {}
    np.testing.assert_array_equal(shown.pixels(), before)


def test_sliders_are_in_groups_by_node(shown):
    titles = shown.page.locator(".lissom-morph-groups summary").all_text_contents()
    assert titles == ["face (4)", "teeth (2)"]
    assert shown.page.locator(".lissom-morph-groups details[open]").count() == 2
    assert not shown.page.locator(".lissom-morphs input[type=search]").is_visible()


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["head/expr.smile", "head/expr.blink"], ["smile", "blink"]),
        (["head/smileLeft", "head/smileRight"], ["smileLeft", "smileRight"]),
        (["a/x_y_1", "a/x_y_12", "a/x_y_2"], ["1", "12", "2"]),
        (["a/x.", "a/x.y"], ["x.", "y"]),
        (["a/x.y"], ["x.y"]),
    ],
)
def test_labels_leave_out_what_all_targets_of_a_node_begin_with(tab, names, labels):
    found = tab.page.evaluate(f"(names) => {{ {code_of('sliders.js')} return labelsOf(names); }}", names)
    assert found == labels


def test_many_targets_are_folded_and_can_be_searched_for(tab):
    tab.open(lissom.bake(morph_faces.character(target_count=40), rate=10).show(playing=False))
    page = tab.page
    page.locator(".lissom-morphs > summary").click()
    assert page.locator(".lissom-morph-groups details[open]").count() == 0
    page.get_by_label("Search morph targets").fill("SHAPE31")
    assert page.locator(".lissom-morph:visible").all_text_contents() == ["shape31"]
    page.get_by_label("Search morph targets").fill("teeth")
    assert page.locator(".lissom-morph:visible").count() == 2
    page.get_by_label("Search morph targets").fill("")
    assert page.locator(".lissom-morph-groups details[open]").count() == 0
    assert page.locator(".lissom-morph-groups details:visible").count() == 2


def test_search_stays_in_sight_while_a_list_of_a_third_of_the_window_is_scrolled(tab):
    tab.open(lissom.bake(morph_faces.character(target_count=80), rate=10).show(playing=False))
    page = tab.page
    page.locator(".lissom-morphs > summary").click()
    for group in page.locator(".lissom-morph-groups summary").all():
        group.click()
    groups, search = page.locator(".lissom-morph-groups"), page.get_by_label("Search morph targets")
    assert groups.bounding_box()["height"] == pytest.approx(0.3 * VIEWPORT["height"], abs=1)
    scrolled = groups.evaluate("(node) => { node.scrollTop = 1e6; return node.scrollTop; }")
    assert scrolled > 50
    top = groups.bounding_box()["y"]
    assert top <= search.bounding_box()["y"] < top + 10


def test_a_page_without_targets_has_no_sliders(opened):
    assert opened.page.locator(".lissom-morphs").count() == 0
    assert opened.state["morphs"] == {}


def test_a_click_picks_what_is_under_it_where_targets_moved_it(tab, face):
    """A bulge far out of the head, and nothing behind it."""
    tab.open(lissom.bake(face, rate=20).show(playing=False, color="weights", morphs={"face/shape0": 8.0}))
    tab.set(time=0.0, ground=False)
    box = tab.page.locator("canvas").bounding_box()
    picture = tab.pixels()
    tab.set(morphs={"face/shape0": 0.0})
    bare = tab.pixels()
    tab.set(morphs={"face/shape0": 8.0})
    rows, columns = np.nonzero(np.abs(picture.astype(int) - bare).max(axis=-1) > 60)
    background = np.abs(bare.astype(int) - bare[0, 0]).max(axis=-1) < 8
    outside = background[rows, columns]
    assert outside.sum() > 20
    middle = np.flatnonzero(outside)[outside.sum() // 2]
    tab.set(row="Neck")
    tab.page.mouse.click(
        box["x"] + (columns[middle] + 0.5) * box["width"] / picture.shape[1],
        box["y"] + (rows[middle] + 0.5) * box["height"] / picture.shape[0],
    )
    assert tab.state["row"] == "Head"


@pytest.mark.gl
def test_the_still_has_the_weights_that_are_set(face):
    before, after = (face.show(time=0.3, morphs=morphs).still for morphs in (None, {"face/shape0": 6.0}))
    assert share_off(before.array, after.array) > 0.01


# Expressions.


@pytest.fixture(scope="module")
def avatar():
    """A face whose expressions are binary, of every kind, and override others in every way."""
    hero = morph_faces.character()
    made = [
        lissom.Expression("happy", {"face/shape0": 1.0, "shape1": 0.5}, override_blink="blend"),
        lissom.Expression("angry", {"face/shape0": -0.5}, override_mouth="block"),
        lissom.Expression("blink", {"face/shape3": 1.0}, binary=True),
        lissom.Expression("aa", {"face/shape2": 0.8}, override_blink="blend"),
        lissom.Expression("lookUp", {"teeth/shape0": 1.0}),
    ]
    hero.expressions = lissom.Expressions(hero.mesh.morphs, made)
    return hero


def test_expressions_move_and_override_as_they_do_in_python(tab, avatar):
    data = bundle(avatar.mesh, avatar.skin, expressions=avatar.expressions)
    rng = np.random.default_rng(0)
    values = rng.choice([0.0, 0.2, 0.5, 0.9, 1.0, 1.7, -1.0], (60, 5))
    cases = [dict(zip(avatar.expressions.names, row.tolist(), strict=True)) for row in values]
    body = "return a.map((set) => Array.from(instanceWeights(bundle, new Float32Array(4), 0, {}, set)));"
    found = ran(tab, data, body, cases)
    np.testing.assert_allclose(found, [avatar.expressions.weights(case) for case in cases], atol=1e-6)


def test_expressions_of_a_merge_override_those_of_their_own_character(tab, avatar):
    pair = lissom.merge([avatar, avatar], names=["x", "y"])
    data = bundle(pair.mesh, pair.skin, expressions=pair.expressions)
    rng = np.random.default_rng(6)
    values = rng.choice([0.0, 0.2, 0.9, 1.0], (30, len(pair.expressions)))
    cases = [dict(zip(pair.expressions.names, row.tolist(), strict=True)) for row in values]
    body = "return a.map((set) => Array.from(instanceWeights(bundle, new Float32Array(4), 0, {}, set)));"
    found = ran(tab, data, body, cases)
    np.testing.assert_allclose(found, [pair.expressions.weights(case) for case in cases], atol=1e-6)


def test_targets_that_no_chosen_expression_moves_follow_the_clip(tab, avatar):
    tab.open(avatar.show(playing=False, expressions={"happy": 0.6}))
    tab.set(time=0.5)
    tab.page.locator(".lissom-morphs > summary").click()
    tab.set(time=0.5)
    titles = tab.page.locator(".lissom-morph-groups summary").all_text_contents()
    assert titles == ["Expressions (5)", "face (4)", "teeth (2)"]
    clip = avatar.clips["talk"].morphs(0.5)
    wanted = np.array([0.6, 0.3, clip[2], clip[3], 0, 0.3])  # "shape1" is of both nodes
    sliders = tab.page.locator(".lissom-morph input")
    np.testing.assert_allclose([float(sliders.nth(5 + i).input_value()) for i in range(6)], wanted, atol=2e-3)
    sliders.nth(3).fill("1")  # aa
    assert tab.state["expressions"] == {"happy": 0.6, "aa": 1}
    tab.page.get_by_role("button", name="Reset to the clip").click()
    assert tab.state["expressions"] == {}


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"sad": 1}, ValueError, "no expression is named 'sad'"),
        ({"joy": 1}, ValueError, "no expression is named 'joy'; VRM 1 calls it 'happy'$"),
        ({"happy": np.nan}, ValueError, "weight of 'happy' must be finite"),
        ([1.0], TypeError, "expressions must be a mapping of names, got list"),
    ],
)
def test_expressions_that_do_not_fit_are_refused(avatar, given, error, sentence):
    with pytest.raises(error, match=f"Character.show: .*{sentence}"):
        avatar.show(expressions=given)


def test_what_has_no_expressions_takes_none(face, face_bake):
    for shown in (face, face_bake):
        with pytest.raises(ValueError, match="expressions must be omitted for what has no expressions"):
            shown.show(expressions={"happy": 1})


# Errors.


@pytest.mark.parametrize(
    ("morphs", "message"),
    [
        ({"face/shape9": 1}, "player.set: morphs must be of the mesh's morph targets, got face/shape9"),
        ({"face/shape0": None}, "player.set: morphs must be finite numbers, got null for face/shape0"),
        ({"face/shape0": "1"}, "player.set: morphs must be finite numbers, got 1 for face/shape0"),
    ],
)
def test_weights_that_are_none_are_refused(shown, morphs, message):
    said = shown.page.evaluate(
        "morphs => { try { player.set({ morphs }); } catch (error) { return error.message; } }", morphs
    )
    assert said == message
    assert shown.state["morphs"] == {}


@pytest.mark.parametrize(
    ("morphs", "error", "sentence"),
    [
        ({"shape9": 1}, ValueError, r"no morph target is named 'shape9'; did you mean 'shape\d'"),
        ({"shape0": np.inf}, ValueError, "weight of 'shape0' must be finite"),
        ({"shape0": "wide"}, TypeError, "weight of 'shape0' must be a number"),
        ([0.5] * 5, ValueError, r"morphs must have shape"),
        ([np.nan] * 6, ValueError, "morphs must be finite"),
    ],
)
def test_states_that_do_not_fit_are_refused(face, morphs, error, sentence):
    with pytest.raises(error, match=f"Character.show: .*{sentence}"):
        face.show(morphs=morphs)


def test_a_state_names_targets_in_full_or_by_what_nodes_share(face):
    assert face.show(morphs={"shape0": 0.5}).state["morphs"] == {"face/shape0": 0.5, "teeth/shape0": 0.5}
    assert face.show(morphs=[0, 0, 1, 0, 0, 0]).state["morphs"]["face/shape2"] == 1
    with pytest.raises(ValueError, match="morphs must be omitted for a mesh without morph targets"):
        lissom.samples.two_bone_tube().show(morphs={"smile": 1})
