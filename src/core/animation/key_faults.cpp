// SPDX-License-Identifier: MIT
#include "core/animation/key_faults.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace lissom {
namespace {

// Floats of a key that are looked at.
std::int64_t width(KeyRule rule) {
  switch (rule) {
    case KeyRule::kNumbers:
      return 1;
    case KeyRule::kRotations:
      return 4;
    case KeyRule::kTimes:
      return 2;
  }
  return 1;
}

bool is_fault(KeyRule rule, const float* key, double limit) {
  switch (rule) {
    case KeyRule::kNumbers:
      return !(std::abs(static_cast<double>(*key)) <= limit);
    case KeyRule::kRotations: {
      double squares = 0;
      for (int i = 0; i < 4; ++i) squares += static_cast<double>(key[i]) * static_cast<double>(key[i]);
      return std::abs(std::sqrt(squares) - 1) > limit;
    }
    case KeyRule::kTimes:
      return !(key[1] > key[0]);
  }
  return false;
}

// Appends the faults of a range, ascending.
void look_through(const KeyFaultsJob& job, std::int64_t begin, std::int64_t end,
                  std::vector<std::int64_t>& faults) {
  const auto step = static_cast<std::int64_t>(job.step);
  const std::int64_t stop = std::min(end, static_cast<std::int64_t>(job.floats.size()) - width(job.rule) + 1);
  for (std::int64_t at = begin; at < stop; at += step) {
    if (is_fault(job.rule, job.floats.data() + at, job.limit)) faults.push_back(at);
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
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] < 0 || end[i] > size) return Error("ranges must lie within the floats");
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
