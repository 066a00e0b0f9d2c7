# SPDX-License-Identifier: MIT
"""Public functions that try the core with their arguments as they are, and random calls that it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import lissom
from lissom import ik
from lissom.clip import LINEAR, ROTATION, STEP, TRANSLATION, Clip
from lissom.clip._tracks import Track, packed

HERO = lissom.samples.humanoid()
SKELETON, SKIN, MESH = HERO.skeleton, HERO.skin, HERO.mesh
JOINTS = len(SKELETON)
ADDITIVE = lissom.make_additive(HERO.clips["wave"].at(0.4), SKELETON.rest)

BATCHES = [(), (3,), (2, 2), (1,), (0,)]
"""Leading axes: one pose, some, and none."""


@dataclass
class Call:
    """A call of a public function: arrays that the plain function takes, by name, and the rest."""

    function: Callable[..., Any]
    arrays: dict[str, Any]
    rest: dict[str, Any] = field(default_factory=dict)
    out: tuple[int, ...] | None = None

    def __call__(self, out: Any = None, **others: Any) -> Any:
        given = {**self.arrays, **self.rest, **others}
        return self.function(**given) if out is None else self.function(**given, out=out)


def poses(rng: np.random.Generator, *leading: int) -> np.ndarray:
    """Poses of the humanoid, rotated at random."""
    made = np.broadcast_to(SKELETON.rest, (*leading, JOINTS, 10)).copy()
    made[..., 3:7] = lissom.quat.random((*leading, JOINTS), seed=rng)
    return made


def weight(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Any:
    """Weights in [0, 1] as a number of one kind, or one for each pose."""
    value = float(rng.random())
    kinds = [value, np.float64(value), np.float32(value), int(value > 0.5), np.array(value, np.float32)]
    return rng.random(leading).astype(np.float32) if kind % 6 == 5 else kinds[kind % 6]


def mask(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Any:
    """No mask, one for all poses, or one for each."""
    shapes = [None, (JOINTS,), (*leading, JOINTS)]
    shape = shapes[kind % 3]
    return None if shape is None else rng.random(shape).astype(np.float32)


def _shared(leading: tuple[int, ...], kind: int) -> tuple[int, ...]:
    return () if kind % 4 == 3 else leading


def _matrices(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    return Call(SKELETON.model_matrices, {"poses": poses(rng, *leading)}, out=(*leading, JOINTS, 4, 4))


def _positions(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    return Call(SKELETON.positions, {"poses": poses(rng, *leading)})


def _blend(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    arrays = {
        "a": poses(rng, *_shared(leading, kind)),
        "b": poses(rng, *leading),
        "weight": weight(rng, leading, kind),
        "mask": mask(rng, leading, kind),
    }
    return Call(lissom.blend, arrays, out=(*leading, JOINTS, 10))


def _add_layer(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    arrays = {
        "base": poses(rng, *leading),
        "additive": np.broadcast_to(ADDITIVE, (*_shared(leading, kind), JOINTS, 10)).copy(),
        "weight": weight(rng, leading, kind),
        "mask": mask(rng, leading, kind),
    }
    return Call(lissom.add_layer, arrays, out=(*leading, JOINTS, 10))


def _blend_layers(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    count = kind % 5 + 1
    row = tuple if kind % 2 else list
    weights: Any = [rng.random() + 0.1, *(weight(rng, leading, kind + i) for i in range(1, count))]
    masks = None if kind % 3 else row(mask(rng, leading, i % 3) for i in range(count))
    given: Any = row(poses(rng, *(_shared(leading, kind) if i else leading)) for i in range(count))
    if kind % 7 == 6:
        given, weights = poses(rng, count, *leading), rng.random(count) + 0.1
        weights = weights.astype(np.float32) if kind % 4 else weights
    rest = {
        "poses": given,
        "weights": weights if isinstance(weights, np.ndarray) else row(weights),
        "masks": masks,
        "rest": SKELETON.rest if masks is not None or kind % 2 else None,
        "threshold": 0.1 + kind % 3,
    }
    return Call(lissom.blend_layers, {}, rest, out=(*leading, JOINTS, 10))


def clip(rng: np.random.Generator, dtype: Any = np.float32, *, uniform: bool = False) -> Clip:
    """Rotations of all joints, each at its own times or all at those of a grid, and some translations."""
    tracks = []
    grid = np.linspace(0, 2, 11).astype(dtype)
    for joint in range(JOINTS):
        own = np.sort(np.concatenate([[0, 2], rng.uniform(0, 2, 9)])).astype(dtype)
        times = grid if uniform or joint % 2 else own
        turns = lissom.quat.random(11, seed=rng).astype(dtype)
        tracks.append(Track(joint, ROTATION, LINEAR, times, turns))
        if joint % 5 == 0:
            places = rng.random((11, 3)).astype(dtype)
            tracks.append(Track(joint, TRANSLATION, LINEAR if uniform else STEP, times, places))
    return Clip("moves", SKELETON, *packed(tracks, dtype), uniform=uniform)


_RNG = np.random.default_rng(21)
CLIPS = [clip(_RNG), clip(_RNG, uniform=True), clip(_RNG, np.float64), clip(_RNG, np.float64, uniform=True)]


def _sample(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    times: Any = rng.uniform(-3, 5, leading)
    if not leading:
        times = [float(times), np.float64(times), np.float32(times), int(times), np.array(times)][kind % 5]
    loop = [None, True, False, "ping_pong"][kind % 4]
    chosen = CLIPS[kind % len(CLIPS)]
    chosen.sample(0.0)
    return Call(chosen.sample, {"times": times}, {"loop": loop}, out=(*leading, JOINTS, 10))


def model(rng: np.random.Generator, *leading: int) -> np.ndarray:
    return SKELETON.model_matrices(poses(rng, *leading))


def _palette(form: str) -> Callable[..., Call]:
    def made(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
        matrices = model(rng, *leading)
        if kind % 3 == 2:
            matrices[..., :3, :3] *= 1.5
        return Call(lambda model: getattr(SKIN.palette(model), form), {"model": matrices})

    return made


SMALL = lissom.Mesh(
    MESH.positions[:101],
    [[0, 1, 2]],
    MESH.indices[:101],
    MESH.weights[:101],
    normals=MESH.computed_normals()[:101],
)
MESHES = [SMALL, SMALL.prepare(), SMALL.prepare(original_order=True)]


def _results(leading: tuple[int, ...], normals: bool) -> Any:
    shape = (*leading, SMALL.vertex_count, 3)
    return (shape, shape) if normals else shape


def _deform(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    scaled = model(rng, *leading)
    if kind % 4 == 3:
        scaled[..., :3, :3] *= 1.5
    normals = kind % 2 == 1 and 0 not in leading
    rest = {
        "mesh": MESHES[kind % 3],
        "palette": SKIN.palette(scaled),
        "method": ("linear", "dual_quat")[kind // 2 % 2],
        "normals": normals,
    }
    return Call(lissom.deform, {}, rest, out=_results(leading, normals))


CHARACTERS = [lissom.Character("small", SKELETON, mesh, SKIN) for mesh in MESHES]


def _deform_character(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    normals = kind % 2 == 1 and 0 not in leading
    rest = {"method": (None, "linear", "dual_quat")[kind // 2 % 3], "normals": normals}
    return Call(
        CHARACTERS[kind % 3].deform, {"poses": poses(rng, *leading)}, rest, out=_results(leading, normals)
    )


ARM = ik.Chain(SKELETON, "UpperArm.L", "Hand.L")
KNEE = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6)}
LEG = ik.Chain(SKELETON, "UpperLeg.L", "Foot.L", limits=KNEE)
GAZE = ik.Chain(SKELETON, "Spine", "Head")
for _chain in (ARM, LEG):
    ik.ccd(_chain, SKELETON.rest, [0, 1, 0])  # makes its tree
AXES = ((0.0, 0.0, 1.0), (0.0, 0.1, 0.1), (0.0, 1.0, 0.0))
"""Of `aim`, which knows tuples again: axis, offset and up."""


def turns(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Any:
    """No orientations, or one for each pose, of which some ask for none."""
    if kind % 3:
        return None
    made = lissom.quat.random(leading, seed=rng)
    made[rng.random(leading) < 0.3] = np.nan
    return made


def _solver(solve: Callable[..., Any], chain: ik.Chain) -> Callable[..., Call]:
    def made(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
        near = SKELETON.positions(SKELETON.rest)[chain.joints[-1]]
        arrays = {
            "poses": poses(rng, *_shared(leading, kind)),
            "targets": (near + rng.uniform(-0.4, 0.4, (*leading, 3))).astype(np.float32),
            "orientations": turns(rng, leading, kind),
            "weight": weight(rng, leading, kind),
            "start": None if kind % 5 else poses(rng, *leading),
        }
        rest = {"tolerance": 1e-4, "max_iterations": kind % 4 * 7} if kind % 2 else {}
        if solve is ik.two_bone:
            arrays["pole"] = None if kind % 4 else rng.normal(size=(*leading, 3)).astype(np.float32)
            arrays["twist"] = None if kind % 7 else weight(rng, leading, kind // 7)
            rest["soften"] = 1.0 - 0.1 * (kind % 2)
        if solve is ik.damped_least_squares:
            rest["method"] = ("damped", "selective")[kind // 2 % 2]
            rest["rest_attraction"] = 0.25 * (kind % 3)
        return Call(
            solve,
            {"poses": arrays.pop("poses"), **arrays},
            {"chains": chain, **rest},
            out=(*leading, JOINTS, 10),
        )

    return made


def _aim(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    arrays = {
        "poses": poses(rng, *_shared(leading, kind)),
        "targets": rng.normal(0, 2, (*leading, 3)).astype(np.float32),
        "weight": weight(rng, leading, kind),
        "pole": rng.normal(size=(*leading, 3)).astype(np.float32) if kind % 4 == 1 else None,
    }
    axis, offset, up = AXES
    rest = {
        "chain": GAZE,
        "axis": axis,
        "offset": offset,
        "up": up if kind % 2 else None,
        "behind": 0.1 * (kind % 4),
    }
    ik.aim(GAZE, SKELETON.rest, [0, 1, 2], axis=axis, offset=offset, up=rest["up"])  # keeps the axes
    return Call(ik.aim, arrays, rest, out=(*leading, JOINTS, 10))


BAKES = [
    lissom.bake(HERO, ["wave", "walk"], rate=10.0, layout=layout, dtype=dtype)
    for layout, dtype in (
        ("dual_quat", "float32"),
        ("matrix", "float16"),
        ("dual_quat", "uint8"),
        ("trs", "float32"),
    )
]


def _sample_bake(rng: np.random.Generator, leading: tuple[int, ...], kind: int) -> Call:
    bake = BAKES[kind % len(BAKES)]
    name = ("wave", "walk")[kind // 2 % 2]
    clip = bake.clips[name]
    ends = [clip.start, clip.start + clip.duration, clip.start - 1e-17, clip.start + clip.duration * 3]
    time = float(rng.uniform(-3, 5)) if kind % 3 else ends[kind // 3 % 4]
    rest = {"clip": name, "loop": (None, True, False)[kind % 3], "interpolate": kind % 5 != 0}

    def sample(**given: Any) -> Any:
        palette = bake.sample(**given)
        return palette.matrices if bake.layout == "matrix" else (palette.dual_quats, palette.matrices)

    return Call(sample, {"times": time}, rest)


Maker = Callable[[np.random.Generator, tuple[int, ...], int], Call]
CALLS: dict[str, tuple[str, Maker]] = {
    "model_matrices": ("plain_model_matrices", _matrices),
    "positions": ("plain_positions", _positions),
    "blend": ("plain_blend", _blend),
    "blend_layers": ("plain_blend_layers", _blend_layers),
    "add_layer": ("plain_add_layer", _add_layer),
    "sample": ("plain_sample", _sample),
    "palette.matrices": ("plain_palette_matrices", _palette("matrices")),
    "palette.dual_quats": ("plain_palette_dual_quats", _palette("dual_quats")),
    "ccd": ("plain_ccd", _solver(ik.ccd, ARM)),
    "fabrik": ("plain_fabrik", _solver(ik.fabrik, ARM)),
    "two_bone": ("plain_two_bone", _solver(ik.two_bone, LEG)),
    "damped_least_squares": ("plain_damped_least_squares", _solver(ik.damped_least_squares, ARM)),
    "aim": ("plain_aim", _aim),
    "PoseTexture.sample": ("plain_sample_texels", _sample_bake),
    "deform": ("plain_skin", _deform),
    "Character.deform": ("plain_skin_poses", _deform_character),
}
"""By name: the function of the core that is tried first, and what makes a random call."""
