// SPDX-License-Identifier: MIT
// The bundle: 8 bytes of header length, a JSON header, arrays (as in a safetensors file).

const ARRAYS = {
  U8: Uint8Array, I8: Int8Array, U16: Uint16Array, U32: Uint32Array, F16: Uint16Array, F32: Float32Array,
};

// Names of the arrays of influences, four per vertex each.
const INFLUENCES = [["rows", "weights"], ["more_rows", "more_weights"]];
const influencesOf = (bundle) => INFLUENCES.filter(([rows]) => bundle[rows]);

// {info, and every array by its name} of a view of the bytes, with positions decoded to model space.
function readBundle(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const start = 8 + new DataView(view.buffer, view.byteOffset).getUint32(0, true);
  const { __metadata__: texts, ...arrays } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const bundle = { info: JSON.parse(texts.player) };
  for (const [name, { dtype, data_offsets: [first, end] }] of Object.entries(arrays))
    bundle[name] = new ARRAYS[dtype](bytes.slice(start + first, start + end).buffer);
  const { low, step } = bundle.info;
  const stored = bundle.positions;
  bundle.positions = new Float32Array((stored.length / 4) * 3);
  for (let i = 0; i < bundle.positions.length; i++) {
    const k = i % 3;
    bundle.positions[i] = low[k] + step[k] * stored[((i - k) / 3) * 4 + k];
  }
  return bundle;
}
