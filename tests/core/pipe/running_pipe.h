// Pipes within the test process: each end on a thread of its own, between the test's descriptors.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/pipe/pipe_receiver.h"
#include "core/pipe/pipe_relay.h"
#include "core/pipe/pipe_sender.h"
#include "tests/support/expectations.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/noise.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {

constexpr std::chrono::seconds kPipePatience{30};  // only a failure waits this long

/// run() of one end on a thread.
class RunningPipe {
  public:
    explicit RunningPipe(std::unique_ptr<PipeRun> run);
    ~RunningPipe();

    /// The address, once it listens.
    std::string address() const;
    /// Waits until blocks are moving.
    void waitUntilFlowing() const;
    void waitUntilMoved(std::uint64_t bytes) const;
    void cancel() { run_->cancel(); }
    PipeStatus status() const { return run_->status(); }
    bool ended() const { return ended_; }
    /// Waits until it ends; returns the exit code that a program would have.
    int exitCode();
    /// The error, after exitCode().
    const std::string& error() const { return error_; }

  private:
    template <typename Condition>
    void waitUntil(Condition&& condition, const char* what) const;

    std::unique_ptr<PipeRun> run_;
    int exitCode_ = 0;
    std::string error_;
    std::atomic<bool> ended_{false};
    Event endedEvent_;
    std::jthread thread_;
};

/// An unnamed regular file.
UniqueFd fileWith(const std::string& content);
std::string contentOf(int file);
/// Reads exactly `bytes` bytes, or fewer at the end.
std::string readSome(int descriptor, std::size_t bytes);
void writeAll(int descriptor, const std::string& bytes);

PipeSettings settingsOf(std::uint64_t blockBytes, std::uint32_t depth = 4, bool checksum = false);
PipeAddress listeningOn(const std::string& transport);
PipeAddress connectingTo(const std::string& address);

/// A sender, `transports.size() - 1` relays and a receiver: each hop over its transport.
class Chain {
  public:
    Chain(const std::vector<std::string>& transports, const PipeSettings& settings, PipeInput input,
          int output);
    RunningPipe& sender() { return *sender_; }
    RunningPipe& receiver() { return *receiver_; }
    std::vector<std::unique_ptr<RunningPipe>>& relays() { return relays_; }
    /// Of the sender, the relays and the receiver.
    std::vector<int> exitCodes();

  private:
    std::unique_ptr<PipeOutput> output_;
    std::unique_ptr<RunningPipe> receiver_;
    std::vector<std::unique_ptr<RunningPipe>> relays_;
    std::unique_ptr<RunningPipe> sender_;
};

}  // namespace verbcast::testing
