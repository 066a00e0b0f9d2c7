// SPDX-License-Identifier: MIT
// The bundle: 8 bytes of header length, a JSON header, arrays (as in a safetensors file).

const ARRAYS = {
  U8: Uint8Array, I8: Int8Array, U16: Uint16Array, U32: Uint32Array, I32: Int32Array, F16: Uint16Array,
  F32: Float32Array,
};

// Names of the arrays of influences, four per vertex each.
const INFLUENCES = [["rows", "weights"], ["more_rows", "more_weights"]];
const influencesOf = (bundle) => INFLUENCES.filter(([rows]) => bundle[rows]);

// {info, and every array by its name} of a view of the bytes; positions in model space, weights from 0 to 1.
function readBundle(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const start = 8 + new DataView(view.buffer, view.byteOffset).getUint32(0, true);
  const { __metadata__: texts, ...arrays } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const bundle = { __proto__: null, info: JSON.parse(texts.player) };
  for (const [name, { dtype, data_offsets: [first, end] }] of Object.entries(arrays))
    bundle[name] = new ARRAYS[dtype](bytes.slice(start + first, start + end).buffer);
  const { low, step, weight_step } = bundle.info;
  const stored = bundle.positions;
  bundle.positions = new Float32Array(stored.length);
  for (let i = 0; i < stored.length; i++) bundle.positions[i] = low[i % 3] + step[i % 3] * stored[i];
  bundle.more_weights &&= Float32Array.from(bundle.more_weights, (stored) => weight_step * stored);
  bundle.weights = allWeights(bundle, weight_step);
  if (bundle.info.morphs) readMorphs(bundle, arrays);
  return bundle;
}

// Decodes the morph targets: rows in model space, weights and normals as numbers.
function readMorphs(bundle, { morph_weights }) {
  const { step } = bundle.info.morphs;
  bundle.morph_rows = Float32Array.from(bundle.morph_rows, (stored) => step * stored);
  bundle.morph_normals &&= Float32Array.from(bundle.morph_normals, fromHalf);
  if (morph_weights?.dtype === "F16") bundle.morph_weights = Float32Array.from(bundle.morph_weights, fromHalf);
}

function fromHalf(bits) {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  return exponent === 31 ? (fraction ? NaN : sign * Infinity) : sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

// Four weights per vertex, of three stored: the first, the heaviest, is what all others leave of 1.
function allWeights({ weights, more_weights }, weight_step) {
  const result = new Float32Array((weights.length / 3) * 4);
  for (let v = 0; v < weights.length / 3; v++) {
    let left = 1;
    for (let k = 0; k < 3; k++) left -= result[4 * v + k + 1] = weight_step * weights[3 * v + k];
    for (let k = 0; more_weights && k < 4; k++) left -= more_weights[4 * v + k];
    result[4 * v] = left;
  }
  return result;
}
