// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bindings/array_args.h"
#include "bindings/held_mesh.h"
#include "core/skinning/prepared_mesh.h"
#include "core/skinning/skinning_job.h"

namespace lissom::bindings {

// A PreparedMesh, and the order of its results.
struct HeldPrepared {
  HeldPrepared(const HeldMesh& held, const py::array_t<std::uint32_t>& cuts, bool original_order_in)
      : mesh(made(held.mesh, {cuts.data(), static_cast<std::size_t>(cuts.size())})),
        original_order(original_order_in) {}
  static PreparedMesh made(const SkinnedMesh& skinned, std::span<const std::uint32_t> cuts) {
    const GilRelease nogil;
    return PreparedMesh(skinned, cuts);
  }
  PreparedMesh mesh;
  bool original_order;
};

// Runs a job on a prepared mesh, which stores the first bind normals and tangents that it is given: a mesh never
// changes.
template <class T>
void use_prepared(HeldPrepared& prepared, SkinningJob<T>* job) {
  job->prepared = &prepared.mesh;
  job->original_order = prepared.original_order;
  if constexpr (std::is_same_v<T, float>) {
    const std::size_t count = prepared.mesh.vertex_count();
    if (job->normals.size() == 3 * count && count && !prepared.mesh.normals()) {
      prepared.mesh.keep_normals(job->normals, prepared.original_order);
    }
    if (job->tangents.size() == 4 * count && count && !prepared.mesh.tangents()) {
      prepared.mesh.keep_tangents(job->tangents, prepared.original_order);
    }
  }
}

}  // namespace lissom::bindings
