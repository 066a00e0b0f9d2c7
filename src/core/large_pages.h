// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cache_line.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace lissom {

// An allocator of vectors, aligned to 64 bytes, whose numbers are not initialised. From kLeastLarge bytes on they lie in
// pages of 2 MiB where the system has such: entering a page takes a virtual machine as long as writing its 4 KiB twenty
// times, and where memory is read at random its address is found in the cache.
template <class T>
struct LargePages {
  static_assert(std::is_trivially_default_constructible_v<T>);
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kLeastLarge = kPage / 2;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLeastLarge) return static_cast<T*>(::operator new(bytes, std::align_val_t{kCacheLine}));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* memory = ::operator new(whole, std::align_val_t{kPage});
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, whole, MADV_HUGEPAGE);  // a wish
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    const bool is_large = count * sizeof(T) >= kLeastLarge;
    ::operator delete(memory, std::align_val_t{is_large ? kPage : kCacheLine});
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
  bool operator==(const LargePages&) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace lissom
