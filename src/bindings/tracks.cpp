// SPDX-License-Identifier: MIT
#include "core/animation/tracks.h"

#include <utility>

#include "bindings/array_args.h"
#include "bindings/held_tracks.h"
#include "bindings/held_weights.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

template <class T>
Error span_of(ArrayArgs& args, const py::object& keys, const py::object& tracks, std::size_t joint_count,
              bool uniform, std::size_t morph_count, TimeSpan& span) {
  const auto track_view = args.in<Track>(tracks, "tracks", {"track"});
  const auto key_view = args.in<T>(keys, "keys", {"element"});
  Error error = check_tracks(track_view, key_view, joint_count, span, morph_count);
  return error || !uniform ? error : check_uniform(track_view, key_view, span);
}

}  // namespace

void bind_tracks(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(Track, joint, path, interpolation, key_count, times, values);

  py::class_<Tracks>(module, "Tracks", "The tracks of a clip, checked whole and prepared for sampling.")
      .def(py::init<const py::object&, const py::object&, const py::object&, bool, std::size_t>(),
           py::arg("keys"), py::arg("tracks"), py::arg("rest"), py::arg("uniform"), py::arg("morph_count"))
      .def("sample", &Tracks::sample, "Write the local pose at each time into out.", py::arg("times"),
           py::arg("out"), py::arg("loop"));

  py::class_<Weights>(module, "WeightTracks",
                      "The weights of morph targets of a clip, checked whole and prepared for sampling.")
      .def(py::init<const py::object&, const py::object&, const py::object&, std::size_t, bool>(),
           py::arg("keys"), py::arg("tracks"), py::arg("defaults"), py::arg("joint_count"),
           py::arg("uniform"))
      .def("sample", &Weights::sample, "Write the weights at each time into out.", py::arg("times"),
           py::arg("out"), py::arg("loop"));

  module.def(
      "tracks_span",
      [](const py::object& keys, const py::object& tracks, std::size_t joint_count, bool uniform,
         std::size_t morph_count) {
        ArrayArgs args("Clip");
        TimeSpan span;
        raise_if("Clip", args.is_double(keys, "keys")
                             ? span_of<double>(args, keys, tracks, joint_count, uniform, morph_count, span)
                             : span_of<float>(args, keys, tracks, joint_count, uniform, morph_count, span));
        return std::pair(span.start, span.end);
      },
      "Check tracks but not their keys, and the grid of uniform ones; return the first and last key time.",
      py::arg("keys"), py::arg("tracks"), py::arg("joint_count"), py::arg("uniform"), py::arg("morph_count"));
}

}  // namespace lissom::bindings
