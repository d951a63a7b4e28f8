// verbcast send with several sources: one process, one stream per source.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands/send/command_lines.h"
#include "app/commands/send/send_options.h"
#include "app/commands/send/sending.h"

namespace verbcast {

/// Each stream has a number, from 1, a thread and its own viewers, so that none holds up another. All capture
/// times are on the host's clock.
class SendingStreams {
  public:
    /// Throws Error{Usage} for unusable descriptors.
    explicit SendingStreams(const SendOptions& options);

    /// Options of stream `index`, from 0: its source, name, files and address. A listening port is increased
    /// by `index`; a name gets the stream's number appended. "Any free port" stays so.
    static SendOptions optionsOf(const SendOptions& options, std::size_t index);

    /// Call for each stream before run(). If one fails, those opened before continue. Throws what Sending's
    /// constructor throws.
    void add(std::unique_ptr<FrameSource> source, SentBeside beside = {});
    /// Returns when all have ended. Throws Error{Usage} if nothing of it can be controlled as was asked for.
    /// Returns the exit code: that of the first stream with an error, if any.
    int run();

  private:
    struct Stream {
        Stream(SendOptions itsOptions, SharedProgress& progress)
            : options(std::move(itsOptions)), one{.progress = progress} {}
        SendOptions options;
        OneOfSeveral one;
        std::unique_ptr<Sending> sending{};
        std::string exitReason{};  // owned by the thread until it has ended
        int exitCode = 0;
        std::atomic<bool> ended{false};
        std::jthread thread{};  // last: it uses the members above
    };
    void serveAll();
    void serve(Stream& stream);
    void showStats();
    int report();

    const SendOptions& options_;
    SharedProgress progress_;
    std::shared_ptr<StatsOutput> stats_;     // if there is a statistics descriptor
    std::optional<CommandRouter> commands_;  // if options.control
    Event changed_;                          // signalled when a stream ends
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace verbcast
