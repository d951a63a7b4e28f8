// Messages between `verbcast pipe run` and its stages: one JSON object per line, over the standard input and
// output of ssh.
//
//   run                                    stage
//                                      <-  hello: version, the address at which it was reached
//   plan: what to do                   ->
//                                      <-  ready: files are open, addresses listened on
//   start: where to connect            ->  (once all are ready: nothing runs before)
//                                      <-  flow: how its input goes, every 250 ms
//                                      <-  done: the command's status, when the streams have ended, too
//   commit: all went well everywhere   ->
//                                      <-  committed: a file has its name
// A stage may report at any time: failed, its part of the pipe is gone; left, what remains of the file that
// it was writing. If its connection ends without a commit, a stage ends what it runs and then itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/pipe/run/pipeline_options.h"
#include "core/pipe/pipe_run.h"
#include "core/stats/numa_stats.h"

namespace verbcast {

/// For connecting to a stage that already listens.
inline constexpr std::chrono::nanoseconds kStageConnecting = std::chrono::seconds(10);

struct StagePlan {
    StageKind kind = StageKind::Command;
    std::string text;                   ///< the command, or the file's path
    std::optional<std::string> input;   ///< where to wait for the previous stage; not for Read
    std::optional<std::string> output;  ///< where to wait for the reader of the output; last stage only
    bool flow = false;                  ///< send flow reports
    PipeSettings transfer;              ///< block, depth, checksum, key and patience; nothing else is sent
    NumaChoice numa{};
    std::string route;  ///< the host's address for others: it finds the device of the ends that listen
};
struct StageStart {
    std::optional<std::string> connect;  ///< where to send the output
};
struct StageCommit {};
using StageOrder = std::variant<StagePlan, StageStart, StageCommit>;

struct StageHello {
    std::string version;
    std::string address;  ///< where ssh reached it; empty if unknown
};
struct StageReady {
    std::vector<std::string> input, output;  ///< where it waits
};
struct StageFlow {
    PipeStatus status;  ///< without text, addresses, peer and reason
};
struct StageDone {
    int status = 0;                              ///< as in a shell; 0 for files
    std::optional<NumaStats> input{}, output{};  ///< where its ends were, if it had them
};
struct StageFailed {
    int code = 0;  ///< one of our exit codes
    std::string text;
};
struct StageLeft {
    std::string text;
};
struct StageCommitted {};
using StageReport =
    std::variant<StageHello, StageReady, StageFlow, StageDone, StageFailed, StageLeft, StageCommitted>;

/// Without a newline. Throw Error{Usage} for text that is not UTF-8.
std::string encodeLine(const StageOrder& order);
std::string encodeLine(const StageReport& report);
/// Throw Error{Peer} for lines they do not understand.
StageOrder decodeOrder(const std::string& line);
StageReport decodeReport(const std::string& line);

}  // namespace verbcast
