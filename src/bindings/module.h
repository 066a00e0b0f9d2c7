// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

namespace lissom::bindings {

// One function per file of this folder; each adds its noun to the module.
void bind_config(pybind11::module_& module);
void bind_skinning(pybind11::module_& module);
void bind_inverse_skinning(pybind11::module_& module);
void bind_centers_of_rotation(pybind11::module_& module);
void bind_vertex_normals(pybind11::module_& module);
void bind_tracks(pybind11::module_& module);
void bind_model_pose(pybind11::module_& module);
void bind_blending(pybind11::module_& module);
void bind_plain_poses(pybind11::module_& module);
void bind_plain_tracks(pybind11::module_& module);
void bind_plain_loading(pybind11::module_& module);
void bind_plain_skinning(pybind11::module_& module);
void bind_math(pybind11::module_& module);
void bind_array_functions(pybind11::module_& module);
void bind_palette(pybind11::module_& module);
void bind_bake(pybind11::module_& module);
void bind_ik(pybind11::module_& module);
void bind_plain_ik(pybind11::module_& module);
void bind_limit_fit(pybind11::module_& module);
void bind_retarget(pybind11::module_& module);
void bind_springs(pybind11::module_& module);
void bind_players(pybind11::module_& module);
void bind_foot_placement(pybind11::module_& module);
void bind_bvh_frames(pybind11::module_& module);
void bind_json_extent(pybind11::module_& module);
void bind_json_tables(pybind11::module_& module);
void bind_key_faults(pybind11::module_& module);
void bind_vector_transform(pybind11::module_& module);
void bind_implicit_shapes(pybind11::module_& module);
void bind_sealed_memory(pybind11::module_& module);
void bind_checked_rows(pybind11::module_& module);
void bind_meshopt(pybind11::module_& module);
void bind_draco(pybind11::module_& module);
void bind_ray_caster(pybind11::module_& module);
void bind_weights(pybind11::module_& module);
void bind_key_reduction(pybind11::module_& module);
void bind_lattice(pybind11::module_& module);
void bind_heat_weights(pybind11::module_& module);
void bind_reduced_weights(pybind11::module_& module);

}  // namespace lissom::bindings
