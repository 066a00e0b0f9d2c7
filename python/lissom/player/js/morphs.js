// SPDX-License-Identifier: MIT
// Morph targets: the weights of clips, those that are set instead, and what shaders read of both.

const BLOCK = 96;

// The number of a target that has a name, or -1.
const morphNumber = ({ morphs }, name) => (morphs ? morphs.names.indexOf(name) : -1);

// The weights of the targets at a frame coordinate; the defaults where there are no clips.
function weightsAt({ info: { morphs, frames }, morph_weights: stored }, coordinate) {
  if (!stored) return Float32Array.from(morphs.defaults);
  const width = 4 * Math.ceil(morphs.names.length / 4);
  const frame = Math.floor(coordinate);
  const share = Math.fround(coordinate - frame);
  const [first, next] = [frame * width, Math.min(frame + 1, frames - 1) * width];
  return Float32Array.from(morphs.names, (_, m) => stored[first + m] * (1 - share) + stored[next + m] * share);
}

// The weights from 0 to 1 of all expressions, of those that are set by name, once binary ones are 0 or 1 and others have
// overridden them, as `Expressions.weights` does.
function activeExpressions(expressions, set) {
  const given = expressions.map(({ name, binary }) => {
    const weight = clamp(set[name] ?? 0, 0, 1);
    return binary ? Number(weight > 0.5) : weight;
  });
  return expressions.map(({ group, kinds, binary }, i) =>
    kinds.reduce((weight, kind) => {
      const taken = expressions.reduce((sum, other, k) => {
        if (other.group !== group || other.kinds.includes(kind)) return sum;
        const said = other.overrides[kind];
        return sum + (said === "block" ? Number(given[k] > 0) : said === "blend" ? given[k] : 0);
      }, 0);
      const left = Math.max(1 - taken, 0);
      return binary && left < 1 ? 0 : weight * left;
    }, given[i]),
  );
}

// Puts the weights of expressions in place of those of the targets that the ones which are set move.
function express({ expressions }, weights, set) {
  if (!Object.keys(set).length) return;
  const moved = expressions.filter(({ name }) => Object.hasOwn(set, name));
  const bound = new Set(moved.flatMap(({ binds }) => binds.map(([m]) => m)));
  for (const m of bound) weights[m] = 0;
  const active = activeExpressions(expressions, set);
  expressions.forEach(({ binds }, i) => {
    for (const [m, weight] of binds) if (bound.has(m)) weights[m] += weight * active[i];
  });
}

// The weights of the instance whose texels (crowd.glsl) begin at `at`; `set` and `expressed` are those of the state, of
// targets and of expressions by name.
function instanceWeights(bundle, texels, at, set, expressed = {}) {
  const [now, next, fade] = texels.subarray(at, at + 3);
  let weights = weightsAt(bundle, now);
  if (fade > 0) {
    const to = weightsAt(bundle, next);
    weights = weights.map((weight, m) => weight * (1 - fade) + to[m] * fade);
  }
  express(bundle.info.morphs, weights, expressed);
  for (const [name, weight] of Object.entries(set)) weights[morphNumber(bundle.info, name)] = weight;
  return weights;
}

// The lists of active targets that morphs.glsl reads, {texels, data}: as many texels for each of the instances. Null where
// no target is active.
function morphLists(all) {
  const active = all.map((weights) => Array.from(weights.keys()).filter((m) => weights[m] !== 0));
  const most = active.reduce((most, { length }) => Math.max(most, length), 0);
  if (!most) return null;
  const blocks = Math.ceil(all[0].length / BLOCK);
  const texels = blocks + Math.ceil(most / 4);
  const data = new Uint32Array(4 * texels * all.length);
  const weights = new Float32Array(data.buffer);
  active.forEach((targets, i) => {
    const at = 4 * texels * i;
    for (let block = 0; block < blocks; block++) data[at + 4 * block] = targets.filter((m) => m < BLOCK * block).length;
    targets.forEach((m, k) => {
      data[at + 4 * Math.floor(m / BLOCK) + 1 + ((m % BLOCK) >> 5)] |= 1 << (m & 31);
      weights[at + 4 * blocks + k] = all[i][m];
    });
  });
  return { texels, data };
}

// The positions in bind space that weights give the vertices.
function morphedPositions({ positions, morph_numbers, morph_masks, morph_rows, info: { morphs } }, weights) {
  const result = positions.slice();
  morph_numbers.forEach((number, v) => {
    for (let block = 0; number && block < morphs.blocks; block++) {
      const at = 4 * ((number - 1) * morphs.blocks + block);
      let row = morph_masks[at];
      for (let bit = 0; bit < BLOCK; bit++) {
        if (!((morph_masks[at + 1 + (bit >> 5)] >>> (bit & 31)) & 1)) continue;
        for (let k = 0; k < 3; k++) result[3 * v + k] += weights[BLOCK * block + bit] * morph_rows[3 * row + k];
        row += 1;
      }
    }
  });
  return result;
}

// How far the weights of targets and of expressions that are set move a vertex at most.
function reachOf({ morphs }, set, expressed) {
  const weights = new Float32Array(morphs.names.length);
  express(morphs, weights, expressed);
  for (const [name, weight] of Object.entries(set)) weights[morphs.names.indexOf(name)] = weight;
  return weights.reduce((sum, weight, m) => sum + Math.abs(weight) * morphs.reach[m], 0);
}

// The targets in textures, as morphs.glsl reads them; null for a mesh without any.
function makeMorphs(gl, bundle) {
  const { morphs } = bundle.info;
  if (!morphs) return null;
  const { morph_masks, morph_rows, morph_normals } = bundle;
  const lists = growingTexture(gl, "morph_weights", gl.RGBA32UI);
  const texels = new Float32Array(4 * morphs.stride * (morph_rows.length / 3));
  for (let row = 0; row < morph_rows.length / 3; row++) {
    const at = 4 * morphs.stride * row;
    texels.set(morph_rows.subarray(3 * row, 3 * row + 3), at);
    if (morph_normals) texels.set(morph_normals.subarray(3 * row, 3 * row + 3), at + 4);
  }
  makeTexture(gl, "morph_rows", gl.RGBA32F, FOLD, foldedHeight(texels.length / 4));
  writeFolded(gl, "morph_rows", texels);
  makeTexture(gl, "morph_masks", gl.RGBA32UI, FOLD, foldedHeight(morph_masks.length / 4));
  writeFolded(gl, "morph_masks", morph_masks, gl.RGBA_INTEGER, gl.UNSIGNED_INT);
  let current = null;
  return {
    // The lists of all instances; null draws the mesh as it is.
    set(next) {
      current = next;
      if (!current) return;
      lists.reserve(current.data.length / 4);
      writeFolded(gl, "morph_weights", current.data, gl.RGBA_INTEGER, gl.UNSIGNED_INT);
    },
    defines: () => (current ? { MORPHS: 1, MORPH_STRIDE: morphs.stride } : {}),
    uniforms: () => (current ? { morph_blocks: morphs.blocks, morph_texels: current.texels } : {}),
  };
}
