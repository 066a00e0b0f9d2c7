// SPDX-License-Identifier: MIT
#include "core/skinning/vertex_runs.h"

#include <algorithm>
#include <optional>

#include "core/skinning/morphed_vertices.h"

namespace lissom {

VectorRuns::VectorRuns(const SkinningJob<float>& job)
    : job_(job), whole_end_(job.mesh->vertex_count() / kVertexBlock * kVertexBlock) {
  if (job.morphs) morphs_ = ActiveMorphs(*job.morphs, job.morph_weights);
  job.mesh->is_wide() ? view(&wide_tail_indices_) : view(&tail_indices_);
}

template <class Index>
void VectorRuns::view(std::vector<Index>* tail_indices) {
  const SkinnedMesh& mesh = *job_.mesh;
  const std::size_t k = mesh.influence_count(), vertex_count = mesh.vertex_count();
  const auto data_or_null = [](std::span<const float> values) {
    return values.empty() ? nullptr : values.data();
  };
  whole_ = {};
  whole_.positions = mesh.positions();
  whole_.normals = data_or_null(job_.normals);
  whole_.tangents = data_or_null(job_.tangents);
  whole_.centers = data_or_null(job_.centers);
  whole_.blend = data_or_null(job_.blend);
  const SkinnedMesh::Arrays& arrays = mesh.arrays();
  whole_.byte_indices = !arrays.byte_indices.empty();
  whole_.indices = whole_.byte_indices ? static_cast<const void*>(arrays.byte_indices.data())
                   : mesh.is_wide()    ? static_cast<const void*>(arrays.wide_indices.data())
                                       : arrays.indices.data();
  whole_.pivots = mesh.pivots<Index>();
  if (!arrays.byte_weights.empty()) {
    whole_.weight_format = WeightFormat::kByte;
    whole_.weights = arrays.byte_weights.data();
  } else if (!arrays.short_weights.empty()) {
    whole_.weight_format = WeightFormat::kShort;
    whole_.weights = arrays.short_weights.data();
  } else {
    whole_.weight_format = WeightFormat::kFloat;
    whole_.weights = arrays.weights.data();
  }
  whole_.influence_count = k;
  whole_.upright = job_.upright;
  tail_ = whole_;
  if (whole_end_ == vertex_count) return;

  // Appends rows of `width` of the last block at `to`.
  const auto take = [&](const auto* from, std::size_t width, auto*& to) {
    const auto* const taken = to;
    for (std::size_t i = 0; from && i < kVertexBlock; ++i, to += width) {
      std::copy_n(from + width * std::min(whole_end_ + i, vertex_count - 1), width, to);
    }
    return from ? taken : nullptr;
  };
  tail_floats_.resize(kVertexBlock * (3 + 3 + 4 + 3 + 1 + k));
  float* floats = tail_floats_.data();
  tail_.positions = take(whole_.positions, 3, floats);
  tail_.normals = take(whole_.normals, 3, floats);
  tail_.tangents = take(whole_.tangents, 4, floats);
  tail_.centers = take(whole_.centers, 3, floats);
  tail_.blend = take(whole_.blend, 1, floats);
  tail_indices->resize(kVertexBlock * (k + 1));
  Index* indices = tail_indices->data();
  tail_.pivots = take(mesh.pivots<Index>(), 1, indices);
  tail_.weights = floats;
  tail_.indices = indices;
  tail_.weight_format = WeightFormat::kFloat;
  tail_.byte_indices = false;
  if (mesh.is_plain()) {
    take(arrays.weights.data(), k, floats);
    take(static_cast<const Index*>(whole_.indices), k, indices);
    return;
  }
  for (std::size_t v = whole_end_; v < whole_end_ + kVertexBlock; ++v) {
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t from = std::min(v, vertex_count - 1) * k + i;
      *floats++ = mesh.weight(from);
      *indices++ = static_cast<Index>(mesh.row(from));
    }
  }
}

bool VectorRuns::is_scaled(const std::uint8_t* scaled_rows, std::size_t begin, std::size_t end) const {
  const SkinnedMesh& mesh = *job_.mesh;
  const std::size_t k = mesh.influence_count();
  bool scaled = false;
  for (std::size_t i = begin * k; i < end * k; ++i) scaled |= scaled_rows[mesh.row(i)] != 0;
  return scaled;
}

namespace {

// The same vertices counted from `first` on.
SkinningKernelArgs counted_from(std::size_t first, bool is_wide, SkinningKernelArgs args) {
  const auto later = [first](const auto* values, std::size_t width) {
    return values ? values + first * width : nullptr;
  };
  const auto later_bytes = [first](const void* values, std::size_t width) -> const void* {
    return static_cast<const std::byte*>(values) + first * width;
  };
  const std::size_t k = args.influence_count;
  const std::size_t index_size = args.byte_indices ? 1
                                 : is_wide         ? sizeof(std::uint32_t)
                                                   : sizeof(std::uint16_t);
  const std::size_t weight_size = args.weight_format == WeightFormat::kFloat   ? sizeof(float)
                                  : args.weight_format == WeightFormat::kShort ? sizeof(std::uint16_t)
                                                                               : sizeof(std::uint8_t);
  args.positions = later(args.positions, 3);
  args.normals = later(args.normals, 3);
  args.tangents = later(args.tangents, 4);
  args.centers = later(args.centers, 3);
  args.blend = later(args.blend, 1);
  args.indices = later_bytes(args.indices, k * index_size);
  args.pivots = later_bytes(args.pivots, is_wide ? sizeof(std::uint32_t) : sizeof(std::uint16_t));
  args.weights = later_bytes(args.weights, k * weight_size);
  args.positions_out += 3 * first;
  if (args.normals) args.normals_out += 3 * first;
  if (args.tangents) args.tangents_out += 4 * first;
  args.begin -= first;
  args.end -= first;
  return args;
}

void use(const MorphedVertices& morphed, SkinningKernelArgs* args) {
  args->positions = morphed.positions();
  if (args->normals) args->normals = morphed.normals();
  if (args->tangents) args->tangents = morphed.tangents();
}

}  // namespace

void VectorRuns::run_whole(const SkinningKernels& kernels, const PaletteRows& palette,
                           const std::uint8_t* scaled_rows, SkinningKernelArgs args, std::size_t begin,
                           std::size_t end, const MorphedVertices* morphed) const {
  const bool is_wide = job_.mesh->is_wide();
  const auto kernel = is_wide ? kernels.wide : kernels.narrow;
  const bool is_mixed = palette.scales && scaled_rows;
  const std::size_t first = begin;  // of what `morphed` holds
  while (begin < end) {
    args.begin = begin;
    args.end = end;
    if (is_mixed) {  // as many blocks as are equal in that
      const bool scaled = is_scaled(scaled_rows, begin, begin + kVertexBlock);
      args.palette.scales = scaled ? palette.scales : nullptr;
      args.end = begin + kVertexBlock;
      while (args.end < end && is_scaled(scaled_rows, args.end, args.end + kVertexBlock) == scaled) {
        args.end += kVertexBlock;
      }
    }
    if (morphed) {
      SkinningKernelArgs near = counted_from(first, is_wide, args);
      use(*morphed, &near);
      kernel(near);
    } else {
      kernel(args);
    }
    begin = args.end;
  }
}

void VectorRuns::run(const SkinningKernels& kernels, const PaletteRows& palette,
                     const std::uint8_t* scaled_rows, std::size_t batch, std::size_t begin,
                     std::size_t end) const {
  const std::size_t first = batch * job_.mesh->vertex_count();
  SkinningKernelArgs args = whole_;
  args.palette = palette;
  args.positions_out = job_.positions_out.data() + 3 * first;
  if (args.normals) args.normals_out = job_.normals_out.data() + 3 * first;
  if (args.tangents) args.tangents_out = job_.tangents_out.data() + 4 * first;
  std::vector<std::uint16_t> decoded_indices;
  std::vector<float> decoded_weights;
  if (!job_.mesh->is_plain()) {
    decoded_indices.resize(kVertexBlock * whole_.influence_count);
    decoded_weights.resize(kVertexBlock * whole_.influence_count);
    args.decoded_indices = decoded_indices.data();
    args.decoded_weights = decoded_weights.data();
  }
  const std::size_t whole_end = std::min(end, whole_end_);
  std::optional<MorphedVertices> morphed;
  if (morphs_.of(batch).empty()) {
    run_whole(kernels, palette, scaled_rows, args, begin, whole_end, nullptr);
  } else {
    morphed.emplace(*job_.morphs, morphs_, batch, begin, args.normals != nullptr, args.tangents != nullptr);
    for (std::size_t next = 0; begin < whole_end; begin = next) {
      next = std::min(whole_end, begin + kMorphedVertices);
      const bool moves = morphed->moves_before(next);
      if (moves) {
        const SkinningKernelArgs near = counted_from(begin, job_.mesh->is_wide(), args);
        morphed->take(near.positions, near.normals, near.tangents, next - begin, begin, next);
      }
      run_whole(kernels, palette, scaled_rows, args, begin, next, moves ? &*morphed : nullptr);
    }
  }
  if (end <= whole_end_) return;

  const bool is_mixed = palette.scales && scaled_rows;
  args.palette.scales = is_mixed && !is_scaled(scaled_rows, whole_end_, end) ? nullptr : palette.scales;
  float positions_out[3 * kVertexBlock], normals_out[3 * kVertexBlock], tangents_out[4 * kVertexBlock];
  const SkinningKernelArgs whole = args;
  args = tail_;
  args.palette = whole.palette;
  args.begin = 0;
  args.end = kVertexBlock;
  args.positions_out = positions_out;
  args.normals_out = normals_out;
  args.tangents_out = tangents_out;
  if (morphed && morphed->moves_before(end)) {
    morphed->take(args.positions, args.normals, args.tangents, kVertexBlock, whole_end_, end);
    use(*morphed, &args);
  }
  (job_.mesh->is_wide() ? kernels.wide : kernels.narrow)(args);
  const std::size_t count = end - whole_end_;
  std::copy_n(positions_out, 3 * count, whole.positions_out + 3 * whole_end_);
  if (args.normals) std::copy_n(normals_out, 3 * count, whole.normals_out + 3 * whole_end_);
  if (args.tangents) std::copy_n(tangents_out, 4 * count, whole.tangents_out + 4 * whole_end_);
}

}  // namespace lissom
