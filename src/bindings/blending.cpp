// SPDX-License-Identifier: MIT
#include "core/animation/blending.h"

#include <pybind11/typing.h>

#include <vector>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/animation/additive.h"

namespace lissom::bindings {
namespace {

using Layers = py::typing::List<py::object>;  // one entry for each

// Inputs of which there is one for all results, or one for each, by their number of axes. The results
// have the leading axes of the latter.
template <class T>
class Inputs {
 public:
  explicit Inputs(ArrayArgs& args) : args_(args) {}

  std::span<const T> poses(const py::object& value, const char* name) {
    return is_shared(value, 2) ? args_.in<T>(value, name, {"joint", 10})
                               : args_.in<T>(value, name, {kBatch, "joint", 10});
  }
  std::span<const T> weights(const py::object& value, const char* name) {
    return is_shared(value, 0) ? args_.in<T>(value, name, {}) : args_.in<T>(value, name, {kBatch});
  }
  std::span<const T> mask(const py::object& value, const char* name) {
    if (value.is_none()) return {};
    return is_shared(value, 1) ? args_.in<T>(value, name, {"joint"})
                               : args_.in<T>(value, name, {kBatch, "joint"});
  }
  // After all inputs.
  std::span<T> out(const py::object& value) {
    return has_batch_ ? args_.out<T>(value, "out", {kBatch, "joint", 10})
                      : args_.out<T>(value, "out", {"joint", 10});
  }

 private:
  bool is_shared(const py::object& value, int axes) {
    const bool shared = py::isinstance<py::array>(value) && py::cast<py::array>(value).ndim() == axes;
    has_batch_ |= !shared;
    return shared;
  }

  ArrayArgs& args_;
  bool has_batch_ = false;
};

template <class T>
void blend(ArrayArgs& args, const py::object& a, const py::object& b, const py::object& weight,
           const py::object& mask, const py::object& out) {
  Inputs<T> inputs(args);
  BlendJob<T> job;
  job.a = inputs.poses(a, "a");
  job.b = inputs.poses(b, "b");
  job.weights = inputs.weights(weight, "weight");
  job.mask = inputs.mask(mask, "mask");
  job.out = inputs.out(out);
  job.joint_count = args.length("joint");
  run("blend", job);
}

template <class T>
void blend_layers(ArrayArgs& args, const Layers& poses, const Layers& weights, const Layers& masks,
                  const py::object& rest, double threshold, const py::object& out) {
  Inputs<T> inputs(args);
  BlendLayersJob<T> job;
  std::vector<BlendLayer<T>> layers(poses.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].poses = inputs.poses(poses[i], "poses");
    layers[i].weights = inputs.weights(weights[i], "weights");
    layers[i].mask = inputs.mask(masks[i], "masks");
  }
  job.layers = layers;
  if (!rest.is_none()) job.rest = args.in<T>(rest, "rest", {"joint", 10});
  job.threshold = static_cast<T>(threshold);
  job.out = inputs.out(out);
  job.joint_count = args.length("joint");
  run("blend_layers", job);
}

template <class T>
void add_layer(ArrayArgs& args, const py::object& base, const py::object& additive, const py::object& weight,
               const py::object& mask, const py::object& out) {
  Inputs<T> inputs(args);
  AddLayerJob<T> job;
  job.base = inputs.poses(base, "base");
  job.additive = inputs.poses(additive, "additive");
  job.weights = inputs.weights(weight, "weight");
  job.mask = inputs.mask(mask, "mask");
  job.out = inputs.out(out);
  job.joint_count = args.length("joint");
  run("add_layer", job);
}

}  // namespace

void bind_blending(py::module_& module) {
  using py::operator""_a;
  module.def(
      "blend",
      [](const py::object& a, const py::object& b, const py::object& weight, const py::object& mask,
         const py::object& out) {
        ArrayArgs args("blend");
        (args.is_double(a, "a") ? blend<double> : blend<float>)(args, a, b, weight, mask, out);
      },
      "Write the poses between a and b into out.", "a"_a, "b"_a, "weight"_a, "mask"_a, "out"_a);

  module.def(
      "blend_layers",
      [](const Layers& poses, const Layers& weights, const Layers& masks, const py::object& rest,
         double threshold, const py::object& out) {
        ArrayArgs args("blend_layers");
        if (poses.empty()) args.value_error("poses", "must hold at least one layer, got none");
        (args.is_double(poses[0], "poses") ? blend_layers<double> : blend_layers<float>)(args, poses, weights,
                                                                                         masks, rest,
                                                                                         threshold, out);
      },
      "Write the weighted means of the layers' poses into out.", "poses"_a, "weights"_a, "masks"_a, "rest"_a,
      "threshold"_a, "out"_a);

  module.def(
      "add_layer",
      [](const py::object& base, const py::object& additive, const py::object& weight, const py::object& mask,
         const py::object& out) {
        ArrayArgs args("add_layer");
        (args.is_double(base, "base") ? add_layer<double> : add_layer<float>)(args, base, additive, weight,
                                                                              mask, out);
      },
      "Write the base with weighted differences on top into out.", "base"_a, "additive"_a, "weight"_a,
      "mask"_a, "out"_a);
}

}  // namespace lissom::bindings
