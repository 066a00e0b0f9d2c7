// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <variant>

#include "bindings/array_args.h"
#include "core/animation/weight_tracks.h"

namespace lissom::bindings {

// A checked set of tracks of weights together with the array of its keys.
class Weights {
 public:
  Weights(const py::object& keys, const py::object& tracks, const py::object& defaults,
          std::size_t joint_count, bool uniform)
      : keys_(keys) {
    ArrayArgs args("Clip");
    if (args.is_double(keys, "keys")) {
      set_ = made<double>(args, tracks, defaults, joint_count, uniform);
    } else {
      set_ = made<float>(args, tracks, defaults, joint_count, uniform);
    }
  }

  void sample(const py::object& times, const py::object& out, int loop) const {
    std::visit(
        [&]<class T>(const WeightTracks<T>& set) {
          ArrayArgs args("Clip.morphs");
          WeightSamplingJob<T> job;
          job.tracks = &set;
          job.loop = static_cast<Loop>(loop);
          job.times = args.in<double>(times, "times", {kBatch});
          job.out = args.out<T>(out, "out", {kBatch, static_cast<int>(set.morph_count())});
          bindings::run("Clip.morphs", job);
        },
        set_);
  }

  const auto& set() const { return set_; }

 private:
  template <class T>
  WeightTracks<T> made(ArrayArgs& args, const py::object& tracks, const py::object& defaults,
                       std::size_t joint_count, bool uniform) const {
    WeightTracks<T> set;
    const auto track_view = args.in<Track>(tracks, "tracks", {"track"});
    const auto key_view = args.in<T>(keys_, "keys", {"element"});
    const auto default_view = args.in<T>(defaults, "morph_defaults", {"morph"});
    without_gil("Clip", [&] {
      return WeightTracks<T>::make(track_view, key_view, default_view, joint_count, uniform, set);
    });
    return set;
  }

  py::object keys_;
  std::variant<WeightTracks<float>, WeightTracks<double>> set_;
};

}  // namespace lissom::bindings
