// Which of a viewer's links its input comes over.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace verbcast {

/// A viewer uses one link at a time for its input; when that ends, it goes on over another. Thread-safe.
class InputTurns {
  public:
    enum class Turn {
        Take,
        TakeAnew,  ///< another link carried input before and may have lost events: first release what is held
        Leave,     ///< late: another link has brought later events already
    };

    void join() {
        const std::lock_guard lock(mutex_);
        ++links_;
    }
    /// What to do with an event that this link has brought.
    Turn take(std::uint64_t link, std::uint64_t sequence) {
        const std::lock_guard lock(mutex_);
        if (sequence <= sequence_) {
            return Turn::Leave;
        }
        sequence_ = sequence;
        const auto before = std::exchange(carrier_, link);
        return before && *before != link ? Turn::TakeAnew : Turn::Take;
    }
    /// That link ends. Returns true if what the viewer holds down must be released, because this link carried
    /// its input or is the last.
    bool leave(std::uint64_t link) {
        const std::lock_guard lock(mutex_);
        --links_;
        if (carrier_ == link) {
            carrier_.reset();
            return true;
        }
        return links_ == 0;
    }

  private:
    std::mutex mutex_;  // guards the members below
    std::uint32_t links_ = 0;
    std::optional<std::uint64_t> carrier_;  // the link that brought the newest event
    std::uint64_t sequence_ = 0;            // of that event
};

}  // namespace verbcast
