// SPDX-License-Identifier: MIT
// Palettes in float textures, one for each instance: blended from the pose texture by a pre-pass, or sent by a kernel.

// The pose texture, laid out in layers of an array texture as by gpu/_pose_upload.py.
function makePoses(gl, bundle) {
  const { layout, texels, pose_rows, frames } = bundle.info;
  if (layout === null) return null;
  const [format, type] = {
    Uint16Array: [gl.RGBA16F, gl.HALF_FLOAT],
    Float32Array: [gl.RGBA32F, gl.FLOAT],
    Uint8Array: [gl.RGBA8, gl.UNSIGNED_BYTE],
  }[bundle.texels.constructor.name];
  const bits = Math.min(Math.floor(Math.log2(gl.getParameter(gl.MAX_TEXTURE_SIZE))), 14);
  const lines = foldedHeight(bundle.texels.length / 4);
  const side = Math.min(lines, 1 << bits);
  const pages = Math.ceil(lines / side);
  const most = gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS);
  if (pages > most) throw new Error(`the pose texture needs ${pages} pages, this browser has ${most}`);
  const target = gl.TEXTURE_2D_ARRAY;
  const texture = gl.createTexture();
  bindTexture(gl, "poses", texture, target);
  gl.texStorage3D(target, 1, format, FOLD, side, pages);
  setFilter(gl, target);
  const write = (first, width, line, height) => {
    const part = bundle.texels.subarray(4 * first, 4 * (first + width * height));
    gl.texSubImage3D(target, 0, 0, line % side, Math.floor(line / side), width, height, 1, gl.RGBA, type, part);
  };
  const count = bundle.texels.length / 4;
  const whole = Math.floor(count / FOLD);
  for (let line = 0; line < whole; line += side) write(line * FOLD, FOLD, line, Math.min(side, whole - line));
  if (count % FOLD) write(whole * FOLD, count % FOLD, whole, 1);
  for (const name of ["ranges", "rig"]) {
    if (!bundle[name]) continue;
    makeTexture(gl, name, gl.RGBA32F, FOLD, foldedHeight(bundle[name].length / 4));
    writeFolded(gl, name, bundle[name]);
  }
  return {
    defines: { POSE_LAYOUT: layout, POSE_TEXELS: texels, ...(bundle.ranges ? { POSE_BYTES: 1 } : {}) },
    uniforms: { pose_row_count: pose_rows, frame_count: frames, line_bits: bits },
  };
}

// Identity palettes, for a mesh without pose, as arguments of pose().
function restPalettes({ palette_rows, scaled }) {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const filled = (row) => Float32Array.from(Array(palette_rows).fill(row).flat());
  return { linear: filled(identity), dual: filled([0, 0, 0, 1, 0, 0, 0, 0, ...(scaled ? identity : [])]) };
}

// The box in bind space of the vertices of each palette row; null for rows without vertices.
function rowBoxes(bundle) {
  const { positions, info } = bundle;
  const boxes = Array.from({ length: info.palette_rows }, () => null);
  for (const [rows, weights] of influencesOf(bundle).map((names) => names.map((name) => bundle[name])))
    for (let i = 0; i < rows.length; i++) {
      if (!weights[i]) continue;
      const at = 3 * (i >> 2);
      const box = (boxes[rows[i]] ??= [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]]);
      for (let k = 0; k < 3; k++) {
        box[0][k] = Math.min(box[0][k], positions[at + k]);
        box[1][k] = Math.max(box[1][k], positions[at + k]);
      }
    }
  return boxes;
}

// A point transformed by a row of a linear palette.
function movedByRow(texels, row, point) {
  const at = (i) => texels[12 * row + i];
  return [0, 4, 8].map((i) => at(i) * point[0] + at(i + 1) * point[1] + at(i + 2) * point[2] + at(i + 3));
}

// The palettes of a method for all instances, `stride` texels a row.
function makePalettes(gl, programs, poses, rows, stride) {
  const store = growingTexture(gl, "palette");
  let target = null;
  return {
    stride,
    use: store.use,

    // Blends frames and clips; the instances must be bound.
    mix(count, fades) {
      const texelCount = count * rows * stride;
      if (store.reserve(texelCount)) {
        gl.deleteFramebuffer(target);
        target = targetOf(gl, store.texture());
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.viewport(0, 0, FOLD, foldedHeight(texelCount));
      const defines = { ...poses.defines, PALETTE_STRIDE: stride, ...(fades ? {} : { WITHOUT_FADES: 1 }) };
      const uniforms = { ...poses.uniforms, row_count: rows, texel_count: texelCount };
      programs.use("screen.vert", "crowd_palette.frag", defines, uniforms);
      gl.disable(gl.DEPTH_TEST);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    },

    write(texels) {
      store.reserve(texels.length / 4);
      writeFolded(gl, "palette", texels);
    },

    // The texels of the first instance after mix().
    read() {
      const height = foldedHeight(rows * stride);
      const texels = new Float32Array(4 * FOLD * height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.readPixels(0, 0, FOLD, height, gl.RGBA, gl.FLOAT, texels);
      return texels;
    },
  };
}
