// verbcast send of several sources: one process, a stream of each.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/send/sending.h"

namespace verbcast {

/// Each has a number, from 1, a thread, and viewers of its own: what one waits for holds up no other. Times
/// of capture are those of the host's clock in all of them.
class SendingStreams {
  public:
    explicit SendingStreams(const SendOptions& options) : options_(options), progress_(options.verbosity) {}

    /// The options of one of them, from 0: its source, name, files and address. Where it listens by port,
    /// that is so much above the first one's; by name, the name ends with its number. Any free port stays
    /// one.
    static SendOptions optionsOf(const SendOptions& options, std::size_t index);

    /// Before run(), for each; what is opened goes on where another fails. Throws what Sending's constructor
    /// throws.
    void add(std::unique_ptr<FrameSource> source);
    /// Until all have ended. Returns the exit code: that of the first with an error, if there is one.
    int run();

  private:
    struct Stream {
        explicit Stream(SendOptions itsOptions) : options(std::move(itsOptions)) {}
        SendOptions options;
        std::unique_ptr<Sending> sending{};
        std::string exitReason{};  // the thread's, until it has ended
        int exitCode = 0;
        std::atomic<bool> ended{false};
        std::jthread thread{};  // last: it uses everything above
    };
    void serveAll();
    void serve(Stream& stream, std::size_t index);
    void showFigures();
    int report();

    const SendOptions& options_;
    SharedProgress progress_;
    Event changed_;  // a stream has ended
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace verbcast
