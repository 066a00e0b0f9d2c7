// SPDX-License-Identifier: MIT
#include "core/animation/key_faults.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

namespace lissom {
namespace {

struct Numbers {
  static constexpr std::int64_t kWidth = 1;  // floats of a key that are looked at
  float limit;
  bool operator()(const float* key) const { return !(std::abs(*key) <= limit); }
};

struct Rotations {
  static constexpr std::int64_t kWidth = 4;
  double least, most;  // squares of the length
  bool operator()(const float* key) const {
    double squares = 0;
    for (int i = 0; i < 4; ++i) squares += static_cast<double>(key[i]) * static_cast<double>(key[i]);
    return squares < least || squares > most;
  }
};

struct Times {
  static constexpr std::int64_t kWidth = 2;
  bool operator()(const float* key) const { return !(key[1] > key[0]); }
};

// Appends the faults of a range, ascending. `step` is a constant where that lets the loop be vectorised.
template <class IsFault, class Step>
void look_through(const KeyFaultsJob& job, const IsFault& is_fault, Step step, std::int64_t begin,
                  std::int64_t end, std::vector<std::int64_t>& faults) {
  constexpr std::int64_t kBlock = 256;
  const auto size = static_cast<std::int64_t>(job.floats.size());
  const float* const floats = job.floats.data();
  end = std::min(end, size - IsFault::kWidth + 1);
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t stop = std::min(end, at + kBlock * step), start = at;
    int bad = 0;  // mostly none: then nothing is to be found
    for (; at < stop; at += step) bad += is_fault(floats + at) ? 1 : 0;
    if (bad == 0) continue;
    for (std::int64_t key = start; key < stop; key += step) {
      if (is_fault(floats + key)) faults.push_back(key);
    }
  }
}

void look_through(const KeyFaultsJob& job, std::int64_t begin, std::int64_t end,
                  std::vector<std::int64_t>& faults) {
  const auto look = [&](const auto& is_fault) {
    if (job.step == 1) {
      look_through(job, is_fault, std::integral_constant<std::int64_t, 1>{}, begin, end, faults);
    } else {
      look_through(job, is_fault, static_cast<std::int64_t>(job.step), begin, end, faults);
    }
  };
  switch (job.rule) {
    case KeyRule::kNumbers:
      return look(Numbers{static_cast<float>(job.limit)});
    case KeyRule::kRotations: {
      const double least = std::max(0.0, 1 - job.limit), most = 1 + job.limit;
      return look(Rotations{least * least, most * most});
    }
    case KeyRule::kTimes:
      return look(Times{});
  }
}

// Looks at each range on its own.
void look_at_each(const KeyFaultsJob& job) {
  std::vector<std::int64_t> faults;
  for (std::size_t i = 0; i < job.begin.size(); ++i) {
    faults.clear();
    look_through(job, job.begin[i], job.end[i], faults);
    job.count[i] = static_cast<std::int64_t>(faults.size());
    job.first[i] = faults.empty() ? -1 : faults.front();
  }
}

}  // namespace

Error KeyFaultsJob::run() const {
  const auto size = static_cast<std::int64_t>(floats.size());
  const auto keys = static_cast<std::int64_t>(step);
  if (step == 0) return Error("step must be at least 1, got 0");
  if (end.size() != begin.size() || count.size() != begin.size() || first.size() != begin.size()) {
    return Error("begin, end, count and first must have one number for each range");
  }
  std::int64_t inside = 0;  // floats of the ranges, as long as they are few
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] < 0 || end[i] > size) return Error("ranges must lie within the floats");
    if (inside <= 2 * size) inside += std::max<std::int64_t>(end[i] - begin[i], 0);
  }
  if (inside <= 2 * size) {  // ranges that hardly overlap: cheaper than to put them in order
    look_at_each(*this);
    return {};
  }
  // Ranges whose keys are at the same places, in order: what others have looked at is not looked at again.
  std::vector<std::size_t> order(begin.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::int64_t x = begin[a] % keys, y = begin[b] % keys;
    return x != y ? x < y : begin[a] < begin[b];
  });
  std::vector<std::int64_t> faults;
  std::size_t next = 0;
  while (next < order.size()) {
    const std::int64_t residue = begin[order[next]] % keys;
    const std::size_t start = next;
    std::int64_t looked = 0;  // up to where keys of this residue were looked at
    faults.clear();
    for (; next < order.size() && begin[order[next]] % keys == residue; ++next) {
      const std::size_t range = order[next];
      const std::int64_t from = std::max(begin[range], looked);
      if (end[range] <= from) continue;
      look_through(*this, from, end[range], faults);
      looked = from + (end[range] - from + keys - 1) / keys * keys;
    }
    for (std::size_t i = start; i < next; ++i) {
      const std::size_t range = order[i];
      const auto low = std::lower_bound(faults.begin(), faults.end(), begin[range]);
      const auto high = std::lower_bound(low, faults.end(), std::max(begin[range], end[range]));
      count[range] = high - low;
      first[range] = low == high ? -1 : *low;
    }
  }
  return {};
}

}  // namespace lissom
