// SPDX-License-Identifier: MIT
#include "core/parallel/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace lissom {
namespace {

constexpr double kHeavy = 1e6;  // nanoseconds per item that make every job worth threads

class ThreadPool : public testing::Test {
 protected:
  void TearDown() override { EXPECT_FALSE(set_thread_count(0)); }
};

// How often each item was visited.
std::vector<int> visits(std::size_t count, std::size_t grain, double nanoseconds_per_item) {
  std::vector<int> seen(count);
  parallel_for(count, grain, nanoseconds_per_item, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  return seen;
}

TEST_F(ThreadPool, VisitsEveryItemOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ASSERT_FALSE(set_thread_count(threads));
    for (const std::size_t count : {0, 1, 2, 15, 16, 17, 1000, 4099}) {
      for (const std::size_t grain : {1, 7, 16, 5000}) {
        EXPECT_EQ(visits(count, grain, kHeavy), std::vector<int>(count, 1)) << count << " by " << grain;
      }
    }
  }
}

TEST_F(ThreadPool, ChunksAreWholeGrains) {
  ASSERT_FALSE(set_thread_count(4));
  std::mutex mutex;
  std::vector<std::pair<std::size_t, std::size_t>> chunks;
  parallel_for(1001, 16, kHeavy, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    chunks.emplace_back(begin, end);
  });
  EXPECT_GE(chunks.size(), 4u);
  for (const auto& [begin, end] : chunks) {
    EXPECT_EQ(begin % 16, 0u);
    EXPECT_TRUE(end % 16 == 0 || end == 1001) << end;
  }
}

TEST_F(ThreadPool, SmallJobsStayOnTheCaller) {
  ASSERT_FALSE(set_thread_count(8));
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  parallel_for(1000, 1, 1.0, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0u);
    EXPECT_EQ(end, 1000u);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, LargeJobsUseSeveralThreads) {
  ASSERT_FALSE(set_thread_count(2));
  std::atomic<int> arrived{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  // Every chunk waits until two have begun: alone, one thread would never get past the first.
  parallel_for(64, 1, kHeavy, [&](std::size_t, std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 2u);
}

TEST_F(ThreadPool, JobsInsideJobsRunInPlace) {
  ASSERT_FALSE(set_thread_count(4));
  std::atomic<int> inner{0};
  parallel_for(64, 1, kHeavy, [&](std::size_t, std::size_t) {
    const std::thread::id caller = std::this_thread::get_id();
    parallel_for(64, 1, kHeavy, [&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      inner += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(inner % 64, 0);
  EXPECT_GT(inner, 64);
}

TEST_F(ThreadPool, ManyCallersAtOnceAllFinish) {
  ASSERT_FALSE(set_thread_count(4));
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        if (visits(257, 3, kHeavy) != std::vector<int>(257, 1)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, WhatABodyThrowsReachesTheCaller) {
  for (const int threads : {1, 4}) {
    ASSERT_FALSE(set_thread_count(threads));
    for (int round = 0; round < 50; ++round) {
      const auto fail = [](std::size_t, std::size_t) { throw std::bad_alloc(); };
      EXPECT_THROW(parallel_for(64, 1, kHeavy, fail), std::bad_alloc);
      EXPECT_EQ(visits(64, 1, kHeavy), std::vector<int>(64, 1));  // and the pool is as before
    }
  }
}

// A hook stops a long job between two slices, and no short one; the hook before is restored by who set it.
TEST_F(ThreadPool, AHookStopsLongJobsBetweenSlices) {
  struct Stop {};
  for (const int threads : {1, 3}) {
    ASSERT_FALSE(set_thread_count(threads));
    static std::atomic<int> calls;
    calls = 0;
    const SliceHook before = set_slice_hook([] {
      if (++calls == 3) throw Stop();
    });
    const std::size_t first_slice = static_cast<std::size_t>(kSliceNanoseconds * threads / 16e3) / 16 * 16;
    std::vector<std::atomic<int>> visits(10 * first_slice);
    const auto visit = [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) ++visits[begin];
    };
    parallel_for(first_slice, 16, 1000, visit);
    EXPECT_EQ(calls, 0);
    EXPECT_THROW(parallel_for(visits.size(), 16, 1000, visit), Stop);
    set_slice_hook(before);
    // Of the second loop three slices are done, each at most twice as long as the one before.
    const auto last = std::find(visits.begin() + first_slice, visits.end(), 0);
    EXPECT_GT(last - visits.begin(), static_cast<std::ptrdiff_t>(first_slice));
    EXPECT_LE(last - visits.begin(), static_cast<std::ptrdiff_t>(7 * first_slice));
    EXPECT_TRUE(std::all_of(visits.begin(), visits.begin() + first_slice, [](int n) { return n == 2; }));
    EXPECT_TRUE(std::all_of(visits.begin() + first_slice, last, [](int n) { return n == 1; }));
    EXPECT_TRUE(std::all_of(last, visits.end(), [](int n) { return n == 0; }));
    parallel_for(visits.size(), 16, 1000, visit);
    EXPECT_EQ(visits.back(), 1);
  }
}

TEST_F(ThreadPool, WorkersWakeFromSleep) {
  ASSERT_FALSE(set_thread_count(3));
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(visits(500, 1, kHeavy), std::vector<int>(500, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // far longer than they spin
  }
}

TEST_F(ThreadPool, CountsAreChecked) {
  EXPECT_TRUE(set_thread_count(-1));
  EXPECT_TRUE(set_thread_count(kMaxThreads + 1));
  ASSERT_FALSE(set_thread_count(5));
  EXPECT_EQ(thread_count(), 5);
  int count = 0;
  EXPECT_FALSE(parse_thread_count("12", &count));
  EXPECT_EQ(count, 12);
  for (const char* wrong : {"", "0", "-3", "1x", "2000", " 4"})
    EXPECT_TRUE(parse_thread_count(wrong, &count)) << wrong;
  EXPECT_EQ(count, 12);
}

}  // namespace
}  // namespace lissom
