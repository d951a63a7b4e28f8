// The notes of a source that a thread of its own reads, on their way to the user.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace verbcast {

/// Thread-safe.
class FreshNotes {
  public:
    /// `all`: those of the source, which only grow. Returns whether there are new ones.
    bool keep(std::vector<std::string> all) {
        const std::lock_guard lock(mutex_);
        const bool fresh = all.size() > notes_.size();
        notes_ = std::move(all);
        return fresh;
    }
    /// Those that came since the last call.
    std::vector<std::string> take() {
        const std::lock_guard lock(mutex_);
        const auto first = notes_.begin() + static_cast<std::ptrdiff_t>(std::exchange(taken_, notes_.size()));
        return {first, notes_.end()};
    }

  private:
    std::mutex mutex_;  // guards the rest
    std::vector<std::string> notes_;
    std::size_t taken_ = 0;
};

}  // namespace verbcast
