// Both ends of a stream and of a pipe, with programs on top that the script drives.
#pragma once

#include <memory>
#include <vector>

#include "core/pipe/pipe_sink_link.h"
#include "core/pipe/pipe_source_link.h"
#include "core/stream/receive/receiver_link.h"
#include "core/stream/send/viewer.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/scripted_channel.h"

namespace verbcast::fuzz {

/// A link and the program that uses it. Each creates its link from a peer and is driven by act().
class LinkEndUnderTest {
  public:
    virtual ~LinkEndUnderTest() = default;
    virtual void connect(PeerConnection peer) = 0;
    /// The program's next action and its argument.
    virtual void act(std::uint8_t what, std::uint8_t argument) = 0;
    /// Reads the action and its argument from the script.
    void actAs(Script& script) {
        const auto what = script.byte();
        act(what, script.byte());
    }
    /// Serves the link until it ends.
    virtual void serve() = 0;
    /// Afterwards: releases everything. Nothing may remain held.
    virtual void letGo() = 0;
    /// The role in the peer's greeting.
    virtual Role peer() const = 0;
};

/// Frames that a viewer holds: reads the bytes that it may and checks that they do not change.
class HeldFrames {
  public:
    /// `shared`: the peer may change the frames, so they are only read.
    explicit HeldFrames(bool shared) : shared_(shared) {}
    void hold(FrameLease lease, std::uint64_t bytes);
    /// Releases one of them, if there are any.
    void release(std::size_t which);
    void releaseAll();

  private:
    struct Held {
        FrameLease lease;
        std::uint64_t bytes;
        std::uint64_t checksum;
    };
    const bool shared_;
    std::vector<Held> held_;
};

class ReceiverEnd final : public LinkEndUnderTest {
  public:
    /// `peerMayWrite`: the peer may change held frames. Wants one or three tracks.
    ReceiverEnd(bool peerMayWrite, bool threeTracks);
    void connect(PeerConnection peer) override;
    void act(std::uint8_t what, std::uint8_t argument) override;
    void serve() override { run(*link_); }
    void letGo() override;
    Role peer() const override { return Role::Sender; }

  private:
    ReceiverShared& shared_;
    Gathering gathering_;
    HeldFrames held_;
    std::unique_ptr<ReceiverLink> link_;
};

class SenderEnd final : public LinkEndUnderTest {
  public:
    SenderEnd(Policy policy, bool takesInput);
    /// A byte of options: 1: lossless, 2: accepts input.
    explicit SenderEnd(std::uint8_t options)
        : SenderEnd((options & 1) != 0 ? Policy::Lossless : Policy::Latest, (options & 2) != 0) {}
    void connect(PeerConnection peer) override;
    void act(std::uint8_t what, std::uint8_t argument) override;
    void serve() override { run(*link_); }
    void letGo() override;
    Role peer() const override { return Role::Receiver; }

  private:
    void beginEpoch(bool video);
    void changePool();
    void submit();

    const bool takesInput_;
    SenderShared shared_;
    Viewer viewer_;
    CurrentFormat current_;
    std::vector<std::shared_ptr<FramePool>> pools_;
    std::uint64_t nextSequence_ = 0;
    std::unique_ptr<SenderLink> link_;
};

class PipeSinkEnd final : public LinkEndUnderTest {
  public:
    explicit PipeSinkEnd(bool sharesMemory) : held_(sharesMemory) {}
    void connect(PeerConnection peer) override;
    void act(std::uint8_t what, std::uint8_t argument) override;
    void serve() override { run(*link_); }
    void letGo() override;
    Role peer() const override { return Role::PipeSender; }

  private:
    ArmedEvent progress_;
    HeldFrames held_;
    bool accepted_ = false;
    bool finished_ = false;
    std::uint64_t total_ = 0;
    std::unique_ptr<PipeSinkLink> link_;
};

class PipeSourceEnd final : public LinkEndUnderTest {
  public:
    PipeSourceEnd();
    void connect(PeerConnection peer) override;
    void act(std::uint8_t what, std::uint8_t argument) override;
    void serve() override { run(*link_); }
    void letGo() override;
    Role peer() const override { return Role::PipeReceiver; }

  private:
    ArmedEvent progress_;
    std::shared_ptr<FramePool> pool_;
    std::uint64_t sent_ = 0;
    bool finished_ = false;
    std::unique_ptr<PipeSourceLink> link_;
};

}  // namespace verbcast::fuzz
