// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/animation/joint_distances.h"
#include "core/animation/key_segments.h"

namespace lissom::bindings {
namespace {

KeySegments make_segments(const py::object& counts, const py::object& rotates, const py::object& times,
                          const py::object& values, const py::object& levers, double limit) {
  ArrayArgs args("KeySegments");
  const auto count_view = args.in<std::int64_t>(counts, "counts", {"track"});
  const auto rotate_view = args.in<std::uint8_t>(rotates, "rotates", {"track"});
  const auto time_view = args.in<double>(times, "times", {"key"});
  const auto value_view = args.in<double>(values, "values", {"key", 4});
  const auto lever_view = args.in<double>(levers, "levers", {"key"});
  std::vector<KeyTrack> tracks;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count_view.size(); ++i) {
    if (count_view[i] < 0 || static_cast<std::size_t>(count_view[i]) > time_view.size() - begin) {
      args.value_error("counts", "must add up to the number of keys");
    }
    const auto count = static_cast<std::size_t>(count_view[i]);
    tracks.push_back({time_view.subspan(begin, count), value_view.subspan(4 * begin, 4 * count),
                      lever_view.subspan(begin, count), rotate_view[i] != 0});
    begin += count;
  }
  if (begin != time_view.size()) args.value_error("counts", "must add up to the number of keys");
  KeySegments segments;
  without_gil("KeySegments", [&] { return KeySegments::make(tracks, limit, segments); });
  return segments;
}

template <class T>
void measure(ArrayArgs& args, const py::object& parents, const py::object& offsets, const py::object& before,
             const py::object& after, const py::object& out) {
  JointDistanceJob<T> job;
  job.parents = args.in<std::int32_t>(parents, "parents", {"joint"});
  job.offsets = args.in<double>(offsets, "offsets", {"joint", 3});
  job.before = args.in<T>(before, "before", {kBatch, "joint", 10});
  job.after = args.in<T>(after, "after", {kBatch, "joint", 10});
  job.out = args.out<double>(out, "out", {kBatch, "joint"});
  run("joint_distances", job);
}

}  // namespace

void bind_key_reduction(py::module_& module) {
  py::class_<KeySegments>(module, "KeySegments",
                          "The errors of segments of LINEAR tracks, and the fewest within a bound.")
      .def(py::init(&make_segments), py::arg("counts"), py::arg("rotates"), py::arg("times"),
           py::arg("values"), py::arg("levers"), py::arg("limit"))
      .def(
          "keep",
          [](const KeySegments& segments, const py::object& bounds, const py::object& kept) {
            ArrayArgs args("KeySegments.keep");
            const auto bound_view =
                args.in<double>(bounds, "bounds", {static_cast<int>(segments.track_count())});
            const auto kept_view =
                args.out<std::uint8_t>(kept, "kept", {static_cast<py::ssize_t>(segments.key_count())});
            without_gil("KeySegments.keep", [&] { return segments.keep(bound_view, kept_view); });
          },
          "Write which keys stay within the bound of each track into kept.", py::arg("bounds"),
          py::arg("kept"));

  module.def(
      "joint_distances",
      [](const py::object& parents, const py::object& offsets, const py::object& before,
         const py::object& after, const py::object& out) {
        ArrayArgs args("joint_distances");
        (args.is_double(before, "before") ? measure<double> : measure<float>)(args, parents, offsets, before,
                                                                              after, out);
      },
      "Write the largest distance of four points of each joint between two poses into out.",
      py::arg("parents"), py::arg("offsets"), py::arg("before"), py::arg("after"), py::arg("out"));
}

}  // namespace lissom::bindings
