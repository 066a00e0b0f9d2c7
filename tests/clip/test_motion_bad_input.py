# SPDX-License-Identifier: MIT
"""What a user may get wrong with clips, poses and playing, and what is said of it.

One table over all public functions: each sentence names the function and the argument, says what was expected
and what came, and what to do where that is not plain.
"""

import copy
import io
from collections.abc import Callable

import numpy as np
import pytest

import lissom
from lissom import BlendSpace1D, BlendSpace2D, Clip, CrossFade, Inertializer, RootMotion, Skeleton, trs
from lissom.clip import LINEAR, TRACK_DTYPE, TRANSLATION
from lissom.clip._tracks import Track, packed

HERO = lissom.samples.humanoid()
RIG, IDLE, WALK = HERO.skeleton, HERO.clips["idle"], HERO.clips["walk"]
POSE, REST = WALK.at(0.25), RIG.rest
COUNT = len(RIG)
NAN = float("nan")
FOX = Skeleton(["root", "tail"], [-1, 0], np.tile(REST[:1], (2, 1)))
FOX_POSE = FOX.rest


def of_keys(times: list[float], values: np.ndarray) -> Clip:
    entry = Track(0, TRANSLATION, LINEAR, np.array(times), values)
    return Clip("bad", FOX, *packed([entry], np.dtype(np.float32)))


EMPTY = Clip("empty", RIG, np.zeros(0, np.float32), np.zeros(0, TRACK_DTYPE))
STILL = Clip.from_poses(RIG, [0.5], REST[None], name="still")
FOX_RUN = Clip.from_poses(FOX, [0, 1], np.stack([FOX_POSE, FOX_POSE]), name="fox run")
LATE = of_keys([0, 1, 1], np.ones((3, 3)))
HOLED = of_keys([0, 1], np.array([[0, 0, 0], [0, NAN, 0]]))
LEAN = lissom.make_additive(IDLE)
SPACE = BlendSpace1D([IDLE, WALK], [0, 1])
STROLL = WALK.restore_root_motion()


def playing() -> CrossFade:
    fade = CrossFade(RIG)
    fade.play(WALK)
    return fade


ANOTHER = (
    "must be of the same skeleton, but joint 0 is 'root' there and 'Pelvis' here; Clip.bind fits clips to it"
)
NO_TIME = r"the clip must have a duration, got 'empty' with no tracks; it needs keys at two times or more"
LASTS = r"the clip must have a duration, got 'still' with all its keys at 0.5 s; it needs keys"
BACK = r"key times must increase strictly, but key 2 at 1 s follows one at 1 s"
HOLE = r"Clip: track 0 \(joint 0, translation\): the values of key 1 must be finite, got nan"
POSES = r"must have 34 joints like the other poses, got 2; poses of another skeleton do not mix \(Clip.bind"
TEXT = "must be a number, got str"
NEAR_HAND = "no joint is named 'Hnd.L'; did you mean 'Hand.L'"
LOOP = 'loop must be True, False or "ping_pong"'

Case = tuple[Callable[[], object], str]

# Each: a call, and the ValueError it gives; TypeErrors are below.
VALUES: dict[str, list[Case]] = {
    "empty clip": [
        (lambda: EMPTY.trimmed(0, 1), f"Clip.trimmed: {NO_TIME}"),
        (lambda: EMPTY.retimed(duration=1), f"Clip.retimed: {NO_TIME}"),
        (lambda: EMPTY.concatenated(WALK), f"Clip.concatenated: {NO_TIME}"),
        (lambda: WALK.concatenated(EMPTY), f"Clip.concatenated: {NO_TIME}"),
        (lambda: EMPTY.there_and_back(), f"Clip.there_and_back: {NO_TIME}"),
        (lambda: EMPTY.closed_loop(), f"Clip.closed_loop: {NO_TIME}"),
        (
            lambda: Clip.from_poses(RIG, [], np.zeros((0, COUNT, 10))),
            r"times must have shape \(F,\), F at least 1",
        ),
        (lambda: BlendSpace1D([], []), "BlendSpace1D: clips must not be empty"),
        (lambda: lissom.blend_layers([], []), "blend_layers: poses must hold at least one layer, got none"),
        (
            lambda: playing().fade_to(EMPTY, 0.2, sync=True),
            "with sync, clip must loop and have a duration, got 'empty'",
        ),
    ],
    "zero duration": [
        (lambda: STILL.trimmed(0, 1), f"Clip.trimmed: {LASTS}"),
        (lambda: STILL.retimed(duration=1), f"Clip.retimed: {LASTS}"),
        (lambda: STILL.concatenated(WALK), f"Clip.concatenated: {LASTS}"),
        (lambda: STILL.there_and_back(), f"Clip.there_and_back: {LASTS}"),
        (lambda: STILL.closed_loop(), f"Clip.closed_loop: {LASTS}"),
        (lambda: WALK.retimed(duration=0), "Clip.retimed: duration must be above zero and finite, got 0"),
        (
            lambda: WALK.closed_loop(over=0),
            "over must be above zero and at most the 1.1 s of the clip, got 0",
        ),
        (lambda: WALK.trimmed(0.5, 0.5), "Clip.trimmed: end must be after start, got 0.5 s to 0.5 s"),
        (
            lambda: playing().fade_to(STILL, 0.2, sync=True),
            "with sync, clip must loop and have a duration, got 'still'",
        ),
    ],
    "times that do not increase": [
        (lambda: LATE.sample(0), BACK),
        (lambda: LATE.key_rate, BACK),
        (lambda: LATE.at_speed(2), BACK),
        (lambda: LATE.retimed(duration=2), BACK),
        (lambda: LATE.reversed(), BACK),
        (lambda: LATE.shifted(1), BACK),
        (lambda: LATE.trimmed(), BACK),
        (lambda: LATE.mirrored({}), BACK),
        (lambda: LATE.concatenated(LATE), BACK),
        (lambda: LATE.there_and_back(), BACK),
        (lambda: LATE.closed_loop(), BACK),
        (lambda: LATE.resampled(), BACK),
        (lambda: LATE.optimized(), BACK),
        (lambda: LATE.bind(FOX), BACK),
        (lambda: LATE.extract_root_motion(0), BACK),
        (lambda: lissom.make_additive(LATE), BACK),
        (lambda: CrossFade(FOX).play(LATE), BACK),
        (
            lambda: Clip.from_poses(RIG, [0, 1, 1], np.stack([REST] * 3)),
            "Clip.from_poses: times must be finite and increase strictly in float32, got 1.0 at 2",
        ),
        (lambda: WALK.retimed([0, 0, 2], [0, 1, 2]), "times_from must be finite and increase strictly"),
        (lambda: WALK.retimed([0, 1, 2], [0, 2, 1]), "times_to must be finite and increase strictly"),
        (lambda: RootMotion.from_moves([0, 0], trs.identity(2)), "increase strictly"),
        (lambda: WALK.trimmed(0.5, 0.2), "Clip.trimmed: end must be after start, got 0.5 s to 0.2 s"),
    ],
    "NaN": [
        (lambda: HOLED.sample(0), HOLE),
        (lambda: HOLED.at_speed(2), HOLE),
        (lambda: HOLED.reversed(), HOLE),
        (lambda: HOLED.shifted(1), HOLE),
        (lambda: HOLED.mirrored({}), HOLE),
        (lambda: HOLED.resampled(), HOLE),
        (lambda: HOLED.optimized(), HOLE),
        (lambda: HOLED.bind(FOX), HOLE),
        (lambda: lissom.make_additive(HOLED), HOLE),
        (lambda: CrossFade(FOX).play(HOLED), HOLE),
        (
            lambda: Clip.from_poses(RIG, [0, NAN], np.stack([REST] * 2)),
            "Clip.from_poses: times must be finite and increase strictly in float32, got nan at 1",
        ),
        (lambda: Clip.from_poses(RIG, [0], REST[None] * NAN), "the values of key 0 must be finite, got nan"),
        (lambda: WALK.sample([0, NAN]), "Clip.sample: times must be finite, got nan at element 1"),
        (lambda: WALK.at(NAN), r"Clip.at: phase must lie in \[0, 1\], got nan; use sample for times beyond"),
        (lambda: WALK.at(1.5), r"Clip.at: phase must lie in \[0, 1\], got 1.5; use sample for times beyond"),
        (lambda: WALK.at_speed(NAN), "Clip.at_speed: factor must be above zero and finite, got nan"),
        (
            lambda: WALK.at_speed(-1),
            "factor must be above zero and finite, got -1; Clip.reversed plays backwards",
        ),
        (lambda: WALK.retimed(duration=NAN), "Clip.retimed: duration must be above zero and finite, got nan"),
        (lambda: WALK.shifted(NAN), "Clip.shifted: seconds must be finite, got nan"),
        (lambda: WALK.trimmed(NAN, 1), "Clip.trimmed: start must be finite, got nan"),
        (lambda: WALK.closed_loop(over=NAN), "Clip.closed_loop: over must be finite, got nan"),
        (lambda: WALK.concatenated(IDLE, blend=NAN), "blend must be finite and at least 0, got nan"),
        (lambda: WALK.resampled(NAN), "Clip.resampled: rate must be above zero and finite, got nan"),
        (
            lambda: WALK.resampled(max_error=NAN),
            "Clip.resampled: max_error must be above zero and finite, got nan",
        ),
        (lambda: WALK.optimized(NAN), "Clip.optimized: max_error must be finite and at least 0, got nan"),
        (
            lambda: STROLL.extract_root_motion(max_error=NAN),
            "max_error must be above zero and finite, got nan",
        ),
        (
            lambda: WALK.with_markers({"left": NAN}),
            "Clip.with_markers: the time of 'left' must be finite, got nan",
        ),
        (lambda: WALK.markers_between(0, NAN), "Clip.markers_between: t1 must be finite, got nan"),
        (lambda: WALK.mirrored(reference=REST * NAN), "Clip.mirrored: reference must be finite"),
        (lambda: RIG.mask("Spine", NAN), "Skeleton.mask: value must be finite, got nan"),
        (lambda: lissom.blend(POSE, POSE, NAN), r"blend: weight must lie in \[0, 1\], got nan"),
        (
            lambda: lissom.blend_layers([POSE] * 2, [1, NAN]),
            r"weights\[1\] must be at least 0 and finite, got nan",
        ),
        (lambda: lissom.add_layer(POSE, POSE, NAN), "add_layer: weight must be finite, got nan"),
        (
            lambda: lissom.make_additive(POSE, REST * NAN),
            "reference must be finite, got NaN or infinity at joint 0",
        ),
        (
            lambda: Inertializer(RIG).transition(POSE * NAN, POSE),
            "Inertializer.transition: pose must be finite",
        ),
        (lambda: BlendSpace1D([IDLE, WALK], [0, NAN]), "BlendSpace1D: values must be finite"),
        (lambda: setattr(SPACE, "value", NAN), "BlendSpace1D: value must be finite, got nan"),
        (lambda: BlendSpace2D([IDLE] * 3, [[0, 0], [1, 0], [NAN, 1]]), "BlendSpace2D: points must be finite"),
        (lambda: WALK.root_motion.at(NAN), "RootMotion.at: times must be finite"),
        (lambda: WALK.root_motion.between(0, NAN), "RootMotion.between: times must be finite"),
    ],
    "another skeleton": [
        (
            lambda: WALK.bind(FOX),
            r"no joint that clip 'walk' moves \('Pelvis', .* skeleton's 2 \('root', 'tail'",
        ),
        (lambda: WALK.concatenated(FOX_RUN), f"Clip.concatenated: 'fox run' {ANOTHER}"),
        (lambda: lissom.make_additive(WALK, FOX_RUN), f"make_additive: reference {ANOTHER}"),
        (lambda: playing().play(FOX_RUN), f"CrossFade.play: 'fox run' {ANOTHER}"),
        (lambda: playing().fade_to(FOX_RUN, 0.2), f"CrossFade.fade_to: 'fox run' {ANOTHER}"),
        (lambda: BlendSpace1D([WALK, FOX_RUN], [0, 1]), f"BlendSpace1D: 'fox run' {ANOTHER}"),
        (
            lambda: FOX_RUN.resampled(character=HERO),
            "Clip.resampled: 'humanoid_adult' must be of the same .*'Pelvis'",
        ),
        (
            lambda: FOX_RUN.optimized(character=HERO),
            "Clip.optimized: 'humanoid_adult' must be of the same .*'Pelvis'",
        ),
        (
            lambda: lissom.save_glb(HERO, io.BytesIO(), clips=[FOX_RUN]),
            "clip 'fox run' must be of the same skeleton, but joint",
        ),
        (
            lambda: Clip.from_poses(RIG, [0], FOX_POSE[None]),
            r"poses must have shape \(1, 34, 10\).* got \(1, 2, 10\)",
        ),
        (lambda: lissom.blend(POSE, FOX_POSE, 0.5), f"blend: b {POSES}"),
        (lambda: lissom.blend_layers([POSE, FOX_POSE], [1, 1]), rf"blend_layers: poses\[1\] {POSES}"),
        (lambda: lissom.blend_layers([POSE], [1], rest=FOX_POSE), f"blend_layers: rest {POSES}"),
        (lambda: lissom.make_additive(POSE, FOX_POSE), f"make_additive: reference {POSES}"),
        (lambda: lissom.make_additive(WALK, FOX_POSE), f"make_additive: reference {POSES}"),
        (lambda: lissom.add_layer(POSE, FOX_POSE), f"add_layer: additive {POSES}"),
        (lambda: Inertializer(RIG).transition(FOX_POSE, POSE), r"must have shape \(34, 10\), got \(2, 10\)"),
        (lambda: Inertializer(RIG).apply(FOX_POSE, 0.1), r"pose must have shape \(34, 10\), got \(2, 10\)"),
        (
            lambda: WALK.mirrored(reference=FOX_POSE),
            r"reference must have shape \(34, 10\) for 34 joints, got",
        ),
        (
            lambda: lissom.blend(POSE, POSE, 0.5, FOX.mask("tail")),
            r"mask must have shape \(34,\), one number per joint",
        ),
    ],
    "weights all zero": [
        (
            lambda: lissom.blend_layers([POSE] * 2, [0, 0]),
            "must sum to a .* above 0, got none for joint 0; pass rest",
        ),
        (
            lambda: lissom.blend_layers([POSE], [1], [RIG.mask("Spine", 0)]),
            "got none for joint 0; pass rest to have",
        ),
        (
            lambda: lissom.blend_root_motions(trs.identity(2), [0, 0]),
            "blend_root_motions: weights must not all be zero",
        ),
    ],
    "negative weights": [
        (lambda: lissom.blend(POSE, POSE, -0.5), r"blend: weight must lie in \[0, 1\], got -0.5"),
        (
            lambda: lissom.blend(POSE, POSE, 1, -np.ones(COUNT)),
            r"mask must lie in \[0, 1\], got -1 for joint 0",
        ),
        (
            lambda: lissom.blend_layers([POSE] * 2, [1, -1]),
            r"weights\[1\] must be at least 0 and finite, got -1",
        ),
        (
            lambda: lissom.blend_root_motions(trs.identity(2), [1, -1]),
            "weights must be finite and at least zero",
        ),
        (
            lambda: lissom.blend_layers([POSE], [1], threshold=0),
            "threshold must be above zero and finite, got 0",
        ),
    ],
    "dt": [
        (lambda: playing().update(-0.1), "CrossFade.update: dt must be finite and at least 0, got -0.1"),
        (lambda: playing().update(NAN), "CrossFade.update: dt must be finite and at least 0, got nan"),
        (lambda: playing().update(np.inf), "CrossFade.update: dt must be finite and at least 0, got inf"),
        (
            lambda: Inertializer(RIG).apply(POSE, -1),
            "Inertializer.apply: dt must be finite and at least 0, got -1",
        ),
        (
            lambda: Inertializer(RIG).apply(POSE, NAN),
            "Inertializer.apply: dt must be finite and at least 0, got nan",
        ),
        (
            lambda: playing().fade_to(IDLE, -1),
            "CrossFade.fade_to: duration must be finite and at least 0, got -1",
        ),
        (
            lambda: playing().fade_to(IDLE, NAN),
            "CrossFade.fade_to: duration must be finite and at least 0, got nan",
        ),
        (lambda: playing().play(WALK, speed=-1), "speed must be .* got -1; Clip.reversed plays backwards"),
        (lambda: CrossFade(RIG).update(0.1), "CrossFade.update: nothing plays yet; call play first"),
    ],
    "unknown names": [
        (lambda: RIG.index("Hnd.L"), NEAR_HAND),
        (lambda: RIG.mask("Hnd.L"), NEAR_HAND),
        (lambda: RIG.is_in_hierarchy("Hnd.L", "Spine"), NEAR_HAND),
        (lambda: WALK.mirrored({"Hnd.L": "Hand.R"}), NEAR_HAND),
        (lambda: WALK.closed_loop(joints="Hnd.L"), NEAR_HAND),
        (lambda: WALK.closed_loop(keep=["Hnd.L"]), NEAR_HAND),
        (
            lambda: STROLL.extract_root_motion("Plevis"),
            "Clip.extract_root_motion: no joint is named 'Plevis'; did you mean 'Pelvis'",
        ),
        (
            lambda: WALK.bind(RIG, {"Hnd.L": "Hand.R"}),
            "no joint of the clip is named 'Hnd.L'; did you mean 'Hand.L'",
        ),
        (
            lambda: WALK.bind(RIG, {"Hand.L": "Hnd.L"}),
            "no joint of the skeleton is named 'Hnd.L'; did you mean 'Hand",
        ),
        (
            lambda: lissom.save_glb(HERO, io.BytesIO(), clips=["wlak"]),
            "no clip is named 'wlak'; did you mean 'walk'",
        ),
        (lambda: WALK.sample(0, loop="bounce"), f"Clip.sample: {LOOP}, got 'bounce'"),
        (lambda: WALK.markers_between(0, 1, loop="bounce"), f"Clip.markers_between: {LOOP}"),
        (lambda: setattr(copy.copy(WALK), "loop", "bounce"), f"Clip.loop: {LOOP}"),
        (lambda: Clip("a", RIG, WALK.keys, WALK.tracks, loop=1), f"Clip: {LOOP}, got 1"),
        (lambda: WALK.root_motion.at(0, loop="bounce"), f"RootMotion.at: {LOOP}"),
        (lambda: WALK.root_motion.between(0, 1, loop="bounce"), f"RootMotion.between: {LOOP}"),
        (lambda: playing().fade_to(IDLE, 0.2, ease="soft"), "ease must be one of 'linear', .*, got 'soft'"),
        (lambda: playing().fade_to(IDLE, 0.2, method="cut"), "method must be one of 'blend', .*, got 'cut'"),
    ],
    "additive or not": [
        (
            lambda: WALK.concatenated(LEAN),
            "must be additive or none, got 'idle', which is, and 'walk', which is not",
        ),
        (
            lambda: lissom.make_additive(LEAN),
            "make_additive: pose_or_clip must hold poses, got 'idle', additive already",
        ),
        (lambda: lissom.make_additive(POSE), "reference must be a pose .* pass one, such as skeleton.rest"),
        (lambda: LEAN.extract_root_motion(), "the clip is additive; extract before make_additive"),
        (lambda: LEAN.to_bvh(), "must hold poses, got 'idle', which is additive; put it on a pose first"),
        (
            lambda: playing().fade_to(LEAN, 0.2),
            "must both be additive or neither, .* add them with add_layer",
        ),
    ],
}

TYPES: list[Case] = [
    (lambda: Clip(3, RIG, WALK.keys, WALK.tracks), "Clip: name must be a string, got int"),
    (lambda: Clip("a", RIG, [0.0], WALK.tracks), "Clip: keys must be a NumPy array, got list; convert with"),
    (
        lambda: Clip("a", RIG, WALK.keys, WALK.tracks, markers=3),
        "Clip: markers must be pairs of a time and a name",
    ),
    (lambda: Clip("a", RIG, WALK.keys, WALK.tracks, markers=[("b", "a")]), f"Clip: the time of 'a' {TEXT}"),
    (
        lambda: Clip("a", RIG, WALK.keys, WALK.tracks, root_motion=WALK),
        "root_motion must be a RootMotion or None",
    ),
    (
        lambda: Clip.from_poses(REST, [0], REST[None]),
        "Clip.from_poses: skeleton must be a Skeleton, got ndarray",
    ),
    (
        lambda: Clip.from_poses(RIG, ["a"], REST[None]),
        "Clip.from_poses: times must be an array of real numbers",
    ),
    (lambda: WALK.sample(None), "Clip.sample: times must be an array of real numbers, got NoneType"),
    (lambda: WALK.renamed(3), "name must be a string, got int"),
    (lambda: WALK.at_speed("2"), f"Clip.at_speed: factor {TEXT}"),
    (lambda: WALK.at_speed(None), "Clip.at_speed: factor must be a number, got NoneType"),
    (lambda: WALK.retimed(), "Clip.retimed: pass either duration, or both times_from and times_to"),
    (lambda: WALK.retimed(duration="2"), f"Clip.retimed: duration {TEXT}"),
    (lambda: WALK.shifted("2"), f"Clip.shifted: seconds {TEXT}"),
    (lambda: WALK.trimmed("2"), f"Clip.trimmed: start {TEXT}"),
    (lambda: WALK.mirrored([("a", "b")]), "Clip.mirrored: pairs must map joints to joints, got list"),
    (lambda: WALK.concatenated([IDLE]), "Clip.concatenated: others must be clips, got list"),
    (lambda: WALK.concatenated(IDLE, blend="2"), f"Clip.concatenated: blend {TEXT}"),
    (lambda: WALK.closed_loop(over="2"), f"Clip.closed_loop: over {TEXT}"),
    (
        lambda: WALK.closed_loop(joints=1.5),
        "Clip.closed_loop: joints: a joint must be given by name or index, got float",
    ),
    (lambda: WALK.with_markers(3), "Clip.with_markers: markers must be pairs of a time and a name, got int"),
    (lambda: WALK.with_markers({"a": None}), "the time of 'a' must be a number, got NoneType"),
    (lambda: WALK.markers_between("0", 1), f"Clip.markers_between: t0 {TEXT}"),
    (lambda: WALK.bind(FOX_RUN), "Clip.bind: skeleton must be a Skeleton, got Clip"),
    (lambda: WALK.bind(RIG, 3), "Clip.bind: names must be a mapping or a function, got int"),
    (lambda: WALK.resampled("60"), f"Clip.resampled: rate {TEXT}"),
    (lambda: WALK.resampled(character=RIG), "Clip.resampled: character must be a Character, got Skeleton"),
    (lambda: WALK.optimized("2"), f"Clip.optimized: max_error {TEXT}"),
    (lambda: STROLL.extract_root_motion(max_error="2"), f"Clip.extract_root_motion: max_error {TEXT}"),
    (lambda: WALK.with_root_motion(3), "Clip.with_root_motion: motion must be a RootMotion or None, got int"),
    (lambda: RIG.mask("Spine", "1"), f"Skeleton.mask: value {TEXT}"),
    (lambda: RIG.mask("Spine", falloff=1.5), "Skeleton.mask: falloff must be a whole number, got float"),
    (lambda: lissom.blend(WALK, IDLE, 0.5), "blend: a must be an array of real numbers, got Clip"),
    (lambda: lissom.blend(POSE, POSE, "a"), "blend: weight must be an array of real numbers"),
    (lambda: lissom.blend_layers(3, [1]), "blend_layers: poses must be a sequence of layers, got int"),
    (lambda: lissom.blend_layers([POSE], 1), "weights must be a sequence of 1, one for each layer, got int"),
    (lambda: lissom.blend_layers([POSE], [1], threshold="a"), f"blend_layers: threshold {TEXT}"),
    (lambda: lissom.add_layer(POSE, LEAN), "add_layer: additive must be an array of real numbers, got Clip"),
    (lambda: CrossFade(WALK), "CrossFade: skeleton must be a Skeleton, got Clip"),
    (lambda: playing().play("walk"), "CrossFade.play: clip must be a Clip or a blend space, got str"),
    (lambda: playing().update("1"), f"CrossFade.update: dt {TEXT}"),
    (lambda: Inertializer(RIG, duration="1"), f"Inertializer: duration {TEXT}"),
    (lambda: BlendSpace1D([POSE], [1]), "BlendSpace1D: clips must be Clips, got ndarray"),
    (lambda: RootMotion(3), "RootMotion: track must be a Clip, got int"),
    (lambda: lissom.save_glb(RIG, io.BytesIO()), "save_glb: character must be a Character, got Skeleton"),
]


@pytest.mark.parametrize("kind", VALUES)
def test_wrong_values_are_refused_in_a_sentence(kind: str) -> None:
    for call, words in VALUES[kind]:
        with pytest.raises(ValueError, match=words):
            call()


def test_wrong_types_are_refused_in_a_sentence() -> None:
    for call, words in TYPES:
        with pytest.raises(TypeError, match=words):
            call()
