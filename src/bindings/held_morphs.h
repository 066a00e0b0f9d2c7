// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "bindings/array_args.h"
#include "core/skinning/morph_targets.h"

namespace lissom::bindings {

// Keeps the arrays that MorphTargets view. Python passes arrays that are read-only.
struct HeldMorphs {
  HeldMorphs(py::object offsets_in, py::object vertices_in, py::object positions_in, py::object normals_in,
             py::object tangents_in)
      : offsets(std::move(offsets_in)),
        vertices(std::move(vertices_in)),
        positions(std::move(positions_in)),
        normals(std::move(normals_in)),
        tangents(std::move(tangents_in)) {
    ArrayArgs args("Morphs");
    MorphTargets::Arrays arrays;
    arrays.offsets = args.in<std::int64_t>(offsets, "offsets", {"M + 1"});
    arrays.vertices = args.in<std::uint32_t>(vertices, "vertices", {"R"});
    arrays.positions = args.in<float>(positions, "positions", {"R", 3});
    if (!normals.is_none()) arrays.normals = args.in<float>(normals, "normals", {"R", 3});
    if (!tangents.is_none()) arrays.tangents = args.in<float>(tangents, "tangents", {"R", 3});
    without_gil("Morphs", [&] { return MorphTargets::make(arrays, &targets); });
  }
  py::object offsets, vertices, positions, normals, tangents;
  MorphTargets targets;
};

}  // namespace lissom::bindings
