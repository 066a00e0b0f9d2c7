// SPDX-License-Identifier: MIT
// Drawn over the characters: bones, lines, triangles, handles. Hidden parts show through at 60 % opacity, those of
// handles, which start inside limbs, at 85 %.

const LINE_WIDTH = 2.5;
// Pixels, so that handles of small limbs are visible.
const LEAST_RADIUS = 7;
const HIDDEN_HANDLES = 0.85;
const HANDLE_VERTICES = 16 * 8 * 6;
const BONE_VERTICES = 24;

function makeOverlay(gl, programs, bones) {
  const arrays = {};
  const counts = { bones: bones.length, lines: 0, triangles: 0, handles: 0 };

  // Fills the vertex array `name`: [name of attribute, array, numbers per vertex, divisor] each.
  function fill(name, entries) {
    for (const buffer of arrays[name]?.buffers ?? []) gl.deleteBuffer(buffer);
    const array = arrays[name]?.array ?? gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = entries.map(([at, data, numbers, divisor]) => attribute(gl, at, data, numbers, { divisor }));
    gl.bindVertexArray(null);
    arrays[name] = { array, buffers };
  }

  // Columns `first` to `last` of rows of `width` numbers.
  const columns = (data, width, first, last) => data.filter((_, i) => i % width >= first && i % width < last);

  const repeated = bones.flatMap((bone) => Array(BONE_VERTICES).fill(bone));
  fill("bones", [0, 4].map((first, i) => [
    ["tail", "head"][i], Float32Array.from(repeated.flatMap((bone) => bone.slice(first, first + 4))), 4, 0,
  ]));

  function drawFlat(name, vertex, uniforms, draw) {
    if (!counts[name]) return;
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
    programs.use(vertex, "player_flat.frag", {}, uniforms);
    gl.bindVertexArray(arrays[name].array);
    draw(counts[name]);
  }

  function drawLit(name, vertex, uniforms, draw) {
    if (!counts[name]) return;
    gl.blendFuncSeparate(gl.CONSTANT_ALPHA, gl.ONE_MINUS_CONSTANT_ALPHA, gl.ZERO, gl.ONE);
    programs.use(vertex, "surface.frag", { WITHOUT_TEXTURE: 1, WITHOUT_HEAT: 1 }, uniforms);
    gl.enable(gl.CULL_FACE);
    gl.bindVertexArray(arrays[name].array);
    draw(counts[name]);
    gl.disable(gl.CULL_FACE);
  }

  return {
    // The arguments of createPlayer's overlay().
    set({ lines = [], triangles = [], handles = [] }) {
      const [line, corner] = [Float32Array.from(lines), Float32Array.from(triangles)];
      counts.lines = line.length / 14;
      counts.triangles = corner.length / 21;
      counts.handles = handles.length;
      fill("lines", [
        ["tail", columns(line, 14, 0, 3), 3, 1], ["head", columns(line, 14, 7, 10), 3, 1],
        ["tint", columns(line, 14, 3, 7), 4, 1],
      ]);
      fill("triangles", [["tail", columns(corner, 7, 0, 3), 3, 0], ["tint", columns(corner, 7, 3, 7), 4, 0]]);
      fill("handles", [
        ["tail", Float32Array.from(handles.flatMap(({ position, radius }) => [...position, radius])), 4, 1],
        ["tint", Float32Array.from(handles.flatMap(({ color }) => [...color.slice(0, 3), 1])), 4, 1],
      ]);
    },

    setBones(count) {
      counts.bones = count;
    },

    // Bones are drawn where `instances` is at least 1; their linear palette must be bound.
    draw(view, uniforms, instances, scale) {
      gl.enable(gl.BLEND);
      for (const opacity of [0.6, 1]) {
        if (opacity < 1) gl.disable(gl.DEPTH_TEST);
        else gl.enable(gl.DEPTH_TEST);
        gl.blendColor(0, 0, 0, opacity);
        const flat = { ...view, opacity, line_width: LINE_WIDTH * scale };
        if (instances)
          drawLit("bones", "player_bones.vert", { ...view, ...uniforms }, (count) =>
            gl.drawArraysInstanced(gl.TRIANGLES, 0, BONE_VERTICES * count, instances),
          );
        drawFlat("triangles", "player_triangle.vert", flat, (count) => gl.drawArrays(gl.TRIANGLES, 0, 3 * count));
        drawFlat("lines", "player_line.vert", flat, (count) =>
          gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count),
        );
        gl.blendColor(0, 0, 0, opacity < 1 ? HIDDEN_HANDLES : 1);
        drawLit("handles", "player_handle.vert", { ...view, least_radius: LEAST_RADIUS * scale }, (count) =>
          gl.drawArraysInstanced(gl.TRIANGLES, 0, HANDLE_VERTICES, count),
        );
      }
      gl.disable(gl.BLEND);
      gl.bindVertexArray(null);
    },
  };
}
