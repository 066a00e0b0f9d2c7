# SPDX-License-Identifier: MIT
"""How long does a page with a character take to open, and each of its pictures, in a browser?

The sample humanoid with all its clips, in Chromium, which draws by software where there is no GPU; the first
line says what draws. A picture begins with the clock's next time and ends when a pixel of it has been read.
three.js draws the same GLB from the same eye beside it, as its examples do: a mixer and a clone of the
skinned mesh for each figure, a shadow map of 1024 texels. Its light, shadows and edges are other ones:
pictures are alike, not equal. Asserted: both show figures in the same places.

The next table is of a heavy character: how long, at most, anything on its page waits for an answer after a
crowd, a wireframe or the weights under a click were asked for. Workers do what takes seconds.

The last tables are of morph targets: 52 that move 1 000 of the vertices each, 8 of them active, beside the
same character without any. The bar is of pictures; what the page grows by is what targets hold. Asserted:
what is drawn is what a mesh of that shape draws."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _machine import NODE

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
THREE = NODE / "node_modules" / "three"
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=gl-egl"]
SIZE = (720, 480)
COUNTS = (1, 100, 1000)
MOST_THREE = 100  # instances: more take minutes by software
SECONDS = 1.0  # of a turn, but two pictures at least
TURNS = 3
CLIP = "walk"
SITE = "http://lissom.test"
TARGETS, ACTIVE, MOVED = 52, 8, 1000
HEAVY, HEAVY_QUICK = 90_000, 11_000  # vertices at least
WAIT = 0.5  # seconds until a page answers, at most
LIMIT = 1.3  # of a picture without targets: what the project promises for a face

DRAWS = """async ([seconds, isThree]) => {
  const gl = document.querySelector("canvas").getContext("webgl2");
  const pixel = new Uint8Array(4);
  const times = [];
  let time = 0;
  const step = () => {
    time += 1 / 30;
    if (isThree) return draw(time);
    player.set({ time });
    player.draw();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  };
  step();
  const start = performance.now();
  while (times.length < 2 || performance.now() - start < 1000 * seconds) {
    await new Promise((done) => setTimeout(done));
    const since = performance.now();
    step();
    times.push(performance.now() - since);
  }
  time = 0.5;  // for what is compared
  step();
  return times;
}"""
# A worker has made the triangles of a crowd and of its shadows.
LEVELS = "(count) => count === 1 || player.info.levels >= 2"
# The longest wait for an answer to a message, until what was asked for is drawn and for a second at least.
WAITS = """async ([state, isClick, levels]) => {
  let most = 0;
  const start = performance.now();
  const canvas = document.querySelector("canvas");
  const { left, top, width, height } = canvas.getBoundingClientRect();
  if (!isClick) player.set(state);
  while (performance.now() - start < 1000 || player.info.levels < levels) {
    const since = performance.now();
    await new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(0);
      if (!isClick) return;
      const place = { clientX: left + width / 2, clientY: top + height / 2, pointerId: 1, button: 0 };
      canvas.setPointerCapture = () => {};
      for (const name of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(name, place));
      isClick = false;
    });
    most = Math.max(most, performance.now() - since);
    await new Promise((done) => setTimeout(done, 5));
  }
  return 1e-3 * most;
}"""
OPENING = """() => new Promise((done) => {
  const look = () => self.player?.info.pictures ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""


def main(bench: Bench) -> None:
    chromium = shutil.which("chromium")
    if find_spec("playwright") is None or chromium is None:
        bench.skip(
            "not measured: needs playwright (uv pip install --group browser) and the system's chromium"
        )
    from playwright.sync_api import sync_playwright

    hero = lissom.samples.humanoid()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        page = folder / "hero.html"
        hero.show(playing=False, clip=CLIP).save(page)
        lissom.save_glb(hero, folder / "hero.glb")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, "--ignore-gpu-blocklist"]
        )
        opening(bench, browser, page)
        for shadows in (True, False):
            for count in COUNTS[:1] if bench.quick else COUNTS:
                pictures(bench, browser, folder, count, shadows)
        answering(bench, browser, folder, hero)
        morphs(bench, browser, folder, hero)
        browser.close()


def opening(bench: Bench, browser: Any, page: Path) -> None:
    times = []
    for _ in range(5):
        tab = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        tab.goto(page.as_uri())
        times.append(1e-3 * tab.evaluate(OPENING))
        renderer = tab.evaluate("player.info.renderer")
        tab.close()
    title = f"a page with {len(lissom.samples.humanoid().clips)} clips"
    bench.note(f"Chromium with {renderer}", title)
    bench.number("size", page.stat().st_size / 1000, "kB", title)
    bench.add_samples(f"{title}: first picture", {"lissom": times}, 1, "page")


def pictures(bench: Bench, browser: Any, folder: Path, count: int, shadows: bool) -> None:
    """Time pictures of so many figures, by the player and by three.js, in turn."""
    tab = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1] + 120})
    tab.set_default_timeout(600_000)
    tab.goto((folder / "hero.html").as_uri())
    tab.evaluate(OPENING)
    tab.evaluate(
        "([count, ground]) => player.set({ count, ground, playing: false, fade: 0 })", [count, shadows]
    )
    tab.wait_for_function(LEVELS, arg=count)
    camera = tab.evaluate("player.state.camera")
    canvas = tab.evaluate(
        "(() => { const c = document.querySelector('canvas'); return [c.width, c.height]; })()"
    )
    samples: dict[str, list[float]] = {"lissom": []}
    other = None
    if count <= MOST_THREE and bench.has("three"):
        other = three_page(browser, folder, count, shadows, camera, canvas)
        samples["three.js"] = []
        other.evaluate(DRAWS, [SECONDS / TURNS, True])  # whose code is not compiled yet
    tab.evaluate(DRAWS, [SECONDS / TURNS, False])
    for _ in range(TURNS):
        for name, where in (("lissom", tab), ("three.js", other)):
            if where is not None:
                where.bring_to_front()
                drawn = where.evaluate(DRAWS, [0.05 if bench.quick else SECONDS, name == "three.js"])
                samples[name] += [1e-3 * each for each in drawn]
    if other is not None:
        tab.bring_to_front()
        picture = shot(tab)
        other.bring_to_front()
        assert alike(picture, shot(other)) > 0.8, "figures stand elsewhere"
        other.close()
    tab.close()
    title = f"{count} figure{'s' * (count > 1)}{', shadows' * shadows}, {SIZE[0]} x {SIZE[1]}"
    lacks = {"three.js": "levels of detail"} if count > 1 else {}
    bench.add_samples(title, samples, 1, "picture", lacks)


def answering(bench: Bench, browser: Any, folder: Path, hero: lissom.Character) -> None:
    """Find the longest waits on the page of a heavy character."""
    from dense_mesh import with_vertices

    heavy = with_vertices(hero, HEAVY_QUICK if bench.quick else HEAVY)
    assert heavy.mesh is not None
    heavy.show(CLIP, playing=False).save(folder / "heavy.html")
    tab = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    tab.set_default_timeout(600_000)
    tab.goto((folder / "heavy.html").as_uri())
    tab.evaluate(OPENING)
    title = f"the longest wait on a page of {heavy.mesh.vertex_count} vertices"
    tab.evaluate("player.set({ color: 'weights' })")
    for name, state, is_click, levels in (
        ("a click on weights", {}, True, 0),
        ("a wireframe", {"color": "surface", "wireframe": True}, False, 0),
        ("a crowd of 30", {"wireframe": False, "count": 30}, False, 2),
    ):
        wait = tab.evaluate(WAITS, [state, is_click, levels])
        bench.judge(name, wait, WAIT, "s", table=title)
    tab.close()


def three_page(
    browser: Any, folder: Path, count: int, shadows: bool, camera: dict[str, Any], canvas: list[int]
) -> Any:
    """A page on which three.js is ready to draw."""
    tab = browser.new_page(viewport={"width": canvas[0], "height": canvas[1]})
    tab.set_default_timeout(600_000)
    files = {"/": ROOT / "benchmarks" / "_player_three.html", "/hero.glb": folder / "hero.glb"}

    def serve(route: Any) -> None:
        path = route.request.url.removeprefix(SITE)
        file = files.get(path) or THREE / path.removeprefix("/three/")
        route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)

    tab.route(f"{SITE}/**", serve)
    tab.goto(f"{SITE}/")
    tab.wait_for_function("window.isReady")
    task = {
        "width": canvas[0],
        "height": canvas[1],
        "places": places(tab, count),
        "clip": CLIP,
        "view": view(camera, count),
        "shadows": shadows,
    }
    tab.evaluate("(task) => load(task)", task)
    return tab


def morphs(bench: Bench, browser: Any, folder: Path, hero: lissom.Character) -> None:
    """Time what a picture and a page take with morph targets and without."""
    face = with_targets(hero)
    assert face.mesh is not None
    assert face.mesh.morphs is not None
    rows = len(face.mesh.morphs.vertices)
    weights = {face.mesh.morphs.names[m]: 0.5 + 0.05 * m for m in range(ACTIVE)}
    shape = with_mesh(hero, shaped(face.mesh, weights))
    pages = {
        "without": hero.show(CLIP, playing=False),
        "targets": face.show(CLIP, playing=False, morphs=weights),
        "shape": shape.show(CLIP, playing=False),
    }
    for name, player in pages.items():
        player.save(folder / f"{name}.html")
    for count in COUNTS[:2]:
        times: dict[str, list[float]] = {"lissom, with targets": [], "lissom, without": []}
        for label in [*times] * 3:  # in turns: other work of the machine comes and goes
            name = "targets" if label.endswith("targets") else "without"
            tab = opened(browser, folder / f"{name}.html", count)
            times[label] += [1e-3 * each for each in tab.evaluate(DRAWS, [SECONDS / 3, False])]
            tab.close()
        title = f"{TARGETS} morph targets, {ACTIVE} active, {count} figure{'s' * (count > 1)}"
        table = bench.add_samples(title, times, 1, "picture")
        bench.judge("with them, over without", table.ratio(*times), LIMIT, "x", table=title)
    sizes = [(folder / f"{name}.html").stat().st_size / 1000 for name in ("targets", "without")]
    bench.number("the page with them", sizes[0], "kB", title)
    bench.number("bytes that each row of a target adds", 1000 * (sizes[0] - sizes[1]) / rows, "B", title)
    bench.number("the page with them, over without", sizes[0] / sizes[1], "x", title)
    shots = []
    for name in ("targets", "shape", "without"):
        tab = opened(browser, folder / f"{name}.html", 1)
        tab.evaluate(
            "player.set({ time: 0.5, camera: { target: [0, 1.6, 0], distance: 1.5 } }); player.draw()"
        )
        shots.append(shot(tab))
        tab.close()
    off = [float(np.mean(np.abs(shots[0] - other).max(axis=2) > 8)) for other in shots[1:]]
    assert off[0] < 1e-3 < off[1], "another shape is drawn"


def opened(browser: Any, page: Path, count: int) -> Any:
    tab = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1] + 120})
    tab.set_default_timeout(600_000)
    tab.goto(page.as_uri())
    tab.evaluate(OPENING)
    # Without the row of the sliders, so that all pictures are of one size.
    tab.evaluate("document.querySelector('.lissom-morphs')?.remove(); player.resize()")
    tab.evaluate("(count) => player.set({ count, playing: false, fade: 0 })", count)
    tab.wait_for_function(LEVELS, arg=count)
    return tab


def with_targets(hero: lissom.Character) -> lissom.Character:
    """The character with bulges of its head as morph targets."""
    mesh = hero.mesh
    assert mesh is not None
    rng = np.random.default_rng(0)
    head = np.flatnonzero(mesh.positions[:, 1] > 0.85 * mesh.positions[:, 1].max())
    deltas = np.zeros((TARGETS, mesh.vertex_count, 3))
    for delta in deltas:
        away = np.linalg.norm(mesh.positions - mesh.positions[rng.choice(head)], axis=1)
        near = np.argsort(away, kind="stable")[:MOVED]
        delta[near] = (1.05 - away[near] / away[near].max())[:, None] * rng.normal(size=3) * 0.02
    names = [f"face/shape{i}" for i in range(TARGETS)]
    morphs = lissom.Morphs.from_dense(names, deltas, normals=3 * deltas)
    return with_mesh(hero, remade(mesh, mesh.positions, mesh.normals, morphs))


def shaped(mesh: lissom.Mesh, weights: dict[str, float]) -> lissom.Mesh:
    """A mesh of the shape that some weights give it, without targets."""
    morphs = mesh.morphs
    assert morphs is not None
    assert morphs.normals is not None
    assert mesh.normals is not None
    positions, normals = mesh.positions.astype(np.float64), mesh.normals.astype(np.float64)
    for name, weight in weights.items():
        rows = morphs.rows(name)
        positions[morphs.vertices[rows]] += weight * morphs.positions[rows]
        normals[morphs.vertices[rows]] += weight * morphs.normals[rows]
    return remade(mesh, positions, normals / np.linalg.norm(normals, axis=1, keepdims=True), None)


def remade(mesh: lissom.Mesh, positions: Any, normals: Any, morphs: lissom.Morphs | None) -> lissom.Mesh:
    return lissom.Mesh(
        positions,
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=normals,
        uvs=mesh.uvs,
        parts=mesh.parts,
        morphs=morphs,
    )


def with_mesh(hero: lissom.Character, mesh: lissom.Mesh) -> lissom.Character:
    return lissom.Character(hero.name, hero.skeleton, mesh, hero.skin, hero.clips)


def places(tab: Any, count: int) -> list[dict[str, Any]]:
    """Where the player puts its figures."""
    code = "".join(
        (ROOT / "python/lissom/player/js" / name).read_text(encoding="utf-8")
        for name in ("math.js", "clips.js")
    )
    bake = lissom.bake(lissom.samples.humanoid())
    bounds = np.array([clip.bounds for clip in bake.clips.values()])
    box = [bounds[:, 0].min(axis=0).tolist(), bounds[:, 1].max(axis=0).tolist()]
    return list(tab.evaluate(f"([count, box]) => {{ {code} return crowdOf(count, box); }}", [count, box]))


def view(camera: dict[str, Any], count: int) -> dict[str, Any]:
    """The player's camera as three.js takes it, and how far the figures reach."""
    from lissom.gpu import Camera

    made = Camera(**camera | {"target": tuple(camera["target"])})
    return {
        "eye": (np.add(made.target, made.distance * made.axes[2])).tolist(),
        "target": list(made.target),
        "field_of_view": made.field_of_view,
        "reach": 1.5 * np.sqrt(count) + 0.5,
    }


def shot(tab: Any) -> np.ndarray:
    from PIL import Image

    png = tab.locator("canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def alike(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The share of figures, coloured where ground and sky are grey, that both pictures have in common."""
    coloured = [np.ptp(picture, axis=2) > 40 for picture in (ours, theirs)]
    return float((coloured[0] & coloured[1]).sum() / (coloured[0] | coloured[1]).sum())


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
