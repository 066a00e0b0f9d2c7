// SPDX-License-Identifier: MIT
// The colour map of heat maps, as in _view/viridis.py: sRGB bytes at 0, 1/9, ... 1.

const VIRIDIS = "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725".split(" ");

const linearOf = (encoded) => (encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4);

// Linear light, three numbers per colour.
const viridisTexels = () =>
  Float32Array.from(VIRIDIS.flatMap((c) => [0, 2, 4].map((i) => linearOf(parseInt(c.slice(i, i + 2), 16) / 255))));
