// SPDX-License-Identifier: MIT
// Tables of a file: where accessors lie, frames of skins, tracks of channels. tests/files/test_plain_loading.py tries them
// on whole files, beside the way that says what is wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/loading/accessor_layout.h"
#include "core/loading/channel_columns.h"
#include "core/loading/channel_tracks.h"
#include "core/loading/rest_pose.h"
#include "core/loading/skin_frame.h"

namespace lissom {
namespace {

using Column = std::vector<std::int64_t>;

// Accessors of two views, of 96 bytes at byte 4 and of 64 bytes with a stride of 16.
struct Layout {
  Column view_buffer{0, 2}, view_length{96, 64}, view_offset{4, 0}, view_stride{0, 16};
  Column component_type, count, type, view, byte_offset;
  Column numbers = Column(6 * 8);
  std::unique_ptr<bool[]> masks = std::make_unique<bool[]>(5 * 8);
  AccessorLayout job;

  void add(std::int64_t component, std::int64_t elements, std::int64_t kind, std::int64_t in,
           std::int64_t at) {
    component_type.push_back(component);
    count.push_back(elements);
    type.push_back(kind);
    view.push_back(in);
    byte_offset.push_back(at);
  }

  bool run() {
    job.view_buffer = view_buffer, job.view_length = view_length;
    job.view_offset = view_offset, job.view_stride = view_stride;
    job.component_type = component_type, job.count = count, job.type = type;
    job.view = view, job.byte_offset = byte_offset;
    job.buffer_count = 2;
    std::int64_t* at = numbers.data();
    for (auto* column :
         {&job.component_size, &job.components, &job.element_size, &job.stride, &job.start, &job.buffer}) {
      *column = {at, count.size()};
      at += 8;
    }
    bool* flag = masks.get();
    for (auto* mask : {&job.has_view, &job.has_stride, &job.is_compressed, &job.is_plain}) {
      *mask = {flag, count.size()};
      flag += 8;
    }
    job.is_sparse = {flag, count.size()};
    return job.run();
  }
};

TEST(AccessorLayout, SizesAndPlaces) {
  Layout made;
  made.add(5126, 8, 2, 0, 0);   // VEC3 of float
  made.add(5121, 4, 5, 0, 24);  // MAT3 of bytes: columns of 4, the last of 3
  made.add(5123, 4, 1, 1, 2);   // VEC2 of shorts in a stride, of a compressed view
  made.add(5126, 3, 0, -1, 0);  // no data
  made.add(4711, 9, -1, 0, 0);  // neither type is known
  ASSERT_TRUE(made.run());
  EXPECT_EQ(made.job.fault, AccessorLayout::Fault::kNone);
  EXPECT_EQ(Column(made.job.element_size.begin(), made.job.element_size.end()), (Column{12, 12, 4, 4, 0}));
  EXPECT_EQ(Column(made.job.stride.begin(), made.job.stride.end()), (Column{12, 12, 16, 4, 0}));
  EXPECT_EQ(Column(made.job.start.begin(), made.job.start.end()), (Column{4, 28, 2, 0, 4}));
  EXPECT_EQ(Column(made.job.buffer.begin(), made.job.buffer.end()), (Column{0, 0, 2, -1, 0}));
  EXPECT_EQ((std::vector<bool>(made.job.is_plain.begin(), made.job.is_plain.end())),
            (std::vector<bool>{true, false, false, false, false}));
  EXPECT_TRUE(made.job.is_compressed[2]);
}

TEST(AccessorLayout, TheFirstFaultOfTheFirstKind) {
  Layout made;
  made.add(5126, 2, 0, 0, 2);  // not at a multiple of 4
  made.add(5126, 1, 6, 1, 0);  // 64 bytes each, 16 apart
  made.add(5126, 9, 2, 0, 0);  // 108 bytes of 96
  ASSERT_TRUE(made.run());
  EXPECT_EQ(made.job.fault, AccessorLayout::Fault::kSmallStride);
  EXPECT_EQ(made.job.row, 1u);
  made.view[1] = 0;
  made.job.fault = AccessorLayout::Fault::kNone;
  ASSERT_TRUE(made.run());
  EXPECT_EQ(made.job.fault, AccessorLayout::Fault::kTooLong);
  EXPECT_EQ(made.job.expected, 96);
  EXPECT_EQ(made.job.got, 108);
  made.view[1] = 2;
  made.job.fault = AccessorLayout::Fault::kNone;
  EXPECT_FALSE(made.run());
  EXPECT_EQ(made.job.row, 1u);
}

TEST(AccessorLayout, TheEndOfAMatrixNeedNoPadding) {
  Layout made;
  made.view_length[0] = 23;
  made.add(5121, 2, 5, 0, 0);  // 12 and 11 bytes
  ASSERT_TRUE(made.run());
  EXPECT_EQ(made.job.fault, AccessorLayout::Fault::kNone);
  made.view_length[0] = 22;
  ASSERT_TRUE(made.run());
  EXPECT_EQ(made.job.fault, AccessorLayout::Fault::kTooLong);
}

TEST(RestPose, RotationsAreNormalisedOrRefused) {
  std::vector<double> transforms{1, 2, 3, 0, 0, 0, 1.001, 1, 1, 1};
  EXPECT_TRUE(normalize_rotations(transforms, 1e9, {0.01, 1e-7}));
  EXPECT_EQ(transforms[6], 1);
  transforms[6] = 1.02;
  EXPECT_FALSE(normalize_rotations(transforms, 1e9, {0.01, 1e-7}));
  transforms[6] = 1, transforms[0] = -2e9;
  EXPECT_FALSE(normalize_rotations(transforms, 1e9, {0.01, 1e-7}));
}

TEST(SkinFrame, OfTheUppermostJointUnlessOneIsOdd) {
  std::vector<float> stored(32);
  for (const std::size_t row : {0u, 16u}) {
    for (std::size_t i = 0; i < 4; ++i) stored[row + 5 * i] = 1;
  }
  stored[12] = 7;  // the translation of the first, by columns
  const Column joints{1, 0}, depths{0, 1};
  std::vector<Mat4<double>> model(2, Mat4<double>::identity()), bound(2);
  model[0].m[1][3] = 5;
  SkinFrame frame;
  frame.stored = stored, frame.joints = joints, frame.model_from_joint = model, frame.depths = depths;
  frame.largest = 1e9, frame.singular = 1e-6, frame.same_factor = 0.01;
  frame.source_from_bind = bound;
  ASSERT_TRUE(frame.run());
  EXPECT_EQ(bound[0].m[0][3], 7);
  EXPECT_EQ(frame.model_from_source.m[1][3], 5);  // of joint 0, whose row is the second
  model[1].m[0][0] = 1.1;                         // scales otherwise
  EXPECT_FALSE(frame.run());
  model[1].m[0][0] = 0;  // has no inverse
  EXPECT_FALSE(frame.run());
  model[1].m[0][0] = 1, stored[3] = 0.1f;  // not affine
  EXPECT_FALSE(frame.run());
  stored[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(frame.run());
}

TEST(ChannelColumns, SamplersOfTheirAnimation) {
  const Column counts{1, 0, 2}, path{0, 1, 2}, node{0, 1, 1}, sampler{0, 1, 0};
  const Column samplers{1, 0, 2}, inputs{3, 4, 5}, outputs{6, 7, 8}, kinds{0, 1, 2};
  Column made(5 * 3);
  ChannelColumns job;
  job.channel_counts = counts, job.path = path, job.node = node, job.sampler = sampler;
  job.sampler_counts = samplers, job.sampler_input = inputs, job.sampler_output = outputs;
  job.sampler_interpolation = kinds;
  job.node_count = 2;
  std::int64_t* at = made.data();
  for (auto* column : {&job.animation, &job.number, &job.input, &job.output, &job.interpolation}) {
    *column = {at, 3};
    at += 3;
  }
  ASSERT_TRUE(job.run());
  EXPECT_EQ(made, (Column{0, 2, 2, 0, 0, 1, 3, 5, 4, 6, 8, 7, 0, 2, 1}));
  job.node_count = 1;
  EXPECT_FALSE(job.run());
}

TEST(ChannelTracks, SortedAndSound) {
  // Two times, two rotations, two translations, one after the other.
  std::vector<float> floats{0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 2, 3, 4, 5, 6};
  const Column animation{0, 0}, node{1, 1}, input{0, 0}, interpolation{1, 1}, joints{-1, 0};
  Column path{1, 0}, output{1, 2};
  const Column count{2, 2, 2}, type{0, 3, 2}, start{0, 8, 40}, buffer{0, 0, 0};
  const bool plain[3] = {true, true, true};
  std::vector<Track> tracks(2);
  Column ends(2);
  ChannelTracks job;
  job.animation = animation, job.node = node, job.path = path, job.input = input, job.output = output;
  job.interpolation = interpolation, job.joint_of_node = joints;
  job.count = count, job.type = type, job.start = start, job.buffer = buffer, job.is_plain = plain;
  job.floats = floats, job.largest = 1e9, job.unit_tolerance = 0.01;
  job.tracks = tracks, job.ends = ends;
  ASSERT_TRUE(job.run());
  EXPECT_EQ(ends, (Column{0, 2}));
  EXPECT_EQ(tracks[0].path, 0);
  EXPECT_EQ(tracks[0].values, 10);
  EXPECT_EQ(tracks[1].values, 2);
  EXPECT_EQ(tracks[1].key_count, 2);
  for (const auto& [at, odd] : {std::pair{5, 1.1f}, {1, 0.0f}, {0, -1.0f}, {12, 2e9f}, {13, std::nanf("")}}) {
    const float kept = std::exchange(floats[static_cast<std::size_t>(at)], odd);
    EXPECT_FALSE(job.run()) << at;
    floats[static_cast<std::size_t>(at)] = kept;
  }
  path[1] = 1, output[1] = 1;  // one property twice
  EXPECT_FALSE(job.run());
}

}  // namespace
}  // namespace lissom
