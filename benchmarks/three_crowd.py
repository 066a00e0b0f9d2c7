# SPDX-License-Identifier: MIT
"""How many frames of a crowd does three.js draw in a browser with `lissom-three`, and in its own ways?

The same characters at the same places and moments in Chromium, which draws by software where there is no GPU;
the first line says what draws. Three.js' own way is a mixer and a clone of the skinned mesh for each, culled
where the camera does not see it. Beside it, an InstancedMesh that reads position and normal of a vertex from
a texture of halves, two frames mixed. All draw with the same material, without shadows, pictures of the same
size. Lissom's way as it comes has levels of detail where they are off by less than half a pixel; "whole mesh"
draws the triangles that all others draw. Where there is no GPU, most of the time goes into triangles: the
more of them, the nearer the ways with whole meshes are to each other. The coarse mesh is itself a level of
detail: of many materials, there is hardly a triangle to spare, and each material is a draw. Asserted:
pictures of the first way and of three.js' are alike.

    python benchmarks/three_crowd.py [--only whole] [--material MeshLambertMaterial] [--count 1000]
"""

from __future__ import annotations

import io
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _machine import NODE
from lissom.gpu import levels_of_detail

ROOT = Path(__file__).parent.parent
FOLDERS = {"three": NODE / "node_modules" / "three", "package": ROOT / "packages" / "three"}
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=gl-egl"]
SITE = "http://lissom.test"
CLIP = "walk"
METHODS = ("linear", "dual_quat")
OWN, TEXTURE = "three.js, SkinnedMesh", "InstancedMesh, vertex texture"
WHOLE = ", whole mesh"
BAR = 2.5  # frames over those of three.js' own way
WIDTH = 4096  # of the vertex texture
ROUNDS, ROUNDS_OF_WHOLE = 3, 1  # a picture of whole meshes takes seconds by software
SPACING = 1.2  # metres


def main(bench: Bench) -> None:
    chromium = shutil.which("chromium")
    if find_spec("playwright") is None or chromium is None:
        bench.skip(
            "not measured: needs playwright (uv pip install --group browser) and the system's chromium"
        )
    if not bench.has("three"):
        bench.skip("not measured: needs three.js: make tests/node/node_modules/.installed")
    from playwright.sync_api import sync_playwright

    hero = lissom.samples.humanoid()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, "--ignore-gpu-blocklist"]
        )
        # Of one material, the kindest to three.js, and as it comes: as many meshes as it has materials.
        levels = levels_of_detail(lissom.bake(hero, CLIP))
        only = bench.options.only
        cases = {}
        for name, mesh in zip(("coarse", "middle", "whole"), (*reversed(levels), hero.mesh), strict=True):
            for parts in (1, len(mesh.parts)):
                cases[f"{name} mesh, materials: {parts}"] = with_mesh(hero, mesh, parts == 1)
        for title, character in cases.items():
            if only not in title if only else title.startswith("middle"):
                continue
            crowd(bench, browser, title, character)
        browser.close()


def crowd(bench: Bench, browser: Any, title: str, character: lissom.Character) -> None:
    options = bench.options
    count = 20 if bench.quick else options.count
    width, height = options.pixels
    bake = lissom.bake(character, CLIP)
    frames, rate = bake.clips[CLIP].frame_count, bake.clips[CLIP].rate
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = bake.export("three", folder / "export", name="hero", source=character)
        shutil.copy(made.folder / "hero.safetensors", folder)
        lissom.save_glb(character, folder / "hero.glb")
        (folder / "vertices.bin").write_bytes(vertex_texture(character, bake))
        tab = opened(browser, folder, width, height)
        side = int(np.ceil(np.sqrt(count)))
        task = {
            "width": width,
            "height": height,
            "places": places(count, side),
            "clip": CLIP,
            "eye": [0, 0.3 * side + 2, 0.95 * side + 3],
            "target": [0, 0.9, 0],
            "texture": {"frames": frames, "rate": rate},
            "methods": METHODS,
            "material": options.material,
        }
        renderer = tab.evaluate("(task) => load(task)", task)
        ours = [f"lissom, {method}" for method in METHODS]
        ways = [*ours, *(f"{way}{WHOLE}" for way in ours), OWN, TEXTURE]
        samples: dict[str, list[float]] = {way: [] for way in ways}
        for way in ways:
            tab.evaluate("(way) => draw(way, 0)", way)
        rounds = ROUNDS_OF_WHOLE if title.startswith("whole") else ROUNDS
        for turn in range(1 if bench.quick else rounds):
            for way in ways:
                for _ in range(1 if bench.quick else 2):
                    samples[way].append(
                        1e-3 * tab.evaluate("([way, t]) => draw(way, t)", [way, 0.1 + turn / 7])
                    )
        shots = {way: shot(tab, way) for way in (ways[0], f"{ways[0]}{WHOLE}", OWN)}
        drawn = tab.evaluate("(way) => triangles(way)", ways[0])
        tab.close()
        vertex_bytes = (folder / "vertices.bin").stat().st_size
    assert character.mesh is not None
    table = f"{count} instances, {title}"
    bench.note(
        f"Chromium with {renderer}; {character.mesh.vertex_count} vertices, {width} x {height}, "
        f"{frames} frames",
        table,
    )
    lacks = {OWN: "levels of detail", TEXTURE: "levels of detail, fades, other clips"}
    rows = bench.add_samples(table, samples, 1, "picture", lacks)
    for name, other in (("with levels", ways[0]), ("whole mesh", f"{ways[0]}{WHOLE}")):
        off = float(np.mean(np.abs(shots[other] - shots[OWN]).max(axis=2) > 24))
        most = (
            0.05 if WHOLE in other else 0.15
        )  # edges that move by less than half a pixel change colours there
        assert off < most, f"pictures differ in {off:.1%} of the pixels"
        bench.number(f"pixels that differ from SkinnedMesh, {name}", 100 * off, "%", table)
    bench.number(
        "triangles drawn with levels", 100 * drawn / (count * character.mesh.triangle_count), "%", table
    )
    for method in METHODS:
        ratio = rows.ratio(OWN, f"lissom, {method}")
        bench.judge(f"frames over SkinnedMesh, {method}", ratio, BAR, "x", False, table)
    bench.number("poses", bake.texels.nbytes / 1e6, "MB", table)
    bench.number("vertex texture, positions and normals", vertex_bytes / 1e6, "MB", table)
    bench.number("error of poses", 100 * made.error.max_relative, "% of the size", table)
    bench.number("error of the vertex texture", 100 * vertex_error(character, bake), "% of the size", table)


def with_mesh(hero: lissom.Character, mesh: lissom.Mesh, single: bool) -> lissom.Character:
    """The character with another mesh, and perhaps of one material."""
    if single:
        mesh = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, normals=mesh.normals)
    return lissom.Character("crowd", hero.skeleton, mesh, hero.skin, hero.clips)


def vertex_texture(character: lissom.Character, bake: lissom.PoseTexture) -> bytes:
    """Positions, then normals: half RGBA, frame by frame, each in lines of WIDTH texels."""
    clip, mesh = bake.clips[CLIP], character.mesh
    assert mesh is not None
    lines = -(-mesh.vertex_count // WIDTH)
    texels = np.zeros((2, clip.frame_count, lines * WIDTH, 4), np.float16)
    for i in range(clip.frame_count):
        palette = bake.sample(CLIP, clip.start + i / clip.rate)
        for which, values in enumerate(lissom.deform(mesh, palette, normals=True)):
            texels[which, i, : mesh.vertex_count, :3] = values
    return texels.tobytes()


def vertex_error(character: lissom.Character, bake: lissom.PoseTexture) -> float:
    """How far the vertex texture, mixed between frames, is from the clip: a share of the size."""
    clip, mesh = bake.clips[CLIP], character.mesh
    assert mesh is not None
    count = clip.frame_count
    times = clip.start + np.arange(count) / clip.rate
    frames = np.stack([lissom.deform(mesh, bake.sample(CLIP, time)) for time in times]).astype(np.float16)
    worst = 0.0
    for i in range(count - 1):
        for share in (0.25, 0.5, 0.75):
            wanted = character.deform(character.clips[CLIP].sample(times[i] + share / clip.rate, loop=False))
            mixed = (1 - share) * frames[i].astype(np.float64) + share * frames[i + 1]
            worst = max(worst, float(np.linalg.norm(mixed - wanted, axis=1).max()))
    return worst / bake.size


def places(count: int, side: int) -> list[dict[str, Any]]:
    """Instances in rows, each with a turn and a moment of its own."""
    rng = np.random.default_rng(0)
    result = []
    for i in range(count):
        cos, sin = np.cos(angle := rng.uniform(-0.6, 0.6)), np.sin(angle)
        x, z = SPACING * (i % side - (side - 1) / 2), -SPACING * (i // side - (side - 1) / 2)
        matrix = [cos, 0, -sin, 0, 0, 1, 0, 0, sin, 0, cos, 0, x, 0, z, 1]
        result.append({"matrix": list(map(float, matrix)), "phase": float(rng.uniform())})
    return result


def opened(browser: Any, folder: Path, width: int, height: int) -> Any:
    tab = browser.new_page(viewport={"width": width, "height": height})
    tab.set_default_timeout(600_000)

    def serve(route: Any) -> None:
        path = route.request.url.removeprefix(SITE).lstrip("/")
        first, _, rest = path.partition("/")
        file = FOLDERS[first] / rest if first in FOLDERS else folder / path
        file = Path(__file__).with_name("_three_crowd.html") if path == "" else file
        route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)

    tab.route(f"{SITE}/**", serve)
    tab.goto(f"{SITE}/")
    tab.wait_for_function("window.isReady")
    return tab


def shot(tab: Any, way: str) -> np.ndarray:
    from PIL import Image

    tab.evaluate("(way) => draw(way, 0.2)", way)
    png = tab.locator("canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--only", help="of which mesh, by a word of its title")
    bench.argument("--material", default="MeshStandardMaterial", help="of three.js")
    bench.argument("--count", type=int, default=1000)
    bench.argument("--pixels", type=int, nargs=2, default=[960, 540])
    bench.run(main)
