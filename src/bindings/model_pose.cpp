// SPDX-License-Identifier: MIT
#include "core/animation/model_pose.h"

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

template <class T>
Error run(ArrayArgs& args, const py::object& parents, const py::object& poses, const py::object& out) {
  ModelPoseJob<T> job;
  job.parents = args.in<std::int32_t>(parents, "parents", {"joint"});
  job.poses = args.in<T>(poses, "poses", {kBatch, "joint", 10});
  job.out = args.out<T>(out, "out", {kBatch, "joint", 4, 4});
  const GilRelease nogil;
  return job.run();
}

}  // namespace

void bind_model_pose(py::module_& module) {
  module.def(
      "check_parents",
      [](const py::object& parents) {
        ArrayArgs args("Skeleton");
        raise_if("Skeleton", check_parents(args.in<std::int32_t>(parents, "parents", {"joint"})));
      },
      "Refuse a parent that does not come before its child.", py::arg("parents"));

  module.def(
      "model_matrices",
      [](const py::object& parents, const py::object& poses, const py::object& out) {
        ArrayArgs args("model_matrices");
        raise_if("model_matrices", args.is_double(poses, "poses") ? run<double>(args, parents, poses, out)
                                                                  : run<float>(args, parents, poses, out));
      },
      "Write model_from_joint of every joint and pose into out.", py::arg("parents"), py::arg("poses"),
      py::arg("out"));
}

}  // namespace lissom::bindings
