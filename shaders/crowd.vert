// SPDX-License-Identifier: MIT
// Many copies of one mesh, each with its own palette, which places it in the world as well. POSE_DIRECT reads the pose
// texture at every vertex instead of palettes blended once per instance: for machines without float targets.
// HEAT computes a scalar for a colour map. 1: the weight of `painted_row`. 2: the distance from the result of the other
// method of linear and dual_quat, by palettes of OTHER_STRIDE, in units of `most_difference`.
// SEAMED: another program draws the rest of the mesh.
#include "influences.glsl"
#include "morphed_vertex.glsl"
#ifndef HEAT
#define HEAT 0
#endif
#ifdef POSE_DIRECT
#include "crowd.glsl"
#include "pose_palette.glsl"
#endif

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 base_color;  // square roots of linear light: nearly sRGB, and no power per vertex
in vec4 tint;
in float scale;      // of lengths
#ifdef COVERED
in float alpha;
in uint number;      // of the instance: what is blended is drawn from the farthest on
#define INSTANCE int(number)
#else
#define INSTANCE gl_InstanceID
#endif

uniform int row_count;
#ifdef POSE_DIRECT
uniform highp sampler2DArray poses;
uniform highp sampler2D ranges;
uniform highp sampler2D rig;
uniform highp sampler2D instances;
uniform int pose_row_count;
uniform int frame_count;
uniform int line_bits;
#else
uniform highp sampler2D palette;
#endif
uniform mat4 clip_from_world;
#if HEAT == 1
uniform int painted_row;
#elif HEAT == 2
uniform highp sampler2D other_palette;
uniform float most_difference;  // lengths of the model
#endif

#ifdef SEAMED
invariant gl_Position;  // two programs draw one mesh: no light through where they meet
#endif
out vec3 surface_position;
out vec3 surface_normal;
out vec2 surface_uv;
out vec3 surface_color;
out float surface_heat;
#ifdef COVERED
out float surface_alpha;
#endif

#ifdef POSE_DIRECT
Skinned skin_from_poses(PoseMoment moment, Influences influences, Morphed shape) {
  PoseTexture pose = PoseTexture(pose_row_count, frame_count, line_bits);
#if PALETTE_STRIDE == 3
  mat3x4 affine = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    affine += weight * pose_affine(poses, ranges, rig, pose, moment, influences.rows[i]);
  }
  return skin_by_affine(affine, shape.position, shape.normal);
#else
  mat2x4 blended = mat2x4(0.0);
  mat3x4 affine = mat3x4(0.0);
  vec4 pivot = vec4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    mat2x4 moved = pose_dual_quat(poses, ranges, rig, pose, moment, influences.rows[i]);
    if (i == 0) pivot = moved[0];  // the heaviest is first
    blended += signed_weight(weight, moved[0], pivot) * moved;
    if (PALETTE_STRIDE == 5) affine += weight * pose_scale(poses, ranges, pose, moment, influences.rows[i]);
  }
  if (PALETTE_STRIDE == 5) return skin_by_scaled_dual_quat(blended, affine, shape.position, shape.normal);
  return skin_by_dual_quat(blended, shape.position, shape.normal);
#endif
}
#endif

#if HEAT == 1
float painted_weight(Influences influences) {
  float sum = 0.0;
  for (int i = 0; i < INFLUENCE_COUNT; ++i) sum += influences.rows[i] == painted_row ? influences.weights[i] : 0.0;
  return sum;
}
#elif HEAT == 2
vec3 other_position(Morphed shape) {
  Palette other = Palette(INSTANCE * row_count * OTHER_STRIDE, OTHER_STRIDE);
  vec3 scaled = OTHER_STRIDE == 2 ? scale * shape.position : shape.position;
#if SKINNING_METHOD == 0
  return skin_dual_quat(other_palette, other, vertex_influences(), scaled, shape.normal).position;
#else
  return skin_linear(other_palette, other, vertex_influences(), scaled, shape.normal).position;
#endif
}
#endif

void main() {
  Morphed shape = morphed_vertex(INSTANCE, position, normal);
#ifdef POSE_DIRECT
  CrowdInstance instance = crowd_instance(instances, INSTANCE);
  Skinned skinned = skin_from_poses(instance.moment, vertex_influences(), shape);
  surface_position = crowd_point(instance, skinned.position);
  surface_normal = quat_rotate(instance.rotation, skinned.normal);
#else
  vec3 scaled = PALETTE_STRIDE == 2 ? scale * shape.position : shape.position;
  Skinned skinned = skin_vertex(palette, INSTANCE * row_count * PALETTE_STRIDE, scaled, shape.normal);
  surface_position = skinned.position;
  surface_normal = skinned.normal;
#endif
#ifdef COVERED
  surface_alpha = alpha;
#endif
  surface_uv = uv;
  surface_color = base_color.rgb * base_color.rgb * tint.rgb;
  surface_heat = 0.0;
#if HEAT == 1
  surface_heat = painted_weight(vertex_influences());
#elif HEAT == 2
  surface_heat = distance(surface_position, other_position(shape)) / (scale * most_difference);
#endif
  gl_Position = clip_from_world * vec4(surface_position, 1.0);
}
