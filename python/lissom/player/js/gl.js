// SPDX-License-Identifier: MIT
// WebGL2: programs of the shared shaders, textures for fetching, framebuffers.

const HEADER = "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n";

// An attribute has the same location in all programs, so that they share vertex arrays.
const ATTRIBUTES = [
  "position", "normal", "uv", "base_color", "rows", "weights", "more_rows", "more_weights", "tint", "scale", "tail",
  "head", "morph_vertex", "alpha", "number",
];

// Every sampler has its own unit, so that no draw call depends on what the one before bound.
const UNITS = [
  "palette", "poses", "instances", "base_color_map", "heat_map", "shadow", "source", "other_palette", "ranges", "rig",
  "emissive_map",
  "morph_masks", "morph_rows", "morph_weights",
];

// Renderers on the CPU: drafts while something is dragged, and no anisotropic filters.
const SOFTWARE = /llvmpipe|softpipe|swiftshader|software|basic render/i;

// Width of folded textures: texel i is at (i & 2047, i >> 11), see texel.glsl.
const FOLD = 2048;

const SETTERS = {
  FLOAT: "1f", FLOAT_VEC2: "2fv", FLOAT_VEC3: "3fv", FLOAT_VEC4: "4fv", INT: "1i", BOOL: "1i", SAMPLER_2D: "1i",
  SAMPLER_2D_ARRAY: "1i", UNSIGNED_INT_SAMPLER_2D: "1i",
};

function rendererOf(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
}

function compiled(gl, stage, text) {
  const shader = gl.createShader(stage);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
}

// A function that makes a program current and sets those uniforms that the program has.
function makeProgram(gl, vertex, fragment, defines) {
  const head = HEADER + Object.entries(defines).map(([key, value]) => `#define ${key} ${value}\n`).join("");
  const program = gl.createProgram();
  const shaders = [
    compiled(gl, gl.VERTEX_SHADER, head + SHADERS[vertex]),
    compiled(gl, gl.FRAGMENT_SHADER, head + SHADERS[fragment]),
  ];
  for (const shader of shaders) gl.attachShader(program, shader);
  ATTRIBUTES.forEach((name, place) => gl.bindAttribLocation(program, place, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(
      [`${vertex} with ${fragment} does not compile:`, ...shaders.map((shader) => gl.getShaderInfoLog(shader)),
        gl.getProgramInfoLog(program)].join(" "),
    );
  const setters = {};
  gl.useProgram(program);
  for (let i = 0; i < (gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0); i++) {
    const { name, type } = gl.getActiveUniform(program, i);
    const place = gl.getUniformLocation(program, name);
    const setter = `uniform${SETTERS[Object.keys(SETTERS).find((key) => gl[key] === type)]}`;
    setters[name] =
      type === gl.FLOAT_MAT4 ? (m) => gl.uniformMatrix4fv(place, true, m) : (value) => gl[setter](place, value);
    if (UNITS.includes(name)) gl.uniform1i(place, UNITS.indexOf(name));
  }
  return (uniforms) => {
    gl.useProgram(program);
    for (const [name, value] of Object.entries(uniforms)) setters[name]?.(value);
  };
}

// Programs by files and defines, each compiled once.
function programCache(gl) {
  const made = {};
  const use = (vertex, fragment, defines, uniforms) => {
    const key = [vertex, fragment, ...Object.entries(defines)].join();
    (made[key] ??= makeProgram(gl, vertex, fragment, defines))(uniforms);
  };
  return { use, count: () => Object.keys(made).length };
}

function bindTexture(gl, name, texture, target = gl.TEXTURE_2D) {
  gl.activeTexture(gl.TEXTURE0 + UNITS.indexOf(name));
  gl.bindTexture(target, texture);
}

// Nearest texels by default, clamped to the edge.
function setFilter(gl, target, filter = gl.NEAREST) {
  for (const name of ["TEXTURE_MIN_FILTER", "TEXTURE_MAG_FILTER"]) gl.texParameteri(target, gl[name], filter);
  for (const name of ["TEXTURE_WRAP_S", "TEXTURE_WRAP_T"]) gl.texParameteri(target, gl[name], gl.CLAMP_TO_EDGE);
}

// An empty texture, bound to the sampler `name`.
function makeTexture(gl, name, format, width, height, filter) {
  const texture = gl.createTexture();
  bindTexture(gl, name, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
  setFilter(gl, gl.TEXTURE_2D, filter);
  return texture;
}

const foldedHeight = (texelCount) => Math.max(1, Math.ceil(texelCount / FOLD));

// Writes texels, four numbers each, into the folded texture bound to `name`, of floats unless another type is given.
function writeFolded(gl, name, texels, format = gl.RGBA, type = gl.FLOAT) {
  gl.activeTexture(gl.TEXTURE0 + UNITS.indexOf(name));
  const lines = Math.floor(texels.length / (4 * FOLD));
  const rest = texels.length / 4 - lines * FOLD;
  const write = (y, width, height, part) =>
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, width, height, format, type, part);
  if (lines) write(0, FOLD, lines, texels.subarray(0, 4 * FOLD * lines));
  if (rest) write(lines, rest, 1, texels.subarray(4 * FOLD * lines));
}

// A texture that grows as needed, bound to the sampler `name` by use().
function growingTexture(gl, name, format = gl.RGBA32F) {
  let texture = null;
  let height = 0;
  return {
    // Makes it large enough and binds it; returns whether the texture is a new one.
    reserve(texelCount) {
      const needed = foldedHeight(texelCount);
      const isNew = needed > height;
      if (isNew) {
        gl.deleteTexture(texture);
        height = needed;
        texture = makeTexture(gl, name, format, FOLD, height);
      }
      bindTexture(gl, name, texture);
      return isNew;
    },
    use: (as = name) => bindTexture(gl, as, texture),
    texture: () => texture,
  };
}

function targetOf(gl, texture) {
  const target = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return target;
}

// An attribute from a new buffer: name, array, numbers per vertex, and whether these are normalised, half floats, integers
// or per instance.
function attribute(gl, name, data, count, { normalised = false, half = false, integer = false, divisor = 0 } = {}) {
  const place = ATTRIBUTES.indexOf(name);
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  const types = { Uint8Array: "UNSIGNED_BYTE", Int8Array: "BYTE", Uint16Array: "UNSIGNED_SHORT", Uint32Array: "UNSIGNED_INT", Float32Array: "FLOAT" };
  const type = half ? gl.HALF_FLOAT : gl[types[data.constructor.name]];
  gl.enableVertexAttribArray(place);
  if (integer) gl.vertexAttribIPointer(place, count, type, 0, 0);
  else gl.vertexAttribPointer(place, count, type, normalised, 0, 0);
  gl.vertexAttribDivisor(place, divisor);
  return buffer;
}
