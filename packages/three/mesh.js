// SPDX-License-Identifier: MIT
// The mesh of a bake as three's geometry, and its parts as three's materials, which mean what glTF's do.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, MeshBasicMaterial, MeshStandardMaterial,
} from "three";

/** The parameters of three's material for a part. */
function parametersOf({ name, base_color, texture, emissive, emissive_texture = -1, ...part }, bake) {
  const [red, green, blue, alpha] = base_color;
  const mode = part.alpha_mode ?? "opaque";
  const parameters = {
    name,
    color: new Color().setRGB(red, green, blue),
    vertexColors: bake.mesh.colors !== null,
    side: part.double_sided ? DoubleSide : FrontSide,
  };
  if (texture >= 0) parameters.map = bake.textures[texture];
  if (mode !== "opaque") parameters.opacity = alpha;
  if (mode === "mask") parameters.alphaTest = part.alpha_cutoff ?? 0.5;
  if (mode === "blend") Object.assign(parameters, { transparent: true, depthWrite: false });
  if (part.unlit) return parameters;
  if (!bake.mesh.normals) parameters.flatShading = true;
  if (emissive) parameters.emissive = new Color().setRGB(...emissive);
  if (emissive && emissive_texture >= 0) parameters.emissiveMap = bake.textures[emissive_texture];
  return parameters;
}

const standard = (part, parameters) =>
  part.unlit ? new MeshBasicMaterial(parameters) : new MeshStandardMaterial({ roughness: 0.8, metalness: 0, ...parameters });

/** Geometry and materials; `make(part, parameters)` makes another material than the standard one. */
export function modelOf(bake, make = standard) {
  const { mesh } = bake;
  const looks = bake.looks();
  const geometry = new BufferGeometry();
  geometry.name = bake.name;
  const drawn = [looks, ...(bake.Levels ? bake.levels.map((level) => bake.looks(level)) : [])];
  geometry.setIndex(drawn.flat().flatMap(({ corners }) => corners));
  const levels = new Float32Array(mesh.positions.length / 3);
  let start = 0;
  drawn.forEach((some, level) =>
    some.forEach(({ corners: { length: count }, corners }, materialIndex) => {
      if (looks.length > 1 || drawn.length > 1) geometry.groups.push({ start, count, materialIndex, level });
      for (const corner of corners) levels[corner] = level;
      start += count;
    }),
  );
  if (drawn.length > 1) geometry.setAttribute("lissomLevel", new BufferAttribute(levels, 1));
  const arrays = { position: [mesh.positions, 3], normal: [mesh.normals, 3], uv: [mesh.uvs, 2], color: [mesh.colors, 4] };
  for (const [name, [array, width]] of Object.entries(arrays)) {
    if (array) geometry.setAttribute(name, new BufferAttribute(array, width));
  }
  mesh.groups.forEach(({ rows, weights }, i) => {
    geometry.setAttribute(`lissomRows${i}`, new BufferAttribute(rows, 4));
    geometry.setAttribute(`lissomWeights${i}`, new BufferAttribute(weights, 4));
  });
  const materials = looks.map(({ look }) => make(look, parametersOf(look, bake)));
  return { geometry, material: geometry.groups.length ? materials : materials[0] };
}
