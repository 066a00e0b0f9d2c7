// SPDX-License-Identifier: MIT
#include "core/animation/tracks.h"

#include <utility>
#include <variant>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/animation/sampling.h"

namespace lissom::bindings {
namespace {

// A checked set of tracks together with the array its keys lie in.
class Tracks {
 public:
  Tracks(const py::object& keys, const py::object& tracks, const py::object& rest) : keys_(keys) {
    ArrayArgs args("Clip");
    if (args.is_double(keys, "keys")) {
      set_ = made<double>(args, tracks, rest);
    } else {
      set_ = made<float>(args, tracks, rest);
    }
  }

  void sample(const py::object& times, const py::object& out, int loop) const {
    std::visit([&](const auto& set) { run(set, times, out, loop); }, set_);
  }

 private:
  template <class T>
  TrackSet<T> made(ArrayArgs& args, const py::object& tracks, const py::object& rest) const {
    TrackSet<T> set;
    const auto track_view = args.in<Track>(tracks, "tracks", {"track"});
    const auto key_view = args.in<T>(keys_, "keys", {"element"});
    const auto rest_view = args.in<T>(rest, "rest", {"joint", 10});
    Error error;
    {
      py::gil_scoped_release nogil;
      error = TrackSet<T>::make(track_view, key_view, rest_view, set);
    }
    raise_if("Clip", error);
    return set;
  }

  template <class T>
  void run(const TrackSet<T>& set, const py::object& times, const py::object& out, int loop) const {
    ArrayArgs args("Clip.sample");
    SamplingJob<T> job;
    job.tracks = &set;
    job.loop = static_cast<Loop>(loop);
    job.times = args.in<double>(times, "times", {kBatch});
    job.out = args.out<T>(out, "out", {kBatch, static_cast<int>(set.joint_count()), 10});
    Error error;
    {
      py::gil_scoped_release nogil;
      error = job.run();
    }
    raise_if("Clip.sample", error);
  }

  py::object keys_;
  std::variant<TrackSet<float>, TrackSet<double>> set_;
};

template <class T>
Error span_of(ArrayArgs& args, const py::object& keys, const py::object& tracks, std::size_t joint_count,
              TimeSpan& span) {
  return check_tracks(args.in<Track>(tracks, "tracks", {"track"}), args.in<T>(keys, "keys", {"element"}),
                      joint_count, span);
}

}  // namespace

void bind_tracks(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(Track, joint, path, interpolation, key_count, times, values);

  py::class_<Tracks>(module, "Tracks", "The tracks of a clip, checked whole and prepared for sampling.")
      .def(py::init<const py::object&, const py::object&, const py::object&>(), py::arg("keys"),
           py::arg("tracks"), py::arg("rest"))
      .def("sample", &Tracks::sample, "Write the local pose at each time into out.", py::arg("times"),
           py::arg("out"), py::arg("loop"));

  module.def(
      "tracks_span",
      [](const py::object& keys, const py::object& tracks, std::size_t joint_count) {
        ArrayArgs args("Clip");
        TimeSpan span;
        raise_if("Clip", args.is_double(keys, "keys")
                             ? span_of<double>(args, keys, tracks, joint_count, span)
                             : span_of<float>(args, keys, tracks, joint_count, span));
        return std::pair(span.start, span.end);
      },
      "Check tracks but not their keys; return the first and last key time.", py::arg("keys"),
      py::arg("tracks"), py::arg("joint_count"));
}

}  // namespace lissom::bindings
