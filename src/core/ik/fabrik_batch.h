// SPDX-License-Identifier: MIT
#pragma once

// A batch of single chains without limits, four vectors side by side, as each is a chain of dependent operations. Most
// are solved in a few passes, and are written together as they were read. The others are collected in vectors of
// unfinished chains of all groups, where a lane that is done takes the next. For fabrik_kernels.cpp only.

#include "core/ik/copy_lane.h"
#include "core/ik/fabrik_free.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
class FreeBatch {
  using L = Lanes<T>;
  static constexpr int kLanes = L::kCount;
  static constexpr int kGroups = 4;
  // After so many passes one in six to one in twelve is left.
  static constexpr std::int32_t kTogether = 5;

 public:
  static std::size_t scratch_bytes(const IkPlan& plan) {
    return kGroups * ChainLanes<T>::scratch_bytes(plan) + (kGroups + 3) * FreeChain<T>::bytes(plan);
  }
  FreeBatch(const IkPlan& plan, const IkBatch<T>& batch, void* scratch)
      : plan_(plan),
        batch_(batch),
        chains_{{plan, batch, lanes_of_group(plan, scratch, 0)},
                {plan, batch, lanes_of_group(plan, scratch, 1)},
                {plan, batch, lanes_of_group(plan, scratch, 2)},
                {plan, batch, lanes_of_group(plan, scratch, 3)}} {
    char* memory = lanes_of_group(plan, scratch, kGroups);
    FreeChain<T>* all[] = {&group_[0], &group_[1], &group_[2], &group_[3], &active_[0], &active_[1], &done_};
    for (FreeChain<T>* chain : all) {
      chain->place(plan, memory);
      memory += FreeChain<T>::bytes(plan);
    }
  }

  // Items [begin, end). Sequences in time stay in their group.
  void solve(std::size_t begin, std::size_t end) {
    const std::size_t frames = batch_.frames;
    const bool stay = frames > 1 || end - begin <= kLanes;
    const std::int32_t most = batch_.max_iterations;
    passes_ = stay || most < kTogether ? most : kTogether;
    begin /= frames, end /= frames;
    for (; begin + 3 * kLanes < end; begin += kGroups * kLanes) solve_groups<kGroups>(begin, end);
    for (; begin + kLanes < end; begin += 2 * kLanes) solve_groups<2>(begin, end);
    if (begin < end) solve_groups<1>(begin, end);
    while (live_[0] | live_[1]) pass();
    flush();
  }

 private:
  static constexpr std::uint32_t kAll = (std::uint32_t(1) << kLanes) - 1;

  static char* lanes_of_group(const IkPlan& plan, void* scratch, std::size_t group) {
    return static_cast<char*>(scratch) + group * ChainLanes<T>::scratch_bytes(plan);
  }

  // Sequences from `first` on, as many as there are lanes.
  template <int kCount>
  void solve_groups(std::size_t first, std::size_t end) {
    int counts[kCount];
    Mask<T> is_left[kCount], has_moved[kCount];
    for (int g = 0; g < kCount; ++g) {
      const std::size_t rest = end - first - static_cast<std::size_t>(g * kLanes);
      counts[g] = rest < kLanes ? static_cast<int>(rest) : kLanes;
    }
    for (std::size_t frame = 0; frame < batch_.frames; ++frame) {
      for (int g = 0; g < kCount; ++g) {
        for (int lane = 0; lane < kLanes; ++lane) {
          const auto at = static_cast<std::size_t>(g * kLanes + (lane < counts[g] ? lane : counts[g] - 1));
          items_[g][lane] = chains_[g].items[lane] = (first + at) * batch_.frames + frame;
        }
        chains_[g].copy_poses(counts[g]);
        chains_[g].load(frame > 0);
        is_left[g] = group_[g].begin(chains_[g], group_[g].load(chains_[g]));
      }
      // Chains below unevenly scaled ancestors are measured after each pass, and stay, too.
      bool stays = false;
      for (int g = 0; g < kCount; ++g) stays |= any(group_[g].is_skewed);
      const std::int32_t passes = stays ? batch_.max_iterations : passes_;
      for (std::int32_t i = 0; i < passes; ++i) {
        Mask<T> is_any = is_left[0];
        for (int g = 1; g < kCount; ++g) is_any = is_any | is_left[g];
        if (!any(is_any)) break;
        FreeChain<T>::template reach<kCount>(group_, is_left);
        const bool is_last = i + 1 >= batch_.max_iterations;
        for (int g = 0; g < kCount; ++g) is_left[g] = group_[g].end_pass(is_left[g], is_last);
      }
      // Unfinished chains are written with their input poses, and again when they are done.
      for (int g = 0; g < kCount; ++g) {
        group_[g].take_nearest();
        has_moved[g] = (group_[g].head->iterations > L(0)) & !is_left[g];
      }
      FreeChain<T>::template rotate_joints<kCount>(group_, chains_, has_moved);
      for (int g = 0; g < kCount; ++g) group_[g].store(chains_[g], has_moved[g], frame > 0, counts[g]);
    }
    for (int g = 0; g < kCount; ++g) {
      if (!any(is_left[g])) continue;
      for (int lane = 0; lane < counts[g]; ++lane) {
        if (is_left[g].bits[lane]) move_on(g, lane);
      }
    }
  }

  // A lane of a group that needs more passes.
  void move_on(int group, int lane) {
    while ((live_[0] & live_[1]) == kAll) pass();
    const int g = live_[0] == kAll;
    const int to = __builtin_ctz(~live_[g]);
    copy_lane<T>(active_[g].head, to, group_[group].head, lane, FreeChain<T>::row_bytes(plan_));
    place_[g][to] = items_[group][lane];
    live_[g] |= std::uint32_t(1) << to;
  }

  void pass() {
    const Mask<T> all = L(0) == L(0), both[2] = {all, all};
    if (live_[1]) {
      FreeChain<T>::template reach<2>(active_, both);
    } else {
      FreeChain<T>::template reach<1>(active_, both);
    }
    for (int g = 0; g < 2; ++g) {
      FreeHead<T>& head = *active_[g].head;
      head.iterations += L(1);
      const Mask<T> has_ended = active_[g].is_reached() | (head.iterations >= L(batch_.max_iterations));
      if (!live_[g] || !any(has_ended)) continue;
      for (int lane = 0; lane < kLanes; ++lane) {
        if (has_ended.bits[lane] && (live_[g] >> lane & 1)) put_away(g, lane);
      }
    }
  }

  void put_away(int g, int lane) {
    live_[g] &= ~(std::uint32_t(1) << lane);
    const int to = done_count_++;
    for (std::size_t i = 0; i < done_.bones; ++i) {
      copy_lane<T>(&done_.back[i], to, &active_[g].links[i].end, lane, sizeof(Vec3<L>));
    }
    iterations_.v[to] = active_[g].head->iterations.v[lane];
    done_items_[to] = place_[g][lane];
    if (done_count_ == kLanes) flush();
  }

  // Reads the poses of the chains that are done once more, and writes their results.
  LISSOM_NOINLINE void flush() {
    if (!done_count_) return;
    for (int lane = 0; lane < kLanes; ++lane) {
      chains_[0].items[lane] = done_items_[lane < done_count_ ? lane : 0];
    }
    chains_[0].load(false);
    done_.load(chains_[0]);
    for (std::size_t i = 0; i < done_.bones; ++i) done_.links[i].end = done_.back[i];
    done_.head->iterations = iterations_;
    const Mask<T> all = L(0) == L(0);
    FreeChain<T>::template rotate_joints<1>(&done_, chains_, &all);
    done_.store(chains_[0], all, false, done_count_);
    done_count_ = 0;
  }

  const IkPlan& plan_;
  const IkBatch<T>& batch_;
  ChainLanes<T> chains_[kGroups];
  FreeChain<T> group_[kGroups], active_[2], done_;
  std::int32_t passes_ = 0;  // of whole groups
  L iterations_ = L(0);
  std::uint32_t live_[2] = {0, 0};  // a bit for each lane
  int done_count_ = 0;
  std::size_t items_[kGroups][kLanes] = {}, place_[2][kLanes] = {}, done_items_[kLanes] = {};
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
