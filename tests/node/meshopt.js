// SPDX-License-Identifier: MIT
// meshoptimizer's own encoder and decoder. Reads JSON from stdin: a list of {mode, filter, count, stride, and either
// stream, or what to encode: data (and version), or floats and bits for a filter}, bytes as base64. Prints for each
// {stream, bytes}: the stream and what it decodes to, or {error}.
import { readFileSync } from "node:fs";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";

await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const text = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
const filters = { OCTAHEDRAL: "encodeFilterOct", QUATERNION: "encodeFilterQuat", EXPONENTIAL: "encodeFilterExp", COLOR: "encodeFilterColor" };

function encoded({ data, floats, bits, mode, filter, count, stride, version }) {
  let source = data && bytes(data);
  if (floats) {
    const values = new Float32Array(bytes(floats).buffer);
    source = MeshoptEncoder[filters[filter]](values, count, stride, bits);
  }
  return MeshoptEncoder.encodeGltfBuffer(source, count, stride, mode, version ?? 0);
}

const answers = JSON.parse(readFileSync(0, "utf8")).map((task) => {
  try {
    const stream = task.stream ? bytes(task.stream) : encoded(task);
    const target = new Uint8Array(task.count * task.stride);
    MeshoptDecoder.decodeGltfBuffer(target, task.count, task.stride, stream, task.mode, task.filter);
    return { stream: text(stream), bytes: text(target) };
  } catch (error) {
    return { error: String(error) };
  }
});
console.log(JSON.stringify(answers));
