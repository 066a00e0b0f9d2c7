// SPDX-License-Identifier: MIT
// Skinning, plugged into the vertex shaders of Babylon's materials.
import { MaterialPluginBase } from "@babylonjs/core";
import { VERTEX } from "./moving.js";

export class Skinning extends MaterialPluginBase {
  constructor(material, bake, palettes, mirrors) {
    const numbers = {
      LISSOM_ROWS: bake.rowCount,
      LISSOM_STRIDE: palettes.stride,
      LISSOM_INFLUENCES: bake.mesh.influenceCount,
      LISSOM_SIDE: mirrors ? "vec3(-1.0, 1.0, 1.0)" : "vec3(1.0)",
    };
    super(material, "LissomSkinning", 100, Object.fromEntries(Object.keys(numbers).map((name) => [name, -1])));
    this.numbers = numbers;
    this.palettes = palettes;
    this.registerForExtraEvents = true; // hardBindForSubMesh
    this._enable(true);
  }

  getClassName() {
    return "LissomSkinning";
  }

  isCompatible(language) {
    return language === 0; // GLSL
  }

  isReadyForSubMesh() {
    return this.palettes.isReady;
  }

  prepareDefines(defines) {
    Object.assign(defines, this.numbers);
  }

  getAttributes(attributes) {
    for (let i = 0; i < Math.ceil(this.numbers.LISSOM_INFLUENCES / 4); i++) attributes.push(`lissomRows${i}`, `lissomWeights${i}`);
  }

  getSamplers(samplers) {
    samplers.push("lissomPalette");
  }

  hardBindForSubMesh(buffer) {
    buffer.setTexture("lissomPalette", this.palettes.texture);
  }

  getCustomCode(type) {
    if (type !== "vertex") return null;
    return {
      CUSTOM_VERTEX_DEFINITIONS: VERTEX,
      CUSTOM_VERTEX_UPDATE_POSITION: "lissomBlend();\npositionUpdated = LISSOM_SIDE * lissomPoint(positionUpdated);",
      CUSTOM_VERTEX_UPDATE_NORMAL: "#ifdef NORMAL\nnormalUpdated = LISSOM_SIDE * lissomVector(normalUpdated);\n#endif",
    };
  }
}
