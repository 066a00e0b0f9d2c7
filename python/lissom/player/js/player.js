// SPDX-License-Identifier: MIT
// One player in one element: its state, its clock, and when it draws.

const SETTINGS = {
  playing: true, speed: 1, fade: 0.25, method: "linear", color: "surface", row: null, skeleton: false, wireframe: false,
  helpers: false, count: 1, ground: true, framing: "clip", morphs: {}, expressions: {},
};
// Fraction of the size: end of the colour bar where the largest difference is unknown.
const SOME_DIFFERENCE = 0.05;
// Seconds: largest step of the clock per picture.
const MOST_STEP = 0.5;
// Pixels by which vertices of crowds may be displaced.
const COARSE = 2;
const VIEWS = [
  ["linear", "surface", "Linear"],
  ["dual_quat", "surface", "Dual quaternion"],
  ["dual_quat", "difference", "Difference"],
];
async function createPlayer(element, bytes, options = {}) {
  const bundle = readBundle(bytes);
  const { info } = bundle;
  const clips = info.clips;
  const allowed = {
    method: [...info.methods, ...(info.methods.length > 1 ? ["side_by_side"] : [])],
    color: ["surface", "weights", ...(info.methods.length > 1 ? ["difference"] : [])],
    row: info.rows,
    clip: clips.map(({ name }) => name),
    framing: ["clip", "all"],
  };
  const loads = loadsOf(bundle);
  bundle.bones = bonesByUse(info.bones, loads);
  const shownBones = () => (settings.helpers ? bundle.bones.all : bundle.bones.all.slice(0, bundle.bones.used));
  const settings = { ...SETTINGS, method: info.method, row: info.rows[loads.indexOf(Math.max(...loads))] };
  const clock = makeClock(clips, options.state?.clip);
  const report = { renderer: "", maxTextureSize: 0, error: null, programs: 0, pictures: 0, levels: 0 };
  let crowd = crowdOf(1, info.bounds);
  // The box of the instances, and that of all casters of shadows: poses of a kernel may leave the first.
  let box = info.bounds;
  let casting = box;
  let boxes = null;
  let given = null;
  let handles = [];
  let dragged = () => {};
  // The last event of a pointer over the picture, or null.
  let hovered = null;
  let scene = null;
  let frameRequest = 0;
  // Time of the last picture while playing, else 0.
  let lastTime = 0;
  let isSeen = true;
  let isDestroyed = false;

  const background = makeBackground(bundle, !!options.test);
  const canvas = make("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  canvas.setAttribute(
    "aria-label", `${info.title || "A character"}: drag to orbit, arrow keys step, shift and arrow keys orbit, space plays, ? lists all keys`,
  );
  const words = makeWords();
  const actions = actionsOf(bundle, allowed, { state: () => state(), set, step, frame, orbit, pan, zoom });
  const keys = makeKeys(actions, ["f", ...(clips.length > 1 ? ["a"] : []), "+", "-"], canvas);
  const withControls = (...nodes) => (options.controls === false ? [] : nodes);
  const picture = make("div", { className: "lissom-picture" }, canvas, ...words.nodes, ...withControls(...keys.nodes));
  const sliders = makeSliders(info, set);
  sliders?.ontoggle(wake);
  const panel = makePanel(info, bundle.bones, set);
  if (sliders) panel.node.append(sliders.node);
  const root = make("div", { className: "lissom-player" }, picture, ...withControls(panel.node));
  if (options.test) Object.assign(picture.style, { width: `${options.width}px`, height: `${options.height}px`, flex: "none" });
  else picture.style.flexBasis = `${options.height || 360}px`;
  element.append(root);

  const gl = canvas.getContext("webgl2", {
    antialias: false, depth: false, preserveDrawingBuffer: !!options.test, powerPreference: "low-power",
  });

  function start() {
    try {
      report.renderer = rendererOf(gl);
      report.maxTextureSize = gl.getParameter(gl.MAX_TEXTURE_SIZE);
      scene = makeScene(gl, bundle, background, wake);
      scene.setCrowd(crowd);
      scene.overlay.set(overlaid);
      scene.ready.then(wake);
      words.instead("");
    } catch (error) {
      fail(error);
    }
  }

  function fail(error) {
    report.error = error.message;
    words.instead(`This picture cannot be drawn here: ${error.message}`, options.still);
    scene = null;
  }

  // The views beside each other: [method, color, name]. A kernel may send palettes of one method only; without float
  // targets only one method is available.
  function shownViews() {
    const { method, color } = settings;
    const views = method === "side_by_side" ? VIEWS : [[method, color, ""]];
    if (given ? given.dual_quat : !scene?.direct) return views;
    return views
      .filter(([, color]) => color !== "difference" || views.length === 1)
      .map(([method, color, name]) => [given ? "linear" : method, color === "difference" ? "surface" : color, name]);
  }

  // The areas of the picture: {name, method, color, left, top, width, height} in pixels from the upper left.
  function areas() {
    const [width, height] = [canvas.width, canvas.height];
    const shown = shownViews();
    // In a row or in a column, whichever shows the character larger.
    const { scaleIn } = viewpoint;
    const inRow = shown.length < 2 || scaleIn(width / shown.length, height) >= scaleIn(width, height / shown.length);
    // All of the same size in whole pixels, so that equal things look equal.
    const size = inRow ? [Math.floor(width / shown.length), height] : [width, Math.floor(height / shown.length)];
    return shown.map(([method, color, name], i) => ({
      name, method, color, left: inRow ? i * size[0] : 0, top: inRow ? 0 : i * size[1], width: size[0], height: size[1],
    }));
  }

  const followsClip = () => settings.framing === "clip" && clock.clip;
  const viewpoint = makeViewpoint(
    () => (given ? cornersOf(casting) : crowdCorners(crowd, followsClip() ? boxOfMotion(clock) : info.bounds)),
    () => (given || !followsClip() ? "" : `${clock.clip.first_frame} ${clock.from ? clock.fade : 1}`),
    info.azimuth,
  );

  function aspect() {
    const { width, height } = areas()[0];
    return width / height || 1;
  }

  const camera = () => viewpoint.camera(aspect());

  // Frames again: "clip", what plays, or "all" clips.
  function frame(framing) {
    viewpoint.showAll();
    set({ framing });
  }

  function orbit(x, y) {
    viewpoint.orbit(x, y);
    wake();
  }

  function pan(x, y) {
    viewpoint.pan(x, y, aspect());
    wake();
  }

  function zoom(factor) {
    viewpoint.zoom(factor, info.size, aspect());
    wake();
  }

  function step(frames) {
    if (clock.clip) set({ playing: false, time: clock.time + frames / (clock.clip.rate || 1) });
  }

  const viewIn = ({ width, height }) => viewOf(camera(), [width, height], casting, info.ground, info.size);

  function mostDifference() {
    const known = given ? given.difference : clock.clip?.difference;
    return known > 0 ? known : SOME_DIFFERENCE;
  }

  function draw(isDraft = false) {
    if (!scene || gl.isContextLost() || !canvas.width || !canvas.height) return;
    try {
      const parts = areas();
      const coarse = settings.wireframe ? 0 : COARSE * unitsPerPixel(camera(), parts[0].height, casting);
      const isRough = isDraft && SOFTWARE.test(report.renderer);
      let cell = settings.count > 1 ? coarse : 0;
      // The last picture stays until the triangles of a crowd are there.
      if (!scene.isReady(cell)) {
        panel.update(state(), clock.clip);
        return;
      }
      // The pixels of drafts are larger.
      if (isRough && scene.isReady(3 * coarse)) cell = 3 * coarse;
      const compares = parts.some(({ color }) => color === "difference");
      const methods = METHODS.filter(
        (method) =>
          compares || parts.some((part) => part.method === method) || (settings.skeleton && method === "linear"),
      );
      const texels = instanceTexels(crowd, clock, clips);
      const weights = info.morphs && crowd.map((_, i) => weightsOf(texels, i));
      scene.setPoses(methods, texels, crowd.length, !!clock.from, given, weights && morphLists(weights));
      sliders?.update(settings, weights[0]);
      const views = parts.map((part) => ({
        view: viewIn(part),
        corner: [part.left, canvas.height - part.top - part.height],
        shown: part,
        camera: camera(),
      }));
      scene.draw([canvas.width, canvas.height], views, [box, casting], {
        ...settings,
        row: info.rows.indexOf(settings.row),
        mostDifference: mostDifference(),
        cell,
        scale: canvas.width / (canvas.clientWidth || canvas.width),
        isDraft: isRough,
      });
      report.programs = scene.programs.count();
      report.levels = scene.levelCount();
      report.pictures += 1;
      report.error = null;
      const hottest = parts.find(({ color }) => color !== "surface")?.color;
      words.update(
        parts.map(({ name, left, top }) => ({ name, left: left / canvas.width, top: top / canvas.height })),
        hottest && {
          difference: { title: "LBS to DQS", most: `${Number((100 * mostDifference()).toPrecision(3))} % of size` },
          weights: { title: settings.row, most: "1" },
        }[hottest],
      );
    } catch (error) {
      fail(error);
    }
    panel.update(state(), clock.clip);
  }

  const isPlaying = () => settings.playing && settings.speed !== 0 && clock.moves() && !given;

  // Draws this state at once, instead of the picture that may be scheduled. On a CPU renderer, a draft takes a third of the
  // time.
  function drawNow({ isDraft = false } = {}) {
    cancelAnimationFrame(frameRequest);
    frameRequest = 0;
    draw(isDraft);
    if (isPlaying()) wake();
  }

  function wake() {
    if (!frameRequest && !options.test && isSeen && !isDestroyed) frameRequest = requestAnimationFrame(tick);
  }

  function tick(now) {
    frameRequest = 0;
    const plays = isPlaying();
    if (plays && lastTime) clock.advance(Math.min((now - lastTime) / 1000, MOST_STEP) * settings.speed, settings.fade);
    lastTime = plays && isSeen ? now : 0;
    draw();
    if (plays) wake();
  }

  const state = () => ({ ...settings, clip: clock.clip?.name ?? null, time: clock.time, camera: camera() });

  function set(changes) {
    for (const [name, value] of Object.entries(changes)) {
      // Own names alone: those of every object's prototype, such as __proto__, would change what all settings inherit.
      if (!Object.hasOwn(settings, name) && !["clip", "time", "camera"].includes(name))
        throw new Error(`player.set: a name must be one of player.state, got ${name}`);
      if (name === "morphs") checkWeights(name, value, "morph targets", info.morphs?.names ?? []);
      if (name === "expressions") checkWeights(name, value, name, (info.morphs?.expressions ?? []).map(({ name }) => name));
      if (allowed[name] && !allowed[name].includes(value) && !(name === "clip" && clipNamed(clips, value)))
        throw new Error(`player.set: ${name} must be one of ${allowed[name].join(", ")}, got ${value}`);
    }
    const before = settings.color;
    const aspectBefore = aspect();
    const { clip, time, camera: newCamera, playing, ...others } = changes;
    Object.assign(settings, others);
    if (others.method !== undefined) viewpoint.fit(aspectBefore, aspect());
    // Null toggles it.
    if (playing !== undefined) settings.playing = playing ?? !settings.playing;
    // Weights begin with the joint under the pointer.
    if (others.color === "weights" && before !== "weights" && others.row === undefined && hovered && scene) {
      const under = pickedRow(hovered);
      if (under >= 0) settings.row = info.rows[under];
    }
    if (clip !== undefined) clock.play(clip, settings.playing && settings.fade > 0);
    if (time !== undefined) clock.seek(time);
    for (const name of ["morphs", "expressions"]) {
      if (!others[name]) continue;
      settings[name] = { ...others[name] };
      casting = castersOf();
    }
    if (others.count !== undefined) {
      settings.count = clamp(Math.round(others.count), 1, MOST_INSTANCES);
      crowd = crowdOf(settings.count, info.bounds);
      box = boxAround(crowdCorners(crowd, info.bounds));
      casting = castersOf();
      viewpoint.showAll();
      scene?.setCrowd(crowd);
    }
    if (newCamera !== undefined) viewpoint.set(newCamera, aspect());
    panel.update(state(), clock.clip);
    wake();
  }

  function checkWeights(setting, weights, what, known) {
    for (const [name, weight] of Object.entries(weights)) {
      if (!known.includes(name)) throw new Error(`player.set: ${setting} must be of the mesh's ${what}, got ${name}`);
      if (!Number.isFinite(weight)) throw new Error(`player.set: ${setting} must be finite numbers, got ${weight} for ${name}`);
    }
  }

  const weightsOf = (texels, i) => instanceWeights(bundle, texels, 16 * i, settings.morphs, settings.expressions);

  // The box of the instances, as far as the weights that are set take them out of it.
  function castersOf() {
    const reach = Array(3).fill(info.morphs ? reachOf(info, settings.morphs, settings.expressions) : 0);
    return [plus(box[0], reach, -1), plus(box[1], reach)];
  }

  // Shows palettes of a kernel, as palette.glsl reads them; null returns to the clips, or without clips to the bind pose.
  function pose(palettes) {
    const now = palettes ?? (info.layout === null ? restPalettes(info) : null);
    given = now && { linear: now.linear, dual_quat: now.dual, difference: now.difference };
    if (given && settings.count > 1) set({ count: 1 });
    casting = castersOf();
    if (given) {
      boxes ??= rowBoxes(bundle);
      const corners = boxes.flatMap((box, row) => (box ? cornersOf(box).map((p) => movedByRow(given.linear, row, p)) : []));
      casting = boxAround([...casting, ...corners]);
    }
    wake();
  }

  function resize() {
    const ratio = options.test ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = options.test ? [options.width, options.height] : [picture.clientWidth, picture.clientHeight];
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width === wide && canvas.height === high) return;
    [canvas.width, canvas.height] = [wide, high];
    // At once, since resizing has cleared the canvas.
    if (!options.test) drawNow();
  }

  // The area under a pointer, and the pointer's place in it in pixels from the upper left corner, and the ray through it.
  function areaAt(event) {
    const bounds = canvas.getBoundingClientRect();
    const scale = canvas.width / bounds.width;
    const [x, y] = [(event.clientX - bounds.left) * scale, (event.clientY - bounds.top) * scale];
    const area = areas().find((a) => x >= a.left && x < a.left + a.width && y >= a.top && y < a.top + a.height) ?? areas()[0];
    const pixel = [x - area.left, y - area.top];
    const clip = [(2 * pixel[0]) / area.width - 1, 1 - (2 * pixel[1]) / area.height];
    return { area, pixel, scale, ray: rayThrough(camera(), area.width / area.height, clip) };
  }

  function handleAt(event) {
    const { area, pixel, scale } = areaAt(event);
    const view = viewIn(area);
    return pickHandle(handles, view.clip_from_world, view.viewport, pixel, 12 * scale);
  }

  // The pointer's place in the plane through `position` that faces the eye.
  function draggedTo(event, position) {
    const seen = camera();
    const back = axesOf(seen)[2];
    const { ray } = areaAt(event);
    const eye = eyeOf(seen);
    return plus(eye, ray, dot(plus(position, eye, -1), back) / dot(ray, back));
  }

  function pickedRow(event) {
    if (scene.direct || settings.count > 1) return -1;
    if (!given) scene.setPoses(["linear"], instanceTexels(crowd, clock, clips), 1, !!clock.from, null);
    const texels = given ? given.linear : scene.readPalette();
    const { area, pixel, scale, ray } = areaAt(event);
    const view = viewIn(area);
    const bone = settings.skeleton ? pickBone(shownBones(), texels, view.clip_from_world, view.viewport, pixel, 8 * scale) : -1;
    if (bone >= 0) return bone;
    const shape = info.morphs
      ? morphedPositions(bundle, weightsOf(instanceTexels(crowd, clock, clips), 0))
      : bundle.positions;
    return pickRow(bundle, texels, shape, view.eye, ray);
  }

  listen(canvas, {
    orbit,
    pan,
    zoom,
    press(event) {
      const handle = handleAt(event);
      if (!handle) return null;
      const offset = plus(handle.position, draggedTo(event, handle.position), -1);
      const send = (phase) => (moving) =>
        dragged(handle.id, plus(draggedTo(moving, handle.position), offset), phase);
      dragged(handle.id, handle.position, "start");
      return { move: send("move"), end: send("end") };
    },
    hover(event) {
      hovered = event;
      if (handles.length) canvas.style.cursor = event && handleAt(event) ? "grab" : "";
    },
    click(event) {
      if (settings.color !== "weights" || !scene) return;
      const row = pickedRow(event);
      if (row >= 0) set({ row: info.rows[row] });
    },
    frame: () => frame("clip"),
    // Arrow keys step from frame to frame; with shift, or up and down, or where nothing moves, they orbit.
    key(event) {
      const side = arrowOf(event);
      if (!side) return keys.press(event);
      if (!event.shiftKey && side[0] && clock.moves()) step(side[0]);
      else orbit(ORBITED * side[0], ORBITED * side[1]);
      return true;
    },
  }, options.ownsWheel);

  let overlaid = {};
  const player = {
    info: report,
    size: info.size,
    get isPlaced() {
      return viewpoint.isPlaced;
    },
    get state() {
      return state();
    },
    set,
    draw: drawNow,
    resize,
    pixels(options) {
      drawNow(options);
      return scene.pixels();
    },
    advance(dt) {
      clock.advance(dt * settings.speed, settings.fade);
      wake();
    },
    pose,
    overlay(things) {
      overlaid = { ...overlaid, ...things };
      handles = overlaid.handles ?? [];
      scene?.overlay.set(overlaid);
      words.say(overlaid.text ?? "");
      wake();
    },
    onDrag(callback) {
      dragged = callback;
    },
    destroy() {
      isDestroyed = true;
      background.stop();
      cancelAnimationFrame(frameRequest);
      sizes.disconnect();
      sight.disconnect();
      gl?.getExtension("WEBGL_lose_context")?.loseContext();
      root.remove();
    },
  };

  const sizes = new ResizeObserver(resize);
  const sight = new IntersectionObserver((entries) => {
    isSeen = entries.at(-1).isIntersecting;
    if (isSeen) wake();
  });
  sizes.observe(picture);
  sight.observe(picture);
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    scene = null;
    if (!isDestroyed) words.instead("The browser lost the WebGL context; the picture returns when it is restored.", options.still);
  });
  canvas.addEventListener("webglcontextrestored", () => {
    start();
    draw();
  });

  pose(null);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) settings.playing = false;
  if (gl) start();
  else {
    report.error = "no WebGL2";
    words.instead("This browser has no WebGL2; this is a still picture.", options.still);
  }
  set({ ...options.state, ...(settings.playing ? {} : { playing: false }) });
  resize();
  await scene?.ready;
  if (!options.test) wake();
  return player;
}
