// SPDX-License-Identifier: MIT
// How poses move vertices: rows of palettes from frames of a bake, and vertices by them; by the CPU in double, and as
// shaders. Nothing of three here.

export const FOLD = 2048; // texels of a line
export const foldedHeight = (texels) => Math.max(1, Math.ceil(texels / FOLD));

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

/** The palettes of the first `count` moments, one after another. */
export function mixPalettes(bake, method, moments, count, target) {
  const width = 4 * strideOf(bake, method) * bake.rowCount;
  for (let i = 0; i < count; i++) mixPalette(bake, method, moments.subarray(8 * i), target, i * width);
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

// `poses` has TEXELS of each row: real and dual part, then scale, if any; `moments` two of each instance. `firsts` are
// those of this row in the frames before and after, and in those of the next clip, `weights` theirs. q and -q are one
// rotation: the frame after is signed to that before, the next clip to this one. A row of a rotation is the axis, rotated
// back.
/** The fragment shader that does the same: a texel of the palettes each. */
export const MIX = `
precision highp float;
precision highp int;
uniform highp sampler2D poses;
uniform highp sampler2D moments;
uniform int texel_count;
layout(location = 0) out vec4 texel;

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

// Influences come the heaviest first, weights sum to 1. The columns of lissomMap are the rows of a 3x4 matrix.
/** Functions of a vertex shader: lissomBlend first, then lissomPoint and lissomVector. */
export const VERTEX = `
#ifndef LISSOM_INSTANCE
#define LISSOM_INSTANCE gl_InstanceID
#endif
uniform highp sampler2D lissomPalette;
attribute vec4 lissomRows0;
attribute vec4 lissomWeights0;
#if LISSOM_INFLUENCES > 4
attribute vec4 lissomRows1;
attribute vec4 lissomWeights1;
#endif

vec4 lissomTexel(int i) { return texelFetch(lissomPalette, ivec2(i & 2047, i >> 11), 0); }

#if LISSOM_STRIDE != 2
mat3x4 lissomMap;
void lissomAddMap(float weight, int i) {
  lissomMap += weight * mat3x4(lissomTexel(i), lissomTexel(i + 1), lissomTexel(i + 2));
}
#endif

#if LISSOM_STRIDE == 3
void lissomAdd(float weight, float row) {
  if (weight > 0.0) lissomAddMap(weight, (LISSOM_INSTANCE * LISSOM_ROWS + int(row)) * LISSOM_STRIDE);
}
vec3 lissomPoint(vec3 p) { return vec4(p, 1.0) * lissomMap; }
vec3 lissomVector(vec3 v) { return vec4(v, 0.0) * lissomMap; }
#else
vec4 lissomPivot;
vec4 lissomReal;
vec4 lissomDual;
void lissomAdd(float weight, float row) {
  if (weight == 0.0) return;
  int i = (LISSOM_INSTANCE * LISSOM_ROWS + int(row)) * LISSOM_STRIDE;
  vec4 real = lissomTexel(i);
  if (lissomPivot == vec4(0.0)) lissomPivot = real;
  float signed_weight = dot(real, lissomPivot) < 0.0 ? -weight : weight;
  lissomReal += signed_weight * real;
  lissomDual += signed_weight * lissomTexel(i + 1);
#if LISSOM_STRIDE == 5
  lissomAddMap(weight, i + 2);
#endif
}
vec3 lissomPoint(vec3 p) {
#if LISSOM_STRIDE == 5
  p = vec4(p, 1.0) * lissomMap;
#endif
  vec4 r = lissomReal;
  vec4 d = lissomDual;
  vec3 inner = cross(r.xyz, p) + r.w * p + d.xyz;
  return p + 2.0 / dot(r, r) * (cross(r.xyz, inner) + r.w * d.xyz - d.w * r.xyz);
}
vec3 lissomVector(vec3 v) {
#if LISSOM_STRIDE == 5
  vec3 x = lissomMap[0].xyz;
  vec3 y = lissomMap[1].xyz;
  vec3 z = lissomMap[2].xyz;
  v = v * mat3(cross(y, z), cross(z, x), cross(x, y));
#endif
  vec4 r = lissomReal;
  return v + 2.0 / dot(r, r) * cross(r.xyz, cross(r.xyz, v) + r.w * v);
}
#endif

void lissomBlend() {
#if LISSOM_STRIDE != 2
  lissomMap = mat3x4(0.0);
#endif
#if LISSOM_STRIDE != 3
  lissomPivot = lissomReal = lissomDual = vec4(0.0);
#endif
  lissomAdd(lissomWeights0.x, lissomRows0.x);
#if LISSOM_INFLUENCES > 1
  lissomAdd(lissomWeights0.y, lissomRows0.y);
#endif
#if LISSOM_INFLUENCES > 2
  lissomAdd(lissomWeights0.z, lissomRows0.z);
#endif
#if LISSOM_INFLUENCES > 3
  lissomAdd(lissomWeights0.w, lissomRows0.w);
#endif
#if LISSOM_INFLUENCES > 4
  if (lissomWeights1.x > 0.0) {
    lissomAdd(lissomWeights1.x, lissomRows1.x);
    lissomAdd(lissomWeights1.y, lissomRows1.y);
    lissomAdd(lissomWeights1.z, lissomRows1.z);
    lissomAdd(lissomWeights1.w, lissomRows1.w);
  }
#endif
}`;

/** Moves vertex v by a palette (mixPalette), in double; writes x, y, z into `target` from `at` on. */
export function skinVertex({ positions, groups }, palette, stride, v, target, at = 0) {
  let [x, y, z] = positions.subarray(3 * v, 3 * v + 3);
  const sum = new Float64Array(20); // the texels of a row
  let pivot = -1;
  for (const { rows, weights } of groups) {
    for (let k = 4 * v; k < 4 * v + 4; k++) {
      const [first, weight] = [4 * stride * rows[k], weights[k]];
      if (weight === 0) continue;
      if (pivot < 0) pivot = first;
      let towards = 0;
      for (let j = 0; j < 4; j++) towards += palette[first + j] * palette[pivot + j];
      const turning = stride !== 3 && towards < 0 ? -weight : weight;
      for (let j = 0; j < 4 * stride; j++) sum[j] += (j < 8 ? turning : weight) * palette[first + j];
    }
  }
  if (stride !== 2) {
    const map = sum.subarray(stride === 3 ? 0 : 8);
    [x, y, z] = [0, 4, 8].map((i) => map[i] * x + map[i + 1] * y + map[i + 2] * z + map[i + 3]);
  }
  if (stride !== 3) {
    const [a, b, c, w, da, db, dc, dw] = sum;
    const s = 2 / (a * a + b * b + c * c + w * w);
    const inner = [b * z - c * y + w * x + da, c * x - a * z + w * y + db, a * y - b * x + w * z + dc];
    x += s * (b * inner[2] - c * inner[1] + w * da - dw * a);
    y += s * (c * inner[0] - a * inner[2] + w * db - dw * b);
    z += s * (a * inner[1] - b * inner[0] + w * dc - dw * c);
  }
  target[at] = x;
  target[at + 1] = y;
  target[at + 2] = z;
}
