// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "bindings/array_args.h"
#include "core/animation/sampling.h"
#include "core/animation/tracks.h"
#include "core/animation/uniform.h"

namespace lissom::bindings {

// A checked set of tracks of joints together with the array of its keys.
class Tracks {
 public:
  Tracks(const py::object& keys, const py::object& tracks, const py::object& rest, bool uniform,
         std::size_t morph_count)
      : keys_(keys), morph_count_(morph_count) {
    ArrayArgs args("Clip");
    const bool is_double = args.is_double(keys, "keys");
    if (uniform && is_double) {
      set_ = made<UniformFrames<double>, double>(args, tracks, rest);
    } else if (uniform) {
      set_ = made<UniformFrames<float>, float>(args, tracks, rest);
    } else if (is_double) {
      set_ = made<TrackSet<double>, double>(args, tracks, rest);
    } else {
      set_ = made<TrackSet<float>, float>(args, tracks, rest);
    }
  }

  // Returns use(job, T()), the job being that of the tracks' kind and precision.
  template <class Use>
  auto with_job(const Use& use) const {
    return std::visit(
        [&]<template <class> class Set, class T>(const Set<T>& set) {
          std::conditional_t<std::is_same_v<Set<T>, TrackSet<T>>, SamplingJob<T>, UniformSamplingJob<T>> job;
          job.tracks = &set;
          return use(job, T());
        },
        set_);
  }

  void sample(const py::object& times, const py::object& out, int loop) const {
    with_job([&]<class T>(auto& job, T) {
      ArrayArgs args("Clip.sample");
      job.loop = static_cast<Loop>(loop);
      job.times = args.in<double>(times, "times", {kBatch});
      job.out = args.out<T>(out, "out", {kBatch, static_cast<int>(job.tracks->joint_count()), 10});
      bindings::run("Clip.sample", job);
    });
  }

  const auto& set() const { return set_; }

 private:
  template <class Set, class T>
  Set made(ArrayArgs& args, const py::object& tracks, const py::object& rest) const {
    Set set;
    const auto track_view = args.in<Track>(tracks, "tracks", {"track"});
    const auto key_view = args.in<T>(keys_, "keys", {"element"});
    const auto rest_view = args.in<T>(rest, "rest", {"joint", 10});
    without_gil("Clip", [&] { return Set::make(track_view, key_view, rest_view, set, morph_count_); });
    return set;
  }

  py::object keys_;
  std::size_t morph_count_;
  std::variant<TrackSet<float>, TrackSet<double>, UniformFrames<float>, UniformFrames<double>> set_;
};

}  // namespace lissom::bindings
