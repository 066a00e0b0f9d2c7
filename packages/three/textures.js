// SPDX-License-Identifier: MIT
// The pictures of a bake as three's textures.
import { RepeatWrapping, SRGBColorSpace, Texture } from "three";
import { readBake } from "./bake.js";

export async function loadBake(source) {
  const bake = await readBake(source);
  if (bake.levels.length) bake.Levels = (await import("./levels.js")).Levels; // others need not fetch it
  if (typeof createImageBitmap === "function") {
    bake.textures = await Promise.all(bake.pictures.map((picture) => textureOf(picture, bake.name)));
  }
  return bake;
}

async function textureOf({ bytes, mime, name }, file) {
  const blob = new Blob([bytes], { type: mime });
  const image = await createImageBitmap(blob, { colorSpaceConversion: "none", premultiplyAlpha: "none" }).catch(() => {
    throw new Error(`loadBake: ${file} has the picture '${name}' (${mime || "of unknown type"}), which this browser cannot decode`);
  });
  return Object.assign(new Texture(image), {
    name, colorSpace: SRGBColorSpace, wrapS: RepeatWrapping, wrapT: RepeatWrapping, flipY: false, needsUpdate: true,
  });
}
