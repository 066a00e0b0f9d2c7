// SPDX-License-Identifier: MIT
#include "core/linear_algebra/cholesky.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/linear_algebra/cholesky_kernels.h"
#include "core/linear_algebra/ordering.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_KERNEL_TABLE(CholeskyKernels, cholesky_kernels)
namespace {

constexpr std::int32_t kNone = -1;

// Multiplications and additions of update() per nanosecond and thread, roughly.
constexpr double kFlopsPerNanosecond = 10;

// Parents in the elimination tree (Liu 1986), by elimination place.
std::vector<std::int32_t> elimination_tree(const SparseMatrix& a, std::span<const std::int32_t> order,
                                           std::span<const std::int32_t> places) {
  const std::size_t count = order.size();
  std::vector<std::int32_t> parents(count, kNone), ancestors(count, kNone);
  for (std::size_t j = 0; j < count; ++j) {
    const auto column = static_cast<std::int32_t>(j);
    for (std::size_t e = a.starts[order[j]]; e < a.starts[order[j] + 1]; ++e) {
      for (std::int32_t i = places[a.columns[e]]; i != kNone && i < column;) {
        const std::int32_t next = ancestors[i];
        ancestors[i] = column;
        if (next == kNone) parents[i] = column;
        i = next;
      }
    }
  }
  return parents;
}

// Children before parents, every subtree contiguous. Returns old places by new ones.
std::vector<std::int32_t> postorder(std::span<const std::int32_t> parents) {
  const std::size_t count = parents.size();
  std::vector<std::int32_t> first_child(count, kNone), next_sibling(count, kNone), order, stack;
  for (std::size_t j = count; j-- > 0;) {
    if (parents[j] == kNone) continue;
    next_sibling[j] = first_child[parents[j]];
    first_child[parents[j]] = static_cast<std::int32_t>(j);
  }
  order.reserve(count);
  for (std::size_t root = 0; root < count; ++root) {
    if (parents[root] != kNone) continue;
    stack.push_back(static_cast<std::int32_t>(root));
    while (!stack.empty()) {
      const std::int32_t top = stack.back();
      if (first_child[top] != kNone) {
        stack.push_back(first_child[top]);
        first_child[top] = next_sibling[stack.back()];
      } else {
        order.push_back(top);
        stack.pop_back();
      }
    }
  }
  return order;
}

// Entries of each column of L, the diagonal included: row i of L holds the paths in the tree from the entries of row i
// of A up to i.
std::vector<std::int32_t> column_counts(const SparseMatrix& a, std::span<const std::int32_t> order,
                                        std::span<const std::int32_t> places,
                                        std::span<const std::int32_t> parents) {
  const std::size_t count = order.size();
  std::vector<std::int32_t> counts(count, 1), seen(count, kNone);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::int32_t>(i);
    seen[i] = row;
    for (std::size_t e = a.starts[order[i]]; e < a.starts[order[i] + 1]; ++e) {
      std::int32_t j = places[a.columns[e]];
      if (j >= row) continue;
      for (; seen[j] != row; j = parents[j]) {
        seen[j] = row;
        ++counts[j];
      }
    }
  }
  return counts;
}

// Whether a supernode of so many columns may hold such a share of zeros. Few columns cost little whatever they hold;
// the figures are CHOLMOD's.
bool may_hold_zeros(double columns, double share) {
  return columns <= 4 || (columns <= 16 && share <= 0.8) || (columns <= 48 && share <= 0.1) || share <= 0.05;
}

void invert(std::span<const std::int32_t> order, std::vector<std::int32_t>* places) {
  places->resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) (*places)[order[k]] = static_cast<std::int32_t>(k);
}

// The update of a parent's front: a lower triangle, column by column without gaps.
struct Update {
  std::size_t supernode;
  std::vector<double> values;
};

}  // namespace

Error CholeskyFactor::analyse(const SparseMatrix& a, std::span<const std::int32_t> order, const char* stage,
                              const Progress& progress) {
  order_.assign(order.begin(), order.end());
  if (order_.empty()) {
    if (Error error = minimum_degree_order(a, stage, progress, &order_)) return error;
  }
  invert(order_, &places_);
  std::vector<std::int32_t> parents = elimination_tree(a, order_, places_);
  const std::vector<std::int32_t> post = postorder(parents);
  std::vector<std::int32_t> new_places(post.size()), new_parents(post.size()), new_order(post.size());
  for (std::size_t k = 0; k < post.size(); ++k) new_places[post[k]] = static_cast<std::int32_t>(k);
  for (std::size_t k = 0; k < post.size(); ++k) {
    new_order[k] = order_[post[k]];
    new_parents[k] = parents[post[k]] == kNone ? kNone : new_places[parents[post[k]]];
  }
  order_ = std::move(new_order);
  invert(order_, &places_);
  if (progress && progress(stage, 0.5)) return Error(kStopped);
  const std::vector<std::int32_t> counts = column_counts(a, order_, places_, new_parents);
  if (progress && progress(stage, 0.75)) return Error(kStopped);
  find_supernodes(new_parents, counts);
  find_rows(a);
  return {};
}

void CholeskyFactor::find_supernodes(std::span<const std::int32_t> parents,
                                     std::span<const std::int32_t> counts) {
  // A supernode during merging: its columns are [first, next one's first), its front has `front` rows.
  struct Node {
    std::size_t first, columns, front;
    double zeros;
    double entries() const {
      return static_cast<double>(columns) * static_cast<double>(2 * front - columns + 1) / 2;
    }
  };
  const std::size_t count = parents.size();
  std::vector<std::int32_t> children(count, 0);
  for (const std::int32_t parent : parents) {
    if (parent != kNone) ++children[parent];
  }
  std::vector<Node> nodes;
  for (std::size_t j = 0; j < count;) {
    std::size_t end = j + 1;
    // Fundamental: a chain of single children whose columns of L each have one entry more than the next.
    while (end < count && parents[end - 1] == static_cast<std::int32_t>(end) && children[end] == 1 &&
           counts[end - 1] == counts[end] + 1) {
      ++end;
    }
    nodes.push_back({j, end - j, static_cast<std::size_t>(counts[j]), 0});
    // Relaxed: merged with the last child, which is stored right before it.
    while (nodes.size() > 1) {
      const Node child = nodes[nodes.size() - 2], node = nodes.back();
      const std::int32_t parent = parents[node.first - 1];
      if (parent == kNone || static_cast<std::size_t>(parent) >= node.first + node.columns) break;
      Node merged{child.first, child.columns + node.columns, child.columns + node.front, 0};
      merged.zeros = merged.entries() - (child.entries() - child.zeros) - (node.entries() - node.zeros);
      if (!may_hold_zeros(static_cast<double>(merged.columns), merged.zeros / merged.entries())) break;
      nodes.pop_back();
      nodes.back() = merged;
    }
    j = end;
  }
  firsts_.clear();
  for (const Node& node : nodes) firsts_.push_back(static_cast<std::int32_t>(node.first));
  firsts_.push_back(static_cast<std::int32_t>(count));
}

void CholeskyFactor::find_rows(const SparseMatrix& a) {
  const std::size_t supernode_count = firsts_.size() - 1;
  std::vector<std::int32_t> supernode_of(order_.size());
  for (std::size_t s = 0; s < supernode_count; ++s) {
    for (std::int32_t j = firsts_[s]; j < firsts_[s + 1]; ++j) supernode_of[j] = static_cast<std::int32_t>(s);
  }
  std::vector<std::int32_t> seen(order_.size(), kNone), first_child(supernode_count, kNone),
      next_sibling(supernode_count, kNone);
  parents_.assign(supernode_count, kNone);
  row_starts_.assign(1, 0);
  panel_starts_.assign(1, 0);
  rows_.clear();
  widest_front_ = 0;
  // The largest size of updates that wait for their parents, on a stack.
  double waiting = 0, most = 0;
  std::vector<double> update_sizes(supernode_count, 0);
  for (std::size_t s = 0; s < supernode_count; ++s) {
    const auto mark = static_cast<std::int32_t>(s);
    const std::int32_t last = firsts_[s + 1] - 1;
    const std::size_t begin = rows_.size();
    const auto add = [&](std::int32_t row) {
      if (row <= last || seen[row] == mark) return;
      seen[row] = mark;
      rows_.push_back(row);
    };
    for (std::int32_t j = firsts_[s]; j <= last; ++j) {
      for (std::size_t e = a.starts[order_[j]]; e < a.starts[order_[j] + 1]; ++e) add(places_[a.columns[e]]);
    }
    for (std::int32_t child = first_child[s]; child != kNone; child = next_sibling[child]) {
      for (std::size_t r = row_starts_[child]; r < row_starts_[child + 1]; ++r) add(rows_[r]);
      waiting -= update_sizes[child];
    }
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin), rows_.end());
    const std::size_t below = rows_.size() - begin;
    const auto width = static_cast<std::size_t>(last + 1 - firsts_[s]);
    row_starts_.push_back(rows_.size());
    panel_starts_.push_back(panel_starts_.back() + width * (width + below));
    widest_front_ = std::max(widest_front_, width + below);
    update_sizes[s] = static_cast<double>(below) * static_cast<double>(below + 1) / 2;
    waiting += update_sizes[s];
    most = std::max(most, waiting);
    if (below > 0) {
      parents_[s] = supernode_of[rows_[begin]];
      next_sibling[s] = first_child[parents_[s]];
      first_child[parents_[s]] = mark;
    }
  }
  const auto front = static_cast<double>(widest_front_ + kFrontPadding);
  bytes_ = 8 * (static_cast<double>(panel_starts_.back()) + most + front * front + 4 * front * kFrontBlock) +
           4 * static_cast<double>(rows_.size());
}

Error CholeskyFactor::check_memory(double limit, double* bytes_needed) const {
  if (bytes_ <= limit) return {};
  if (bytes_needed) *bytes_needed = bytes_;
  return Error("the factor of " + std::to_string(row_count()) + " unknowns would take " +
               std::to_string(static_cast<long long>(bytes_ / 1048576)) + " MiB, more than the " +
               std::to_string(static_cast<long long>(limit / 1048576)) +
               " MiB that a call may take; pass a coarser mesh");
}

Error CholeskyFactor::factorise(const SparseMatrix& a, double shift, std::span<const double> diagonal,
                                const char* stage, const Progress& progress) {
  const CholeskyKernels& kernels = cholesky_kernels();
  const std::size_t supernode_count = firsts_.size() - 1;
  panels_.resize(panel_starts_.back());
  std::vector<double> front((widest_front_ + kFrontPadding) * (widest_front_ + kFrontPadding)), packed;
  std::vector<std::int32_t> local(order_.size());  // row of the front that holds a row of L
  std::vector<std::size_t> target;
  std::vector<Update> waiting;
  double work_done = 0, work = 0;
  const auto work_of = [&](std::size_t s) {
    const auto width = static_cast<double>(firsts_[s + 1] - firsts_[s]);
    const double size = width + static_cast<double>(row_starts_[s + 1] - row_starts_[s]);
    return width * size * size;
  };
  for (std::size_t s = 0; s < supernode_count; ++s) work += work_of(s);

  for (std::size_t s = 0; s < supernode_count; ++s) {
    const std::int32_t first = firsts_[s];
    const auto width = static_cast<std::size_t>(firsts_[s + 1] - first);
    const std::size_t below = row_starts_[s + 1] - row_starts_[s], size = width + below;
    const std::int32_t* rows = rows_.data() + row_starts_[s];
    const std::size_t stride = size + kFrontPadding;
    std::fill_n(front.begin(), stride * stride, 0.0);
    for (std::size_t i = 0; i < width; ++i)
      local[first + static_cast<std::int32_t>(i)] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < below; ++i) local[rows[i]] = static_cast<std::int32_t>(width + i);

    // The columns of A, then the updates of the children.
    for (std::size_t j = 0; j < width; ++j) {
      const auto place = first + static_cast<std::int32_t>(j);
      const std::int32_t row = order_[place];
      for (std::size_t e = a.starts[row]; e < a.starts[row + 1]; ++e) {
        const std::int32_t other = places_[a.columns[e]];
        if (other >= place) front[j * stride + static_cast<std::size_t>(local[other])] = a.values[e];
      }
      front[j * stride + j] += shift * diagonal[row];
    }
    while (!waiting.empty() && parents_[waiting.back().supernode] == static_cast<std::int32_t>(s)) {
      const Update& child = waiting.back();
      const std::size_t count = row_starts_[child.supernode + 1] - row_starts_[child.supernode];
      target.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        target[i] = static_cast<std::size_t>(local[rows_[row_starts_[child.supernode] + i]]);
      }
      const double* value = child.values.data();
      for (std::size_t j = 0; j < count; ++j) {
        double* column = front.data() + target[j] * stride;
        for (std::size_t i = j; i < count; ++i) column[target[i]] += *value++;
      }
      waiting.pop_back();
    }

    for (std::size_t begin = 0; begin < width; begin += kFrontBlock) {
      if (progress && progress(stage, work_done / work)) return Error(kStopped);
      const std::size_t count = std::min(kFrontBlock, width - begin);
      double* block = front.data() + begin * stride + begin;
      if (!kernels.eliminate(block, stride, count, size - begin)) {
        return Error("matrix must be positive definite, got a pivot that is not above 0 in column " +
                     std::to_string(order_[first + static_cast<std::int32_t>(begin)]));
      }
      const std::size_t rest = size - begin - count;
      if (rest == 0) continue;
      packed.resize(std::max(packed.size(), kernels.packed_length(count, rest)));
      kernels.pack(block + count, stride, count, rest, packed.data());
      double* trailing = block + count * stride + count;
      const double nanoseconds = static_cast<double>(count * rest) / kFlopsPerNanosecond;
      parallel_for(rest, kernels.update_grain, nanoseconds, [&](std::size_t from, std::size_t to) {
        kernels.update(trailing, stride, count, rest, packed.data(), from, to);
      });
    }

    // The panel is stored by rows, with reciprocals on its diagonal, by which solving multiplies.
    double* panel = panels_.data() + panel_starts_[s];
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < width; ++j) panel[i * width + j] = j > i ? 0.0 : front[j * stride + i];
      if (i < width) panel[i * width + i] = 1 / panel[i * width + i];
    }
    if (below > 0) {
      Update update{s, std::vector<double>(below * (below + 1) / 2)};
      double* value = update.values.data();
      for (std::size_t j = width; j < size; ++j) {
        value = std::copy(front.begin() + static_cast<std::ptrdiff_t>(j * stride + j),
                          front.begin() + static_cast<std::ptrdiff_t>(j * stride + size), value);
      }
      waiting.push_back(std::move(update));
    }
    work_done += work_of(s);
  }
  return {};
}

void CholeskyFactor::solve(double* x) const {
  const CholeskyLayout layout{firsts_.size() - 1, firsts_.data(),       row_starts_.data(),
                              rows_.data(),       panel_starts_.data(), panels_.data()};
  std::vector<double> work(widest_front_ * kSolveLanes);
  cholesky_kernels().solve(layout, x, work.data());
}

}  // namespace lissom
