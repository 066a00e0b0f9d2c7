// SPDX-License-Identifier: MIT
// The resources of one WebGL2 context, and the drawing of a picture. Created again after the context was lost.

const STRIDES = { linear: 3, dual_quat: 2 };
const METHODS = ["linear", "dual_quat"];
const SAMPLES = 4;
// Of the picture's width and height: those of a draft.
const DRAFT = 0.6;

// `background` and `wake` as in makeMesh().
function makeScene(gl, bundle, background, wake) {
  const { info } = bundle;
  const programs = programCache(gl);
  const direct = !gl.getExtension("EXT_color_buffer_float");
  const poses = makePoses(gl, bundle);
  const mesh = makeMesh(gl, bundle, background, wake);
  const morphs = makeMorphs(gl, bundle);
  const ground = makeGround(gl, programs);
  const overlay = makeOverlay(gl, programs, bundle.bones.all);
  const instances = growingTexture(gl, "instances");
  const rows = info.palette_rows;
  const palettes = {};
  for (const method of METHODS) {
    const stride = method === "dual_quat" && info.scaled ? 5 : STRIDES[method];
    palettes[method] = makePalettes(gl, programs, poses, rows, stride);
  }
  makeTexture(gl, "heat_map", gl.RGB32F, VIRIDIS.length, 1);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, VIRIDIS.length, 1, gl.RGB, gl.FLOAT, viridisTexels());
  let [width, height, samples] = [0, 0, 0];
  let target = null;
  let buffers = [];
  let fades = false;
  let fromPoses = true;
  let crowd = [];

  function resize(...sizes) {
    if (sizes.every((value, i) => value === [width, height, samples][i])) return;
    [width, height, samples] = sizes;
    for (const buffer of buffers) gl.deleteRenderbuffer(buffer);
    gl.deleteFramebuffer(target);
    target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    buffers = [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]].map(([at, format]) => {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, at, gl.RENDERBUFFER, buffer);
      return buffer;
    });
  }

  // A function that makes the mesh's program current and sets uniforms. `heat`: see crowd.vert.
  function meshProgram(method, fragment, heat = 0, cover = "solid") {
    const other = METHODS[1 - METHODS.indexOf(method)];
    const defines = {
      ...mesh.defines,
      ...mesh.coverDefines(cover),
      ...morphs?.defines(),
      SKINNING_METHOD: METHODS.indexOf(method),
      PALETTE_STRIDE: palettes[method].stride,
      ...(heat ? { HEAT: heat, OTHER_STRIDE: palettes[other].stride } : { WITHOUT_HEAT: 1 }),
      ...(direct && fromPoses ? { POSE_DIRECT: 1, ...poses.defines, ...(fades ? {} : { WITHOUT_FADES: 1 }) } : {}),
    };
    palettes[method].use("palette");
    if (heat === 2) palettes[other].use("other_palette");
    return (uniforms) => programs.use("crowd.vert", fragment, defines, uniforms);
  }

  function drawMesh(method, fragment, uniforms, { heat, ...how }, covers = mesh.passes(fragment, !!heat)) {
    for (const cover of covers) {
      const use = meshProgram(method, fragment, heat, cover);
      use({ row_count: rows, ...poses?.uniforms, ...morphs?.uniforms(), ...uniforms });
      mesh.draw(use, { ...how, cover, isSampled: samples > 0 });
    }
  }

  // Draws that through which something shows, over what is there: instances and parts from far to near, parts by where they
  // are in the bind pose of the nearest instance.
  function drawBlended(method, uniforms, settings) {
    const distanceOf = ({ position }) => length(plus(position, uniforms.eye, -1));
    const order = [...crowd.keys()].sort((a, b) => distanceOf(crowd[b]) - distanceOf(crowd[a]));
    const { position, angle, scale } = crowd[order.at(-1)];
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const placed = ([x, y, z]) => plus(position, [c * x + s * z, y, c * z - s * x], scale);
    const depthOf = (center) => distanceOf({ position: placed(center) });
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
    gl.depthMask(false);
    gl.depthFunc(gl.LEQUAL);
    const how = { culls: true, cell: settings.cell, order: order.length > 1 ? order : null, depthOf };
    drawMesh(method, "surface.frag", uniforms, how, ["blended"]);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  function drawView(view, corner, shown, settings) {
    const { method, color } = shown;
    const heat = { weights: 1, difference: 2 }[color] ?? 0;
    const uniforms = {
      ...view,
      heated: heat ? 1 : 0,
      heat_map_count: VIRIDIS.length,
      painted_row: settings.row,
      most_difference: settings.mostDifference * info.size,
    };
    const [w, h] = view.viewport;
    gl.viewport(...corner, w, h);
    gl.scissor(...corner, w, h);
    gl.enable(gl.DEPTH_TEST);
    if (settings.wireframe) {
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
    }
    drawMesh(method, "surface.frag", uniforms, { heat, culls: true, cell: settings.cell });
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (settings.ground) ground.draw(view, corner, settings.part);
    if (mesh.isBlended && !heat) drawBlended(method, uniforms, settings);
    gl.depthFunc(gl.LEQUAL);
    if (settings.wireframe) {
      gl.enable(gl.BLEND);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
      meshProgram(method, "player_edge.frag")({ row_count: rows, ...poses?.uniforms, ...morphs?.uniforms(), ...view });
      mesh.drawEdges();
      gl.disable(gl.BLEND);
    }
    palettes.linear.use("palette");
    const painted_row = color === "weights" ? settings.row : -1;
    const instances = settings.skeleton && !(direct && fromPoses) ? settings.count : 0;
    overlay.setBones(settings.helpers ? bundle.bones.all.length : bundle.bones.used);
    overlay.draw(view, { row_count: rows, painted_row }, instances, settings.scale);
    gl.depthFunc(gl.LESS);
  }

  return {
    direct,
    programs,
    overlay,
    ready: mesh.ready,

    setCrowd(instances) {
      crowd = instances;
      const tints = Uint8Array.from(crowd.flatMap(({ tint }) => [...tint.map((v) => Math.round(255 * v)), 255]));
      mesh.setInstances(tints, Float32Array.from(crowd, ({ scale }) => scale));
    },

    // Sets the palettes of the methods: from the clock's clips, or `given` by a kernel; and the instances' lists of active
    // morph targets, see morphLists().
    setPoses(methods, texels, count, isFading, given, lists = null) {
      morphs?.set(lists);
      fades = isFading;
      fromPoses = !given;
      if (given) {
        for (const method of methods) palettes[method].write(given[method]);
        return;
      }
      instances.reserve(texels.length / 4);
      writeFolded(gl, "instances", texels);
      if (!direct) for (const method of methods) palettes[method].mix(count, fades);
    },

    // Whether there are triangles for cells of a size, and for shadows.
    isReady: (cell) => [cell, 2 * cell].map(mesh.isReady).every(Boolean),

    levelCount: mesh.levelCount,

    readPalette: () => palettes.linear.read(),

    // Draws views, [{view, corner, shown, camera}], into the canvas. A draft is coarse and not antialiased, and keeps the shadows
    // of the last picture if the projection is the same.
    draw(size, views, [box, casting], settings) {
      const part = settings.isDraft ? DRAFT : 1;
      const scaled = (pixels) => pixels.map((side) => Math.ceil(part * side));
      resize(...scaled(size), settings.isDraft ? 0 : SAMPLES);
      gl.cullFace(gl.BACK);
      gl.depthFunc(gl.LESS);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.clearColor(...BACKGROUND.map(encodedOf), 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      for (const { view, corner, shown, camera } of views) {
        const isAbove = settings.ground && view.eye[1] > view.ground_height;
        if (isAbove && !(settings.isDraft && ground.holds(view))) {
          // Coarser triangles, since the texels of shadows are coarser.
          const cast = (fragment, uniforms) => drawMesh(shown.method, fragment, uniforms, { cell: 2 * settings.cell });
          ground.prepare(cast, box, casting, view, axesOf(camera)[0]);
        }
        gl.bindFramebuffer(gl.FRAMEBUFFER, target);
        gl.enable(gl.SCISSOR_TEST);
        const sized = { ...view, viewport: scaled(view.viewport) };
        drawView(sized, scaled(corner), shown, { ...settings, ground: isAbove, scale: part * settings.scale, part });
        gl.disable(gl.SCISSOR_TEST);
      }
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, target);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      const filter = part < 1 ? gl.LINEAR : gl.NEAREST;
      gl.blitFramebuffer(0, 0, width, height, 0, 0, ...size, gl.COLOR_BUFFER_BIT, filter);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    },

    pixels() {
      const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
      const data = new Uint8Array(4 * width * height);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
      const flipped = new Uint8Array(data.length);
      for (let y = 0; y < height; y++)
        flipped.set(data.subarray(4 * width * (height - 1 - y), 4 * width * (height - y)), 4 * width * y);
      return { width, height, data: flipped };
    },
  };
}
