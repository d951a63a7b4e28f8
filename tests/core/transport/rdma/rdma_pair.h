// Two ends of an RDMA transport in one process, and the loop that drives them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/memory/frame_pool.h"
#include "core/transport/registry.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

/// Records everything that a connection reports. Like a session, sends an offer to the other side and accepts
/// it there.
class Recorder final : public MessageHandler, public FrameHandler {
  public:
    struct Frame {
        RingId ring;
        std::uint32_t slot;
        FrameInfo info;
    };
    struct Ring {
        RingId id;
        RingShape shape;
    };

    explicit Recorder(Connection& connection) : connection_(connection) {}

    void onMessage(std::span<const std::byte> message) override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    FrameTarget beginFrame(RingId, std::uint32_t, const FrameInfo&) override {
        ADD_FAILURE() << "RDMA places frames without asking";
        return {};
    }
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        frames.push_back({ring, slot, info});
    }
    void onFrameSent(std::uint32_t localSlot) override { sent.push_back(localSlot); }

    std::vector<std::string> messages;  ///< except offers
    std::vector<std::size_t> ringsBeforeMessages;
    std::vector<Frame> frames;
    std::vector<Ring> rings;   ///< the peer's, accepted
    std::vector<RingId> told;  ///< ours, announced to the peer
    std::vector<std::uint32_t> sent;
    std::map<RingId, RingShape> offered;
    std::map<RingId, std::vector<std::byte>> offers;

  private:
    Connection& connection_;
};

/// One end and everything that it received. Not movable: the connection keeps a pointer to it.
struct End {
    End() = default;
    explicit End(Connection made) { adopt(std::move(made)); }
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() { reset(); }

    void adopt(Connection made);
    void reset() { connection = {}; }
    MessageChannel* messages() const { return connection.messages.get(); }
    FramePath* frames() const { return connection.frames.get(); }
    /// Calls FramePath::offer() and keeps the shape for the offer's message.
    void offer(RingId ring, const std::shared_ptr<FramePool>& pool);
    Status send(const std::string& text);
    const std::string& closeReason() const { return connection.messages->closeReason(); }

    Connection connection;
    Recorder seen{connection};
    bool closed = false;
};

/// Processes all ends, sleeping while all are idle, until `done` or kPatience has passed. Returns done().
bool drive(const std::vector<End*>& ends, const std::function<bool()>& done);

/// Accepts one peer from the listener. None on timeout.
Connection acceptOne(Listener& listener);

/// The port in "verbs://host:port".
std::uint16_t portOf(const Listener& listener);

struct Pair {
    End source;  ///< connected
    End sink;    ///< accepted
};
/// Connects to a listener created here. `more`: options of the connecting end's URL.
std::unique_ptr<Pair> connectPair(const Transport& transport, const Url& listenAt,
                                  const std::string& more = "",
                                  const TransportOptions& sourceOptions = {.sendsFrames = true});

/// A pair with a pool on both sides; the source has accepted the sink's ring 1.
struct Stream {
    std::unique_ptr<Pair> pair;
    std::shared_ptr<FramePool> from;
    std::shared_ptr<FramePool> into;
};
Stream openStream(std::unique_ptr<Pair> pair, std::uint64_t slotBytes, std::uint32_t slotCount);
/// Sends one frame of that size through slot 0 to `remoteSlot` and compares what arrives.
void sendAndCompare(Stream& stream, std::uint64_t bytes, std::uint32_t remoteSlot, std::uint64_t sequence);
/// Sends some rectangles of a frame; compares them and checks that everything around them is unchanged.
void expectOnlyBlocksArrive(Stream& stream, std::uint64_t bytes);
/// Blocks that are not within a payload of 8000 bytes.
void expectBadBlocksThrow(Stream& stream);
FrameInfo infoFor(std::uint64_t sequence, std::uint64_t bytes);

std::span<const std::byte> asBytes(const std::string& text);

/// Fills the span with bytes that depend on the seed.
void fillPattern(std::span<std::byte> memory, std::uint64_t seed);
/// XXH3 of the bytes.
std::uint64_t hashOf(std::span<const std::byte> memory);

std::shared_ptr<FramePool> makePool(std::uint64_t slotBytes, std::uint32_t slotCount);

}  // namespace verbcast::testing
