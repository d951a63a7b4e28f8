// A thread whose failure waits for its owner.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace verbcast {

/// Keeps what its work throws. The destructor joins; make the work end first.
class OwnedThread {
  public:
    /// Calls `work`, then `ended`, on a thread of its own.
    OwnedThread(std::function<void()> work, std::function<void()> ended);

    /// Rethrows what `work` has thrown, if anything; what that is, is known before `ended` is called. From
    /// any thread.
    void rethrowFailure() const;

  private:
    mutable std::mutex mutex_;  // guards failure_
    std::exception_ptr failure_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
