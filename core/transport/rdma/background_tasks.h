// Work that takes too long for the thread that serves a connection, done on threads of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "core/base/event.h"

namespace verbcast {

/// Registering makes the kernel clear and lock each page: 0.3 s per GiB, and much more on emulation.
/// Meanwhile the peer must hear from us, or it takes us for dead. Pools up to this size are not worth a
/// thread.
inline constexpr std::uint64_t kRegisterAtOnceBytes = 16U << 20;

/// Thread-bound. The destructor waits for the work that has begun.
class BackgroundTasks {
  public:
    using Use = std::function<void()>;

    /// Runs `work` on a thread of its own; finish() then calls what it gave, or throws what it threw. Throws
    /// Error{Resource} when there can be no thread more.
    void start(std::function<Use()> work);
    /// Some work is done: finish() will do something. A look at memory.
    bool anyDone() const { return !tasks_.empty() && tasks_.front()->done.load(std::memory_order_acquire); }
    bool empty() const { return tasks_.empty(); }
    /// Finishes what is done, in the order of starting.
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
