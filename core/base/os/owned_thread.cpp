#include "core/base/os/owned_thread.h"

#include <utility>

namespace verbcast {

OwnedThread::OwnedThread(std::function<void()> work, std::function<void()> ended)
    : thread_([this, work = std::move(work), ended = std::move(ended)] {
          try {
              work();
          } catch (...) {
              const std::lock_guard lock(mutex_);
              failure_ = std::current_exception();
          }
          ended();
      }) {}

void OwnedThread::rethrowFailure() const {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

}  // namespace verbcast
