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

#include "app/commands/pipe/run/pipeline.h"
#include "core/pipe/pipe_run.h"
#include "core/stats/numa_stats.h"

namespace verbcast {

/// For connecting to a stage that already listens.
inline constexpr std::chrono::nanoseconds kStageConnecting = std::chrono::seconds(10);

// `fields` visits each field with its key: to write a message, and to read it.

struct StagePlan {
    static constexpr const char* kType = "plan";
    StageKind kind = StageKind::Command;
    std::string text;                   ///< the command, or the file's path
    std::optional<std::string> input;   ///< where to wait for the previous stage; not for Read
    std::optional<std::string> output;  ///< where to wait for the reader of the output; last stage only
    bool flow = false;                  ///< send flow reports
    PipeSettings transfer;              ///< block, depth, checksum, key and patience; nothing else is sent
    NumaChoice numa{};
    std::string route;  ///< the host's address for others: it finds the device of the ends that listen

    static void fields(auto& self, auto visit) {
        visit("kind", self.kind);
        visit("text", self.text);
        visit("input", self.input);
        visit("output", self.output);
        visit("flow", self.flow);
        visit("block_bytes", self.transfer.blockBytes);
        visit("depth", self.transfer.depth);
        visit("checksum", self.transfer.checksum);
        visit("patience_ns", self.transfer.patience);
        visit("numa", self.numa.text);
        visit("numa_node", self.numa.node);
        visit("route", self.route);
        visit("key", self.transfer.trust.key);
    }
};
struct StageStart {
    static constexpr const char* kType = "start";
    std::optional<std::string> connect;  ///< where to send the output
    static void fields(auto& self, auto visit) { visit("connect", self.connect); }
};
struct StageCommit {
    static constexpr const char* kType = "commit";
    static void fields(auto& /*self*/, auto /*visit*/) {}
};
using StageOrder = std::variant<StagePlan, StageStart, StageCommit>;

struct StageHello {
    static constexpr const char* kType = "hello";
    std::string version;
    std::string address;  ///< where ssh reached it; empty if unknown
    static void fields(auto& self, auto visit) {
        visit("version", self.version);
        visit("address", self.address);
    }
};
struct StageReady {
    static constexpr const char* kType = "ready";
    std::vector<std::string> input, output;  ///< where it waits
    static void fields(auto& self, auto visit) {
        visit("input", self.input);
        visit("output", self.output);
    }
};
struct StageFlow {
    static constexpr const char* kType = "flow";
    PipeStatus status;  ///< these fields of it
    static void fields(auto& self, auto visit) {
        visit("flowing", self.status.flowing);
        visit("transport", self.status.transport);
        visit("bytes", self.status.bytes);
        visit("length", self.status.length);
        visit("seconds", self.status.seconds);
        visit("block_bytes", self.status.blockBytes);
        visit("depth", self.status.depth);
        visit("checksum", self.status.checksum);
    }
};
struct StageDone {
    static constexpr const char* kType = "done";
    int status = 0;                              ///< as in a shell; 0 for files
    std::optional<NumaStats> input{}, output{};  ///< where its ends were, if it had them
    static void fields(auto& self, auto visit) {
        visit("status", self.status);
        visit("input_numa", self.input);
        visit("output_numa", self.output);
    }
};
struct StageFailed {
    static constexpr const char* kType = "failed";
    int code = 0;  ///< one of our exit codes
    std::string text;
    static void fields(auto& self, auto visit) {
        visit("code", self.code);
        visit("text", self.text);
    }
};
struct StageLeft {
    static constexpr const char* kType = "left";
    std::string text;
    static void fields(auto& self, auto visit) { visit("text", self.text); }
};
struct StageCommitted {
    static constexpr const char* kType = "committed";
    static void fields(auto& /*self*/, auto /*visit*/) {}
};
using StageReport =
    std::variant<StageHello, StageReady, StageFlow, StageDone, StageFailed, StageLeft, StageCommitted>;

/// Without a newline. Throw Error{Usage} for text that is not UTF-8.
std::string encodeLine(const StageOrder& order);
std::string encodeLine(const StageReport& report);
/// Throw Error{Peer} for lines they do not understand.
StageOrder decodeOrder(const std::string& line);
StageReport decodeReport(const std::string& line);

}  // namespace verbcast
