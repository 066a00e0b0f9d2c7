// SPDX-License-Identifier: MIT
// Linear and dual quaternion skinning: hooked into the vertex shaders of three's materials, and on the CPU for rays.

// Influences come the heaviest first, weights sum to 1. The columns of lissomMap are the rows of a 3x4 matrix.
const VERTEX = `
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
  if (weight > 0.0) lissomAddMap(weight, (gl_InstanceID * LISSOM_ROWS + int(row)) * LISSOM_STRIDE);
}
vec3 lissomPoint(vec3 p) { return vec4(p, 1.0) * lissomMap; }
vec3 lissomVector(vec3 v) { return vec4(v, 0.0) * lissomMap; }
#else
vec4 lissomPivot;
vec4 lissomReal;
vec4 lissomDual;
void lissomAdd(float weight, float row) {
  if (weight == 0.0) return;
  int i = (gl_InstanceID * LISSOM_ROWS + int(row)) * LISSOM_STRIDE;
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
}

void main() {
  lissomBlend();`;

const STEPS = [
  ["void main() {", VERTEX],
  ["#include <skinnormal_vertex>", "objectNormal = lissomVector(objectNormal);"],
  ["#include <skinning_vertex>", "transformed = lissomPoint(transformed);"],
];

/** Has a material move the vertices of a crowd, `texture` being the uniform of its palettes. A material serves one crowd. */
export function skin(material, { rowCount, mesh }, { stride, texture }) {
  if (material.userData.lissom) {
    throw new Error(`BakedCrowd: the material '${material.name}' moves the vertices of another crowd already; clone it`);
  }
  material.userData.lissom = true;
  material.defines = {
    ...material.defines,
    LISSOM_ROWS: rowCount,
    LISSOM_STRIDE: stride,
    LISSOM_INFLUENCES: mesh.influenceCount,
  };
  const { onBeforeCompile } = material;
  const before = material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    onBeforeCompile.call(material, shader, renderer);
    shader.uniforms.lissomPalette = texture;
    for (const [step, text] of STEPS) shader.vertexShader = shader.vertexShader.replace(step, text);
  };
  material.customProgramCacheKey = () => `${before} lissom`;
  return material;
}

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
