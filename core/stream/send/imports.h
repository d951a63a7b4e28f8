// Which memories one link's frames can leave from.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/session/messages/track.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Asks the link's path once for each memory, on a thread of its own where the path has to set something up.
/// Thread-safe; only finish(), and who waits for an answer, may block (see FramePath::import()).
class Imports {
  public:
    using Answer = std::shared_future<Import>;

    explicit Imports(FramePath& path) : path_(path) {}

    /// Whether frames of that track can leave from this memory. The answer is kept as long as the memory
    /// lives; setting something up that fails is an answer, too.
    Answer of(TrackId track, const std::shared_ptr<const Memory>& memory);
    /// Why frames of the memory that was last asked for are copied before they leave; empty if they are not,
    /// or while it is not known.
    std::string copyReason(TrackId track) const;

    /// Call before the path goes, and of() no more: waits for what is being set up.
    void finish() { tasks_.clear(); }

    static bool known(const Answer& answer) {
        return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }

  private:
    struct Asked {
        std::weak_ptr<const Memory> memory{};
        Answer answer{};
    };
    struct Task {
        Answer answer;
        std::jthread thread;
    };
    Answer ask(const std::shared_ptr<const Memory>& memory);

    FramePath& path_;
    mutable std::mutex mutex_;
    std::array<std::vector<Asked>, kMaxTracks> asked_;
    std::array<Answer, kMaxTracks> newest_;
    std::deque<Task> tasks_;
};

}  // namespace verbcast
