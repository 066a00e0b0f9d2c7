// SPDX-License-Identifier: MIT
// The instances of a crowd, four texels each, folded (texel.glsl):
//   frame, frame of the next clip, fade, scale of lengths
//   clip, next clip, 0, 0
//   world position, 0
//   rotation, world from model: a unit quaternion
#ifndef LISSOM_CROWD
#define LISSOM_CROWD

#include "affine.glsl"
#include "dual_quat.glsl"
#include "pose_texture.glsl"

struct CrowdInstance {
  PoseMoment moment;
  vec3 position;
  vec4 rotation;
  float scale;
};

CrowdInstance crowd_instance(highp sampler2D instances, int i) {
  vec4 time = texelFetch(instances, folded_texel(4 * i), 0);
  vec4 clips = texelFetch(instances, folded_texel(4 * i + 1), 0);
  PoseMoment moment = PoseMoment(time.x, time.y, time.z, ivec2(clips.xy));
  return CrowdInstance(moment, texelFetch(instances, folded_texel(4 * i + 2), 0).xyz,
                       texelFetch(instances, folded_texel(4 * i + 3), 0), time.w);
}

vec3 crowd_point(CrowdInstance instance, vec3 point) {
  return instance.position + quat_rotate(instance.rotation, instance.scale * point);
}

// A dual quaternion of the model, of any length, placed in the world: it moves points that are scaled before.
mat2x4 crowd_dual_quat(CrowdInstance instance, mat2x4 q) {
  return dual_quat_mul(dual_quat_from_parts(instance.rotation, instance.position), mat2x4(q[0], instance.scale * q[1]));
}

// A row of an affine map into the model, placed in the world: a shader that writes one texel needs no other.
vec4 crowd_affine_row(CrowdInstance instance, mat3x4 map, int row) {
  mat3 linear = instance.scale * quat_to_matrix(instance.rotation);
  vec4 placed = affine_from_parts(linear, instance.position)[row];
  return placed.x * map[0] + placed.y * map[1] + placed.z * map[2] + vec4(0.0, 0.0, 0.0, placed.w);
}

#endif
