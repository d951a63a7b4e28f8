// verbcast view --headless.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/view/headless_stream.h"
#include "core/stream/stream_acceptor.h"

namespace verbcast {

/// Each stream has a number, from 1, and a thread: a sender on a shared ring wakes that thread directly, and
/// no stream waits for another one's writes.
class HeadlessStreams {
  public:
    /// Opens the outputs and the listening address. Throws Error.
    explicit HeadlessStreams(const ViewOptions& options);
    ~HeadlessStreams();

    /// Returns when all streams have ended: one for each URL; when listening, all allowed streams, or with
    /// --once those that have come. Returns the exit code: that of the first stream with an error, if any.
    int run();

  private:
    struct Place {
        std::string name;  // its URL; empty: a sender called
        std::unique_ptr<HeadlessStream> stream;
        StreamOutcome outcome{};  // owned by the thread until it has ended
        std::atomic<bool> ended{false};
        std::jthread thread{};  // last: it uses the members above
    };

    void begin(std::unique_ptr<ViewedSource> stream, const std::string& name,
               std::optional<StreamOutputs> outputs);
    void takeCallers();
    void look();
    bool over();
    bool givenUp();
    void showStats();
    void tellAlignment(const AlignmentStats& alignment, const std::vector<NamedStats>& streams);
    int report();

    const ViewOptions& options_;
    SharedProgress progress_;
    Event changed_;                               // signalled when a stream ends
    std::unique_ptr<StreamAcceptor> acceptor_;    // null unless listening
    std::unique_ptr<SharedAlignment> alignment_;  // null unless streams are aligned
    std::unique_ptr<FrameLockStream> frameLock_;  // of the only stream; null: none
    const TimestampNs begunAt_ = nowNs();
    bool nobodyCame_ = false;
    std::size_t open_ = 0, ended_ = 0;            // streams at the last look
    std::vector<std::unique_ptr<Place>> places_;  // by number; null: free
    std::optional<UnseenDisplay> display_;        // of alignment_; last: it uses the members above
};

}  // namespace verbcast
