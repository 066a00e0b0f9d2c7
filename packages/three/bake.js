// SPDX-License-Identifier: MIT
// Bakes as PoseTexture.save writes them: a safetensors container of arrays, with tables as JSON in its metadata.
// Nothing of three here: other packages take this file as it is.

const FORMAT = "lissom.pose_texture";
const VERSION = 3;
const MOST_INFLUENCES = 8;
const ARRAYS = {
  U8: Uint8Array, U16: Uint16Array, U32: Uint32Array, I32: Int32Array, F16: Uint16Array, F32: Float32Array,
  F64: Float64Array,
};

const isWhole = (value, least = 0) => Number.isSafeInteger(value) && value >= least;

/** The bake at an address, or in bytes. */
export async function readBake(source) {
  const isAddress = typeof source === "string" || source instanceof URL;
  let [buffer, name] = [source, isAddress ? String(source).split(/[?#]/)[0].split("/").pop() : "the bake"];
  if (isAddress) {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error(`loadBake: ${name} cannot be fetched: ${answer.status} ${answer.statusText}`);
    buffer = await answer.arrayBuffer();
  } else if (ArrayBuffer.isView(source)) {
    buffer = source.buffer.slice(source.byteOffset, source.byteOffset + source.byteLength);
  }
  if (!(buffer instanceof ArrayBuffer)) {
    throw new TypeError(`loadBake: source must be an address, an ArrayBuffer or a view of one, got ${typeof source}`);
  }
  return new Bake(buffer, name);
}

function fromHalf(bits) {
  const exponent = (bits >> 10) & 31;
  const size = ((bits & 1023) + (exponent && 1024)) * 2 ** ((exponent || 1) - 25);
  return bits & 0x8000 ? -size : size;
}

export class Bake {
  constructor(buffer, name = "the bake") {
    const refuse = (what) => {
      throw new Error(`loadBake: ${name} ${what}`);
    };
    const { texts, arrays } = readContainer(buffer, refuse);
    if (texts.format !== FORMAT) refuse(`is not a bake: its format must be '${FORMAT}'`);
    if (!(texts.version <= VERSION)) refuse(`has version ${String(texts.version).slice(0, 20)}: these modules read up to ${VERSION}`);
    let tables;
    try {
      tables = JSON.parse(texts.tables);
    } catch {
      refuse("is damaged: its tables cannot be read");
    }
    if (tables.layout !== "dual_quat") {
      refuse(`has the layout '${tables.layout}', which is not played; bake with layout="dual_quat"`);
    }
    const array = (key, types, ...shape) => checkedArray(arrays, key, types, shape, refuse);

    this.name = name;
    this.size = tables.size;
    this.method = tables.method;
    const texels = array("texels", "F16 F32 U8", null, null, null, 4);
    [this.frameCount, this.rowCount, this.texelCount] = texels.shape;
    if (![2, 3, 5].includes(this.texelCount)) refuse(`has rows of ${this.texelCount} texels, and must have 2, 3 or 5`);
    this.clips = clipTable(tables.clips, this.frameCount, refuse);
    this.texels = texels.type === "U8" ? decodedBytes(this, texels, array) : texels.data;
    this.isHalf = texels.type === "F16";
    const isFinite = this.isHalf ? (bits) => (bits & 0x7c00) !== 0x7c00 : Number.isFinite;
    if (!this.texels.every(isFinite)) refuse("has texels that are not finite; bake it again");

    if (!tables.parts) refuse("has no mesh; bake with include_mesh=True");
    this.parts = tables.parts;
    const { vertices, levels = [] } = JSON.parse(texts.levels ?? "{}");
    this.levels = levels;
    this.mesh = readMesh(this, arrays, array, refuse);
    if (vertices <= this.mesh.count) this.mesh.count = vertices;
    if (arrays["morphs.offsets"]) {
      addDefaults(this.mesh.positions, array);
      console.warn(`loadBake: ${name} has ${tables.morphs.length} morph targets, which stay at their defaults`);
    }
    this.pictures = tables.textures.map(({ name, mime }, i) => ({ name, mime, bytes: array(`texture.${i}`, "U8", null).data }));
    this.textures = this.pictures.map(() => null);
    const joints = arrays["skin.joints"] ? array("skin.joints", "I32", null).data : null;
    this.joints = joints ? Array.from(joints, (joint) => tables.joints[joint]) : tables.joints.slice(0, this.rowCount);
    this.jointFromBind = joints ? array("skin.joint_from_bind", "F32 F64", joints.length, 4, 4).data : null;
  }

  /** The texels as numbers, decoded when they are first asked for. */
  get numbers() {
    this._numbers ??= this.isHalf ? Float32Array.from(this.texels, fromHalf) : this.texels;
    return this._numbers;
  }

  clipIndex(clip, caller = "Bake.clipIndex") {
    const names = this.clips.map(({ name }) => name);
    let index = clip;
    if (typeof clip === "string") {
      index = names.indexOf(clip);
      // Or the only one that is like it but for its case, or else but for what stands before a "|".
      for (const cut of [, "|"]) {
        const found = names.filter((name) => name.toLowerCase().split(cut).pop() === clip.toLowerCase());
        if (index < 0 && found.length === 1) index = names.indexOf(found[0]);
      }
    }
    if (isWhole(index) && index < names.length) return index;
    throw new RangeError(`${caller}: clip must be one of ${names.slice(0, 8).join(", ")}${names.length > 8 ? ", ..." : ""}, got ${clip}`);
  }

  /** Parts that look alike: {look, corners}, the corners of all their triangles; of a level of detail where one is named. */
  looks(level) {
    const looks = new Map();
    this.parts.forEach(({ name, vertices, triangles, rigid, ...look }, i) => {
      if (triangles[0] === triangles[1]) return;
      const key = JSON.stringify(look);
      if (!looks.has(key)) looks.set(key, { look: { name, ...look }, corners: [] });
      const [first, end] = level ? level.parts[i] : triangles;
      for (const corner of this.mesh.triangles.subarray(3 * first, 3 * end)) looks.get(key).corners.push(corner);
    });
    return [...looks.values()];
  }

  dispose() {
    for (const texture of this.textures) texture?.dispose();
  }
}

// The strings of the header, and every array's type, shape and bytes.
function readContainer(buffer, refuse) {
  if (buffer.byteLength < 8) refuse("is not a bake: it has fewer than 8 bytes");
  const start = 8 + Number(new DataView(buffer).getBigUint64(0, true));
  if (start > buffer.byteLength) refuse("is cut within its header, or not a bake");
  let header;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, start - 8)));
  } catch {
    refuse("is not a bake: its header is no JSON");
  }
  const { __metadata__: texts = {}, ...entries } = header ?? {};
  const arrays = { __proto__: null };
  for (const [key, { dtype, shape, data_offsets: [first, end] = [] }] of Object.entries(entries)) {
    const size = ARRAYS[dtype]?.BYTES_PER_ELEMENT;
    if (!size) refuse(`has the array '${key}' of type ${dtype}, which is not read`);
    if (!isWhole(first) || !isWhole(end, first) || !Array.isArray(shape) || end - first !== shape.reduce((a, b) => a * b, size)) {
      refuse(`is damaged: the array '${key}' does not fit its shape`);
    }
    if (start + end > buffer.byteLength) {
      refuse(`is cut: the array '${key}' ends at byte ${start + end} of ${buffer.byteLength}`);
    }
    arrays[key] = { type: dtype, shape, buffer, first: start + first, end: start + end };
  }
  return { texts, arrays };
}

// An array of one of some types; null in a shape is any length.
function checkedArray(arrays, key, types, wanted, refuse) {
  if (!arrays[key]) refuse(`is damaged: the array '${key}' is missing`);
  const { type, shape, buffer, first, end } = arrays[key];
  const fits = shape.length === wanted.length && wanted.every((length, i) => length === null || length === shape[i]);
  if (!types.split(" ").includes(type) || !fits) refuse(`is damaged: the array '${key}' is ${type} [${shape}]`);
  const Type = ARRAYS[type];
  const isAligned = first % Type.BYTES_PER_ELEMENT === 0;
  const data = isAligned
    ? new Type(buffer, first, (end - first) / Type.BYTES_PER_ELEMENT)
    : new Type(buffer.slice(first, end));
  return { type, shape, data };
}

function clipTable(clips, frameCount, refuse) {
  let next = 0;
  const result = clips.map(({ name, first_frame, frame_count, rate, loop, start, duration, bounds, error }) => {
    const numbers = [rate, start, duration, ...bounds.flat()];
    if (first_frame !== next || !isWhole(frame_count, 1) || !numbers.every(Number.isFinite) || duration < 0) {
      refuse(`is damaged: the clip '${name}' has wrong frames or numbers`);
    }
    next += frame_count;
    return { name, firstFrame: first_frame, frameCount: frame_count, rate, loop, start, duration, bounds, error };
  });
  if (!next || next !== frameCount) refuse(`is damaged: its clips have ${next} frames, its texels ${frameCount}`);
  return result;
}

// Bytes: low + step * byte, with a low and a step of each number of a row and clip.
function decodedBytes({ clips, rowCount, texelCount }, { data }, array) {
  const ranges = array("ranges", "F32", clips.length, rowCount, texelCount, 2, 4).data;
  const [result, width] = [new Float32Array(data.length), 4 * rowCount * texelCount];
  clips.forEach(({ firstFrame, frameCount }, clip) => {
    for (let i = firstFrame * width; i < (firstFrame + frameCount) * width; i++) {
      const at = 8 * ((clip * width + (i % width)) >> 2) + (i & 3);
      result[i] = ranges[at] + ranges[at + 4] * data[i];
    }
  });
  return result;
}

function readMesh({ rowCount, parts, levels }, arrays, array, refuse) {
  const positions = array("mesh.positions", "F32", null, 3);
  const count = positions.shape[0];
  const optional = (key, width) => (arrays[key] ? array(key, "F32", count, width).data : null);
  const triangles = array("mesh.triangles", "U32", null, 3).data;
  if (!triangles.every((vertex) => vertex < count)) refuse(`is damaged: a triangle names a vertex that is not there`);
  const ranges = levels.flatMap((level) => parts.map(({ name }, i) => ({ name, triangles: level.parts[i] ?? [] })));
  for (const { name, triangles: [first, end] } of [...parts, ...ranges]) {
    if (!isWhole(first) || !isWhole(end, first) || 3 * end > triangles.length) refuse(`is damaged: the part '${name}' is not within the mesh`);
  }
  return {
    count,
    positions: positions.data.slice(),
    triangles,
    normals: optional("mesh.normals", 3),
    uvs: optional("mesh.uvs", 2),
    colors: optional("mesh.colors", 4),
    ...readInfluences(array, count, rowCount, refuse),
  };
}

// Palette rows and weights, the heaviest first, in groups of four; those of weight 0 at the end have been left out.
function readInfluences(array, count, rowCount, refuse) {
  const indices = array("mesh.indices", "U8 U16 U32", count, null);
  const stored = array("mesh.weights", "F32 U8 U16", ...indices.shape);
  const unit = { F32: 1, U8: 1 / 255, U16: 1 / 65535 }[stored.type];
  const width = indices.shape[1];
  const sorted = Array.from({ length: count }, (_, v) => {
    const influences = new Map();
    for (let i = v * width; i < (v + 1) * width; i++) {
      const row = indices.data[i];
      if (!(stored.data[i] > 0)) continue;
      if (row >= rowCount) refuse(`is damaged: a vertex names row ${row} of ${rowCount}`);
      influences.set(row, (influences.get(row) ?? 0) + stored.data[i] * unit);
    }
    return [...influences].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  });
  const most = sorted.reduce((most, influences) => Math.max(most, influences.length), 1);
  const influenceCount = Math.min(most, MOST_INFLUENCES);
  const groups = Array.from({ length: Math.ceil(influenceCount / 4) }, () => ({
    rows: new (rowCount > 65536 ? Float32Array : Uint16Array)(4 * count),
    weights: new Float32Array(4 * count),
  }));
  sorted.forEach((influences, v) => {
    const kept = influences.slice(0, MOST_INFLUENCES);
    const sum = kept.length < influences.length ? kept.reduce((sum, [, weight]) => sum + weight, 0) : 1;
    kept.forEach(([row, weight], k) => {
      groups[k >> 2].rows[4 * v + (k & 3)] = row;
      groups[k >> 2].weights[4 * v + (k & 3)] = weight / sum;
    });
  });
  return { influenceCount, groups };
}

// Morph targets at the weights that a mesh has where nothing else is said.
function addDefaults(positions, array) {
  const [defaults, offsets, vertices] = [
    array("morphs.defaults", "F32", null),
    array("morphs.offsets", "U32 I32", null),
    array("morphs.vertices", "U16 U32 I32", null),
  ].map(({ data }) => data);
  const moves = array("morphs.positions", "F32", vertices.length, 3).data;
  defaults.forEach((weight, m) => {
    if (!weight) return;
    for (let i = offsets[m]; i < offsets[m + 1]; i++) {
      for (let k = 0; k < 3; k++) positions[3 * vertices[i] + k] += weight * moves[3 * i + k];
    }
  });
}
