// SPDX-License-Identifier: MIT
#include "core/skinning/centers_of_rotation.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/finite.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"
#include "core/skinning/similarity_kernels.h"
#include "core/skinning/surface_samples.h"
#include "core/skinning/weight_rows.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(SimilarityKernels, similarity_kernels)

namespace {

// The least integral of the similarity, as a share of the surface's area, of a centre: far below that of
// any weights in float32, far above rounding in double.
constexpr double kLeastSimilarity = 1e-100;
constexpr float kMostWeight = 1.0f + 1e-5f;  // rounding
// A wave of pairs holds about so many samples and rows: some 50 MB.
constexpr std::size_t kWaveItems = 1 << 20;
// Comparisons of a row with a sample between two checks for cancellation, and the time of one: rough.
constexpr double kSliceComparisons = 1e8;
constexpr double kComparisonNanoseconds = 1.5;
// Neighbouring tasks have similar costs, distant ones do not. Interleaved this often, each chunk of them is balanced.
constexpr std::size_t kHands = 16;

// A pair of joints, the rows of weights that have both, and the triangles that do.
struct Meeting {
  JointPair pair;
  std::vector<std::uint32_t> rows;    // ascending
  std::vector<std::uint32_t> groups;  // ascending
  std::size_t sample_count = 0;
};

// All pairs of joints that some row of weights has, ascending.
std::vector<Meeting> meetings_of(const WeightRows& rows, const std::vector<TriangleGroup>& groups) {
  std::vector<std::pair<JointPair, std::uint32_t>> entries;
  for (std::uint32_t row = 0; row < rows.count(); ++row) {
    const std::span<const JointWeight> entry = rows[row];
    for (std::size_t i = 0; i < entry.size(); ++i) {
      for (std::size_t j = i + 1; j < entry.size(); ++j) {
        entries.push_back({{entry[i].joint, entry[j].joint}, row});
      }
    }
  }
  std::sort(entries.begin(), entries.end());
  std::vector<Meeting> meetings;
  for (const auto& [pair, row] : entries) {
    if (meetings.empty() || meetings.back().pair != pair) meetings.push_back({pair, {}, {}});
    meetings.back().rows.push_back(row);
  }

  std::vector<std::uint32_t> joints;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    joints_of(rows, groups[g], &joints);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      for (std::size_t j = i + 1; j < joints.size(); ++j) {
        const JointPair pair{joints[i], joints[j]};
        const auto found = std::ranges::lower_bound(meetings, pair, {}, &Meeting::pair);
        if (found == meetings.end() || found->pair != pair) continue;
        found->groups.push_back(g);
        found->sample_count += sample_count(groups[g]);
      }
    }
  }
  return meetings;
}

// Per row of weights the integrals of similarity, and of similarity times position.
struct Integrals {
  double mass = 0;
  double moment[3] = {0, 0, 0};
};

// A block of the rows of a meeting, against all of its samples.
struct Task {
  const Meeting* meeting;
  const std::vector<SurfaceSample>* samples;
  std::size_t begin;  // of meeting->rows
  double sums[4][kSimilarityBlock];
};

void run_task(const WeightRows& rows, double inverse_sigma, Task* task) {
  double first[kSimilarityBlock] = {}, second[kSimilarityBlock] = {};
  const std::vector<std::uint32_t>& of_meeting = task->meeting->rows;
  const std::size_t count = std::min<std::size_t>(kSimilarityBlock, of_meeting.size() - task->begin);
  for (std::size_t i = 0; i < count; ++i) {
    for (const JointWeight& entry : rows[of_meeting[task->begin + i]]) {
      if (entry.joint == task->meeting->pair.first) first[i] = entry.weight;
      if (entry.joint == task->meeting->pair.second) second[i] = entry.weight;
    }
  }
  similarity_kernels().sum(
      {first, second, task->samples->data(), task->samples->size(), inverse_sigma, task->sums});
  for (std::size_t i = 0; i < count; ++i) {
    const double product = first[i] * second[i];
    for (auto& part : task->sums) part[i] *= product;
  }
}

// Runs tasks in parallel; false where it was cancelled.
bool run_tasks(const WeightRows& rows, const CentersOfRotationJob& job, std::vector<Task>* tasks) {
  std::vector<Task*> dealt;
  dealt.reserve(tasks->size());
  for (std::size_t hand = 0; hand < kHands; ++hand) {
    for (std::size_t i = hand; i < tasks->size(); i += kHands) dealt.push_back(&(*tasks)[i]);
  }
  for (std::size_t begin = 0; begin < dealt.size();) {
    std::size_t end = begin;
    double comparisons = 0;
    while (end < dealt.size() && comparisons < kSliceComparisons) {
      comparisons += double(kSimilarityBlock) * static_cast<double>(dealt[end++]->samples->size());
    }
    const std::size_t count = end - begin;
    parallel_for(count, 1, comparisons * kComparisonNanoseconds / static_cast<double>(count),
                 [&](std::size_t from, std::size_t to) {
                   for (std::size_t i = from; i < to; ++i) run_task(rows, 1 / job.sigma, dealt[begin + i]);
                 });
    begin = end;
    if (job.is_cancelled && job.is_cancelled()) return false;
  }
  return true;
}

// Adds the contributions of the meetings to the integrals of their rows, always in their order; false where it was
// cancelled.
bool add_wave(const WeightRows& rows, const std::vector<TriangleGroup>& groups,
              const CentersOfRotationJob& job, std::span<const Meeting> wave,
              std::vector<Integrals>* integrals) {
  std::vector<std::vector<SurfaceSample>> samples(wave.size());
  std::vector<Task> tasks;
  std::size_t total = 0;
  for (std::size_t m = 0; m < wave.size(); ++m) {
    for (std::size_t begin = 0; begin < wave[m].rows.size(); begin += kSimilarityBlock) {
      tasks.push_back({&wave[m], &samples[m], begin, {}});
    }
    total += wave[m].sample_count;
  }
  constexpr double kSampleNanoseconds = 15;
  parallel_for(wave.size(), 1,
               kSampleNanoseconds * static_cast<double>(total) / static_cast<double>(wave.size()),
               [&](std::size_t from, std::size_t to) {
                 for (std::size_t m = from; m < to; ++m) {
                   samples[m].resize(wave[m].sample_count);
                   SurfaceSample* next = samples[m].data();
                   for (const std::uint32_t group : wave[m].groups) {
                     write_samples(rows, groups[group], wave[m].pair, next);
                     next += sample_count(groups[group]);
                   }
                 }
               });
  if (!run_tasks(rows, job, &tasks)) return false;
  for (const Task& task : tasks) {
    const std::vector<std::uint32_t>& of_meeting = task.meeting->rows;
    for (std::size_t i = 0; i < kSimilarityBlock && task.begin + i < of_meeting.size(); ++i) {
      Integrals& sum = (*integrals)[of_meeting[task.begin + i]];
      sum.mass += task.sums[0][i];
      for (int axis = 0; axis < 3; ++axis) sum.moment[axis] += task.sums[1 + axis][i];
    }
  }
  return true;
}

Error check_arrays(const CentersOfRotationJob& job) {
  const std::size_t vertex_count = job.positions.size() / 3;
  if (job.influence_count == 0) return Error("indices must have at least one column, got (V, 0)");
  if (job.positions.size() % 3 || job.indices.size() != vertex_count * job.influence_count ||
      job.weights.size() != job.indices.size() || job.centers.size() != job.positions.size()) {
    return Error("positions, indices, weights and centers must have one row per vertex");
  }
  if (!all_finite(job.positions)) return Error("positions must be finite");
  if (!std::ranges::all_of(job.weights, [](float w) { return w >= 0 && w <= kMostWeight; })) {
    return Error("weights must be between 0 and 1");
  }
  return {};
}

Error check_triangles(const CentersOfRotationJob& job) {
  if (job.triangles.empty()) {
    return Error("the mesh has no triangles, and centres are means over its surface; give it triangles");
  }
  if (job.triangles.size() % 3) return Error("triangles must have three corners each");
  const std::size_t vertex_count = job.positions.size() / 3;
  const auto outside =
      std::ranges::find_if(job.triangles, [&](std::uint32_t v) { return v >= vertex_count; });
  if (outside != job.triangles.end()) {
    return Error("triangles must be in [0, " + std::to_string(vertex_count) +
                 "), the number of vertices, got " + std::to_string(*outside) + " in row " +
                 std::to_string((outside - job.triangles.begin()) / 3));
  }
  if (!(surface_area(job.positions, job.triangles) > 0)) {
    return Error("no triangle of the mesh has an area, and centres are means over its surface");
  }
  return {};
}

}  // namespace

Error CentersOfRotationJob::validate() const {
  if (!(sigma > 0) || !std::isfinite(sigma) || !std::isfinite(1 / sigma)) {
    return Error("sigma must be positive, and it and its inverse finite, got " + number_text(sigma));
  }
  if (Error error = check_arrays(*this)) return error;
  return positions.empty() ? Error() : check_triangles(*this);
}

Error CentersOfRotationJob::run() const {
  if (Error error = validate()) return error;
  if (positions.empty()) return {};

  const WeightRows rows(indices, weights, influence_count);
  const std::vector<TriangleGroup> groups = group_triangles(rows, positions, triangles);
  const std::vector<Meeting> meetings = meetings_of(rows, groups);
  std::vector<Integrals> integrals(rows.count());
  for (std::size_t begin = 0; begin < meetings.size();) {
    std::size_t end = begin, items = 0;
    while (end < meetings.size() && (end == begin || items < kWaveItems)) {
      items += meetings[end].sample_count + meetings[end].rows.size();
      ++end;
    }
    const std::span<const Meeting> wave(&meetings[begin], end - begin);
    if (!add_wave(rows, groups, *this, wave, &integrals)) return Error("was cancelled");
    begin = end;
  }

  const double least = kLeastSimilarity * surface_area(positions, triangles);
  for (std::size_t vertex = 0; vertex < positions.size() / 3; ++vertex) {
    const Integrals& sum = integrals[rows.of_vertices()[vertex]];
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t at = 3 * vertex + axis;
      centers[at] = sum.mass > least ? static_cast<float>(sum.moment[axis] / sum.mass) : positions[at];
    }
  }
  return {};
}

}  // namespace lissom
