// SPDX-License-Identifier: MIT
// Parts of a bake as Babylon's materials, which mean what glTF's do.
import { Color3, PBRMaterial, Texture } from "@babylonjs/core";

/** A function that returns the texture of a picture's number, which all materials of a crowd share. */
export function texturesOf(bake, scene) {
  const made = new Map();
  return (number) => {
    if (!(number >= 0)) return null;
    if (!made.has(number)) {
      const { bytes, mime, name } = bake.pictures[number];
      const onError = () => console.error(`BakedCrowd: ${bake.name} has the picture '${name}', which this browser cannot decode`);
      const options = { invertY: false, buffer: bytes, mimeType: mime || undefined, onError };
      const texture = new Texture(`data:${bake.name}/${number}`, scene, options);
      texture.name = name;
      made.set(number, texture);
    }
    return made.get(number);
  };
}

export function materialOf({ name, base_color, texture, emissive, emissive_texture = -1, ...part }, bake, scene, textureOf) {
  const [red, green, blue, alpha] = base_color;
  const mode = part.alpha_mode ?? "opaque";
  const material = new PBRMaterial(name, scene);
  material.albedoColor = new Color3(red, green, blue);
  material.albedoTexture = textureOf(texture);
  material.metallic = 0;
  material.roughness = 0.8;
  material.unlit = Boolean(part.unlit);
  material.backFaceCulling = !part.double_sided;
  material.twoSidedLighting = Boolean(part.double_sided);
  material.transparencyMode = { opaque: 0, mask: 1, blend: 2 }[mode];
  if (mode !== "opaque") {
    material.alpha = alpha;
    material.useAlphaFromAlbedoTexture = texture >= 0;
  }
  if (mode === "mask") material.alphaCutOff = part.alpha_cutoff ?? 0.5;
  if (emissive) {
    material.emissiveColor = new Color3(...emissive);
    material.emissiveTexture = textureOf(emissive_texture);
  }
  return material;
}
