// SPDX-License-Identifier: MIT
// Decodes the base64 text of a page into the bytes of a bundle: the inverse of lissom/player/_packing.py.

// Restores in place the numbers of an array from byte planes, and from differences of an order from row to row. Byte k of
// the number in row i and column j is at (k * columns + j) * rows + i.
function unfilter(part, size, rows, order) {
  const columns = part.length / (rows * size) || 0;
  const count = rows * columns;
  const numbers = new { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[size](count);
  for (let k = 0, at = 0; k < size; k++)
    for (let j = 0; j < columns; j++)
      for (let i = j; i < count; i += columns) numbers[i] |= part[at++] << (8 * k);
  if (order > 0) for (let i = 0; i < count; i++) numbers[i] = (numbers[i] >>> 1) ^ -(numbers[i] & 1);
  for (let sum = 0; sum < order; sum++) for (let i = columns; i < count; i++) numbers[i] += numbers[i - columns];
  part.set(new Uint8Array(numbers.buffer));
}

async function unpack(base64) {
  const letters = atob(base64);
  const deflated = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) deflated[i] = letters.charCodeAt(i);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const start = 8 + new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  for (const [name, order] of Object.entries(JSON.parse(header.__metadata__.filters))) {
    const { dtype, shape, data_offsets: [first, end] } = header[name];
    unfilter(bytes.subarray(start + first, start + end), Number(dtype.slice(1)) / 8, shape[0], order);
  }
  return bytes;
}
