// The connections of one stream, one after the other, and what happens between two of them.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "core/base/os/event.h"

namespace verbcast {

/// Gives up what a connection leaves behind if no next one comes, without disturbing a next one.
class Attachments {
  public:
    /// Set when the next connection has begun. Shared by the two threads that know of it.
    using Attachment = std::shared_ptr<const Event>;

    /// Returns what make() makes, a new connection's part, and its attachment. Earlier connections give up
    /// nothing from then on. If make() throws, nothing has begun.
    template <typename Make>
    auto begin(Make&& make) {
        auto begun = std::make_shared<const Event>();
        const std::lock_guard lock(mutex_);
        auto made = make();
        if (newest_) {
            newest_->notify();
        }
        newest_ = begun;
        return std::pair(std::move(made), Attachment(std::move(begun)));
    }

    /// On the thread of a connection that has ended: waits for the next one for `patience`, or until `cancel`
    /// is set, and calls giveUp() if there is none. begin() waits while that runs.
    template <typename GiveUp>
    void end(const Attachment& mine, std::chrono::nanoseconds patience, const Event& cancel,
             GiveUp&& giveUp) {
        const Deadline deadline = Deadline::in(patience);
        while (!mine->isSet() && !cancel.isSet() && !deadline.passed()) {
            waitReadable({mine->descriptor(), cancel.descriptor()}, deadline);
        }
        const std::lock_guard lock(mutex_);
        if (newest_ == mine) {
            giveUp();
        }
    }

  private:
    std::mutex mutex_;  // guards newest_, and keeps a connection from beginning while one gives up
    Attachment newest_;
};

}  // namespace verbcast
