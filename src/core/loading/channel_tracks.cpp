// SPDX-License-Identifier: MIT
#include "core/loading/channel_tracks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "core/animation/key_faults.h"
#include "core/loading/accessor_layout.h"

namespace lissom {
namespace {

constexpr std::int64_t kScalar = 0, kVector3 = 2, kVector4 = 3;  // types of accessors
constexpr std::int64_t kRotation = static_cast<std::int64_t>(TrackPath::kRotation);
constexpr std::int64_t kWeight = static_cast<std::int64_t>(TrackPath::kWeight);
constexpr std::int64_t kCubic = static_cast<std::int64_t>(Interpolation::kCubicSpline);

// Ranges of keys, and the rule that these keep.
struct Ranges {
  std::vector<std::int64_t> begin, end;

  void add(std::int64_t from, std::int64_t to) {
    begin.push_back(from);
    end.push_back(to);
  }

  bool keep(KeyRule rule, std::span<const float> floats, double limit, std::size_t step) const {
    std::vector<std::int64_t> count(begin.size()), first(begin.size());
    KeyFaultsJob job;
    job.floats = floats;
    job.rule = rule;
    job.limit = limit;
    job.step = step;
    job.begin = begin;
    job.end = end;
    job.count = count;
    job.first = first;
    return !job.run() && std::all_of(count.begin(), count.end(), [](std::int64_t one) { return one == 0; });
  }
};

}  // namespace

bool ChannelTracks::is_sound(std::size_t channel) const {
  const auto accessor_count = static_cast<std::int64_t>(count.size());
  if (path[channel] == kWeight || joint_of_node[static_cast<std::size_t>(node[channel])] < 0) return false;
  if (input[channel] >= accessor_count || output[channel] >= accessor_count) return false;
  const auto times = static_cast<std::size_t>(input[channel]),
             values = static_cast<std::size_t>(output[channel]);
  for (const std::size_t one : {times, values}) {
    if (!is_plain[one] || buffer[one] != own_buffer) return false;
    const std::int64_t end = start[one] / 4 + count[one] * component_count(type[one]);
    if (end > static_cast<std::int64_t>(floats.size())) return false;
  }
  if (type[times] != kScalar || type[values] != (path[channel] == kRotation ? kVector4 : kVector3))
    return false;
  const bool is_cubic = interpolation[channel] == kCubic;
  return count[values] == (is_cubic ? 3 : 1) * count[times] && (!is_cubic || count[times] >= 2);
}

Track ChannelTracks::track_of(std::size_t channel) const {
  const auto times = static_cast<std::size_t>(input[channel]),
             values = static_cast<std::size_t>(output[channel]);
  Track track;
  track.joint = static_cast<std::int32_t>(joint_of_node[static_cast<std::size_t>(node[channel])]);
  track.path = static_cast<std::int32_t>(path[channel]);
  track.interpolation = static_cast<std::int32_t>(interpolation[channel]);
  track.key_count = static_cast<std::int32_t>(count[times]);
  track.times = start[times] / 4;
  track.values = start[values] / 4;
  return track;
}

bool ChannelTracks::are_keys_sound() const {
  Ranges times, values, rotations, splines;
  std::vector<std::int64_t> inputs;
  for (std::size_t channel = 0; channel < path.size(); ++channel) {
    inputs.push_back(input[channel]);
    const auto at = static_cast<std::size_t>(output[channel]);
    const std::int64_t begin = start[at] / 4, end = begin + count[at] * component_count(type[at]);
    values.add(begin, end);
    if (path[channel] != kRotation) continue;
    if (interpolation[channel] == kCubic) {
      splines.add(begin + 4, end);  // between tangents
    } else {
      rotations.add(begin, end);
    }
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (const std::int64_t one : inputs) {
    const auto at = static_cast<std::size_t>(one);
    const std::int64_t begin = start[at] / 4, last = begin + count[at] - 1;
    if (!(floats[static_cast<std::size_t>(begin)] >= 0)) return false;
    if (!std::isfinite(floats[static_cast<std::size_t>(last)])) return false;
    times.add(begin, last);
  }
  return times.keep(KeyRule::kTimes, floats, 0, 1) && values.keep(KeyRule::kNumbers, floats, largest, 1) &&
         rotations.keep(KeyRule::kRotations, floats, unit_tolerance, 4) &&
         splines.keep(KeyRule::kRotations, floats, unit_tolerance, 12);
}

bool ChannelTracks::run() const {
  for (std::size_t channel = 0; channel < path.size(); ++channel) {
    if (!is_sound(channel)) return false;
  }
  const auto place = [&](std::size_t channel) {
    return std::tuple(animation[channel], joint_of_node[static_cast<std::size_t>(node[channel])],
                      path[channel]);
  };
  std::vector<std::size_t> order(path.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  std::fill(ends.begin(), ends.end(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && place(order[i]) == place(order[i - 1])) return false;  // one property twice
    tracks[i] = track_of(order[i]);
    ++ends[static_cast<std::size_t>(animation[order[i]]) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return are_keys_sound();
}

}  // namespace lissom
