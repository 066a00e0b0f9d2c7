// SPDX-License-Identifier: MIT
// Google's own encoder. Reads JSON from stdin: a list of {faces: numbers, attributes: [{kind, type, width, values}],
// speeds: [encoding, decoding], bits: {kind: of quantization}}; prints the stream of each in base64, or "" where it gives none.
import { readFileSync } from "node:fs";
import draco3d from "draco3dgltf";

const draco = await draco3d.createEncoderModule();
const arrays = { Float32: Float32Array, UInt8: Uint8Array, UInt16: Uint16Array, UInt32: Uint32Array };
const answers = JSON.parse(readFileSync(0, "utf8")).map(({ faces, attributes, speeds, bits }) => {
  const encoder = new draco.Encoder();
  const builder = new draco.MeshBuilder();
  const mesh = new draco.Mesh();
  builder.AddFacesToMesh(mesh, faces.length / 3, new Uint32Array(faces));
  for (const { kind, type, width, values } of attributes) {
    const add = type === "Float32" ? "AddFloatAttribute" : `Add${type}Attribute`;
    builder[add](mesh, draco[kind], values.length / width, width, new arrays[type](values));
  }
  for (const [kind, count] of Object.entries(bits)) encoder.SetAttributeQuantization(draco[kind], count);
  encoder.SetSpeedOptions(...speeds);
  const out = new draco.DracoInt8Array();
  const size = encoder.EncodeMeshToDracoBuffer(mesh, out);
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => out.GetValue(i) & 255));
  for (const one of [out, mesh, builder, encoder]) draco.destroy(one);
  return bytes.toString("base64");
});
console.log(JSON.stringify(answers));
