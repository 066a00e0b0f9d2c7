// SPDX-License-Identifier: MIT
#include "core/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif
#ifndef _WIN32
#include <unistd.h>
#endif
#ifdef LISSOM_X86
#include <immintrin.h>
#endif

namespace lissom {
namespace {

// A worker watches for the next job this long before it sleeps: calls in a loop find it awake.
constexpr auto kSpinTime = std::chrono::microseconds(40);
// Chunks per thread: enough that other threads take over the rest of one that is preempted.
constexpr std::size_t kChunksPerThread = 4;
// But none smaller than this: claiming chunks would cost more than balancing gains.
constexpr double kLeastChunkNanoseconds = 10e3;

using Body = std::function<void(std::size_t, std::size_t)>;

void relax() {
#ifdef LISSOM_X86
  _mm_pause();
#endif
}

std::int64_t process_id() {
#ifdef _WIN32
  return 0;  // no fork there
#else
  return getpid();
#endif
}

// True on a worker, and on a caller while the pool runs its job: jobs started from there run in place.
thread_local bool is_inside_job = false;

// One job at a time: the caller publishes it, everyone claims chunks of it, the caller waits for the last.
class Pool {
 public:
  std::int64_t process() const { return process_; }

  // False where the pool is busy with somebody else's job; nothing has been done then. Throws what the body
  // threw first, after all chunks are done.
  bool run(std::size_t count, std::size_t grain, std::size_t chunk_count, int threads, const Body& body) {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    start_workers(threads - 1);
    body_ = &body;
    count_ = count;
    grain_ = grain;
    chunk_count_ = chunk_count;
    allowed_workers_ = threads - 1;
    unfinished_.store(static_cast<std::uint32_t>(chunk_count), std::memory_order_relaxed);
    const std::uint32_t job = job_.load(std::memory_order_relaxed) + 1;
    // From here on chunks can be claimed. The ticket carries the job's number, so a worker that slept through
    // a whole job cannot claim a chunk of the next with a stale ticket.
    ticket_.store(std::uint64_t{job} << 32 | chunk_count, std::memory_order_release);
    job_.store(job, std::memory_order_release);
    job_.notify_all();
    work(job);
    wait_for_the_last();
    if (failed_.load(std::memory_order_relaxed)) {
      failed_.store(false, std::memory_order_relaxed);
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    return true;
  }

 private:
  void start_workers(int count) {
    while (worker_count_ < count) {
      try {
        // Detached and never joined: the pool lives as long as
        // the process, and a worker holds nothing while idle.
        std::thread(&Pool::live, this, worker_count_, job_.load(std::memory_order_relaxed)).detach();
      } catch (const std::system_error&) {
        return;  // the system has no more threads: go on with the existing ones
      }
      ++worker_count_;
    }
  }

  void live(int worker, std::uint32_t last_job) {
    is_inside_job = true;
    for (;;) {
      const std::uint32_t job = next_job(last_job);
      last_job = job;
      // A read that races with the next job's write can only
      // lead to a claim that fails, or to one more helper.
      if (worker < allowed_workers_.load(std::memory_order_relaxed)) work(job);
    }
  }

  std::uint32_t next_job(std::uint32_t last_job) {
    const auto give_up = std::chrono::steady_clock::now() + kSpinTime;
    std::uint32_t job;
    do {
      for (int i = 0; i < 32; ++i) {
        job = job_.load(std::memory_order_acquire);
        if (job != last_job) return job;
        relax();
      }
    } while (std::chrono::steady_clock::now() < give_up);
    while ((job = job_.load(std::memory_order_acquire)) == last_job) job_.wait(last_job);
    return job;
  }

  // Claims chunks of this job until none is left.
  void work(std::uint32_t job) {
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (static_cast<std::uint32_t>(ticket >> 32) == job && static_cast<std::uint32_t>(ticket) != 0) {
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel)) continue;
      // The job's fields do not change from here until this chunk is reported done.
      run_chunk(chunk_count_ - static_cast<std::uint32_t>(ticket));
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  void run_chunk(std::size_t chunk) {
    const std::size_t grains = (count_ + grain_ - 1) / grain_;
    const std::size_t begin = grains * chunk / chunk_count_ * grain_;
    const std::size_t end = std::min(grains * (chunk + 1) / chunk_count_ * grain_, count_);
    if (begin >= end) return;
    try {
      (*body_)(begin, end);
    } catch (...) {
      // The caller reads it after the last chunk was reported done.
      if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
    }
  }

  void wait_for_the_last() {
    std::uint32_t left;
    for (int spin = 0; spin < 4096; ++spin) {
      if (unfinished_.load(std::memory_order_acquire) == 0) return;
      relax();
    }
    while ((left = unfinished_.load(std::memory_order_acquire)) != 0) unfinished_.wait(left);
  }

  const std::int64_t process_ = process_id();
  std::mutex mutex_;  // held by the thread whose job runs
  int worker_count_ = 0;

  const Body* body_ = nullptr;
  std::size_t count_ = 0, grain_ = 1, chunk_count_ = 0;
  std::exception_ptr failure_;  // of the first chunk that failed
  std::atomic<bool> failed_{false};
  std::atomic<int> allowed_workers_{0};
  alignas(64) std::atomic<std::uint32_t> job_{0};
  alignas(64) std::atomic<std::uint64_t> ticket_{0};  // number of the job, then of its unclaimed chunks
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
};

// Never deleted: a worker may read it until the process ends, and no thread is joined at exit.
std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
  Pool* current = the_pool.load(std::memory_order_acquire);
  while (!current || current->process() != process_id()) {
    // The first call, or the first after fork(): the parent's workers are not in this process.
    Pool* fresh = new Pool;
    if (the_pool.compare_exchange_strong(current, fresh)) return *fresh;
    delete fresh;
  }
  return *current;
}

bool run_on_pool(std::size_t count, std::size_t grain, std::size_t chunk_count, int threads,
                 const Body& body) {
  struct InsideJob {
    InsideJob() { is_inside_job = true; }
    ~InsideJob() { is_inside_job = false; }
  } inside;
  return pool().run(count, grain, chunk_count, threads, body);
}

int machine_thread_count() {
#ifdef __linux__
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) return std::max(1, CPU_COUNT(&cpus));
#endif
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
}

struct Start {
  int count;
  Error error;
};

const Start& at_start() {
  static const Start start = [] {
    Start result{std::min(machine_thread_count(), kMaxThreads), {}};
    const char* text = std::getenv("LISSOM_THREADS");
    if (text && *text) {
      result.error = parse_thread_count(text, &result.count);
      if (result.error) result.error = Error("LISSOM_THREADS " + result.error.sentence());
    }
    return result;
  }();
  return start;
}

std::atomic<int> count_set{0};

thread_local SliceHook slice_hook = nullptr;

// Estimates are rough, and writing to memory for the first time may take many times as long as what is written.
constexpr double kEstimateError = 16.0;

// A slice of parallel_for.
void run_slice(std::size_t count, std::size_t grain, double nanoseconds_per_item, int threads,
               const Body& body) {
  const double nanoseconds = static_cast<double>(count) * nanoseconds_per_item;
  const std::size_t grains = (count + grain - 1) / grain;
  const std::size_t chunk_count = std::min({grains, static_cast<std::size_t>(threads) * kChunksPerThread,
                                            static_cast<std::size_t>(nanoseconds / kLeastChunkNanoseconds)});
  if (threads == 1 || is_inside_job || nanoseconds < kLeastNanoseconds || chunk_count < 2) {
    return body(0, count);
  }
  if (!run_on_pool(count, grain, chunk_count, threads, body)) body(0, count);
}

}  // namespace

SliceHook set_slice_hook(SliceHook hook) { return std::exchange(slice_hook, hook); }

Error parse_thread_count(const char* text, int* count) {
  int parsed = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, code] = std::from_chars(text, end, parsed);
  if (code != std::errc{} || stop != end || parsed < 1 || parsed > kMaxThreads) {
    return Error("must be a whole number from 1 to " + std::to_string(kMaxThreads) + ", got '" + text +
                 "'; leave it unset to use every core");
  }
  *count = parsed;
  return {};
}

int thread_count() {
  const int set = count_set.load(std::memory_order_relaxed);
  return set > 0 ? set : at_start().count;
}

Error set_thread_count(int count) {
  if (count < 0 || count > kMaxThreads) {
    return Error("count must be 0 to " + std::to_string(kMaxThreads) + ", got " + std::to_string(count) +
                 "; 0 goes back to every core");
  }
  count_set.store(count, std::memory_order_relaxed);
  return {};
}

const Error& thread_count_error() { return at_start().error; }

void parallel_for_chunks(std::size_t count, std::size_t grain, double nanoseconds_per_item,
                         const Body& body) {
  grain = std::max<std::size_t>(grain, 1);
  const int threads = thread_count();
  const double estimate = kSliceNanoseconds / kEstimateError * threads / nanoseconds_per_item;
  if (!slice_hook || is_inside_job || !(estimate < static_cast<double>(count))) {
    return run_slice(count, grain, nanoseconds_per_item, threads, body);
  }
  // From the first slice on, what it takes is measured.
  std::size_t slice = std::max(static_cast<std::size_t>(estimate) / grain, std::size_t{1}) * grain;
  for (std::size_t first = 0; first < count;) {
    if (first) slice_hook();
    const auto start = std::chrono::steady_clock::now();
    slice = std::min(slice, count - first);
    run_slice(slice, grain, nanoseconds_per_item, threads,
              [&](std::size_t begin, std::size_t end) { body(first + begin, first + end); });
    first += slice;
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    const double change = std::clamp(kSliceNanoseconds / std::max(taken.count(), 1.0), 0.25, 2.0);
    slice = std::max(static_cast<std::size_t>(static_cast<double>(slice) * change) / grain, std::size_t{1}) *
            grain;
  }
}

}  // namespace lissom
