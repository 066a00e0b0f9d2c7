// SPDX-License-Identifier: MIT
#include "core/loading/channel_columns.h"

#include <cstddef>

namespace lissom {

bool ChannelColumns::run() const {
  std::size_t row = 0;
  std::int64_t first_sampler = 0;
  for (std::size_t i = 0; i < channel_counts.size(); ++i) {
    for (std::int64_t place = 0; place < channel_counts[i]; ++place, ++row) {
      if (path[row] < 0 || node[row] < 0 || node[row] >= node_count) return false;
      if (sampler[row] >= sampler_counts[i]) return false;
      const auto used = static_cast<std::size_t>(first_sampler + sampler[row]);
      if (sampler_interpolation[used] < 0) return false;
      animation[row] = static_cast<std::int64_t>(i);
      number[row] = place;
      input[row] = sampler_input[used];
      output[row] = sampler_output[used];
      interpolation[row] = sampler_interpolation[used];
    }
    first_sampler += sampler_counts[i];
  }
  return true;
}

}  // namespace lissom
