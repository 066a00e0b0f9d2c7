# SPDX-License-Identifier: MIT
"""How fast do the shaders skin, beside those that lessons teach?

    python benchmarks/gpu_skinning.py [--vertices 50000] [--joints 60]
                                      [--character hero.glb | --tube]

4 influences per vertex, one pose, by transform feedback. Lessons keep pose and inverse bind in uniform arrays
and multiply them at every vertex; ours read skin transforms from a texture. Two questions: the whole vertex
stage, that is all that a picture needs (the lessons as published, ours as drawn), and skinning alone (the
lessons with their signs mended and without a camera). Both write position and normal.

Every program runs in turn, round by round, by the processor's time: without a GPU the driver shades vertices
on one thread, which may have to wait for others. All answers are compared with the CPU's
before any is timed. Then whether the order of the vertices matters, for skinning alone and, where there are
triangles, for a picture: as they come, shuffled, and prepared (`Mesh.prepare`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import moderngl
import numpy as np

import lissom
from _bench import Bench
from _measure import Run
from lissom import dual_quat
from lissom.gpu import SkinnedModel, Stage
from lissom.gpu._context import GlContext, set_uniforms, shared_context
from lissom.gpu.teaching import UniformModel
from lissom.skinning import METHODS

TOLERANCE = 5e-6  # of the size: float32 on both sides, and one more product where the shader multiplies
# Of the whole stage: how many times faster than each lesson dual_quat has to be.
SAME = {
    "lissom linear": "matrix_palette",
    "lissom dual_quat": "dual_quat_palette",
    "lissom quat_trans": "quat_trans_palette",
}
BARS = {"matrix_palette": 1.8, "dual_quat_palette": 1.3}


def random_rig(vertex_count: int, joint_count: int) -> tuple[lissom.Mesh, lissom.Skin, np.ndarray]:
    """A mesh whose vertices follow 4 joints that lie near each other in the palette, and one pose of them."""
    rng = np.random.default_rng(0)
    first = np.arange(vertex_count) * (joint_count - 8) // vertex_count
    indices = first[:, None] + rng.permuted(np.tile(np.arange(8), (vertex_count, 1)), axis=1)[:, :4]
    weights = rng.random((vertex_count, 4)) + 0.05
    normals = rng.normal(size=(vertex_count, 3))
    mesh = lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        np.zeros((0, 3), np.uint32),
        indices,
        weights / weights.sum(axis=1, keepdims=True),
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
    )

    def motions() -> np.ndarray:
        quats = rng.normal(size=(joint_count, 4))
        quats /= np.linalg.norm(quats, axis=1, keepdims=True)
        return dual_quat.to_matrix(
            dual_quat.from_quat_translation(quats, rng.uniform(-0.5, 0.5, (joint_count, 3)))
        )

    return mesh, lissom.Skin(np.arange(joint_count), motions()), motions()


def of_character(path: str) -> tuple[lissom.Mesh, lissom.Skin, np.ndarray]:
    """The mesh of a file, its skin, and the middle of its first clip."""
    hero = lissom.load(path)
    assert hero.mesh is not None
    assert hero.skin is not None
    poses = [clip.sample((clip.start + clip.end) / 2) for clip in hero.clips.values()]
    return hero.mesh, hero.skin, hero.skeleton.model_matrices((poses or [hero.skeleton.rest])[0])


def large_tube(vertex_count: int) -> tuple[lissom.Mesh, lissom.Skin, np.ndarray]:
    """A tube along x about two joints, the second in its middle and bent by a right angle."""
    sides = max(3, round((vertex_count / 4) ** 0.5))
    rings = 4 * sides
    x, angle = (v.ravel() for v in np.meshgrid(np.linspace(-2, 2, rings), np.arange(sides), indexing="ij"))
    angle = angle * 2 * np.pi / sides
    normals = np.stack([0 * x, np.cos(angle), np.sin(angle)], axis=1)
    corner = np.arange((rings - 1) * sides)
    after = corner - corner % sides + (corner + 1) % sides
    quads = np.stack([corner, after, corner + sides, after, after + sides, corner + sides], axis=1)
    weight = np.clip(x / 1.2 + 0.5, 0, 1)
    weight = weight * weight * (3 - 2 * weight)
    mesh = lissom.Mesh(
        normals * 0.4 + np.stack([x, 0 * x, 0 * x], axis=1),
        quads.reshape(-1, 3),
        np.tile([0, 1], (len(x), 1)),
        np.stack([1 - weight, weight], axis=1),
        normals=normals,
    )
    bend = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    return mesh, lissom.Skin(range(2), np.tile(np.eye(4), (2, 1, 1))), np.stack([np.eye(4), bend])


def reordered(mesh: lissom.Mesh, order: np.ndarray) -> lissom.Mesh:
    """The vertices in another order and the triangles in theirs, as one part without textures."""
    place = np.argsort(order).astype(np.uint32)
    normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
    arrays = (mesh.indices[order], mesh.weights[order])
    return lissom.Mesh(mesh.positions[order], place[mesh.triangles], *arrays, normals=normals[order])


def feedback(
    context: GlContext, array: moderngl.VertexArray, bind: Callable[[], None], count: int
) -> Callable[[], object]:
    """A call that skins all vertices once and waits for it; its buffer is made beforehand."""
    with context as gl:
        target = gl.buffer(reserve=24 * count)

    def run() -> object:
        bind()
        array.transform(target, mode=moderngl.POINTS, vertices=count)
        context.gl.finish()
        return target

    return run


def of_model(model: SkinnedModel, whole: bool) -> Callable[[], object]:
    """Skinning by a model, its palette already on the GPU: as it is drawn, or alone."""
    context = model.context
    shader, outputs = ("deformed.vert", ("deformed_position", "deformed_normal"))
    if whole:
        shader, outputs = ("skinned_model.vert", ("surface_position", "surface_normal"))
    with context:
        program = context.program(shader, varyings=outputs, defines=model._defines())
        set_uniforms(program, world_from_model=np.eye(4), clip_from_world=np.eye(4))
        array = model._array(program, triangles=False)
    return feedback(context, array, lambda: model._bind(program), model._mesh.vertex_count)


def main(bench: Bench) -> None:
    options = bench.options
    if options.character:
        mesh, skin, model_matrices = of_character(options.character)
    elif options.tube:
        mesh, skin, model_matrices = large_tube(options.vertices)
    else:
        mesh, skin, model_matrices = random_rig(options.vertices, options.joints)
    palette = skin.palette(model_matrices)
    assert palette.scales is None, "the lessons' dual quaternions carry no scale"
    pose, inverse_bind = model_matrices[skin.joints], skin.joint_from_bind
    count = mesh.vertex_count
    blend = np.linspace(0, 1, count)
    centers = 0.5 * (mesh.positions + mesh.positions.mean(axis=0))  # any: the time does not depend on them
    renderer, influences = shared_context().renderer, mesh.weights.shape[1]
    bench.note(f"{renderer}: {count} vertices, {influences} influences, {len(skin)} joints")
    duals = dual_quat.from_matrix(pose), dual_quat.from_matrix(inverse_bind)
    lessons = [
        ("matrix_palette", (pose, inverse_bind), "linear"),
        ("dual_quat_palette", duals, "dual_quat"),
        ("quat_trans_palette", (palette.quat_trans,), "linear"),
    ]
    models = []  # kept: a model that is dropped is released
    for whole in (True, False):
        runs: dict[str, Callable[[], object]] = {}
        for lesson, arrays, method in lessons[: 2 if whole else 3]:
            lesson_model = UniformModel(mesh, lesson, as_published=whole)
            models.append(lesson_model)
            positions = lesson_model.deformed(*arrays).positions
            if not (whole and method == "dual_quat"):  # as published it is wrong at some vertices
                check(lesson, positions, mesh, palette, method)
            runs[lesson] = feedback(lesson_model._context, lesson_model.vertex_array, lambda: None, count)
        for method in METHODS:
            model = SkinnedModel(mesh, method=method, blend=blend, centers=centers)
            models.append(model)
            positions = model.deformed(palette).positions
            if method in ("linear", "dual_quat", "quat_trans"):
                check(method, positions, mesh, palette, "dual_quat" if method == "dual_quat" else "linear")
            runs[f"lissom {method}"] = of_model(model, whole)
        report(bench, "the whole vertex stage" if whole else "skinning alone", runs, count, whole)
    order_matters(bench, mesh, palette)


def report(
    bench: Bench, title: str, runs: dict[str, Callable[[], object]], count: int, has_bars: bool
) -> None:
    """Time all; each is beside what skins by the same method, where that is there."""
    every = {}
    for name, run in runs.items():
        pairs = SAME if name.startswith("lissom") else {lesson: ours for ours, lesson in SAME.items()}
        other = pairs.get(name, "")
        every[name] = Run(run, beside=other if other in runs else "")
    with shared_context():
        table = bench.table(title, every, count, "vertex", clock=time.process_time)
    for lesson, bar in BARS.items() if has_bars else ():
        table.judge_ratio(lesson, "lissom dual_quat", bar)


def check(name: str, positions: np.ndarray, mesh: lissom.Mesh, palette: lissom.Palette, method: str) -> None:
    """Assert that positions are the CPU's, except for vertices whose signs rounding decides."""
    expected = lissom.deform(mesh, palette, method)
    apart = np.abs(positions - expected).max(axis=1) / np.linalg.norm(np.ptp(mesh.positions, axis=0))
    assert np.quantile(apart, 0.99) < TOLERANCE, f"{name} is {np.quantile(apart, 0.99):g} of the size off"


def order_matters(bench: Bench, mesh: lissom.Mesh, palette: lissom.Palette) -> None:
    """Print what the order of the vertices changes: for skinning alone, and for a picture (all alike)."""
    plain = reordered(mesh, np.arange(mesh.vertex_count))
    random = np.random.default_rng(1).permutation(mesh.vertex_count)
    sources = {"as it comes": plain, "shuffled": reordered(mesh, random), "prepared": plain.prepare()}
    bench.note(repr(sources["prepared"]))
    with Stage(64, 64) as stage:  # small: it is the vertices that are asked about
        alone, drawn, pictures = {}, {}, []
        camera = None
        for name, source in sources.items():
            model = SkinnedModel(source, stage=stage, method="dual_quat")
            model.deformed(palette)
            alone[f"lissom, {name}"] = of_model(model, whole=False)
            if len(mesh.triangles):
                camera = camera or stage.camera(model)
                pictures.append(stage.render(model, camera=camera).array.astype(int))
                drawn[f"lissom, {name}"] = partial(stage.render, model, camera=camera)
        for picture in pictures[1:]:
            apart = np.abs(picture - pictures[0]).max(axis=2) > 8
            assert apart.mean() < 0.01, f"{apart.mean():.1%} of the picture differ"
        with shared_context():
            bench.table(
                "the order of the vertices: dual_quat alone",
                alone,
                mesh.vertex_count,
                "vertex",
                clock=time.process_time,
            )
        if drawn:  # each picture takes the context and hands it back
            bench.table(
                "the order of the vertices: a picture",
                drawn,
                mesh.vertex_count,
                "vertex",
                clock=time.process_time,
            )


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--vertices", type=int, default=50_000)
    bench.argument("--joints", type=int, default=60)
    bench.argument("--character", help="a glTF file instead of the random rig; rigid joints only")
    bench.argument("--tube", action="store_true", help="a bent tube of so many vertices instead")
    bench.run(main)
