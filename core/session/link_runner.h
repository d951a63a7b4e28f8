// A link with the thread that serves it, and how it ended.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "core/session/link.h"

namespace verbcast {

/// Starts at once. Destroying it waits for the end: stop the link first.
template <typename L>
class LinkRunner {
  public:
    /// `onEnd` runs on the link's thread once end() and failure() are known. It calls conclude() when the
    /// thread that sees ended() may see all of what it does, and may then be told; what it does after that is
    /// done once finished().
    LinkRunner(std::unique_ptr<L> link, std::function<void(LinkRunner&)> onEnd)
        : link_(std::move(link)), onEnd_(std::move(onEnd)), thread_([this] { run(); }) {}

    L& link() { return *link_; }
    const L& link() const { return *link_; }

    // From any thread:
    bool ended() const { return ended_.load(std::memory_order_acquire); }
    bool finished() const { return finished_.load(std::memory_order_acquire); }
    // After ended(), or from within onEnd:
    const LinkEnd& end() const { return end_; }
    /// What went wrong on our own side, if that ended it: an Error, or whatever else was thrown.
    const std::exception_ptr& failure() const { return failure_; }

    void conclude() { ended_.store(true, std::memory_order_release); }
    /// Early, for who waits to be told: nothing but the end of the thread follows.
    void finish() { finished_.store(true, std::memory_order_release); }

  private:
    void run() {
        try {
            end_ = link_->run();
        } catch (const std::exception& error) {
            end_ = {LinkEnd::Kind::Broken, error.what(), false};
            failure_ = std::current_exception();
        }
        onEnd_(*this);
        finish();
    }

    const std::unique_ptr<L> link_;
    const std::function<void(LinkRunner&)> onEnd_;
    LinkEnd end_;
    std::exception_ptr failure_;
    std::atomic<bool> ended_{false};
    std::atomic<bool> finished_{false};
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
