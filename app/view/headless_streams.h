// verbcast view --headless of several streams at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/view/headless_stream.h"
#include "core/stream/receive/stream_acceptor.h"

namespace verbcast {

/// Each has a number, from 1, and a thread: over a shared ring a sender wakes that thread itself, and what
/// one of them writes, or waits for, holds up no other.
class HeadlessStreams {
  public:
    /// Opens what is to be written, and the address to listen at. Throws Error.
    explicit HeadlessStreams(const ViewOptions& options);
    ~HeadlessStreams();

    /// Until all have ended: those of all URLs; where it listens, as many as may come, or with --once those
    /// that have come. Returns the exit code: that of the first stream with an error, if there is one.
    int run();

  private:
    struct Place {
        std::string name;  // its URL; empty: that of the sender who called
        std::unique_ptr<HeadlessStream> stream;
        StreamOutcome outcome{};  // the thread's, until it has ended
        std::atomic<bool> ended{false};
        std::jthread thread{};  // last: it uses everything above
    };

    void begin(std::unique_ptr<ViewedSource> stream, const std::string& name,
               std::optional<StreamOutputs> outputs);
    void serve(Place& place, std::uint32_t number, std::optional<StreamOutputs> outputs);
    void takeCallers();
    void look();
    bool over();
    bool givenUp();
    void showFigures();
    void showAligned(const std::stop_token& stop);
    void showTheRest();
    void tellAlignment(const AlignmentStats& alignment, const std::vector<NamedStats>& streams);
    int report();

    const ViewOptions& options_;
    SharedProgress progress_;
    Event changed_;                               // a stream has ended
    std::unique_ptr<StreamAcceptor> acceptor_;    // null where it does not listen
    std::unique_ptr<SharedAlignment> alignment_;  // null where streams are not aligned
    const TimestampNs begunAt_ = nowNs();
    bool nobodyCame_ = false;
    std::size_t open_ = 0, ended_ = 0;            // streams, at the last look
    std::vector<std::unique_ptr<Place>> places_;  // by number; null: free
    Event stopShowing_;
    std::jthread showing_;  // aligned frames when they are due; last: it uses everything above
};

}  // namespace verbcast
