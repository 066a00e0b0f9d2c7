// SPDX-License-Identifier: MIT
#include "core/loading/accessor_layout.h"

#include <algorithm>
#include <array>

namespace lissom {
namespace {

constexpr std::int64_t kFloat = 5126;
constexpr std::array<std::int64_t, 7> kComponents = {1, 2, 3, 4, 4, 9, 16};
constexpr std::int64_t kFirstMatrix = 4;  // MAT2; the others follow

std::int64_t size_of_component(std::int64_t type) {
  switch (type) {
    case 5120:  // byte
    case 5121:
      return 1;
    case 5122:  // short
    case 5123:
      return 2;
    case 5125:  // unsigned int
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::int64_t component_count(std::int64_t type) {
  return type < 0 ? 0 : kComponents[static_cast<std::size_t>(type)];
}

bool views_fit(AccessorLayout::Column buffer, AccessorLayout::Column offset, AccessorLayout::Column length,
               AccessorLayout::Column buffer_lengths) {
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    const auto in = static_cast<std::size_t>(buffer[i]);
    if (in >= buffer_lengths.size() || offset[i] + length[i] > buffer_lengths[in]) return false;
  }
  return true;
}

std::int64_t AccessorLayout::lay_out(std::size_t i) {
  const std::int64_t size = size_of_component(component_type[i]);
  component_size[i] = size;
  components[i] = component_count(type[i]);
  std::int64_t last = components[i] * size;
  element_size[i] = last;
  if (type[i] >= kFirstMatrix) {  // columns start at multiples of 4 bytes; the last need not be padded
    const std::int64_t rows = 2 + type[i] - kFirstMatrix, column = (rows * size + 3) / 4 * 4;
    element_size[i] = rows * column;
    last = (rows - 1) * column + rows * size;
  }
  has_view[i] = view[i] >= 0;
  const auto in = static_cast<std::size_t>(has_view[i] ? view[i] : 0);
  const std::int64_t told = has_view[i] ? view_stride[in] : 0;
  has_stride[i] = told > 0;
  stride[i] = told > 0 ? told : element_size[i];
  start[i] = byte_offset[i] + (has_view[i] ? view_offset[in] : 0);
  buffer[i] = has_view[i] ? view_buffer[in] : -1;
  is_compressed[i] = buffer[i] >= buffer_count;
  is_plain[i] = has_view[i] && component_type[i] == kFloat && type[i] >= 0 && stride[i] == element_size[i] &&
                !is_sparse[i];
  return last;
}

void AccessorLayout::find_fault(Fault kind, std::size_t i, std::int64_t last_size) {
  const auto found = [&](bool is_fault, std::int64_t wanted, std::int64_t given) {
    if (!is_fault) return;
    fault = kind, row = i, expected = wanted, got = given;
  };
  const std::int64_t space = view_length[static_cast<std::size_t>(view[i])];
  const std::int64_t end = byte_offset[i] + stride[i] * (count[i] - 1) + last_size;
  switch (kind) {
    case Fault::kSmallStride:
      return found(stride[i] < element_size[i], element_size[i], stride[i]);
    case Fault::kTooLong:
      return found(end > space, space, end);
    case Fault::kAlignment:
      return found(start[i] % std::max<std::int64_t>(component_size[i], 1) != 0, component_size[i], start[i]);
    default:
      return;
  }
}

bool AccessorLayout::run() {
  const auto view_count = static_cast<std::int64_t>(view_buffer.size());
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (view[i] < view_count) continue;
    fault = Fault::kView, row = i, expected = view_count, got = view[i];
    return false;
  }
  for (std::size_t i = 0; i < view.size(); ++i) {
    const std::int64_t last_size = lay_out(i);
    if (!has_view[i] || element_size[i] == 0) continue;
    for (const Fault kind : {Fault::kSmallStride, Fault::kTooLong, Fault::kAlignment}) {
      if (fault != Fault::kNone && kind >= fault) break;  // one of an earlier kind would come first
      find_fault(kind, i, last_size);
    }
  }
  return true;
}

}  // namespace lissom
