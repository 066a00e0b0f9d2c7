// SPDX-License-Identifier: MIT
#include "core/skinning/vertex_runs.h"

#include <algorithm>
#include <new>

#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

constexpr std::align_val_t kCacheLine{64};

}  // namespace

void for_each_vertex_run(std::size_t batch_count, std::size_t vertex_count, double nanoseconds_per_vertex,
                         const std::function<void(std::size_t, std::size_t, std::size_t)>& run) {
  const std::size_t blocks = (vertex_count + kVertexBlock - 1) / kVertexBlock;
  // One item is a block of one palette. A chunk may run over the end of a palette into the next.
  const auto run_chunk = [&](std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t batch = begin / blocks;
      const std::size_t first = begin - batch * blocks;
      const std::size_t last = std::min(blocks, first + (end - begin));
      run(batch, first * kVertexBlock, std::min(last * kVertexBlock, vertex_count));
      begin += last - first;
    }
  };
  parallel_for(batch_count * blocks, 1, kVertexBlock * nanoseconds_per_vertex, run_chunk);
}

AlignedFloats::AlignedFloats(std::size_t count)
    : data_(static_cast<float*>(::operator new(count * sizeof(float), kCacheLine))) {}
AlignedFloats::~AlignedFloats() { ::operator delete(data_, kCacheLine); }

template <class Index>
void VectorRuns::view(const SkinnedMesh& mesh, std::span<const float> normals,
                      std::vector<Index>* tail_indices) {
  const std::size_t k = mesh.influence_count();
  whole_ = {};
  whole_.positions = mesh.positions();
  whole_.normals = normals.empty() ? nullptr : normals.data();
  whole_.indices = mesh.indices<Index>();
  whole_.pivots = mesh.pivots<Index>();
  whole_.weights = mesh.weights();
  whole_.influence_count = k;
  tail_ = whole_;
  if (whole_end_ == vertex_count_) return;

  tail_floats_.resize(kVertexBlock * (6 + k));
  float* positions = tail_floats_.data();
  float* tail_normals = positions + 3 * kVertexBlock;
  float* weights = tail_normals + 3 * kVertexBlock;
  tail_indices->resize(kVertexBlock * (k + 1));
  Index* indices = tail_indices->data();
  Index* pivots = indices + kVertexBlock * k;
  for (std::size_t i = 0; i < kVertexBlock; ++i) {
    const std::size_t v = std::min(whole_end_ + i, vertex_count_ - 1);
    std::copy_n(whole_.positions + 3 * v, 3, positions + 3 * i);
    if (whole_.normals) std::copy_n(whole_.normals + 3 * v, 3, tail_normals + 3 * i);
    std::copy_n(whole_.weights + k * v, k, weights + k * i);
    std::copy_n(mesh.indices<Index>() + k * v, k, indices + k * i);
    pivots[i] = mesh.pivots<Index>()[v];
  }
  tail_.positions = positions;
  if (whole_.normals) tail_.normals = tail_normals;
  tail_.indices = indices;
  tail_.pivots = pivots;
  tail_.weights = weights;
}

VectorRuns::VectorRuns(const SkinnedMesh& mesh, std::span<const float> normals)
    : is_wide_(mesh.is_wide()),
      vertex_count_(mesh.vertex_count()),
      whole_end_(vertex_count_ / kVertexBlock * kVertexBlock) {
  is_wide_ ? view(mesh, normals, &wide_tail_indices_) : view(mesh, normals, &tail_indices_);
}

void VectorRuns::run(Kernel narrow, Kernel wide, const PaletteRows& palette, std::size_t begin,
                     std::size_t end, float* positions_out, float* normals_out) const {
  const Kernel kernel = is_wide_ ? wide : narrow;
  SkinningKernelArgs args = whole_;
  args.palette = palette;
  args.begin = begin;
  args.end = std::min(end, whole_end_);
  args.positions_out = positions_out;
  args.normals_out = normals_out;
  kernel(args);
  if (end <= whole_end_) return;

  float tail_positions_out[3 * kVertexBlock], tail_normals_out[3 * kVertexBlock];
  args = tail_;
  args.palette = palette;
  args.begin = 0;
  args.end = kVertexBlock;
  args.positions_out = tail_positions_out;
  args.normals_out = tail_normals_out;
  kernel(args);
  const std::size_t count = 3 * (end - whole_end_);
  std::copy_n(tail_positions_out, count, positions_out + 3 * whole_end_);
  if (args.normals) std::copy_n(tail_normals_out, count, normals_out + 3 * whole_end_);
}

}  // namespace lissom
