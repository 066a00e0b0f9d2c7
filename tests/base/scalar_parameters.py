# SPDX-License-Identifier: MIT
"""Every public parameter that takes a number with a fraction, with a call that passes it by name."""

import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import lissom
from array_parameters import (
    BAKE,
    CLIP,
    FACE_BAKE,
    HERO,
    KNEE,
    LEGS,
    LIMB_CHAIN,
    MESH,
    PALETTE,
    PLACEMENT,
    POINTS,
    POSES,
    REST,
    SKELETON,
    SOLID,
    TRS_BAKE,
    UP,
)
from array_parameters import RESULTS as ARRAY_RESULTS
from lissom import gpu, ground, ik, metrics, samples, testing, weights
from vrm_avatars import avatar, motion

TUBE = samples.two_bone_tube()
TUBE_BONES = weights.bones(TUBE.skeleton)
TUBE_WEIGHTS = np.eye(len(TUBE_BONES.handles))[np.zeros(TUBE.mesh.vertex_count, int)]
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TETRAHEDRON = (CORNERS, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
SMILE = lissom.Morphs(["smile"], [0, 1], [0], [UP])
HANDLES = np.array([[0.1, 0.1, 0.1], [0.3, 0.2, 0.2]])
SHORT = lissom.Character("short", TUBE.skeleton, TUBE.mesh, TUBE.skin, [TUBE.clips["bend"].trimmed(0.0, 0.1)])
BVH = CLIP.trimmed(0.0, 0.1).to_bvh(rate=10.0).encode()
PICTURE = lissom.Picture(np.zeros((4, 4, 3), np.uint8))


def fade(method: str, **options: float) -> Any:
    result = lissom.CrossFade(SKELETON)
    result.play(CLIP, **(options if method == "play" else {}))
    if method == "fade_to":
        result.fade_to(HERO.clips["run"], **{"duration": 0.1, **options})
    return [result.update(**(options if method == "update" else {"dt": 0.01})), result.update(0.01)]


def player_layer(method: str, **options: float) -> Any:
    result = lissom.Players(SKELETON, 2)
    layer = result.layer("arms")
    layer.play([0, 1], CLIP, **(options if method == "play" else {}))
    layer.weigh([0, 1], **{"weight": 1.0, **(options if method == "weigh" else {})})
    if method == "fade_to":
        layer.fade_to([0, 1], HERO.clips["run"], **{"duration": 0.1, **options})
    return [result.step(0.01), result.step(0.01)]


def players(method: str, **options: float) -> Any:
    result = lissom.Players(SKELETON, 2)
    result.play([0, 1], CLIP, **(options if method == "play" else {}))
    if method == "fade_to":
        result.fade_to([0, 1], HERO.clips["run"], **{"duration": 0.1, **options})
    return [result.step(**(options if method == "step" else {"dt": 0.01})), result.step(0.01)]


def inertia(method: str, **options: Any) -> Any:
    result = lissom.Inertializer(SKELETON, **(options if method == "init" else {}))
    times = {"dt": 0.01, **(options if method == "transition" else {})}
    result.transition(REST + 0.01, REST, previous=REST, target_previous=REST, **times)
    return [result.apply(REST, **(options if method == "apply" else {"dt": 0.01})), result.apply(REST, 0.01)]


def model(method: str, **options: Any) -> Any:
    result = gpu.SkinnedModel(TUBE)
    getattr(result, method)(np.zeros(TUBE.mesh.vertex_count), **options)
    return result


def crowd(method: str, *arguments: Any, **options: Any) -> Any:
    result = gpu.Crowd(BAKE, 2, **(options if method == "init" else {}))
    if method != "init":
        getattr(result, method)(*arguments, **options)
    result.update(0.1)
    return result.instances


def field(heights: Any, **options: float) -> Any:
    return ground.HeightField(heights, **options)([UP], (0.0, -1.0, 0.0))[1]


def limited(limit: Any) -> Any:
    return ik.excess(limit, SKELETON, KNEE, POSES)


def feet(**options: float) -> Any:
    return ik.FootPlacement(HERO, LEGS, ground.Plane(), **options).update(REST, 0.1)


def recorded() -> ik.Playground:
    # Few joints: the milliseconds that it lasts are a million poses at the highest rate.
    playground = ik.Playground(TUBE, ik.Chain(TUBE.skeleton, "Base", "Tip"))
    playground.record()
    playground.solve([0.3, 1.3, 0.3])
    return playground


def drawn(**options: float) -> None:
    stage = gpu.Stage(8, 8)
    with stage.context as gl:
        target = gl.simple_framebuffer((8, 8))
    stage.draw(TUBE, framebuffer=target, **options)


def ends_of(film: lissom.Animation) -> tuple[lissom.Picture, lissom.Picture]:
    return film[0], film[-1]


def small_impostors() -> gpu.Impostors:
    return gpu.Impostors(BAKE, views=1, phases=1)


def reach_map(**options: float) -> None:
    plt.close(lissom.plots.reach_map(LIMB_CHAIN, count=3, **options).figure)


def biharmonic(**options: float) -> Any:
    cells = {} if "cell_size" in options else {"cells": 6}
    return weights.bounded_biharmonic(TETRAHEDRON, HANDLES, **cells, **options)


def asserted(check: Callable[..., None], array: Any, **options: float) -> None:
    if not {"length", "share"} & set(options):
        options["length"] = 1.0
    check(array, array, **options)


def _exported(rate: float) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return BAKE.export("vertices", f"{folder}/bake", rate=rate).error.max


def _judged(**numbers: float) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = lissom.bake(TUBE, "bend", rate=5.0).save(f"{folder}/bake.safetensors")
        report = lissom.verify(TUBE, path, **numbers)
        return report.error.max, report.ok, dict(report.rates)


def _set_weight(weights: float) -> list[Any]:
    """Set a weight by name, and by place."""
    texture = FACE_BAKE.edited()
    (name,) = texture.morph_names
    texture.set_morphs(0, 0.0, {name: weights})
    texture.set_morphs(0, 0.0, [weights])
    return [np.asarray(texture.weights)]


# Public path, names of parameters, and a function that takes each of them by name.
CASES: list[tuple[str, str, Callable[..., Any]]] = [
    ("Animation", "rate", partial(lissom.Animation, [PICTURE])),
    ("BakeJob", "rate max_error", partial(lissom.BakeJob, "a.glb")),
    ("BlendSpace1D", "value", partial(lissom.BlendSpace1D, [CLIP, CLIP], [0.0, 1.0])),
    ("Clip", "markers", lambda markers: CLIP._edited(markers=[(markers, "b")])),
    ("Clip.at_speed", "factor", CLIP.at_speed),
    ("Clip.closed_loop", "over", CLIP.closed_loop),
    ("Clip.concatenated", "blend", CLIP.concatenated),
    ("Clip.concatenated", "blend", partial(CLIP.concatenated, CLIP)),
    ("Clip.extract_root_motion", "max_error", CLIP.restore_root_motion().extract_root_motion),
    ("Clip.markers_between", "t0 t1", partial(CLIP.markers_between, t0=0.0, t1=0.1)),
    ("Clip.optimized", "max_error", CLIP.optimized),
    ("Clip.resampled", "rate", CLIP.resampled),
    ("Clip.resampled", "max_error", CLIP.resampled),
    ("Retarget.clip", "rate", lambda rate: lissom.Retarget(HERO, HERO).clip(CLIP, rate=rate)),
    ("Clip.restore_root_motion", "max_error", CLIP.restore_root_motion),
    ("Clip.retimed", "duration", CLIP.retimed),
    ("Clip.shifted", "seconds", CLIP.shifted),
    ("Clip.to_bvh", "rate units", CLIP.to_bvh),
    ("Clip.trimmed", "start end", CLIP.trimmed),
    ("Clip.with_markers", "markers", lambda markers: CLIP.with_markers({"a": markers})),
    ("CrossFade.fade_to", "duration at speed", partial(fade, "fade_to")),
    ("CrossFade.play", "at speed", partial(fade, "play")),
    ("CrossFade.update", "dt", partial(fade, "update")),
    ("PlayerLayer.fade_to", "duration at speed", partial(player_layer, "fade_to")),
    ("PlayerLayer.play", "at speed", partial(player_layer, "play")),
    ("PlayerLayer.weigh", "weight duration", partial(player_layer, "weigh")),
    ("Players.fade_to", "duration at speed", partial(players, "fade_to")),
    (
        "Players.layer",
        "morphs",
        lambda morphs: lissom.Players(SKELETON, 1).layer("face", morphs={"smile": morphs}),
    ),
    ("Players.play", "at speed", partial(players, "play")),
    ("Players.step", "dt", partial(players, "step")),
    ("UpdateRates", "pixels", lambda pixels: lissom.UpdateRates(HERO, pixels=pixels).pixels),
    (
        "UpdateRates.due",
        "dt pixels_per_unit",
        lambda **options: lissom.UpdateRates(HERO).due(
            lissom.Players(SKELETON, 2), **{"dt": 0.01, "pixels_per_unit": 1.0, **options}
        ),
    ),
    (
        "Expression",
        "binds",
        lambda binds: lissom.Expressions(SMILE, [lissom.Expression("happy", {"smile": binds})]).weights(
            [1.0]
        ),
    ),
    ("GazeRange", "input output", lambda **options: lissom.GazeRange(**options).map(0.5)),
    ("Inertializer", "duration halflife", partial(inertia, "init")),
    ("Inertializer", "halflife", partial(inertia, "init", kind="decay")),
    ("Inertializer.apply", "dt", partial(inertia, "apply")),
    ("Inertializer.transition", "dt", partial(inertia, "transition")),
    ("LookAt.poses", "head", partial(lissom.LookAt(HERO).poses, REST, UP)),
    ("Mesh.centers_of_rotation", "sigma", TUBE.mesh.centers_of_rotation),
    ("PoseTexture.row", "time", partial(BAKE.row, 0, 0)),
    ("PoseTexture.set_morphs", "time", lambda time: FACE_BAKE.edited().set_morphs(0, time, [0.5])),
    ("PoseTexture.set_morphs", "weights", _set_weight),
    ("PoseTexture.set_row", "time", lambda time: BAKE.edited().set_row(0, 0, time, BAKE.texels[0, :3])),
    ("RootMotion", "error", partial(lissom.RootMotion, CLIP.root_motion.track)),
    ("Skeleton.mask", "value", partial(SKELETON.mask, "Spine")),
    ("PoseTexture.export", "rate", _exported),
    ("verify", "rate max_error", _judged),
    ("VertexAnimation.of_bake", "rate", partial(lissom.VertexAnimation.of_bake, BAKE)),
    ("VertexClip", "rate start", partial(lissom.VertexClip, 0, 2)),
    ("bake", "rate", partial(lissom.bake, TUBE, "bend", include_mesh=False)),
    ("bake", "max_error", partial(lissom.bake, SHORT, include_mesh=False)),
    ("merge", "equal_size", partial(lissom.merge, [HERO])),
    ("bend_blend", "angle least", partial(lissom.bend_blend, HERO, POSES)),
    ("blend_layers", "threshold", partial(lissom.blend_layers, [REST], [1.0], rest=REST)),
    ("compare", "time azimuth elevation", partial(lissom.compare, TUBE, clip="bend", width=64, height=32)),
    (
        "gpu.Camera",
        "target distance azimuth elevation field_of_view",
        lambda target=0.0, distance=1.0, **options: gpu.Camera(
            (target, 0.0, 0.0), distance, **options
        ).clip_from_world(1.0, 0.1, 10.0),
    ),
    (
        "gpu.Camera.clip_from_world",
        "aspect near far",
        partial(gpu.Camera((0.0, 0.0, 0.0), 1.0).clip_from_world, aspect=1.0, near=0.1, far=10.0),
    ),
    (
        "gpu.Camera.framing",
        "aspect azimuth elevation field_of_view margin",
        partial(gpu.Camera.framing, POINTS, aspect=1.0),
    ),
    ("gpu.Crowd", "spacing", partial(crowd, "init")),
    ("gpu.Crowd", "levels", lambda levels: crowd("init", levels=[(MESH, levels)])),
    ("gpu.Crowd", "impostors", lambda impostors: crowd("init", impostors=(small_impostors(), impostors))),
    ("gpu.Crowd.fade_to", "duration at", partial(crowd, "fade_to", 0, duration=0.1)),
    ("gpu.LiveCrowd", "levels", lambda levels: gpu.LiveCrowd(TUBE, 2, levels=[(MESH, levels)])),
    ("gpu.Crowd.update", "dt", partial(crowd, "update")),
    ("gpu.Impostors", "elevation", partial(gpu.Impostors, BAKE, views=1, phases=1)),
    ("gpu.SkinnedModel.set_heat", "maximum", partial(model, "set_heat")),
    ("gpu.Stage", "background", lambda background: gpu.Stage(8, 8, background=(background, 0.0, 0.0))),
    ("gpu.Stage.camera", "options", lambda options: gpu.Stage(8, 8).camera(TUBE, azimuth=options)),
    ("gpu.Stage.draw", "ground_height", lambda ground_height: drawn(ground_height=ground_height)),
    (
        "contact_sheet",
        "azimuth elevation",
        partial(lissom.contact_sheet, TUBE, "bend", moments=1, size=32),
    ),
    (
        "gpu.Stage.film",
        "pose",
        lambda pose: ends_of(
            gpu.Stage(8, 8).film(TUBE, pose=lambda _: gpu.Camera((pose, 0.0, 0.0), 2.0), seconds=0.1)
        ),
    ),
    (
        "gpu.Stage.film",
        "seconds rate turn ground_height",
        lambda **numbers: ends_of(gpu.Stage(8, 8).film(TUBE, **{"seconds": 0.1, **numbers})),
    ),
    (
        "gpu.Stage.render",
        "ground_height",
        lambda ground_height: gpu.Stage(8, 8).render(TUBE, ground_height=ground_height),
    ),
    ("gpu.levels_of_detail", "fractions", lambda fractions: gpu.levels_of_detail(TUBE, [fractions])),
    ("gpu.levels_of_detail", "crease", partial(gpu.levels_of_detail, TUBE, (0.5,))),
    ("gpu.scattered", "spacing", partial(gpu.scattered, BAKE, 3)),
    (
        "gpu.teaching_crowd.UniformCrowd",
        "step",
        partial(gpu.teaching_crowd.UniformCrowd, TRS_BAKE, gpu.scattered(TRS_BAKE, 2)),
    ),
    ("gpu.with_color_bar", "maximum", partial(gpu.with_color_bar, PICTURE)),
    ("ground.HeightField", "spacing", partial(field, np.zeros((3, 3)))),
    ("ground.Plane.triangles", "half_width", ground.Plane().triangles),
    (
        "ground.TriangleMesh.cast",
        "max_distance",
        lambda max_distance: SOLID.cast([UP], [[0.0, -1, 0]], max_distance=max_distance)[1:],
    ),
    (
        "ik.BallSocket",
        "half_angle twist",
        lambda half_angle=0.5, twist=0.1: limited(ik.BallSocket(half_angle, (-0.1, twist))),
    ),
    (
        "ik.FootPlacement",
        "floor max_angle max_slope max_up max_down ray_height body_time lean lock lock_radius",
        feet,
    ),
    ("ik.FootPlacement.apply", "rate", partial(PLACEMENT.apply, CLIP)),
    ("ik.FootPlacement.update", "dt", partial(PLACEMENT.update, REST)),
    ("ik.Hinge", "low high", lambda low=-0.1, high=0.1: limited(ik.Hinge((1.0, 0.0, 0.0), low, high))),
    ("ik.PlayersFeet.update", "dt", lambda dt: ik.PlayersFeet(PLACEMENT).update(POSES, dt)),
    *(
        (f"ik.{limit.__name__}.from_poses", "margin", partial(limit.from_poses, SKELETON, KNEE, POSES))
        for limit in (ik.BallSocket, ik.Hinge, ik.SwingTwist)
    ),
    ("ik.Hinge.from_rest", "low high", partial(ik.Hinge.from_rest, low=-0.1, high=0.1)),
    ("ik.Hinge", "axis", lambda axis: limited(ik.Hinge((axis, 0.0, 0.0), -0.1, 0.1))),
    ("ik.Playground", "tolerance", partial(ik.Playground, HERO, "Hand.L")),
    ("ik.Playground.recorded", "rate", lambda rate: recorded().recorded(rate)),
    ("ik.Playground.seek", "seconds", lambda seconds: recorded().seek(seconds).pose),
    ("ik.aim", "behind tolerance", partial(ik.aim, LIMB_CHAIN, REST, UP)),
    *(
        (f"ik.{name}", "tolerance", partial(getattr(ik, name), LIMB_CHAIN, REST, UP))
        for name in ("ccd", "fabrik", "damped_least_squares", "two_bone")
    ),
    (
        "ik.damped_least_squares",
        "rest_attraction damping angle_tolerance",
        partial(ik.damped_least_squares, LIMB_CHAIN, REST, UP, [0.0, 0, 0, 1]),
    ),
    (
        "ik.damped_least_squares",
        "stiffness",
        lambda stiffness: ik.damped_least_squares(LIMB_CHAIN, REST, UP, stiffness={"Foot.L": stiffness}),
    ),
    ("ik.two_bone", "soften", partial(ik.two_bone, LIMB_CHAIN, REST, UP)),
    (
        "ik.find_contacts",
        "rate min_duration ramp",
        partial(ik.find_contacts, CLIP, LEGS, character=HERO),
    ),
    (
        "ik.find_contacts",
        "height",
        lambda height: ik.find_contacts(CLIP, LEGS, character=HERO, height=(height / 2, height)),
    ),
    (
        "ik.find_contacts",
        "speed",
        lambda speed: ik.find_contacts(CLIP, LEGS, character=HERO, speed=(speed / 2, speed)),
    ),
    ("ik.foot_slide", "rate", partial(ik.foot_slide, CLIP, LEGS, character=HERO)),
    (
        "ik.learn_limits",
        "margin hinge_within rate",
        partial(ik.learn_limits, SKELETON, CLIP, ["Head"]),
    ),
    ("ik.lock_feet", "rate blend lower", partial(ik.lock_feet, CLIP, LEGS, character=HERO)),
    ("load_bvh", "units", lambda units: lissom.load_bvh(BVH, units=units).skeleton.rest),
    ("metrics.distance", "size", partial(metrics.distance, POINTS, POINTS + 1)),
    ("player.bundle", "azimuth", partial(lissom.player.bundle, MESH, HERO.skin)),
    ("player.bundle", "size", partial(lissom.player.bundle, MESH, HERO.skin)),
    ("plots.reach_map", "span", reach_map),
    (
        "render",
        "time azimuth elevation ground_height",
        lambda **numbers: lissom.render(TUBE, clip="bend", width=16, height=16, **{"time": 1.0, **numbers}),
    ),
    ("show", "equal_size", lambda equal_size: lissom.show(TUBE, equal_size=equal_size).bundle),
    ("render", "equal_size", partial(lissom.render, [TUBE], width=16, height=16)),
    (
        "render",
        "background",
        lambda background: lissom.render(TUBE, background=(background, 0.0, 0.0), width=16, height=16),
    ),
    (
        "render",
        "rate seconds turn",
        lambda **numbers: ends_of(lissom.render(TUBE, clip="bend", width=16, height=16, **numbers)),
    ),
    (
        "render",
        "heat_maximum",
        partial(lissom.render, TUBE, heat=np.ones(TUBE.mesh.vertex_count), width=300, height=200),
    ),
    ("samples.rubble", "scale", samples.rubble),
    ("samples.slope", "scale", samples.slope),
    ("samples.stair", "scale", samples.stair),
    ("samples.uneven_ground", "scale", samples.uneven_ground),
    (
        "sketch",
        "azimuth elevation ground_height heat_maximum",
        partial(lissom.sketch, TUBE, width=16, height=16, heat=np.ones(TUBE.mesh.vertex_count)),
    ),
    (
        "testing.assert_bakes_close",
        "rotation share length scale weight",
        partial(testing.assert_bakes_close, BAKE, BAKE),
    ),
    (
        "testing.assert_palettes_close",
        "rotation share size length scale",
        partial(asserted, testing.assert_palettes_close, PALETTE.matrices),
    ),
    ("testing.assert_pictures_close", "share", partial(testing.assert_pictures_close, PICTURE, PICTURE)),
    ("testing.assert_morphs_close", "weight", partial(testing.assert_morphs_close, [0.0], [0.0])),
    (
        "testing.assert_poses_close",
        "rotation share size length scale",
        partial(asserted, testing.assert_poses_close, REST),
    ),
    (
        "testing.assert_vertices_close",
        "share size length",
        partial(asserted, testing.assert_vertices_close, POINTS),
    ),
    (
        "SpringChain",
        "stiffness drag gravity radius end",
        lambda **options: lissom.Springs(
            HERO, [lissom.SpringChain(["Head"], **({"end": 0.2} | options))]
        ).simulate(CLIP, loop=False),
    ),
    (
        "SpringCollider",
        "radius",
        lambda radius: lissom.SpringCollider("Head", "sphere", radius=radius),
    ),
    (
        "SpringCollider.capsule",
        "radius",
        lambda radius: lissom.SpringCollider.capsule("Head", radius, tail=UP),
    ),
    ("SpringCollider.sphere", "radius", partial(lissom.SpringCollider.sphere, "Head")),
    (
        "Springs.step",
        "dt",
        lambda dt: lissom.Springs(HERO, [lissom.SpringChain(["Head"], end=0.2)]).step(REST, dt),
    ),
    ("load_vrma", "rate", partial(lissom.load_vrma, motion().glb(), lissom.load(avatar().glb()))),
    ("undeform", "max_condition", partial(lissom.undeform, MESH, PALETTE, POINTS)),
    (
        "unskin_dual_quat",
        "max_condition",
        partial(lissom.unskin_dual_quat, MESH, PALETTE.dual_quats, None, POINTS),
    ),
    ("unskin_linear", "max_condition", partial(lissom.unskin_linear, MESH, PALETTE.matrices, POINTS)),
    ("weights.bones", "leaf leaf_length", partial(weights.bones, SKELETON)),
    (
        "weights.bounded_biharmonic",
        "cell_size memory_limit tolerance",
        biharmonic,
    ),
    ("weights.heat", "conductance weld", partial(weights.heat, TUBE.mesh, TUBE_BONES)),
    ("weights.inverse_distance", "power", partial(weights.inverse_distance, TUBE.mesh, TUBE_BONES)),
    (
        "weights.reduce",
        "threshold smoothness weld",
        partial(weights.reduce, TUBE_WEIGHTS, 1, surface=TUBE.mesh),
    ),
    (
        "weights.transfer",
        "max_angle max_distance",
        partial(
            weights.transfer, TUBE.mesh, TUBE_WEIGHTS, TUBE.mesh.positions, target_normals=TUBE.mesh.normals
        ),
    ),
]

# Classes of results, which nobody but the library makes of numbers.
RESULTS = {
    *ARRAY_RESULTS,
    "BakeFault",
    "VerifyReport",
    "RetargetReport",
    "RetargetedClip",
    "SpringSeam",
    "BakeRecord",
    "Binding",
    "ClipReport",
    "Comparison",
    "Marker",
    "bake_report.ClipError",
    "bake_report.ErrorStats",
    "bake_report.WorstVertex",
    "cross_fade.Event",
    "cross_fade.Playing",
    "ik.Contacts",
    "ik.LearnedLimits",
    "metrics.Bulge",
    "metrics.Distance",
    "weights.Dropped",
}
