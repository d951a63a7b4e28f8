// A small value that some threads set and others read.
#pragma once

#include <mutex>

namespace verbcast {

template <typename Value>
class NewestValue {
  public:
    void set(const Value& value) {
        const std::scoped_lock lock(mutex_);
        value_ = value;
    }
    /// Never waits: leaves `value` as it is if another thread is just setting or reading it.
    void update(Value& value) const noexcept {
        if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
            value = value_;
        }
    }

  private:
    mutable std::mutex mutex_;
    Value value_{};
};

}  // namespace verbcast
