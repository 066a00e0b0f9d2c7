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

  // Fills the vertex array `name` with rows of `width` numbers, one for each vertex, or with divisor 1 for each instance;
  // attributes: [name, first column, number of columns] each.
  function fill(name, data, width, divisor, attributes) {
    arrays[name] ??= { array: gl.createVertexArray(), buffer: gl.createBuffer() };
    gl.bindVertexArray(arrays[name].array);
    gl.bindBuffer(gl.ARRAY_BUFFER, arrays[name].buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    for (const [at, first, count] of attributes) {
      const place = ATTRIBUTES.indexOf(at);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, gl.FLOAT, false, 4 * width, 4 * first);
      gl.vertexAttribDivisor(place, divisor);
    }
    gl.bindVertexArray(null);
  }

  const repeated = bones.flatMap((bone) => Array(BONE_VERTICES).fill(bone.slice(0, 8)).flat());
  fill("bones", Float32Array.from(repeated), 8, 0, [["tail", 0, 4], ["head", 4, 4]]);

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
      const [line, corner] = [new Float32Array(lines), new Float32Array(triangles)];
      counts.lines = line.length / 14;
      counts.triangles = corner.length / 21;
      counts.handles = handles.length;
      fill("lines", line, 14, 1, [["tail", 0, 3], ["tint", 3, 4], ["head", 7, 3]]);
      fill("triangles", corner, 7, 0, [["tail", 0, 3], ["tint", 3, 4]]);
      const balls = handles.flatMap(({ position, radius, color }) => [...position, radius, ...color.slice(0, 3), 1]);
      fill("handles", Float32Array.from(balls), 8, 1, [["tail", 0, 4], ["tint", 4, 4]]);
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
