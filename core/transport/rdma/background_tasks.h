// Runs work that takes too long for a connection's own thread on separate threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "core/base/os/event.h"

namespace verbcast {

/// Registering makes the kernel clear and lock each page: 0.3 s per GiB, and much more on emulation.
/// Meanwhile the peer must hear from us, or it takes us for dead. Pools up to this size are not worth a
/// thread.
inline constexpr std::uint64_t kRegisterAtOnceBytes = 16U << 20;

/// Thread-bound. The destructor waits for work in progress.
class BackgroundTasks {
  public:
    using Use = std::function<void()>;

    /// Runs `work` on its own thread; finish() then calls what it returned, or rethrows what it threw. Throws
    /// Error{Resource} when no more threads can be started.
    void start(std::function<Use()> work);
    /// Some work is done, so finish() has something to do. Only a memory read.
    bool anyDone() const { return !tasks_.empty() && tasks_.front()->done.load(std::memory_order_acquire); }
    bool empty() const { return tasks_.empty(); }
    /// Finishes what is done, in starting order.
    void finish();
    /// Readable when something is done.
    int descriptor() const { return done_.descriptor(); }

  private:
    struct Task {
        Use use;
        std::exception_ptr failure;
        std::atomic<bool> done{false};
        std::jthread thread;
    };

    Event done_;
    std::deque<std::unique_ptr<Task>> tasks_;
};

}  // namespace verbcast
