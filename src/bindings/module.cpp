// SPDX-License-Identifier: MIT
#include "bindings/module.h"

#include <exception>

#include "bindings/gil.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ core of lissom. Import lissom, not this module.";
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const lissom::bindings::Interrupted&) {  // Python's exception is set already
    }
  });
  lissom::bindings::bind_config(module);
  lissom::bindings::bind_skinning(module);
  lissom::bindings::bind_inverse_skinning(module);
  lissom::bindings::bind_centers_of_rotation(module);
  lissom::bindings::bind_vertex_normals(module);
  lissom::bindings::bind_tracks(module);
  lissom::bindings::bind_model_pose(module);
  lissom::bindings::bind_blending(module);
  lissom::bindings::bind_plain_poses(module);
  lissom::bindings::bind_plain_tracks(module);
  lissom::bindings::bind_plain_loading(module);
  lissom::bindings::bind_math(module);
  lissom::bindings::bind_array_functions(module);
  lissom::bindings::bind_palette(module);
  lissom::bindings::bind_plain_skinning(module);
  lissom::bindings::bind_bake(module);
  lissom::bindings::bind_bvh_frames(module);
  lissom::bindings::bind_json_extent(module);
  lissom::bindings::bind_json_tables(module);
  lissom::bindings::bind_key_faults(module);
  lissom::bindings::bind_vector_transform(module);
  lissom::bindings::bind_sealed_memory(module);
  lissom::bindings::bind_checked_rows(module);
  lissom::bindings::bind_meshopt(module);
  lissom::bindings::bind_draco(module);
  lissom::bindings::bind_ik(module);
  lissom::bindings::bind_plain_ik(module);
  lissom::bindings::bind_limit_fit(module);
  lissom::bindings::bind_retarget(module);
  lissom::bindings::bind_springs(module);
  lissom::bindings::bind_players(module);
  lissom::bindings::bind_foot_placement(module);
  lissom::bindings::bind_ray_caster(module);
  lissom::bindings::bind_weights(module);
  lissom::bindings::bind_key_reduction(module);
  lissom::bindings::bind_lattice(module);
  lissom::bindings::bind_implicit_shapes(module);
  lissom::bindings::bind_heat_weights(module);
  lissom::bindings::bind_reduced_weights(module);
}
