// SPDX-License-Identifier: MIT
// Many copies of one mesh, each with its own palette and place. POSE_DIRECT reads the pose texture at every vertex
// instead of palettes mixed once per instance: for machines without float targets.
#include "color.glsl"
#include "influences.glsl"
#include "pose_texture.glsl"

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 base_color;     // sRGB
in vec4 place_and_scale;  // world position, scale of lengths
in vec4 rotation;       // world_from_model, a unit quaternion
in vec4 tint;
in float frame;         // frame coordinate

uniform int row_count;
#ifdef POSE_DIRECT
uniform highp sampler2D poses;
uniform int texels_per_row;
uniform int frame_count;
#else
uniform highp sampler2D palette;
#endif
uniform mat4 clip_from_world;

out vec3 surface_position;
out vec3 surface_normal;
out vec2 surface_uv;
out vec3 surface_color;
out float surface_heat;

#ifdef POSE_DIRECT
Skinned skin_from_poses(Influences influences) {
  PoseTexture pose = PoseTexture(row_count, texels_per_row, frame_count);
  vec4 pivot = pose_dual_quat(poses, pose_row(pose, frame, pivot_row(influences)))[0];
  mat2x4 blended = mat2x4(0.0);
  mat3x4 affine = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    PoseRow row = pose_row(pose, frame, influences.rows[i]);
    mat2x4 moved = pose_dual_quat(poses, row);
#if PALETTE_STRIDE == 3
    affine += weight * affine_mul(dual_quat_to_rows(dual_quat_normalize(moved)), pose_scale(poses, pose, row));
#else
    blended += signed_weight(weight, moved[0], pivot) * moved;
    if (PALETTE_STRIDE == 5) affine += weight * pose_scale(poses, pose, row);
#endif
  }
  if (PALETTE_STRIDE == 3) return skin_by_affine(affine, position, normal);
  if (PALETTE_STRIDE == 5) return skin_by_scaled_dual_quat(blended, affine, position, normal);
  return skin_by_dual_quat(blended, position, normal);
}
#endif

void main() {
#ifdef POSE_DIRECT
  Skinned skinned = skin_from_poses(vertex_influences());
#else
  Skinned skinned = skin_vertex(palette, gl_InstanceID * row_count * PALETTE_STRIDE, position, normal);
#endif
  surface_position = place_and_scale.xyz + place_and_scale.w * quat_rotate(rotation, skinned.position);
  surface_normal = quat_rotate(rotation, skinned.normal);
  surface_uv = uv;
  surface_color = srgb_to_linear(base_color.rgb) * tint.rgb;
  surface_heat = 0.0;
  gl_Position = clip_from_world * vec4(surface_position, 1.0);
}
