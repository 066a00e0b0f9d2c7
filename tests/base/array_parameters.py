# SPDX-License-Identifier: MIT
"""Every public parameter that takes an array, except those of quat, dual_quat and trs (`array_api.py`)."""

from collections.abc import Callable
from typing import Any

import numpy as np

import lissom
from lissom import ground, ik, metrics, testing, weights
from morphed_characters import faced

HERO = lissom.samples.humanoid()
SKELETON, MESH, SKIN = HERO.skeleton, HERO.mesh, HERO.skin
CLIP = HERO.clips["walk"]
MOTION = CLIP.root_motion
REST = np.array(SKELETON.rest, np.float64)
POSES = np.array([REST, REST])
MODEL = SKELETON.model_matrices(SKELETON.rest)
PALETTE = SKIN.palette(MODEL)
POINTS, TRIANGLES = MESH.positions, MESH.triangles
FLOATS = np.zeros_like(POINTS)
SCALES = np.tile(np.eye(3, 4, dtype=np.float32), (len(SKIN.joints), 1, 1))
UP, FORWARD, ORIGIN = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
TIMES = [0.0, 0.1]
WEIGHTS = np.zeros((2, 2))
FACE_CLIP = lissom.Clip.from_poses(SKELETON, TIMES, POSES, morphs=WEIGHTS + 1, morph_names=["a", "b"])
MASK = np.ones(len(SKELETON))
FACED = faced(HERO)
SMILE = FACED.mesh.morphs.weights({"smile": 0.5})
BLEND = np.full(MESH.vertex_count, 0.5)
EYE = np.eye(4)
_PUFF = lissom.Morphs(["face/puff"], [0, 1], [0], [UP])
PUFFED = lissom.Character(
    "face", SKELETON, lissom.Mesh(POINTS, TRIANGLES, MESH.indices, MESH.weights, morphs=_PUFF), SKIN, [CLIP]
)
STILL = lissom.trs.identity()
SPACE = lissom.BlendSpace1D([CLIP, CLIP], [0.0, 1.0])
GAIT = lissom.BlendSpace1D([CLIP, CLIP.reversed()], [0.0, 1.0])
PLANE_SPACE = lissom.BlendSpace2D([CLIP] * 3, [[0.0, 0], [1, 0], [0, 1]])
BAKE = lissom.bake(HERO, ["idle"], rate=10.0)
PUFFED_BAKE = lissom.bake(PUFFED, rate=10.0)
TRS_BAKE = lissom.bake(HERO, ["idle"], rate=10.0, layout="trs")
FACE_BAKE = lissom.PoseTexture(
    BAKE.texels,
    BAKE.clips,
    BAKE.joints,
    BAKE.report,
    weights=np.zeros((len(BAKE.texels), 1), np.float32),
    morph_names=["a"],
)
VERTICES = lissom.VertexAnimation.of_bake(BAKE)
FIELD = ground.HeightField(np.zeros((3, 3)))
SOLID = ground.TriangleMesh([[0.0, 0, 0], [0, 0, 1], [1, 0, 0]], [[0, 1, 2]])
KNEE, LIMB = "LowerLeg.L", ("UpperLeg.L", "Foot.L")
LIMB_CHAIN = ik.Chain(SKELETON, *LIMB)
LEG_JOINTS = ("UpperLeg.L", "LowerLeg.L", "Foot.L")
LEGS = [ik.Leg(*LEG_JOINTS), ik.Leg("UpperLeg.R", "LowerLeg.R", "Foot.R")]
PLACEMENT = ik.FootPlacement(HERO, LEGS, ground.Plane())
CONTACTS = ik.find_contacts(CLIP, LEGS, character=HERO)
RETARGET = lissom.Retarget(HERO, HERO)
EXPRESSIONS = lissom.Expressions(
    lissom.Morphs(["smile"], [0, 1], [0], [UP]), [lissom.Expression("happy", {"smile": 1})]
)
GAZE = lissom.LookAt(HERO)
STRAND = lissom.SpringChain(["Head"], end=0.2)
SOLVERS = ("ccd", "fabrik", "damped_least_squares")
BONES = weights.bones(SKELETON)

Arrays = tuple[Any, ...]


def _solve(name: str) -> Callable[..., Any]:
    return lambda poses, targets, orientations, start, weight, out: getattr(ik, name)(
        LIMB_CHAIN, poses, targets, orientations=orientations, start=start, weight=weight, out=out
    )


def _skinned(name: str, forms: tuple[str, ...], morphs: Any) -> Any:
    options = {"blend": 0.5} if name == "skin_blended" else {}
    palette = [getattr(PALETTE, form) for form in forms]
    return getattr(lissom, name)(FACED.mesh, *palette, morphs=morphs, **options)


def _players() -> lissom.Players:
    players = lissom.Players(SKELETON, 2)
    players.play([0, 1], CLIP)
    return players


def _gait_players() -> lissom.Players:
    players = lissom.Players(SKELETON, 2)
    players.play([0, 1], GAIT)
    return players


def _gait_layer() -> lissom.PlayerLayer:
    layer = _players().layer("arms")
    layer.play([0, 1], GAIT)
    return layer


def _player_layer() -> lissom.PlayerLayer:
    layer = _players().layer("arms")
    layer.play([0, 1], CLIP)
    return layer


def _players_feet() -> ik.PlayersFeet:
    feet = ik.PlayersFeet(PLACEMENT)
    feet.update(POSES, 0.1)
    return feet


# Public path, function of the arrays under the names that users know, and the arrays.
CASES: list[tuple[str, Callable[..., Any], Arrays]] = [
    ("BlendSpace1D", lambda values: lissom.BlendSpace1D([CLIP, CLIP], values), ([0.0, 1.0],)),
    ("BlendSpace1D.at", lambda phase: SPACE.at(phase), ([0.5],)),
    ("BlendSpace1D.morphs", lambda times: SPACE.morphs(times), (TIMES,)),
    ("BlendSpace1D.sample", lambda times: SPACE.sample(times), (TIMES,)),
    (
        "BlendSpace2D",
        lambda points, point: lissom.BlendSpace2D([CLIP] * 3, points, point=point),
        ([[0.0, 0], [1, 0], [0, 1]], [0.0, 0.0]),
    ),
    ("BlendSpace2D.at", lambda phase: PLANE_SPACE.at(phase), ([0.5],)),
    ("BlendSpace2D.morphs", lambda times: PLANE_SPACE.morphs(times), (TIMES,)),
    ("BlendSpace2D.sample", lambda times: PLANE_SPACE.sample(times), (TIMES,)),
    ("Character.deform", lambda poses, blend: HERO.deform(poses, "blended", blend=blend), (REST, BLEND)),
    ("Character.deform", lambda morphs: FACED.deform(REST, morphs=morphs), (SMILE,)),
    ("Character.show", lambda pose: HERO.show(pose=pose), (REST,)),
    ("Clip", lambda keys, tracks: lissom.Clip("a", SKELETON, keys, tracks), (CLIP.keys, CLIP.tracks)),
    (
        "Clip",
        lambda morph_defaults: lissom.Clip(
            "a", SKELETON, CLIP.keys, CLIP.tracks, morph_names=["a", "b"], morph_defaults=morph_defaults
        ),
        ([0.0, 1.0],),
    ),
    ("Clip.at", lambda phase: CLIP.at(phase), ([0.5],)),
    (
        "Clip.from_poses",
        lambda times, poses: lissom.Clip.from_poses(SKELETON, times, poses),
        (TIMES, [REST] * 2),
    ),
    (
        "Clip.from_poses",
        lambda morphs: lissom.Clip.from_poses(
            SKELETON, TIMES, [REST] * 2, morphs=morphs, morph_names=["a", "b"]
        ),
        ([[0.0, 1.0], [1.0, 0.0]],),
    ),
    ("Clip.mirrored", lambda reference: CLIP.mirrored(reference=reference), (REST,)),
    ("Clip.morphs", lambda times, out: FACE_CLIP.morphs(times, out=out), (TIMES, WEIGHTS)),
    ("Clip.retimed", lambda times_from, times_to: CLIP.retimed(times_from, times_to), (TIMES, TIMES)),
    ("Clip.sample", lambda times, out: CLIP.sample(times, out=out), (TIMES, POSES)),
    ("Expressions.weights", lambda values, base: EXPRESSIONS.weights(values, base), ([0.5], [0.0])),
    ("GazeRange", lambda curve: lissom.GazeRange(1.0, 1.0, curve).map(0.5), ([[0.0, 0, 0, 1]],)),
    ("GazeRange.map", lambda angles: lissom.GazeRange().map(angles), ([0.5],)),
    (
        "Inertializer.apply",
        lambda pose, out: lissom.Inertializer(SKELETON).apply(pose, 0.1, out),
        (REST, REST),
    ),
    (
        "Inertializer.transition",
        lambda pose, target, previous, target_previous: lissom.Inertializer(SKELETON).transition(
            pose, target, previous=previous, target_previous=target_previous, dt=0.1
        ),
        (REST,) * 4,
    ),
    (
        "LookAt",
        lambda offset, front: lissom.LookAt(HERO, offset=offset, front=front).angles(REST, UP),
        (UP, FORWARD),
    ),
    ("LookAt.angles", lambda poses, targets: GAZE.angles(poses, targets), (REST, UP)),
    (
        "LookAt.expressions",
        lambda poses, targets: lissom.LookAt(HERO, kind="expression").expressions(poses, targets),
        (REST, UP),
    ),
    (
        "LookAt.poses",
        lambda poses, targets, out: GAZE.poses(poses, targets, head=1.0, out=out),
        (REST, FORWARD, REST.copy()),
    ),
    (
        "Mesh",
        lambda positions, triangles, indices, weights, normals, tangents, uvs, colors: lissom.Mesh(
            positions,
            triangles,
            indices,
            weights,
            normals=normals,
            tangents=tangents,
            uvs=uvs,
            colors=colors,
        ),
        (
            POINTS,
            TRIANGLES,
            MESH.indices,
            MESH.weights,
            POINTS,
            np.ones((len(POINTS), 4)),
            POINTS[:, :2],
            np.ones((len(POINTS), 4)),
        ),
    ),
    (
        "Mesh",
        lambda weights: lissom.Mesh(POINTS, TRIANGLES, MESH.indices * 0, weights),
        (np.eye(MESH.indices.shape[1], dtype=np.uint8)[np.zeros(len(POINTS), int)] * 255,),
    ),
    ("Mesh.normals_of", lambda positions, out: MESH.normals_of(positions, out), (POINTS, FLOATS)),
    (
        "Mesh.with_weights",
        lambda indices, weights: MESH.with_weights(indices, weights),
        (MESH.indices, MESH.weights),
    ),
    (
        "Morphs",
        lambda offsets, vertices, positions, normals, tangents, defaults: lissom.Morphs(
            ["a", "b"], offsets, vertices, positions, normals, tangents, defaults
        ),
        ([0, 1, 2], [3, 4], EYE[:2, :3], EYE[:2, :3], EYE[:2, :3], [0.0, 1.0]),
    ),
    (
        "Morphs.from_dense",
        lambda positions, normals, tangents, defaults: lissom.Morphs.from_dense(
            ["a"], positions, normals, tangents, defaults
        ),
        (POINTS[None],) * 3 + ([0.5],),
    ),
    (
        "Morphs.weights",
        lambda base: lissom.Morphs(["a"], [0, 0], [], []).weights({}, base),
        ([0.5],),
    ),
    ("Palette", lambda model: lissom.Palette(SKIN, model), (MODEL,)),
    (
        "PlayerLayer.fade_to",
        lambda parameter: _player_layer().fade_to([0, 1], GAIT, 0.1, parameter=parameter),
        ([0.25, 0.5],),
    ),
    (
        "PlayerLayer.play",
        lambda parameter: _player_layer().play([0, 1], GAIT, parameter=parameter),
        ([0.25, 0.5],),
    ),
    (
        "PlayerLayer.fade_to",
        lambda ids, duration, at, speed: _player_layer().fade_to(ids, CLIP, duration, at=at, speed=speed),
        ([0, 1], TIMES, TIMES, TIMES),
    ),
    (
        "PlayerLayer.play",
        lambda ids, at, speed: _player_layer().play(ids, CLIP, at=at, speed=speed),
        ([0, 1], TIMES, TIMES),
    ),
    (
        "PlayerLayer.move",
        lambda ids, parameter: _gait_layer().move(ids, parameter),
        ([0, 1], [0.25, 0.5]),
    ),
    (
        "PlayerLayer.weigh",
        lambda ids, weight, duration: _player_layer().weigh(ids, weight, duration),
        ([0, 1], [0.5, 1.0], [0.5, 1.0]),
    ),
    (
        "Players.fade_to",
        lambda parameter: _players().fade_to([0, 1], GAIT, 0.1, parameter=parameter),
        ([0.25, 0.5],),
    ),
    (
        "Players.play",
        lambda parameter: _players().play([0, 1], GAIT, parameter=parameter),
        ([0.25, 0.5],),
    ),
    (
        "Players.fade_to",
        lambda ids, duration, at, speed: _players().fade_to(ids, CLIP, duration, at=at, speed=speed),
        ([0, 1], TIMES, TIMES, TIMES),
    ),
    (
        "Players.play",
        lambda ids, at, speed: _players().play(ids, CLIP, at=at, speed=speed),
        ([0, 1], TIMES, TIMES),
    ),
    (
        "Players.layer",
        lambda mask: _players().layer("arms", mask=mask).mask,
        (np.linspace(0, 1, len(SKELETON)),),
    ),
    (
        "Players.move",
        lambda ids, parameter: _gait_players().move(ids, parameter),
        ([0, 1], [0.25, 0.5]),
    ),
    ("Players.remove", lambda ids: _players().remove(ids), ([0],)),
    ("Players.rows", lambda ids: _players().rows(ids), ([0],)),
    (
        "Players.step",
        lambda out, due: _players().step(0.1, out, due=due),
        (np.array(POSES, np.float32), [0, 1]),
    ),
    (
        "PoseTexture",
        lambda parents, ranges: lissom.PoseTexture(
            BAKE.texels, BAKE.clips, BAKE.joints, BAKE.report, parents=parents, ranges=ranges
        ),
        (BAKE.parents, None),
    ),
    (
        "PoseTexture",
        lambda ranges: lissom.PoseTexture(
            BAKE.texels.astype(np.uint8),
            BAKE.clips,
            BAKE.joints,
            BAKE.report,
            ranges=ranges,
            rig=BAKE.rig,
            skin=BAKE.skin,
        ),
        (np.ones((1, *BAKE.texels.shape[1:3], 2, 4), np.float32),),
    ),
    ("PoseTexture.frame_coordinate", lambda clip, times: BAKE.frame_coordinate(clip, times), ([0, 0], TIMES)),
    (
        "PoseTexture.joint_matrices",
        lambda coordinates, next_coordinates, fades: BAKE.joint_matrices(
            coordinates, SKELETON.names[:1], next_coordinates=next_coordinates, fades=fades
        ),
        (TIMES,) * 3,
    ),
    ("PoseTexture.palette", lambda clip, times: BAKE.palette(clip, times), ([0, 0], TIMES)),
    ("PoseTexture.sample", lambda clip, times: BAKE.sample(clip, times), ([0, 0], TIMES)),
    (
        "PoseTexture.sample_frames",
        lambda coordinates, next_coordinates, fades: BAKE.sample_frames(
            coordinates, next_coordinates=next_coordinates, fades=fades
        ),
        (TIMES,) * 3,
    ),
    ("PoseTexture.set_row", lambda values: BAKE.edited().set_row(0, 0, 0.0, values), (BAKE.texels[0, :3],)),
    (
        "PoseTexture.set_texel",
        lambda values: BAKE.edited().set_texel(0, 0, 0, values),
        (np.ones(4, np.float32),),
    ),
    (
        "PoseTexture",
        lambda weights: lissom.PoseTexture(
            BAKE.texels, BAKE.clips, BAKE.joints, BAKE.report, weights=weights, morph_names=["a"]
        ),
        (np.zeros((len(BAKE.texels), 1), np.float32),),
    ),
    ("PoseTexture.sample_morphs", lambda clip, times: BAKE.sample_morphs(clip, times), ([0, 0], TIMES)),
    (
        "PoseTexture.sample_morph_frames",
        lambda coordinates, next_coordinates, fades: BAKE.sample_morph_frames(
            coordinates, next_coordinates=next_coordinates, fades=fades
        ),
        (TIMES,) * 3,
    ),
    ("PoseTexture.set_morphs", lambda weights: FACE_BAKE.edited().set_morphs(0, 0.0, weights), ([0.5],)),
    (
        "PreparedMesh.normals_of",
        lambda positions, out: MESH.prepare().normals_of(positions, out),
        (POINTS, FLOATS),
    ),
    ("RootMotion.at", lambda times: MOTION.at(times), (TIMES,)),
    ("RootMotion.between", lambda t0, t1: MOTION.between(t0, t1), (TIMES, TIMES)),
    (
        "RootMotion.from_moves",
        lambda times, moves: lissom.RootMotion.from_moves(times, moves),
        (TIMES, REST[:2]),
    ),
    (
        "Skeleton",
        lambda parents, rest, source_nodes: lissom.Skeleton(SKELETON.names, parents, rest, source_nodes),
        (SKELETON.parents, REST, SKELETON.parents),
    ),
    (
        "Skeleton.model_matrices",
        lambda poses, out: SKELETON.model_matrices(poses, out),
        (SKELETON.rest, MODEL),
    ),
    (
        "Retarget",
        lambda source_pose, target_pose: lissom.Retarget(
            HERO, HERO, source_pose=source_pose, target_pose=target_pose
        ),
        (REST, REST),
    ),
    ("Retarget.poses", lambda poses, out: RETARGET.poses(poses, out), (REST, REST.copy())),
    (
        "SpringChain",
        lambda gravity: lissom.Springs(HERO, [lissom.SpringChain(["Head"], gravity=gravity, end=1)]).joints,
        ([0.0, -1, 0],),
    ),
    (
        "SpringCollider",
        lambda offset, tail, normal: lissom.SpringCollider("Head", "plane", offset, tail, normal),
        (ORIGIN, ORIGIN, UP),
    ),
    (
        "SpringCollider.capsule",
        lambda tail, offset: lissom.SpringCollider.capsule("Head", 0.1, tail=tail, offset=offset),
        (UP, ORIGIN),
    ),
    (
        "SpringCollider.plane",
        lambda normal, offset: lissom.SpringCollider.plane("Head", normal=normal, offset=offset),
        (UP, ORIGIN),
    ),
    ("SpringCollider.sphere", lambda offset: lissom.SpringCollider.sphere("Head", 0.1, offset=offset), (UP,)),
    (
        "Springs.step",
        lambda poses, world, out: lissom.Springs(HERO, [STRAND]).step(poses, 0.1, world=world, out=out),
        (REST, STILL, REST.copy()),
    ),
    ("Skeleton.positions", lambda poses: SKELETON.positions(poses), (REST,)),
    ("Skeleton.rotate", lambda poses, quat: SKELETON.rotate(poses, 0, quat), (REST, [0.0, 0, 0, 1])),
    (
        "Skin",
        lambda joints, joint_from_bind: lissom.Skin(joints, joint_from_bind),
        (SKIN.joints, SKIN.joint_from_bind),
    ),
    ("Skin.palette", lambda model: SKIN.palette(model), (MODEL,)),
    (
        "add_layer",
        lambda base, additive, weight, mask, out: lissom.add_layer(base, additive, weight, mask, out=out),
        (REST, REST, [1.0], MASK, REST),
    ),
    ("attach", lambda offset: lissom.attach(HERO, "Head", HERO, offset), (STILL,)),
    ("bend_blend", lambda poses: lissom.bend_blend(HERO, poses), (POSES,)),
    ("merge", lambda placements: lissom.merge([HERO], placements), ([STILL],)),
    (
        "blend",
        lambda a, b, weight, mask, out: lissom.blend(a, b, weight, mask, out=out),
        (REST, REST, [1.0], MASK, REST),
    ),
    (
        "blend_layers",
        lambda poses, weights, masks, rest, out: lissom.blend_layers(
            [poses], [weights], [masks], rest=rest, out=out
        ),
        (REST, [1.0], MASK, REST, REST),
    ),
    ("blend_layers", lambda poses, weights: lissom.blend_layers(poses, weights), (POSES, np.ones(2))),
    (
        "blend_root_motions",
        lambda moves, weights: lissom.blend_root_motions(moves, weights),
        (REST[:2], [0.5, 0.5]),
    ),
    ("compare", lambda pose: lissom.compare(HERO, pose), (REST,)),
    ("deform", lambda blend: lissom.deform(MESH, PALETTE, "blended", blend=blend), (BLEND,)),
    ("deform", lambda morphs: lissom.deform(FACED.mesh, PALETTE, morphs=morphs), (SMILE,)),
    ("gpu.Camera.framing", lambda points: lissom.gpu.Camera.framing(points, 1.0), (POINTS,)),
    ("gpu.Crowd", lambda instances: lissom.gpu.Crowd(BAKE, 2, instances=instances), (np.zeros(2),)),
    (
        "gpu.teaching_crowd.UniformCrowd",
        lambda instances: lissom.gpu.teaching_crowd.UniformCrowd(TRS_BAKE, instances),
        (np.zeros(2),),
    ),
    (
        "gpu.Crowd.morphs",
        lambda weights: lissom.gpu.Crowd(PUFFED_BAKE, 1).morphs(0, weights),
        ([0.5],),
    ),
    (
        "gpu.LiveCrowd",
        lambda instances: lissom.gpu.LiveCrowd(HERO, 2, instances=instances),
        (np.zeros(2),),
    ),
    (
        "gpu.LiveCrowd.pose",
        lambda poses, morphs, due: lissom.gpu.LiveCrowd(FACED, 2).pose(poses, morphs, due=due),
        (np.array([FACED.skeleton.rest, FACED.skeleton.rest], np.float64), SMILE, [True, False]),
    ),
    ("gpu.PoseUpload.write", lambda texels: lissom.gpu.PoseUpload(BAKE).write(texels), (BAKE.texels,)),
    (
        "gpu.SkinnedModel",
        lambda blend, centers, world_from_model: lissom.gpu.SkinnedModel(
            HERO, method="cor", blend=blend, centers=centers, world_from_model=world_from_model
        ),
        (BLEND, POINTS, EYE),
    ),
    ("gpu.SkinnedModel.set_heat", lambda values: lissom.gpu.SkinnedModel(HERO).set_heat(values), (BLEND,)),
    ("gpu.SkinnedModel.set_pose", lambda pose: lissom.gpu.SkinnedModel(HERO).set_pose(pose), (REST,)),
    (
        "gpu.SkinnedModel.set_pose",
        lambda morphs: lissom.gpu.SkinnedModel(PUFFED).set_pose(PUFFED.skeleton.rest, morphs),
        ([0.5],),
    ),
    ("gpu.heading", lambda angle: lissom.gpu.heading(angle), ([0.5],)),
    (
        "gpu.teaching.UniformModel.set_palette",
        lambda arrays: lissom.gpu.teaching.UniformModel(MESH, "matrix_palette").set_palette(
            arrays, PALETTE.matrices
        ),
        (PALETTE.matrices,),
    ),
    (
        "gpu.teaching.UniformModel.deformed",
        lambda arrays: lissom.gpu.teaching.UniformModel(MESH, "matrix_palette").deformed(
            arrays, PALETTE.matrices
        ),
        (PALETTE.matrices,),
    ),
    (
        "ground.HeightField",
        lambda heights, origin: ground.HeightField(heights, origin=origin),
        (np.zeros((3, 3)), ORIGIN),
    ),
    ("ground.HeightField.__call__", lambda origins, directions: FIELD(origins, directions), ([ORIGIN], [UP])),
    ("ground.Plane", lambda point, normal: ground.Plane(point, normal), (ORIGIN, UP)),
    (
        "ground.Plane.__call__",
        lambda origins, directions: ground.Plane()(origins, directions),
        ([ORIGIN], [UP]),
    ),
    (
        "ground.TriangleMesh",
        lambda positions, triangles: ground.TriangleMesh(positions, triangles),
        (POINTS, TRIANGLES),
    ),
    (
        "ground.TriangleMesh.__call__",
        lambda origins, directions: SOLID(origins, directions),
        ([ORIGIN], [UP]),
    ),
    (
        "ground.TriangleMesh.cast",
        lambda origins, directions: SOLID.cast(origins, directions),
        ([ORIGIN], [UP]),
    ),
    ("ground.cast", lambda origins, directions: ground.cast(FIELD, origins, directions), ([ORIGIN], [UP])),
    ("ik.BallSocket.from_poses", lambda poses: ik.BallSocket.from_poses(SKELETON, KNEE, poses), (POSES,)),
    ("ik.Chain", lambda bend_axis: ik.Chain(SKELETON, *LIMB, bend_axis=bend_axis), (UP,)),
    ("ik.limb", lambda bend_axis: ik.limb(HERO, "hand.r", bend_axis=bend_axis), (UP,)),
    ("ik.Contacts.sample", lambda times: CONTACTS.sample(times), (TIMES,)),
    (
        "ik.FootPlacement",
        lambda up, stance: ik.FootPlacement(HERO, LEGS, ground.Plane(), up=up, stance=stance),
        (UP, REST),
    ),
    (
        "ik.FootPlacement.apply",
        lambda motion, contacts, world_from_model: PLACEMENT.apply(
            (TIMES, motion), contacts, world_from_model
        ),
        (POSES, np.ones((2, 2)), STILL),
    ),
    ("ik.FootPlacement.apply", lambda motion: PLACEMENT.apply((motion, POSES)), (TIMES,)),
    ("ik.FootPlacement.apply", lambda times: PLACEMENT.apply(CLIP, times=times), (TIMES,)),
    (
        "ik.FootPlacement.update",
        lambda poses, contacts, world_from_model: PLACEMENT.update(poses, 0.1, contacts, world_from_model),
        (REST, np.ones(2), STILL),
    ),
    (
        "ik.Hinge.from_poses",
        lambda poses, axis: ik.Hinge.from_poses(SKELETON, KNEE, poses, axis=axis),
        (POSES, UP),
    ),
    ("ik.Leg", lambda sole: ik.Leg(*LEG_JOINTS, sole=sole), (POINTS[:4],)),
    ("ik.Leg.measure", lambda stance: LEGS[0].measure(HERO, stance), (REST,)),
    ("ik.Playground", lambda pose: ik.Playground(HERO, [LIMB_CHAIN], pose=pose), (REST,)),
    (
        "ik.Playground.solve",
        lambda body: ik.Playground(HERO, [LIMB_CHAIN], body=True).solve(body=body),
        (UP,),
    ),
    (
        "ik.PlayersFeet.reset",
        lambda ids: _players_feet().reset(ids),
        ([0],),
    ),
    (
        "ik.PlayersFeet.update",
        lambda poses, dt, contacts, world_from_model, ids: _players_feet().update(
            poses, dt, contacts, world_from_model, ids=ids
        ),
        (POSES, [0.1, 0.1], np.ones((2, 2)), [STILL, STILL], [0, 1]),
    ),
    (
        "ik.SwingTwist.from_poses",
        lambda poses, axis: ik.SwingTwist.from_poses(SKELETON, KNEE, poses, axis=axis),
        (POSES, UP),
    ),
    (
        "ik.aim",
        lambda poses, targets, axis, offset, up, pole, shares, weight, out: ik.aim(
            LIMB_CHAIN,
            poses,
            targets,
            axis=axis,
            offset=offset,
            up=up,
            pole=pole,
            shares=shares,
            weight=weight,
            out=out,
        ),
        (REST, UP, FORWARD, ORIGIN, UP, UP, np.ones(3), [1.0], REST),
    ),
    *((f"ik.{name}", _solve(name), (REST, UP, [0.0, 0, 0, 1], REST, [1.0], REST)) for name in SOLVERS),
    (
        "ik.damped_least_squares",
        lambda stiffness: ik.damped_least_squares(LIMB_CHAIN, REST, UP, stiffness=stiffness),
        (np.zeros(3),),
    ),
    (
        "ik.two_bone",
        lambda poses, targets, orientations, pole, start, twist, weight, out: ik.two_bone(
            LIMB_CHAIN,
            poses,
            targets,
            orientations=orientations,
            pole=pole,
            start=start,
            twist=twist,
            weight=weight,
            out=out,
        ),
        (REST, UP, [0.0, 0, 0, 1], UP, REST, [0.0], [1.0], REST),
    ),
    ("ik.excess", lambda poses: ik.excess(ik.BallSocket(0.5), SKELETON, KNEE, poses), (POSES,)),
    (
        "ik.find_contacts",
        lambda motion, stance, up: ik.find_contacts(
            (TIMES, motion), LEGS, character=HERO, stance=stance, up=up
        ),
        (POSES, REST, UP),
    ),
    ("ik.foot_slide", lambda up: ik.foot_slide(CLIP, LEGS, character=HERO, up=up), (UP,)),
    ("ik.lock_feet", lambda up: ik.lock_feet(CLIP, LEGS, character=HERO, up=up), (UP,)),
    (
        "make_additive",
        lambda morphs: lissom.make_additive(FACE_CLIP, morphs=morphs),
        ([0.0, 1.0],),
    ),
    (
        "make_additive",
        lambda pose_or_clip, reference: lissom.make_additive(pose_or_clip, reference),
        (REST, REST),
    ),
    (
        "metrics.Surface.of",
        lambda positions, triangles: metrics.Surface.of(positions, triangles),
        (POINTS, TRIANGLES),
    ),
    (
        "metrics.blend_collapse",
        lambda blend: metrics.blend_collapse(MESH, PALETTE, "blended", blend=blend),
        (BLEND,),
    ),
    (
        "metrics.bulge",
        lambda positions, bind_positions, bones, bind_bones: metrics.bulge(
            positions, bind_positions, bones, bind_bones
        ),
        (POINTS, POINTS, np.ones((1, 2, 3)), np.ones((1, 2, 3))),
    ),
    ("metrics.collapse", metrics.collapse, (POINTS, POINTS, TRIANGLES)),
    ("metrics.distance", lambda a, b: metrics.distance(a, b), (POINTS, POINTS)),
    ("metrics.edges", metrics.edges, (POINTS, POINTS, TRIANGLES)),
    ("metrics.volume", metrics.volume, (POINTS, TRIANGLES, POINTS)),
    ("metrics.volume_change", metrics.volume_change, (POINTS, POINTS, TRIANGLES)),
    ("player.bones_of", lambda parents: lissom.player.bones_of(parents, SKIN), (SKELETON.parents,)),
    ("player.bundle", lambda bones: lissom.player.bundle(MESH, SKIN, bones=bones), (np.zeros((1, 8)),)),
    (
        "plots.reach_map",
        lambda pose, normal: lissom.plots.reach_map(LIMB_CHAIN, pose=pose, normal=normal),
        (REST, UP),
    ),
    (
        "pose_texture.Rig",
        lambda parents, local: lissom.pose_texture.Rig(parents, local),
        (SKELETON.parents, SKELETON.rest),
    ),
    ("render", lambda pose, heat: lissom.render(HERO, pose, heat=heat), (REST, BLEND)),
    ("show", lambda placements: lissom.show(lissom.samples.twisted_bar(), placements=placements), ([STILL],)),
    ("render", lambda placements: lissom.render([HERO], placements=placements), ([STILL],)),
    ("render", lambda morphs: lissom.render(PUFFED, morphs=morphs), ([0.5],)),
    ("sample", lambda times: lissom.sample(FACE_CLIP, times), (TIMES,)),
    ("sketch", lambda positions, heat: lissom.sketch(MESH, positions, heat=heat), (POINTS, BLEND)),
    ("compare", lambda morphs: lissom.compare(PUFFED, REST, morphs=morphs, width=64, height=32), ([0.5],)),
    ("sketch", lambda morphs: lissom.sketch(PUFFED, morphs=morphs), ([0.5],)),
    ("sketch", lambda pose: lissom.sketch(HERO, pose=pose), (REST,)),
    ("skin_blended", lambda morphs: _skinned("skin_blended", ("matrices", "dual_quats"), morphs), (SMILE,)),
    ("skin_cor", lambda morphs: _skinned("skin_cor", ("dual_quats",), morphs), (SMILE,)),
    ("skin_dual_quat", lambda morphs: _skinned("skin_dual_quat", ("dual_quats",), morphs), (SMILE,)),
    ("skin_linear", lambda morphs: _skinned("skin_linear", ("matrices",), morphs), (SMILE,)),
    ("skin_quat_trans", lambda morphs: _skinned("skin_quat_trans", ("quat_trans",), morphs), (SMILE,)),
    (
        "skin_blended",
        lambda matrices, dual_quats, scales, blend: lissom.skin_blended(
            MESH, matrices, dual_quats, scales, blend=blend
        ),
        (PALETTE.matrices, PALETTE.dual_quats, SCALES, BLEND),
    ),
    (
        "skin_cor",
        lambda dual_quats, scales, centers: lissom.skin_cor(MESH, dual_quats, scales, centers=centers),
        (PALETTE.dual_quats, SCALES, POINTS),
    ),
    (
        "skin_dual_quat",
        lambda dual_quats, scales: lissom.skin_dual_quat(MESH, dual_quats, scales),
        (PALETTE.dual_quats, SCALES),
    ),
    (
        "skin_linear",
        lambda matrices, out: lissom.skin_linear(MESH, matrices, out=out),
        (PALETTE.matrices, FLOATS),
    ),
    (
        "skin_quat_trans",
        lambda quat_trans, scales: lissom.skin_quat_trans(MESH, quat_trans, scales),
        (PALETTE.dual_quats, SCALES),
    ),
    (
        "testing.assert_palettes_close",
        lambda actual, desired, times: testing.assert_palettes_close(
            actual, desired, times=times, length=1.0
        ),
        ([PALETTE.matrices] * 2, [PALETTE.matrices] * 2, TIMES),
    ),
    ("testing.assert_pictures_close", testing.assert_pictures_close, (np.zeros((4, 4), np.uint8),) * 2),
    (
        "testing.assert_morphs_close",
        lambda actual, desired, times: testing.assert_morphs_close(actual, desired, times=times),
        (np.zeros((2, 3)), np.zeros((2, 3)), TIMES),
    ),
    (
        "testing.assert_poses_close",
        lambda actual, desired, times: testing.assert_poses_close(actual, desired, times=times, length=1.0),
        (POSES, POSES, TIMES),
    ),
    (
        "testing.assert_vertices_close",
        lambda actual, desired, times: testing.assert_vertices_close(
            actual, desired, times=times, length=1.0
        ),
        ([POINTS] * 2, [POINTS] * 2, TIMES),
    ),
    (
        "undeform",
        lambda positions, normals: lissom.undeform(MESH, PALETTE, positions, normals=normals),
        (POINTS, POINTS),
    ),
    (
        "unskin_dual_quat",
        lambda dual_quats, scales, positions, normals: lissom.unskin_dual_quat(
            MESH, dual_quats, scales, positions, normals=normals
        ),
        (PALETTE.dual_quats, SCALES, POINTS, POINTS),
    ),
    (
        "unskin_linear",
        lambda matrices, positions, normals: lissom.unskin_linear(MESH, matrices, positions, normals=normals),
        (PALETTE.matrices, POINTS, POINTS),
    ),
    (
        "weights.Bones.per_joint",
        lambda weights: BONES.per_joint(weights),
        (np.ones((4, len(BONES.handles))),),
    ),
    (
        "VertexAnimation",
        lambda positions, normals: lissom.VertexAnimation(
            MESH, positions, {"still": lissom.VertexClip(0, 2)}, normals=normals
        ),
        (np.stack([POINTS, POINTS]), np.stack([POINTS, POINTS])),
    ),
    (
        "UpdateRates.due",
        lambda pixels_per_unit: lissom.UpdateRates(HERO).due(_players(), 0.1, pixels_per_unit),
        ([1.0, 2.0],),
    ),
    ("VertexAnimation.sample", lambda times: VERTICES.sample("idle", times), (TIMES,)),
    ("weights.bones", lambda pose: weights.bones(SKELETON, pose=pose), (REST,)),
    (
        "weights.bounded_biharmonic",
        lambda cage_faces: weights.bounded_biharmonic((POINTS, TRIANGLES), BONES, cage_faces=cage_faces),
        ([[0, 1, 2]],),
    ),
    (
        "weights.bounded_biharmonic",
        lambda tetrahedra: weights.bounded_biharmonic(
            (POINTS, TRIANGLES), BONES, tetrahedra=(POINTS, tetrahedra)
        ),
        ([[0, 1, 2, 3]],),
    ),
    (
        "weights.bounded_biharmonic",
        lambda tetrahedra: weights.bounded_biharmonic(
            (POINTS, TRIANGLES), BONES, tetrahedra=(tetrahedra, [[0, 1, 2, 3]])
        ),
        (POINTS,),
    ),
    (
        "weights.transfer",
        lambda target_positions, target_normals: weights.transfer(
            (POINTS, TRIANGLES), MESH.weights, target_positions, target_normals=target_normals
        ),
        (POINTS, POINTS),
    ),
]


# Classes of results, which nobody but the library makes of arrays.
RESULTS = {
    "Animation",
    "Comparison",
    "Deformed",
    "DeformedFrames",
    "Part",
    "Picture",
    "PlayerLayer",
    "bake_report.BakeReport",
    "bake_report.BakedClip",
    "gpu.GpuDeformed",
    "ground.Hits",
    "ik.FootResult",
    "ik.IkResult",
    "ik.Sole",
    "metrics.Surface",
    "pose_texture.StoredRow",
    "weights.Bones",
    "weights.Reduced",
    "weights.WeightReport",
}
