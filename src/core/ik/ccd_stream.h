// SPDX-License-Identifier: MIT
#pragma once

// A batch of single chains, solved as a stream: two vectors of chains sweep side by side, and a lane whose chain is
// done takes the next. Most chains need few sweeps and some need many; no lane waits for its neighbours. For
// *_kernels.cpp files only.

#include "core/ik/base_metric.h"
#include "core/ik/ccd_free.h"
#include "core/ik/ccd_limited.h"

namespace lissom::LISSOM_ISA {
namespace {

// Whether a plan is one chain.
LISSOM_INLINE bool is_single_chain(const IkPlan& plan) {
  if (plan.effector_count != 1 || plan.node_count < 2) return false;
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    const IkNode& node = plan.nodes[i];
    const bool is_last = i + 1 == plan.node_count;
    if (node.parent != static_cast<std::int32_t>(i) - 1 || (node.rotates != 0) == is_last) return false;
  }
  return true;
}

// Chains: FreeChains or LimitedChains.
template <class T, class Chains>
class CcdStream {
  using L = Lanes<T>;
  static constexpr int kLanes = L::kCount;
  // Slow sweeps in a row after which a chain restarts.
  static constexpr int kPatience = 2;

 public:
  static std::size_t scratch_bytes(const IkPlan& plan) {
    return ChainLanes<T>::scratch_bytes(plan) + 5 * Chains::bytes(plan) +
           plan.node_count * sizeof(typename Chains::Scratch);
  }

  CcdStream(const IkPlan& plan, const IkBatch<T>& batch, void* scratch)
      : plan_(plan), batch_(batch), links_(plan.node_count - 1), chains_(plan, batch, scratch) {
    char* memory = static_cast<char*>(scratch);
    memory += ChainLanes<T>::scratch_bytes(plan);
    Chains* all[] = {&active_[0], &active_[1], &fresh_, &stuck_, &done_};
    for (Chains* chains : all) {
      chains->place(plan, memory);
      memory += Chains::bytes(plan);
    }
    scratch_ = reinterpret_cast<typename Chains::Scratch*>(memory);
    done_.head->has_best = L(0);  // its links hold the best poses
    // A little below the tolerance, so that rounding of the output cannot exceed it.
    const L tolerance = L(batch.tolerance) * L(T(1 - 1.0 / 1024));
    squared_tolerance_ = tolerance * tolerance;
  }

  // Items [begin, end) that are not a sequence.
  void solve(std::size_t begin, std::size_t end) {
    next_ = begin, end_ = end;
    frame_ = 0;
    run();
  }

  // Sequences [begin, end), in which each frame starts from the correction of the one before.
  void solve_sequences(std::size_t begin, std::size_t end) {
    for (first_ = begin; first_ < end; first_ += kLanes) {
      for (frame_ = 0; frame_ < batch_.frames; ++frame_) {
        next_ = first_, end_ = end - first_ < kLanes ? end : first_ + kLanes;
        run();
      }
    }
  }

 private:
  bool is_sequence() const { return batch_.frames > 1; }
  std::size_t item_of(std::size_t index) const {
    return is_sequence() ? index * batch_.frames + frame_ : index;
  }

  void run() {
    for (;;) {
      for (Chains& chains : active_) fill(chains);
      const int second = active_[1].live_count();
      if (second && active_[0].live_count() + second <= kLanes) join_active();
      if (active_[1].live_count()) {
        Chains::template sweep_down<2>(active_, plan_);
      } else if (active_[0].live_count()) {
        Chains::template sweep_down<1>(active_, plan_);
      } else {
        break;
      }
      for (Chains& chains : active_) collect(chains);
    }
    flush();
  }

  LISSOM_INLINE void move_lane(Chains& to, int lane, const Chains& from, int from_lane) const {
    to.take_lane(plan_, lane, from, from_lane);
    to.items[lane] = from.items[from_lane];
  }
  // Moves what the output needs of chains that are done.
  LISSOM_INLINE void keep_answers(const Chains& from, const LaneMoves<T>& moves) {
    moves.apply(done_.head->iterations, from.head->iterations);
    done_.keep_answers(plan_, from, moves);
  }

  // Moves all live chains to the first vector.
  void join_active() {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!active_[1].is_live[lane]) continue;
      int to = 0;
      while (active_[0].is_live[to]) ++to;
      move_lane(active_[0], to, active_[1], lane);
      active_[0].is_live[to] = true;
      active_[1].is_live[lane] = false;
    }
  }

  // Fills idle lanes with the next chains that need sweeps.
  void fill(Chains& chains) {
    for (;;) {
      LaneMoves<T> moves;
      bool is_any = false;
      int lane = 0;
      while (lane < kLanes) {
        if (chains.is_live[lane]) {
          ++lane;
          continue;
        }
        if (fresh_at_ == fresh_count_) break;
        const int from = fresh_at_++;
        if (fresh_is_done_.bits[from]) continue;  // load() and refresh() have put it away
        moves.add(lane, from);
        chains.items[lane] = fresh_.items[from];
        chains.is_live[lane] = is_any = true;
      }
      if (is_any) chains.take_lanes(plan_, fresh_, moves);
      if (lane == kLanes || !refresh()) return;
    }
  }

  // More fresh chains: a vector of stuck ones, where there is one, or read from the batch. False: none are left.
  bool refresh() {
    if (stuck_count_ == kLanes || (next_ == end_ && stuck_count_)) {
      const Chains empty = fresh_;
      fresh_ = stuck_, stuck_ = empty;
      fresh_at_ = 0, fresh_count_ = stuck_count_;
      stuck_count_ = 0;
      fresh_.restart(plan_, L(0) == L(0));
      fresh_is_done_ = fresh_.head->error <= squared_tolerance_;
      put_away(fresh_, fresh_is_done_, fresh_count_);
      return true;
    }
    if (next_ == end_) return false;
    load();
    put_away(fresh_, fresh_is_done_, fresh_count_);
    return true;
  }

  void load() {
    const std::size_t rest = end_ - next_;
    fresh_at_ = 0, fresh_count_ = rest < kLanes ? static_cast<int>(rest) : kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      fresh_.items[lane] =
          item_of(next_ + static_cast<std::size_t>(lane < fresh_count_ ? lane : fresh_count_ - 1));
      chains_.items[lane] = fresh_.items[lane];
    }
    next_ += static_cast<std::size_t>(fresh_count_);
    chains_.copy_poses(fresh_count_);
    chains_.load(frame_ > 0);
    chains_.place_node(0);
    CcdHead<T>& head = *fresh_.head;
    const L in_model = chains_.effectors[0].chain_length, size = in_model / chains_.model_scale;
    const Mask<T> has_size = size > L(Limits<T>::kSmallest);
    const L share = L(1) / select(has_size, size, L(1));
    fresh_.load(chains_, share);
    head.target = share * (chains_.effectors[0].target_base - chains_.nodes[0].position_base);
    head.iterations = L(0);
    head.slow = L(0);
    head.restarts = L(frame_ > 0 ? Chains::kRestarts : 0);  // none within a sequence: poses would jump
    const std::size_t middle = middle_link(plan_);
    head.bend_axis_joint = chains_.axis_in_mirror(middle, broadcast<T>(plan_.nodes[middle].bend_axis_joint));
    if (plan_.ancestor_count) {
      head.metric = (size / select(has_size, in_model, L(1))) * chains_.model_from_base.linear();
      head.is_skewed = does_skew<T>(head.metric);
    }
    fresh_.measure(plan_);
    head.least = head.error;
    fresh_.begin(plan_);
    fresh_is_done_ = head.error <= squared_tolerance_;
    if (batch_.max_iterations <= 0) {
      fresh_is_done_ = L(0) == L(0);
      return;
    }
    // Chains that are done keep their tip and, as they have made no sweep, their pose.
    const Mask<T> was_done = fresh_is_done_;
    fresh_.sweep_up(plan_, scratch_);
    const Mask<T> is_far = fresh_.stretch(plan_);
    head.iterations = select(was_done, L(0), L(1));
    head.slow = L(0);
    fresh_is_done_ =
        was_done | is_far | (head.error <= squared_tolerance_) | (L(batch_.max_iterations) <= L(1));
  }

  // Moves chains that are done or stuck out of their lanes.
  void collect(Chains& chains) {
    const CcdHead<T>& head = *chains.head;
    const Mask<T> is_done =
        (head.error <= squared_tolerance_) | (head.iterations >= L(batch_.max_iterations));
    const Mask<T> is_stuck = (head.slow >= L(kPatience)) & (head.restarts < L(Chains::kRestarts));
    if (!any(is_done | is_stuck)) return;
    put_away(chains, is_done & live_of(chains), kLanes);
    Mask<T> is_in_place = L(0) != L(0);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!chains.is_live[lane] || !is_stuck.bits[lane]) continue;
      chains.head->restarts.v[lane] += 1, chains.head->slow.v[lane] = 0;
      if (stuck_count_ < kLanes) {
        chains.is_live[lane] = false;
        move_lane(stuck_, stuck_count_++, chains, lane);
      } else {
        is_in_place.bits[lane] = is_stuck.bits[lane];
      }
    }
    if (!any(is_in_place)) return;
    chains.restart(plan_, is_in_place);
    // A restart pose may be within tolerance without a sweep, as refresh() checks for the other restarts.
    put_away(chains, is_in_place & (chains.head->error <= squared_tolerance_), kLanes);
  }

  static LISSOM_INLINE Mask<T> live_of(const Chains& chains) {
    Mask<T> live = L(0) != L(0);
    for (int lane = 0; lane < kLanes; ++lane) live.bits[lane] = chains.is_live[lane] ? -1 : 0;
    return live;
  }

  // Those of the first `count` lanes in `which` are done.
  void put_away(Chains& chains, Mask<T> which, int count) {
    if (!any(which)) return;
    LaneMoves<T> moves;
    for (int lane = 0; lane < count; ++lane) {
      if (!which.bits[lane]) continue;
      chains.is_live[lane] = false;
      const int to =
          is_sequence() ? static_cast<int>(chains.items[lane] / batch_.frames - first_) : done_count_;
      moves.add(to, lane);
      done_.items[to] = chains.items[lane];
      if (++done_count_ < kLanes) continue;
      keep_answers(chains, moves);
      flush();
      moves = {};
    }
    keep_answers(chains, moves);
  }

  void flush() {
    if (!done_count_) return;
    LaneMoves<T> rest;  // idle lanes repeat the first
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lane >= done_count_) rest.add(lane, 0), done_.items[lane] = done_.items[0];
      chains_.items[lane] = done_.items[lane];
    }
    if (done_count_ < kLanes) keep_answers(done_, rest);
    chains_.load(frame_ > 0);
    const L iterations = done_.head->iterations;
    const Mask<T> is_unchanged = iterations == L(0);
    for (std::size_t i = 0; i < links_; ++i) {
      Quat<L>& local = chains_.nodes[i].local;
      local = normalized(select(is_unchanged, local, done_.local(chains_, i)));
    }
    if (batch_.orientations) {
      chains_.compose();
      chains_.orient_effectors();
    }
    chains_.store_unit(iterations, done_count_);
    done_count_ = 0;
  }

  const IkPlan& plan_;
  const IkBatch<T>& batch_;
  std::size_t links_;
  ChainLanes<T> chains_;
  Chains active_[2], fresh_, stuck_, done_;
  typename Chains::Scratch* scratch_;
  L squared_tolerance_;
  Mask<T> fresh_is_done_;
  int fresh_at_ = 0, fresh_count_ = 0, stuck_count_ = 0, done_count_ = 0;
  std::size_t next_ = 0, end_ = 0, first_ = 0, frame_ = 0;
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
