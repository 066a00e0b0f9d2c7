// SPDX-License-Identifier: MIT
#include "core/bake/rigid_texels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/animation/block_moments.h"
#include "core/animation/sampling.h"
#include "core/animation/scalar_channels.h"
#include "core/bake/rigid_texels_kernels.h"
#include "core/cache_line.h"
#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SamplingKernels, sampling_kernels)
LISSOM_KERNEL_TABLE(RigidTexelsKernels, rigid_texels_kernels)

namespace {

// Frames whose signs follow from one another; sections may be written at the same time.
constexpr std::size_t kSection = 8 * kTimeBlock;
constexpr std::size_t kRowNumbers = kDualQuatScalars;

bool write_texels(const RigidTexelsKernels& kernels, const RigidBlock& block, float* scratch, Half* out) {
  return kernels.write_halves(block, scratch, out);
}
bool write_texels(const RigidTexelsKernels& kernels, const RigidBlock& block, float* scratch, float* out) {
  return kernels.write_floats(block, scratch, out);
}

// A channel of steps or splines, whose numbers are computed one at a time.
struct ScalarChannel {
  Channel<float> channel;
  std::size_t width;
  bool is_cubic;
  std::size_t given;  // where its numbers begin among those of all such channels
};

// What does not depend on times: the joints that rows need, and the rows in their order.
class RigidRig {
 public:
  RigidRig(const TrackSet<float>& tracks, std::span<const std::int32_t> parents, const SkinBind& skin)
      : tracks_(tracks) {
    const std::size_t joint_count = parents.size();
    std::vector<char> is_needed(joint_count, 0);
    for (const SkinBind::Row& row : skin.rows()) is_needed[static_cast<std::size_t>(row.joint)] = 1;
    for (std::size_t joint = joint_count; joint-- > 0;) {
      if (is_needed[joint] && parents[joint] >= 0) is_needed[static_cast<std::size_t>(parents[joint])] = 1;
    }
    places_.assign(joint_count, -1);
    joints_.reserve(joint_count);
    linear_.reserve(tracks.channel_count());
    for (std::size_t joint = 0; joint < joint_count; ++joint) {
      if (!is_needed[joint]) continue;
      places_[joint] = static_cast<std::int32_t>(joints_.size());
      const std::int32_t parent = parents[joint];
      JointSource source{parent < 0 ? -1 : places_[static_cast<std::size_t>(parent)], {}};
      const float* const base = tracks.base_pose().data() + kTrsScalars * joint;
      for (std::size_t i = 0; i < 3; ++i) source.properties[i].numbers = base + kPropertyOffsets[i];
      joints_.push_back(source);
    }
    add_channels(tracks.vectors(), 3);
    add_channels(tracks.rotations(), 4);
    rows_ = skin.bound_rows(kRowNumbers);
    for (BoundRow& row : rows_) row.joint = static_cast<std::size_t>(places_[row.joint]);
  }

  std::span<const JointSource> joints() const { return joints_; }
  std::span<const BoundRow> rows() const { return rows_; }
  std::span<const ScalarChannel> scalar_channels() const { return scalar_channels_; }
  std::size_t given_count() const { return given_count_; }

  // The property of a channel among `joints`, which are a copy of joints(); null where no row needs it.
  PropertySource* property_of(const Channel<float>& channel, std::vector<JointSource>& joints) const {
    const std::int32_t place = places_[static_cast<std::size_t>(channel.out / kTrsScalars)];
    if (place < 0) return nullptr;
    const int offset = channel.out % kTrsScalars;
    return &joints[static_cast<std::size_t>(place)].properties[offset == 0 ? 0 : offset == 3 ? 1 : 2];
  }

  // Sets the moments of a timeline in all properties that follow it.
  void set_moments(const std::vector<MomentBlock<float>>& moments, std::vector<JointSource>& joints) const {
    for (const Linear& linear : linear_) {
      joints[linear.joint].properties[linear.property].moments = &moments[linear.timeline];
    }
  }

 private:
  static constexpr std::size_t kPropertyOffsets[] = {0, 3, 7};
  struct Linear {
    std::size_t joint, property, timeline;
  };

  void add_channels(const TrackSet<float>::Channels& channels, std::size_t width) {
    for (std::size_t i = 0; i < channels.linear_count; ++i) {
      const Channel<float>& channel = channels.linear[i];
      PropertySource* const property = property_of(channel, joints_);
      if (property == nullptr) continue;
      const auto timeline = static_cast<std::size_t>(channel.timeline);
      property->kind = PropertySource::kLinear;
      property->key_count = tracks_.timelines()[timeline].key_count;
      property->numbers = channel.values;
      const auto joint =
          static_cast<std::size_t>(places_[static_cast<std::size_t>(channel.out / kTrsScalars)]);
      linear_.push_back({joint, static_cast<std::size_t>(property - joints_[joint].properties), timeline});
    }
    for (const bool is_cubic : {false, true}) {
      for (const Channel<float>& channel : is_cubic ? channels.cubic : channels.step) {
        PropertySource* const property = property_of(channel, joints_);
        if (property == nullptr) continue;
        property->kind = PropertySource::kGiven;
        scalar_channels_.push_back({channel, width, is_cubic, given_count_});
        given_count_ += width * kTimeBlock;
      }
    }
  }

  const TrackSet<float>& tracks_;
  std::vector<std::int32_t> places_;  // of joints among those that rows need, or -1
  std::vector<JointSource> joints_;
  std::vector<BoundRow> rows_;
  std::vector<Linear> linear_;
  std::vector<ScalarChannel> scalar_channels_;
  std::size_t given_count_ = 0;
};

// Writes sections, with memory of its own.
template <class Texel>
class SectionWriter {
 public:
  SectionWriter(const RigidTexelsJob<Texel>& job, const RigidRig& rig)
      : job_(job),
        rig_(rig),
        kernels_(rigid_texels_kernels()),
        finder_(*job.tracks, sampling_kernels()),
        joints_(rig.joints().begin(), rig.joints().end()),
        moments_(job.tracks->timelines().size()),
        given_(rig.given_count()),
        scratch_((joints_.size() * kernels_.scratch_per_joint + 15) / 16) {
    rig.set_moments(moments_, joints_);
    for (const ScalarChannel& scalar : rig.scalar_channels())
      rig.property_of(scalar.channel, joints_)->numbers = given_.data() + scalar.given;
  }

  // The frames [begin, end), whose signs follow from the first. False where the kernels refuse them.
  bool write(std::size_t begin, std::size_t end, RowEnds* ends) {
    const std::size_t frame_floats = rig_.rows().size() * kRowNumbers;
    for (std::size_t frame = begin; frame < end; frame += kTimeBlock) {
      const std::size_t count = std::min(kTimeBlock, end - frame);
      find_moments(job_.times.subspan(frame, count));
      const RigidBlock block = {joints_.data(),
                                joints_.size(),
                                rig_.rows().data(),
                                rig_.rows().size(),
                                ends,
                                frame_floats,
                                count,
                                frame == begin,
                                job_.least_cosine,
                                std::is_same_v<Texel, Half> ? kHalfMax : std::numeric_limits<float>::max()};
      Texel* const to = job_.out.data() + frame * frame_floats;
      if (!write_texels(kernels_, block, scratch_.empty() ? nullptr : scratch_[0].numbers, to)) return false;
    }
    return true;
  }

 private:
  void find_moments(std::span<const double> times) {
    finder_.begin(times);
    for (std::size_t begin = 0; begin < moments_.size(); begin += finder_.kBatch)
      finder_.find(begin, std::min(finder_.kBatch, moments_.size() - begin), moments_.data() + begin);
    for (const ScalarChannel& scalar : rig_.scalar_channels()) {
      const MomentBlock<float>& moments = moments_[static_cast<std::size_t>(scalar.channel.timeline)];
      Channel<float> channel = scalar.channel;
      channel.out = 0;
      for (std::size_t i = 0; i < kTimeBlock; ++i) {
        const Moment<float> at = {moments.key[i], moments.step[i], moments.fraction[i], moments.interval[i]};
        float numbers[4];
        const auto write_one = scalar.width == 3
                                   ? (scalar.is_cubic ? write_cubic<float, 3> : write_step<float, 3>)
                                   : (scalar.is_cubic ? write_cubic<float, 4> : write_step<float, 4>);
        write_one(channel, at, numbers);
        for (std::size_t k = 0; k < scalar.width; ++k) given_[scalar.given + k * kTimeBlock + i] = numbers[k];
      }
    }
  }

  const RigidTexelsJob<Texel>& job_;
  const RigidRig& rig_;
  const RigidTexelsKernels& kernels_;
  BlockMoments<float> finder_;
  std::vector<JointSource> joints_;
  std::vector<MomentBlock<float>> moments_;  // of the current block, by timeline
  std::vector<float> given_;                 // numbers of steps and splines in it
  std::vector<CacheLine<float>> scratch_;
};

void flip(float* row) {
  for (std::size_t i = 0; i < kRowNumbers; ++i) row[i] = -row[i];
}
void flip(Half* row) {
  for (std::size_t i = 0; i < kRowNumbers; ++i) row[i].bits ^= 0x8000u;
}

}  // namespace

template <class Texel>
Error RigidTexelsJob<Texel>::validate() const {
  if (parents.size() != tracks->joint_count()) {
    return Error("parents must hold one number for each of the clip's " +
                 std::to_string(tracks->joint_count()) + " joints, got " + std::to_string(parents.size()));
  }
  if (static_cast<std::size_t>(skin->joint_limit()) > parents.size()) {
    return Error("skin must use joints of the clip's " + std::to_string(parents.size()) + ", got joint " +
                 std::to_string(skin->joint_limit() - 1));
  }
  if (out.size() != times.size() * skin->rows().size() * kRowNumbers)
    return Error("out must hold eight numbers for each time and row");
  return check_times(times);
}

template <class Texel>
Error RigidTexelsJob<Texel>::run() {
  is_done = false;
  if (Error error = validate()) return error;
  if (!std::is_sorted(times.begin(), times.end())) return {};
  const std::size_t frame_count = times.size(), row_count = skin->rows().size();
  const RigidRig rig(*tracks, parents, *skin);
  const std::size_t section_count = (frame_count + kSection - 1) / kSection;
  std::vector<RowEnds> ends(section_count * row_count);
  std::atomic<bool> is_sound{true};
  constexpr double kNanosecondsPerRow = 6;
  const double nanoseconds = kNanosecondsPerRow * static_cast<double>(kSection * rig.joints().size());
  parallel_for(section_count, 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    SectionWriter<Texel> writer(*this, rig);
    for (std::size_t section = begin; section < end && is_sound.load(std::memory_order_relaxed); ++section) {
      const std::size_t first = section * kSection;
      if (!writer.write(first, std::min(first + kSection, frame_count), ends.data() + section * row_count))
        is_sound.store(false, std::memory_order_relaxed);
    }
  });
  if (!is_sound.load()) return {};
  // Sections begin without a sign: their rows get that of the frame before.
  for (std::size_t row = 0; row < row_count; ++row) {
    bool is_flipped = false;
    for (std::size_t section = 1; section < section_count; ++section) {
      const RowEnds& before = ends[(section - 1) * row_count + row];
      const float* const q = ends[section * row_count + row].first;
      const float cosine = (q[0] * before.last[0][3] + q[1] * before.last[1][3]) +
                           (q[2] * before.last[2][3] + q[3] * before.last[3][3]);
      if (!(std::abs(cosine) >= least_cosine)) return {};
      is_flipped = (is_flipped != before.is_flipped) != (cosine < 0.0f);
      if (!is_flipped) continue;
      const std::size_t frame_numbers = row_count * kRowNumbers,
                        last = std::min((section + 1) * kSection, frame_count);
      for (std::size_t frame = section * kSection; frame < last; ++frame)
        flip(out.data() + frame * frame_numbers + rig.rows()[row].place);
    }
  }
  is_done = true;
  return {};
}

template struct RigidTexelsJob<float>;
template struct RigidTexelsJob<Half>;

}  // namespace lissom
