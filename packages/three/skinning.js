// SPDX-License-Identifier: MIT
// Skinning, hooked into the vertex shaders of three's materials.
import { VERTEX } from "./moving.js";

const STEPS = [
  ["void main() {", `${VERTEX}\nvoid main() {\n  lissomBlend();`],
  ["#include <skinnormal_vertex>", "objectNormal = lissomVector(objectNormal);"],
  ["#include <skinning_vertex>", "transformed = lissomPoint(transformed);"],
];

/** Has a material move the vertices of a crowd. A material serves one crowd. */
export function skin(material, { bake: { rowCount, mesh }, palettes: { stride, texture }, levels }) {
  if (material.userData.lissom) {
    throw new Error(`BakedCrowd: the material '${material.name}' moves the vertices of another crowd already; clone it`);
  }
  material.userData.lissom = true;
  material.defines = {
    ...material.defines,
    LISSOM_ROWS: rowCount,
    LISSOM_STRIDE: stride,
    LISSOM_INFLUENCES: mesh.influenceCount,
    LISSOM_LEVELS: levels?.distances.length ?? 0,
  };
  const { onBeforeCompile } = material;
  const before = material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    onBeforeCompile.call(material, shader, renderer);
    shader.uniforms.lissomPalette = texture;
    for (const [step, text] of STEPS) shader.vertexShader = shader.vertexShader.replace(step, text);
    if (!levels) return;
    Object.assign(shader.uniforms, { lissomPlaces: levels.places, lissomStarts: levels.starts });
    shader.vertexShader = levels.found(shader.vertexShader);
  };
  material.customProgramCacheKey = () => `${before} lissom ${Boolean(levels)}`;
  return material;
}
