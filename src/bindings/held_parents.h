// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/array_args.h"
#include "core/animation/model_pose.h"

namespace lissom::bindings {

// A copy of a skeleton's parents, checked once.
struct HeldParents {
  explicit HeldParents(const py::object& array) {
    ArrayArgs args("Skeleton");
    const auto view = args.in<std::int32_t>(array, "parents", {"joint"});
    raise_if("Skeleton", check_parents(view));
    parents.assign(view.begin(), view.end());
  }
  std::vector<std::int32_t> parents;
};

}  // namespace lissom::bindings
