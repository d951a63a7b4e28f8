// A thread whose failure waits for its owner.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace verbcast {

/// Keeps what its work throws. The destructor joins; make the work end first.
class OwnedThread {
  public:
    /// Calls `work`, then `ended`, on a thread of its own.
    OwnedThread(std::function<void()> work, std::function<void()> ended)
        : thread_([this, work = std::move(work), ended = std::move(ended)] {
              try {
                  work();
              } catch (...) {
                  const std::lock_guard lock(mutex_);
                  failure_ = std::current_exception();
              }
              ended();
          }) {}

    /// Rethrows what `work` has thrown, if anything; what that is, is known before `ended` is called. From
    /// any thread.
    void rethrowFailure() const {
        const std::lock_guard lock(mutex_);
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

  private:
    mutable std::mutex mutex_;  // guards failure_
    std::exception_ptr failure_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
