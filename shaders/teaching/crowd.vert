// SPDX-License-Identifier: MIT
// A crowd as it is usually taught: up to INSTANCE_COUNT actors per call, all they need in uniform arrays, and a texture
// that holds the model-space transform of every joint: column by frame, three rows of texels per joint (translation,
// rotation, scale). Each vertex fetches 24 texels, builds the matrices of its four joints and multiplies each with its
// inverse bind: work that is the same for all vertices of an actor. At most as many instances and joints as there are
// uniform registers.
//
// AS_PUBLISHED also goes on to the picture as the lesson does: its products are taken from the left, so matrices are
// multiplied where vectors would do, and normals are not made unit.
#include "color.glsl"
#include "quat.glsl"

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 base_color;  // sRGB
in uvec4 rows;
in vec4 weights;

uniform highp sampler2D animation;
uniform mat4 inverse_bind[JOINT_COUNT];  // joint_from_bind

uniform vec3 actor_position[INSTANCE_COUNT];
uniform vec4 actor_rotation[INSTANCE_COUNT];
uniform float actor_scale[INSTANCE_COUNT];
uniform vec3 actor_tint[INSTANCE_COUNT];
uniform ivec2 actor_frames[INSTANCE_COUNT];
uniform float actor_fraction[INSTANCE_COUNT];  // from the first frame to the second

uniform mat4 clip_from_world;

out vec3 surface_position;
out vec3 surface_normal;
out vec2 surface_uv;
out vec3 surface_color;
out float surface_heat;

mat4 trs_matrix(vec3 translation, vec4 rotation, vec3 scale) {
  return mat4(vec4(quat_rotate(rotation, vec3(scale.x, 0.0, 0.0)), 0.0),
              vec4(quat_rotate(rotation, vec3(0.0, scale.y, 0.0)), 0.0),
              vec4(quat_rotate(rotation, vec3(0.0, 0.0, scale.z)), 0.0), vec4(translation, 1.0));
}

// model_from_joint of the joint behind a palette row.
mat4 joint_pose(int row) {
  ivec2 frames = actor_frames[gl_InstanceID];
  float fraction = actor_fraction[gl_InstanceID];
  vec4 translation_a = texelFetch(animation, ivec2(frames.x, 3 * row), 0);
  vec4 rotation_a = texelFetch(animation, ivec2(frames.x, 3 * row + 1), 0);
  vec4 scale_a = texelFetch(animation, ivec2(frames.x, 3 * row + 2), 0);
  vec4 translation_b = texelFetch(animation, ivec2(frames.y, 3 * row), 0);
  vec4 rotation_b = texelFetch(animation, ivec2(frames.y, 3 * row + 1), 0);
  vec4 scale_b = texelFetch(animation, ivec2(frames.y, 3 * row + 2), 0);
  if (dot(rotation_a, rotation_b) < 0.0) rotation_b = -rotation_b;
  return trs_matrix(mix(translation_a, translation_b, fraction).xyz,
                    normalize(mix(rotation_a, rotation_b, fraction)), mix(scale_a, scale_b, fraction).xyz);
}

void main() {
  mat4 blended = mat4(0.0);
  for (int i = 0; i < 4; ++i) {
    int row = int(rows[i]);
    blended += weights[i] * (joint_pose(row) * inverse_bind[row]);
  }
  float scale = actor_scale[gl_InstanceID];
  mat4 world_from_model = trs_matrix(actor_position[gl_InstanceID], actor_rotation[gl_InstanceID], vec3(scale));
#ifdef AS_PUBLISHED
  gl_Position = clip_from_world * world_from_model * blended * vec4(position, 1.0);
  surface_position = vec3(world_from_model * blended * vec4(position, 1.0));
  surface_normal = vec3(world_from_model * blended * vec4(normal, 0.0));
#else
  vec4 world = world_from_model * (blended * vec4(position, 1.0));
  gl_Position = clip_from_world * world;
  surface_position = world.xyz;
  surface_normal = normalize(mat3(world_from_model) * (mat3(blended) * normal));
#endif
  surface_uv = uv;
  surface_color = srgb_to_linear(base_color.rgb) * actor_tint[gl_InstanceID];
  surface_heat = 0.0;
}
