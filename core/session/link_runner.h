// Runs a link on its own thread and keeps how it ended.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "core/session/link.h"

namespace verbcast {

/// Starts at once. The destructor waits for the end: stop the link first.
template <typename L>
class LinkRunner {
  public:
    /// `onEnd` runs on the link's thread once end() is known. It calls conclude(), which sets
    /// ended(): a thread that sees ended() also sees what `onEnd` has done before. What `onEnd` does
    /// afterwards is done once finished().
    LinkRunner(std::unique_ptr<L> link, std::function<void(LinkRunner&)> onEnd)
        : link_(std::move(link)), onEnd_(std::move(onEnd)), thread_([this] { run(); }) {}

    L& link() { return *link_; }
    const L& link() const { return *link_; }

    // From any thread:
    bool ended() const { return ended_.load(std::memory_order_acquire); }
    bool finished() const { return finished_.load(std::memory_order_acquire); }
    // After ended(), or from within onEnd:
    const SessionEnd& end() const { return end_; }

    void conclude() { ended_.store(true, std::memory_order_release); }
    /// For `onEnd`, to set finished() early, before it notifies a waiter: only the end of the thread follows.
    void finish() { finished_.store(true, std::memory_order_release); }

  private:
    void run() {
        try {
            end_ = link_->run();
        } catch (const std::exception& error) {
            end_ = {.kind = SessionEnd::Kind::Failed,
                    .reason = error.what(),
                    .failure = std::current_exception()};
        }
        onEnd_(*this);
        finish();
    }

    const std::unique_ptr<L> link_;
    const std::function<void(LinkRunner&)> onEnd_;
    SessionEnd end_;
    std::atomic<bool> ended_{false};
    std::atomic<bool> finished_{false};
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
