// SPDX-License-Identifier: MIT
// Google's own decoder. Reads JSON from stdin: a list of {stream: base64, attributes: {name: number in the stream}};
// prints for each {points, faces, values: {name: numbers as they are stored}}.
import { readFileSync } from "node:fs";
import draco3d from "draco3dgltf";

const draco = await draco3d.createDecoderModule();
const answers = JSON.parse(readFileSync(0, "utf8")).map(({ stream, attributes }) => {
  const bytes = Buffer.from(stream, "base64");
  const decoder = new draco.Decoder();
  const mesh = new draco.Mesh();
  const status = decoder.DecodeArrayToMesh(bytes, bytes.length, mesh);
  if (!status.ok()) return { error: status.error_msg() };
  const corner = new draco.DracoInt32Array();
  const faces = [];
  for (let face = 0; face < mesh.num_faces(); face++) {
    decoder.GetFaceFromMesh(mesh, face, corner);
    faces.push(corner.GetValue(0), corner.GetValue(1), corner.GetValue(2));
  }
  const values = {};
  for (const [name, number] of Object.entries(attributes)) {
    const attribute = decoder.GetAttributeByUniqueId(mesh, number);
    const isFloat = attribute.data_type() === draco.DT_FLOAT32;
    const array = isFloat ? new draco.DracoFloat32Array() : new draco.DracoUInt32Array();
    decoder[isFloat ? "GetAttributeFloatForAllPoints" : "GetAttributeUInt32ForAllPoints"](mesh, attribute, array);
    values[name] = Array.from({ length: array.size() }, (_, i) => array.GetValue(i));
  }
  return { points: mesh.num_points(), faces, values };
});
console.log(JSON.stringify(answers));
