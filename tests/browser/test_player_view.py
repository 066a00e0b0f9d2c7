# SPDX-License-Identifier: MIT
"""What the player frames, which joint's weights, which bones and which clips it shows; its keys."""

import numpy as np
import pytest

import lissom
from browser.conftest import SIZE
from browser.players import camera_of, code_of, place_of
from lissom.gpu import Camera

pytestmark = pytest.mark.gl

CLIP_NAMES = [f"{kind}_{i}" for kind in ("walk", "run", "jump") for i in range(5)]


@pytest.fixture(scope="module")
def travels(hero):
    """A bake of a clip on the spot, and of one that goes far away."""
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 8))
    away = poses.copy()
    away[:, 0, :3] += np.linspace([0, 0, 0], [9, 0, 0], 8)
    times = np.linspace(0, 1, 8)
    clips = [
        lissom.Clip.from_poses(hero.skeleton, times, moved, name=name)
        for name, moved in (("here", poses), ("away", away))
    ]
    return lissom.bake(hero, clips, dtype="float32")


def framing_of(*clips):
    bounds = np.array([clip.bounds for clip in clips])
    low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    return Camera.framing(corners, SIZE[0] / SIZE[1])


def assert_framed(tab, wanted):
    found = camera_of(tab)
    np.testing.assert_allclose(found.target, wanted.target, atol=2e-6)
    assert found.distance == pytest.approx(wanted.distance, rel=1e-6)


# What is framed.


def test_it_frames_the_clip_that_plays_and_all_by_a_button(tab, travels):
    tab.open(travels.show(playing=False))
    here, away = travels.clips.values()
    assert_framed(tab, framing_of(here))
    assert (tab.state["camera"]["azimuth"], tab.state["camera"]["elevation"]) == (35, 15)
    tab.set(clip="away")
    assert_framed(tab, framing_of(away))
    tab.set(clip="here")
    tab.page.get_by_role("button", name="Frame all clips").click()
    assert tab.state["framing"] == "all"
    assert_framed(tab, framing_of(here, away))
    tab.set(clip="away")
    assert_framed(tab, framing_of(here, away))
    tab.page.locator("canvas").press("f")
    assert_framed(tab, framing_of(away))
    tab.page.locator("canvas").press("a")
    assert_framed(tab, framing_of(here, away))


def test_the_frame_goes_with_a_fade_and_stays_where_the_user_put_it(tab, travels):
    tab.open(travels.show(playing=True, fade=0.5))
    near, far = (framing_of(clip).distance for clip in travels.clips.values())
    tab.set(clip="away")
    seen = [tab.state["camera"]["distance"]]
    for _ in range(5):
        tab.page.evaluate("() => player.advance(0.1)")
        seen.append(tab.state["camera"]["distance"])
    assert seen[0] == pytest.approx(near, rel=1e-6)
    assert seen[-1] == pytest.approx(far, rel=1e-6)
    assert (np.diff(seen) > 0).all()
    tab.page.locator("canvas").press("+")
    chosen = tab.state["camera"]["distance"]
    assert chosen == pytest.approx(far / 1.2, rel=1e-6)
    tab.set(clip="here")
    assert tab.state["camera"]["distance"] == chosen


def test_a_picture_in_its_place_frames_the_same(travels):
    both = [travels.show(playing=False, framing=framing).still.array for framing in ("clip", "all")]
    ink = [np.mean(np.abs(array.astype(int) - array[0, 0]).max(axis=-1) > 60) for array in both]
    assert ink[1] < ink[0] / 3, "smaller, since the picture reaches farther"
    with pytest.raises(ValueError, match="no framing is named 'none'"):
        travels.show(framing="none")


# Weights.


def test_weights_begin_with_the_joint_of_most_weight_or_the_one_under_the_pointer(tab, hero, bake):
    tab.open(bake.show(playing=False))
    mesh = hero.mesh
    rows = [bake.joints[joint] for joint in bake.skin.joints]
    loads = np.bincount(np.ravel(mesh.indices), np.ravel(mesh.weights), len(rows))
    assert tab.state["row"] == rows[int(loads.argmax())]
    tab.set(time=0.0)
    positions = lissom.skin_linear(mesh, bake.sample("walk", 0.0).matrices)
    moved = (mesh.weights * (mesh.indices == rows.index("LowerLeg.L"))).sum(axis=1)
    tab.page.locator("canvas").focus()
    tab.page.mouse.move(*place_of(tab, positions[moved > 0.95].mean(axis=0)))
    tab.set(color="weights")
    assert tab.state["row"] == "LowerLeg.L"
    tab.page.mouse.move(890, 690)
    tab.set(color="surface")
    tab.set(color="weights")
    assert tab.state["row"] == "LowerLeg.L", "what was chosen stays"


# The skeleton.


def test_bones_that_move_nothing_are_helpers(tab):
    # 0 root, 1 hip, 2 knee, 3 its end; 4 a control above 5; 6 a slot of the hip; 7 a control that moves 8.
    bones = [[0, 1], [1, 2], [2, 3], [0, 4], [4, 5], [1, 6], [0, 7], [7, 8]]
    loads = [0, 5, 2, 0, 0, 0, 0, 0, 1]
    code = code_of("rows.js")

    def shown(loads):
        found = tab.page.evaluate(
            f"([bones, loads]) => {{ {code} return bonesByUse(bones, loads); }}",
            [[[tail, 0, 0, 0, head, 0, 0, 0] for tail, head in bones], loads],
        )
        pairs = [[bone[0], bone[4]] for bone in found["all"]]
        return pairs[: found["used"]], pairs[found["used"] :]

    used, helpers = shown(loads)
    assert used == [[0, 1], [1, 2], [2, 3], [0, 7], [7, 8]]
    assert helpers == [[0, 4], [4, 5], [1, 6]]
    assert shown([0] * 9) == (bones, [])


def test_helpers_are_drawn_when_asked(tab, asset):
    wolf = lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb"))
    tab.open(wolf.show(playing=False, skeleton=True))
    without = tab.pixels()
    tab.page.get_by_label("Helpers").check()
    assert tab.state["helpers"]
    shown = tab.pixels()
    assert (np.abs(shown.astype(int) - without).max(axis=-1) > 30).mean() > 0.001
    tab.page.locator("canvas").press("h")
    np.testing.assert_array_equal(tab.pixels(), without)
    tab.page.get_by_label("Skeleton").uncheck()
    assert not tab.page.get_by_label("Helpers").is_visible()


# Clips.


def test_many_clips_can_be_searched(tab, hero):
    poses = hero.clips["walk"].sample([0.0, 0.5])
    clips = [lissom.Clip.from_poses(hero.skeleton, [0.0, 1.0], poses, name=name) for name in CLIP_NAMES]
    tab.open(lissom.bake(hero, clips[:12]).show(playing=False))
    assert not tab.page.get_by_label("Search clips").is_visible()
    tab.open(lissom.bake(hero, clips).show(playing=False))
    search, chooser = tab.page.get_by_label("Search clips"), tab.page.get_by_label("Clip", exact=True)
    search.fill("RUN")
    options = "node => [...node.options].map((option) => option.value)"
    assert chooser.evaluate(options) == ["walk_0", *(f"run_{i}" for i in range(5))]
    assert chooser.input_value() == "walk_0"
    search.press("Enter")
    assert tab.state["clip"] == "run_0"
    tab.page.evaluate("() => player.set({ clip: 'jump_3' })")
    assert chooser.input_value() == "jump_3"
    search.fill("")
    assert chooser.evaluate(options) == CLIP_NAMES
    search.fill("nothing has this")
    search.press("Enter")
    assert tab.state["clip"] == "jump_3"


# Keys and buttons.


def test_the_list_of_keys_does_what_the_keys_do(tab, bake):
    tab.open(bake.show(playing=False))
    page = tab.page
    page.set_viewport_size({"width": 900, "height": 700})
    page.locator("canvas").press("?")
    listed = page.locator(".lissom-keys button")
    texts = listed.locator("kbd").all_inner_texts()
    assert len(set(texts)) == len(texts)

    for i, name in enumerate(listed.locator("span").all_inner_texts()):
        before = tab.state
        listed.nth(i).evaluate("node => node.click()")
        clicked = tab.state
        assert clicked != before or name in ("Frame what plays", "Linear (LBS)"), name
        tab.page.evaluate(
            "({ camera: { field_of_view, ...camera }, ...state }) => { player.set(state);"
            "player.set({ camera: { ...camera, field_of_view } }); }",
            before,
        )
        key = texts[i].split()
        pressed = {"Space": "Space", "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown"}
        keys = [pressed.get(part, part.lower() if len(part) == 1 else part) for part in key]
        tab.page.locator("canvas").press("+".join(keys) if keys[0] == "Shift" else keys[-1])
        for setting in ("clip", "time", "playing", "method", "color", "skeleton", "wireframe", "ground"):
            assert tab.state[setting] == clicked[setting], (name, setting)
        np.testing.assert_allclose(tab.state["camera"]["target"], clicked["camera"]["target"], atol=1e-9)
        assert tab.state["camera"]["azimuth"] == clicked["camera"]["azimuth"]
    page.locator(".lissom-keys button").first.focus()
    page.keyboard.press("Escape")
    assert not page.locator(".lissom-keys").is_visible()
    assert page.evaluate("() => document.activeElement.tagName") == "CANVAS"


def test_sliders_say_their_value(tab, bake):
    tab.open(bake.show(playing=False, time=0.25))
    assert tab.page.get_by_label("Time").get_attribute("aria-valuetext") == (
        f"0.25 of {bake.clips['walk'].duration:.2f} seconds"
    )
    tab.set(count=9)
    assert tab.page.get_by_label("Instances").get_attribute("aria-valuetext") == "9 instances"
