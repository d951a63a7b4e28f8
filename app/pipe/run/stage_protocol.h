// What `verbcast pipe run` and the stages that it starts say to each other: one JSON object in each line,
// over the standard input and output of ssh.
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
// failed, by a stage and at any time: its part of the pipe is no more. left: of the file that it was writing.
// When the line to it ends without a commit, a stage ends what it runs, and itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/pipe/run/pipeline_options.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// For connecting to a stage that listens already.
inline constexpr std::chrono::nanoseconds kStageConnecting = std::chrono::seconds(10);

struct StagePlan {
    StageKind kind = StageKind::Command;
    std::string text;                   ///< the command, or the file's path
    std::optional<std::string> input;   ///< where to wait for the stage before; not for Read
    std::optional<std::string> output;  ///< where to wait for the reader of the output: the last stage
    bool flow = false;                  ///< flow reports are wanted
    PipeSettings transfer;  ///< block, depth, checksum, key and patience; the rest is not passed on
};
struct StageStart {
    std::optional<std::string> connect;  ///< where to send the output
};
struct StageCommit {};
using StageOrder = std::variant<StagePlan, StageStart, StageCommit>;

struct StageHello {
    std::string version;
    std::string address;  ///< at which ssh reached it; empty if unknown
};
struct StageReady {
    std::vector<std::string> input, output;  ///< where it waits
};
struct StageFlow {
    PipeStatus status;  ///< text, addresses, peer and reason are left out
};
struct StageDone {
    int status = 0;  ///< as a shell tells it; 0 of files
};
struct StageFailed {
    int code = 0;  ///< an exit code of ours
    std::string text;
};
struct StageLeft {
    std::string text;
};
struct StageCommitted {};
using StageReport =
    std::variant<StageHello, StageReady, StageFlow, StageDone, StageFailed, StageLeft, StageCommitted>;

/// Lines without their end. Throws Error{Usage} for texts that are not UTF-8.
std::string encodeLine(const StageOrder& order);
std::string encodeLine(const StageReport& report);
/// Throw Error{Peer} for what they do not understand.
StageOrder decodeOrder(const std::string& line);
StageReport decodeReport(const std::string& line);

}  // namespace verbcast
