// SPDX-License-Identifier: MIT
// Palettes: the rows of the bake's frames, mixed for each instance, in one float texture that vertices read. The GPU
// mixes them where it can write floats and has been given, else the CPU.
import {
  Camera, DataTexture, FloatType, GLSL3, HalfFloatType, Mesh, BufferGeometry, BufferAttribute, NearestFilter,
  NoBlending, RawShaderMaterial, RGBAFormat, Scene, WebGLRenderTarget,
} from "three";

const FOLD = 2048; // texels of a line
const foldedHeight = (texels) => Math.max(1, Math.ceil(texels / FOLD));

function floatTexture(data, type = FloatType) {
  const texture = new DataTexture(data, FOLD, data.length / (4 * FOLD), RGBAFormat, type);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Texels of a palette row: the 3x4 of linear skinning, or a dual quaternion and, where there is scale, its 3x4. */
export const strideOf = (bake, method) => (method === "linear" ? 3 : bake.texelCount === 2 ? 2 : 5);

/** The palette of a moment (Clock.writeMoment), in double, into `target` from `at` on; as the shader below. */
export function mixPalette(bake, method, moment, target, at = 0) {
  const { numbers, rowCount, texelCount } = bake;
  const [before, after, t, fade, nextBefore, nextAfter, u] = moment;
  const stride = strideOf(bake, method);
  const width = 4 * texelCount;
  const row = new Float64Array(20);
  const away = (i, j) => {
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += numbers[i + k] * numbers[j + k];
    return sum < 0 ? -1 : 1;
  };
  for (let r = 0; r < rowCount; r++, at += 4 * stride) {
    const [a, b, c, d] = [before, after, nextBefore, nextAfter].map((frame) => (frame * rowCount + r) * width);
    const s = away(a, b);
    const weights = [1 - t, t, 0, 0];
    const signs = [1, s, 1, 1];
    if (fade > 0) {
      weights.splice(0, 4, (1 - fade) * (1 - t), (1 - fade) * t, fade * (1 - u), fade * u);
      signs[3] = away(c, d);
      let towards = 0;
      for (let k = 0; k < 4; k++) {
        const now = weights[0] * numbers[a + k] + s * weights[1] * numbers[b + k];
        towards += now * (weights[2] * numbers[c + k] + signs[3] * weights[3] * numbers[d + k]);
      }
      if (towards < 0) [signs[2], signs[3]] = [-1, -signs[3]];
    }
    const [w, x, y, z] = weights;
    for (let k = 0; k < width; k++) {
      const [sb, sc, sd] = k < 8 ? [signs[1], signs[2], signs[3]] : [1, 1, 1];
      row[k] = w * numbers[a + k] + x * sb * numbers[b + k];
      if (fade > 0) row[k] += y * sc * numbers[c + k] + z * sd * numbers[d + k];
    }
    if (method === "linear") {
      writeAffine(row, texelCount, target, at);
    } else {
      for (let k = 0; k < 8; k++) target[at + k] = row[k];
      if (stride === 5) for (let k = 0; k < 12; k++) target[at + 8 + k] = scaleNumber(row, texelCount, k >> 2, k & 3);
    }
  }
}

// Row and column of the scale's 3x4.
function scaleNumber(row, texelCount, i, j) {
  if (texelCount === 5) return row[8 + 4 * i + j];
  if (texelCount === 2) return i === j ? 1 : 0;
  return j === 3 ? row[8 + i] : i === j ? row[11] : 0;
}

// The 3x4 matrix of a dual quaternion of any length, after its scale.
function writeAffine(row, texelCount, target, at) {
  const length = Math.hypot(row[0], row[1], row[2], row[3]);
  const [x, y, z, w, dx, dy, dz, dw] = Array.from(row.subarray(0, 8), (number) => number / length);
  const rigid = [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (w * dx - dw * x + y * dz - z * dy),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (w * dy - dw * y + z * dx - x * dz),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 2 * (w * dz - dw * z + x * dy - y * dx),
  ];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 4; j++) {
      let sum = j === 3 ? rigid[4 * i + 3] : 0;
      for (let k = 0; k < 3; k++) sum += rigid[4 * i + k] * scaleNumber(row, texelCount, k, j);
      target[at + 4 * i + j] = sum;
    }
  }
}

const SCREEN = `
in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }`;

// `poses` has TEXELS of each row: real and dual part, then scale, if any; `moments` two of each instance. `firsts` are
// those of this row in the frames before and after, and in those of the next clip, `weights` theirs. q and -q are one
// rotation: the frame after is signed to that before, the next clip to this one. A row of a rotation is the axis, rotated
// back.
const MIX = `
precision highp float;
precision highp int;
uniform highp sampler2D poses;
uniform highp sampler2D moments;
uniform int texel_count;
out vec4 texel;

vec4 pose(int i) { return texelFetch(poses, ivec2(i & 2047, i >> 11), 0); }
vec4 moment(int i) { return texelFetch(moments, ivec2(i & 2047, i >> 11), 0); }

ivec4 firsts;
vec4 weights;
bool fades;

vec4 mixed(int k, vec4 w) {
  vec4 sum = w.x * pose(firsts.x + k) + w.y * pose(firsts.y + k);
  return fades ? sum + w.z * pose(firsts.z + k) + w.w * pose(firsts.w + k) : sum;
}

vec4 scale_row(int i) {
#if TEXELS == 3
  vec4 even = mixed(2, weights);
  return vec4(i == 0, i == 1, i == 2, 0.0) * even.w + vec4(0.0, 0.0, 0.0, even[i]);
#elif TEXELS == 5
  return mixed(2 + i, weights);
#else
  return vec4(i == 0, i == 1, i == 2, 0.0);
#endif
}

void main() {
  int i = int(gl_FragCoord.y) << 11 | int(gl_FragCoord.x);
  if (i >= texel_count) discard;
  int part = i % STRIDE;
  int row = (i / STRIDE) % ROWS;
  int instance = i / (STRIDE * ROWS);
  vec4 now = moment(2 * instance);
  vec4 next = moment(2 * instance + 1);
  fades = now.w > 0.0;
  firsts = (ivec4(now.xy, next.xy) * ROWS + row) * TEXELS;
  weights = vec4((1.0 - now.w) * vec2(1.0 - now.z, now.z), now.w * vec2(1.0 - next.z, next.z));
  vec4 turning = weights;
  vec4 a = pose(firsts.x);
  vec4 b = pose(firsts.y);
  if (dot(a, b) < 0.0) turning.y = -turning.y;
  if (fades) {
    vec4 c = pose(firsts.z);
    vec4 d = pose(firsts.w);
    if (dot(c, d) < 0.0) turning.w = -turning.w;
    if (dot(turning.x * a + turning.y * b, turning.z * c + turning.w * d) < 0.0) turning.zw = -turning.zw;
  }
#if STRIDE == 3
  vec4 real = mixed(0, turning);
  vec4 dual = mixed(1, turning);
  float inverse = inversesqrt(dot(real, real));
  real *= inverse;
  dual *= inverse;
  vec3 shift = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
  vec3 axis = vec3(part == 0, part == 1, part == 2);
  vec3 turned = axis + 2.0 * cross(real.xyz, cross(real.xyz, axis) - real.w * axis);
#if TEXELS == 2
  texel = vec4(turned, shift[part]);
#else
  texel = turned.x * scale_row(0) + turned.y * scale_row(1) + turned.z * scale_row(2) + vec4(0.0, 0.0, 0.0, shift[part]);
#endif
#else
  texel = part < 2 ? mixed(part, turning) : scale_row(part - 2);
#endif
}`;

/** The palettes of a crowd as a texture: `value` of the uniform `texture`. */
export class Palettes {
  constructor(bake, method, count, renderer) {
    this.bake = bake;
    this.method = method;
    this.stride = strideOf(bake, method);
    this.moments = new Float32Array(4 * FOLD * foldedHeight(2 * count));
    this.texelCount = count * bake.rowCount * this.stride;
    this.texture = { value: null };
    const lines = Math.max(foldedHeight(this.texelCount), foldedHeight(bake.texels.length / 4));
    const most = renderer?.capabilities.maxTextureSize ?? 16384;
    if (foldedHeight(this.texelCount) > most) {
      throw new RangeError(`BakedCrowd: count must be at most ${Math.floor((most * FOLD) / (bake.rowCount * this.stride))} here, got ${count}`);
    }
    const canMix = lines <= most && renderer?.extensions.has("EXT_color_buffer_float");
    if (canMix) this.prepare(renderer);
    else {
      this.mixed = new Float32Array(4 * FOLD * foldedHeight(this.texelCount));
      this.texture.value = floatTexture(this.mixed);
    }
  }

  prepare(renderer) {
    const { bake } = this;
    const padded = new bake.texels.constructor(4 * FOLD * foldedHeight(bake.texels.length / 4));
    padded.set(bake.texels);
    this.poses = floatTexture(padded, bake.isHalf ? HalfFloatType : FloatType);
    this.momentTexture = floatTexture(this.moments);
    const material = new RawShaderMaterial({
      name: "lissom palettes",
      glslVersion: GLSL3,
      defines: { TEXELS: bake.texelCount, ROWS: bake.rowCount, STRIDE: this.stride },
      uniforms: { poses: { value: this.poses }, moments: { value: this.momentTexture }, texel_count: { value: 0 } },
      vertexShader: SCREEN,
      fragmentShader: MIX,
      depthTest: false,
      depthWrite: false,
      blending: NoBlending,
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const screen = new Mesh(geometry, material);
    screen.frustumCulled = false;
    this.pass = { renderer, screen, scene: new Scene().add(screen), camera: new Camera() };
    this.target = new WebGLRenderTarget(FOLD, foldedHeight(this.texelCount), {
      type: FloatType, format: RGBAFormat, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false,
    });
    this.texture.value = this.target.texture;
  }

  /** Mixes the first `count` palettes by the moments. */
  mix(count) {
    const { bake, moments, stride, texture } = this;
    if (!this.pass) {
      const width = 4 * stride * bake.rowCount;
      for (let i = 0; i < count; i++) mixPalette(bake, this.method, moments.subarray(8 * i, 8 * i + 8), this.mixed, i * width);
      texture.value.needsUpdate = true;
      return;
    }
    const { renderer, screen, scene, camera } = this.pass;
    this.momentTexture.needsUpdate = true;
    screen.material.uniforms.texel_count.value = count * bake.rowCount * stride;
    const [target, face, level] = [renderer.getRenderTarget(), renderer.getActiveCubeFace(), renderer.getActiveMipmapLevel()];
    const [xr, clears] = [renderer.xr.enabled, renderer.autoClear];
    renderer.xr.enabled = renderer.autoClear = false;
    renderer.setRenderTarget(this.target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(target, face, level);
    [renderer.xr.enabled, renderer.autoClear] = [xr, clears];
  }

  dispose() {
    this.texture.value.dispose();
    if (!this.pass) return;
    for (const one of [this.target, this.poses, this.momentTexture, this.pass.screen.geometry, this.pass.screen.material]) {
      one.dispose();
    }
  }
}
