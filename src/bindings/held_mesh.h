// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "bindings/array_args.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom::bindings {

// Keeps the arrays that a SkinnedMesh views. Python passes arrays that are read-only.
struct HeldMesh {
  HeldMesh(py::object positions_in, py::object indices_in, py::object weights_in)
      : positions(std::move(positions_in)), indices(std::move(indices_in)), weights(std::move(weights_in)) {
    ArrayArgs args("Mesh");
    SkinnedMesh::Arrays arrays;
    arrays.positions = args.in<float>(positions, "positions", {"V", 3});
    if (py::isinstance<py::array_t<std::uint8_t>>(weights)) {
      arrays.byte_weights = args.in<std::uint8_t>(weights, "weights", {"V", "K"});
    } else if (py::isinstance<py::array_t<std::uint16_t>>(weights)) {
      arrays.short_weights = args.in<std::uint16_t>(weights, "weights", {"V", "K"});
    } else {
      arrays.weights = args.in<float>(weights, "weights", {"V", "K"});
    }
    if (py::isinstance<py::array_t<std::uint8_t>>(indices)) {
      arrays.byte_indices = args.in<std::uint8_t>(indices, "indices", {"V", "K"});
    } else if (py::isinstance<py::array_t<std::uint32_t>>(indices)) {
      arrays.wide_indices = args.in<std::uint32_t>(indices, "indices", {"V", "K"});
    } else {
      arrays.indices = args.in<std::uint16_t>(indices, "indices", {"V", "K"});
    }
    arrays.influence_count = args.length("K");
    without_gil("Mesh", [&] { return SkinnedMesh::make(arrays, &mesh); });
  }
  // What plain functions read beside: the mesh's normals, None until they are known, and whether morph targets move
  // its vertices unless told otherwise. Python passes normals that are read-only.
  void keep_normals(const py::object& array) {
    ArrayArgs args("Mesh");
    if (!array.is_none()) args.in<float>(array, "normals", {static_cast<int>(mesh.vertex_count()), 3});
    normals = array;
  }
  py::object positions, indices, weights, normals = py::none();
  bool is_morphed = false;
  SkinnedMesh mesh;
};

}  // namespace lissom::bindings
