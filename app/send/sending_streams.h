// verbcast send with several sources: one process, one stream per source.
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

/// Each stream has a number, from 1, a thread and its own viewers, so that none holds up another. All capture
/// times are on the host's clock.
class SendingStreams {
  public:
    explicit SendingStreams(const SendOptions& options) : options_(options), progress_(options.verbosity) {}

    /// Options of stream `index`, from 0: its source, name, files and address. A listening port is increased
    /// by `index`; a name gets the stream's number appended. "Any free port" stays so.
    static SendOptions optionsOf(const SendOptions& options, std::size_t index);

    /// Call for each stream before run(). If one fails, those opened before continue. Throws what Sending's
    /// constructor throws.
    void add(std::unique_ptr<FrameSource> source);
    /// Returns when all have ended. Returns the exit code: that of the first stream with an error, if any.
    int run();

  private:
    struct Stream {
        explicit Stream(SendOptions itsOptions) : options(std::move(itsOptions)) {}
        SendOptions options;
        std::unique_ptr<Sending> sending{};
        std::string exitReason{};  // owned by the thread until it has ended
        int exitCode = 0;
        std::atomic<bool> ended{false};
        std::jthread thread{};  // last: it uses the members above
    };
    void serveAll();
    void serve(Stream& stream, std::size_t index);
    void showFigures();
    int report();

    const SendOptions& options_;
    SharedProgress progress_;
    Event changed_;  // signalled when a stream ends
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace verbcast
