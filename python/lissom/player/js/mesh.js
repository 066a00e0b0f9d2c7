// SPDX-License-Identifier: MIT
// The mesh in buffers.

// Triangles of all instances that are drawn whole while coarser ones are made.
const MOST_WAITING = 1e6;

// As gpu/_coverage.py has them: alpha that no pixel shows, that hides all behind it, and what is drawn of blended parts
// where nothing can be blended.
const [CLEAR, SOLID, HALF] = [0.5 / 255, 254.5 / 255, 0.5];

// Whether a pass draws a part: "solid" what is opaque; "holes" what is masked, and of what is blended that which hides all
// behind it; "halved" the same with all that is at least half covered; "blended" the rest of what is blended.
function isDrawn({ alpha }, cover) {
  if (alpha?.cutoff > 1) return false;
  if (cover === "blended") return alpha?.mode === "blend";
  return !alpha === (cover === "solid");
}

// The uniforms of coverage.glsl. `isSampled`: alpha becomes a share of a pixel's samples.
function alphaLimits({ alpha }, cover, isSampled) {
  const isMask = alpha?.mode === "mask";
  return {
    least_alpha: isMask ? alpha.cutoff : { holes: SOLID, halved: HALF }[cover] ?? CLEAR,
    most_alpha: cover === "blended" ? SOLID : 1e30,
    softened: isMask && isSampled ? 1 : 0,
    dithered: 0,
  };
}

// `background`: see background.js; `wake` draws again.
function makeMesh(gl, bundle, background, wake) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  attribute(gl, "position", bundle.positions, 3);
  attribute(gl, "normal", bundle.normals, 4);
  attribute(gl, "base_color", bundle.colors, 4, { normalised: true });
  if (bundle.uvs) attribute(gl, "uv", bundle.uvs, 2, { half: true });
  for (const [rows, weights] of influencesOf(bundle)) {
    attribute(gl, rows, bundle[rows], 4, { integer: true });
    attribute(gl, weights, bundle[weights], 4);
  }
  const isCovered = bundle.info.parts.some((part) => part.alpha);
  if (isCovered) attribute(gl, "alpha", bundle.alphas, 1);
  if (bundle.morph_numbers) attribute(gl, "morph_vertex", bundle.morph_numbers, 1, { integer: true });
  const instances = {
    tint: attribute(gl, "tint", new Uint8Array(4), 4, { normalised: true, divisor: 1 }),
    scale: attribute(gl, "scale", new Float32Array(1), 1, { divisor: 1 }),
    number: isCovered && attribute(gl, "number", new Uint32Array(1), 1, { integer: true, divisor: 1 }),
  };
  const whole = uploaded(bundle.triangles, bundle.info.parts);
  // Levels of detail by the binary logarithm of their cells.
  const levels = {};
  const images = imagesOf(gl, bundle);
  let edges = null;
  let count = 1;
  let shown = null;

  function uploaded(triangles, parts) {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    const bytes = triangles.BYTES_PER_ELEMENT;
    return { buffer, parts, count: triangles.length, bytes, type: bytes === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT };
  }

  // The triangles to draw where vertices may move by `cell` units: a level for each power of two. Until it is made, the
  // nearest that is, or null.
  function levelOf(cell) {
    if (!(cell > 0)) return whole;
    const level = Math.floor(Math.log2(cell));
    if (!levels[level])
      background.ask("coarse", 2 ** level, ({ triangles, parts }) => {
        if (gl.isContextLost()) return;
        // Saving less than half of the triangles is not worth the error.
        levels[level] = triangles.length > whole.count / 2 ? whole : uploaded(triangles, parts);
        wake();
      });
    if (levels[level]) return levels[level];
    const made = Object.keys(levels).map(Number);
    return made.length ? levels[leastOf(made, (other) => Math.abs(other - level))] : null;
  }

  // Writes the per-instance attributes in the order of `numbers`.
  function writeInstances(numbers) {
    const tints = Uint8Array.from(numbers.flatMap((n) => [...shown.tints.subarray(4 * n, 4 * n + 4)]));
    const scales = Float32Array.from(numbers, (n) => shown.scales[n]);
    const data = { tint: tints, scale: scales, ...(isCovered ? { number: Uint32Array.from(numbers) } : {}) };
    for (const [name, values] of Object.entries(data)) {
      gl.bindBuffer(gl.ARRAY_BUFFER, instances[name]);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    }
  }

  return {
    isBlended: bundle.info.parts.some(({ alpha }) => alpha?.mode === "blend"),

    // The passes of a fragment program, all but what is blended; and the constants of a pass.
    passes: (fragment, isHeated) =>
      isCovered ? ["solid", fragment === "surface.frag" && !isHeated ? "holes" : "halved"] : ["solid"],
    coverDefines: (cover) => (isCovered ? { SEAMED: 1, ...(cover === "solid" ? {} : { COVERED: 1 }) } : {}),

    defines: {
      INFLUENCE_COUNT: bundle.info.influences,
      ...(images.length ? {} : { WITHOUT_TEXTURE: 1 }),
      ...(bundle.info.parts.some((part) => part.unlit || part.emissive) ? { SELF_LIT: 1 } : {}),
    },
    ready: Promise.all(images.map((image) => image.ready)),

    // The per-instance attributes.
    setInstances(tints, scales) {
      count = scales.length;
      shown = { tints, scales };
      writeInstances([...scales.keys()]);
    },

    // How many levels of detail were made.
    levelCount: () => Object.keys(levels).length,

    // Whether something can be drawn at cells of a size: asks for what is missing. Few triangles are drawn whole meanwhile.
    isReady: (cell) => !!levelOf(cell) || whole.count * count < 3 * MOST_WAITING,

    // Draws the parts of a pass; `use(uniforms)` makes the program current. With `culls`, closed parts have their back faces
    // culled. With `cell`, the triangles may be coarser, see levelOf(). `isSampled`: pixels have samples. `order` has the
    // numbers of the instances, from far to near, and `depthOf(center)` how far a part is, for what is blended.
    draw(use, { culls, cell, cover = "solid", isSampled = false, order = null, depthOf = null }) {
      gl.bindVertexArray(array);
      const { buffer, parts, bytes, type } = levelOf(cell) ?? whole;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      if (order) writeInstances(order);
      const drawn = parts.filter((part) => isDrawn(part, cover));
      if (depthOf) drawn.sort((a, b) => depthOf(b.alpha.center) - depthOf(a.alpha.center));
      const samples = isSampled && cover === "holes";
      if (samples) gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
      // The canvas stays opaque.
      gl.colorMask(true, true, true, cover === "solid" || cover === "halved");
      for (const part of drawn) {
        const texture = images[part.image]?.texture;
        if (texture) bindTexture(gl, "base_color_map", texture);
        const emissive = images[part.emissive_image]?.texture;
        if (emissive) bindTexture(gl, "emissive_map", emissive);
        // Without its picture, what is dark in it would shine.
        const isDark = !part.emissive || (Number.isInteger(part.emissive_image) && !emissive);
        use({
          textured: texture ? 1 : 0,
          unlit: part.unlit ? 1 : 0,
          emissive: isDark ? [0, 0, 0] : part.emissive,
          emissive_textured: emissive ? 1 : 0,
          ...(cover === "solid" ? {} : alphaLimits(part, cover, samples)),
        });
        // Of one instance that is blended and seen from both sides, back faces come first; of several, the farthest instance.
        const hasBacks = cover === "blended" && part.two_sided && count === 1;
        if (hasBacks || (culls && !part.two_sided)) gl.enable(gl.CULL_FACE);
        for (const face of hasBacks ? [gl.FRONT, gl.BACK] : [gl.BACK]) {
          gl.cullFace(face);
          gl.drawElementsInstanced(gl.TRIANGLES, part.count, type, part.first * bytes, count);
        }
        gl.disable(gl.CULL_FACE);
      }
      gl.colorMask(true, true, true, true);
      if (samples) gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
      if (order) writeInstances([...order.keys()]);
      gl.bindVertexArray(null);
    },

    // Draws the edges of all triangles, each once.
    drawEdges() {
      if (!edges)
        background.ask("edges", null, (lines) => {
          if (gl.isContextLost()) return;
          gl.bindVertexArray(null);
          edges = uploaded(lines, null);
          wake();
        });
      if (!edges) return;
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, edges.buffer);
      gl.drawElementsInstanced(gl.LINES, edges.count, gl.UNSIGNED_INT, 0, count);
      gl.bindVertexArray(null);
    },
  };
}

// The edges of all triangles, each once, two vertices each.
function edgesOf(triangles) {
  const found = new Float64Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) {
    const [a, b] = [triangles[i], triangles[i % 3 === 2 ? i - 2 : i + 1]];
    found[i] = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
  }
  found.sort();
  const once = found.filter((edge, i) => edge !== found[i - 1]);
  const data = new Uint32Array(2 * once.length);
  once.forEach((edge, i) => data.set([Math.floor(edge / 2 ** 26), edge % 2 ** 26], 2 * i));
  return data;
}

// Textures as {texture, ready}; texture is null until decoded. sRGB, so that fetches return linear light.
function imagesOf(gl, bundle) {
  const images = [];
  // Asked before any upload, for which an answer would wait. A processor takes minutes for triangles seen from their edges.
  const anisotropic = !SOFTWARE.test(rendererOf(gl)) && gl.getExtension("EXT_texture_filter_anisotropic");
  const most = anisotropic && gl.getParameter(anisotropic.MAX_TEXTURE_MAX_ANISOTROPY_EXT);
  for (let n = 0; bundle[`image.${n}`]; n++) images.push({ texture: null, ready: load(bundle[`image.${n}`], n) });
  return images;

  async function load(bytes, n) {
    const options = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
    const picture = await createImageBitmap(new Blob([bytes]), options).catch(() => null);
    if (!picture || gl.isContextLost()) return;
    const texture = gl.createTexture();
    bindTexture(gl, "base_color_map", texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    if (anisotropic) gl.texParameterf(gl.TEXTURE_2D, anisotropic.TEXTURE_MAX_ANISOTROPY_EXT, Math.min(4, most));
    images[n].texture = texture;
  }
}
