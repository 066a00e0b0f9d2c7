// SPDX-License-Identifier: MIT
#include "core/animation/model_pose.h"

#include "bindings/array_args.h"
#include "bindings/held_parents.h"
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
  py::class_<HeldParents>(module, "Parents", "The parents of a skeleton's joints, checked once.")
      .def(py::init<const py::object&>(), py::arg("parents"));

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
