// Two ends of the verbs transport in one process, and the loop that drives them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/pool/frame_pool.h"
#include "core/transport/transport.h"

namespace verbcast::testing {

/// How long a test waits for what must happen. Emulated machines are slow, and nothing is measured against
/// it.
inline constexpr std::chrono::seconds kPatience{60};

/// The device under test: VERBCAST_TEST_DEVICE, or the first active one; nothing on a machine without RDMA.
struct TestDevice {
    std::string name;
    std::string host;  ///< its address, in brackets where IPv6
    bool immediates = false;
};
std::optional<TestDevice> testDevice();

/// Skips the test, saying why, where there is no RDMA device. VERBCAST_REQUIRE_RDMA=1 makes it fail instead.
class VerbsTest : public ::testing::Test {
  protected:
    void SetUp() override;
    /// verbs://host:port?device=name plus `more`.
    Url url(std::uint16_t port, const std::string& more = "") const;

    TestDevice device_;
};

/// Writes down all that a channel reports.
struct Recorder : ChannelHandler {
    struct Frame {
        std::uint32_t generation;
        std::uint32_t slot;
        FrameInfo info;
    };
    struct Slots {
        std::uint32_t generation;
        std::uint64_t slotBytes;
        std::uint32_t slotCount;
    };
    void onMessage(std::span<const std::byte> message) override {
        messages.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
        slotsBeforeMessages.push_back(slots.size());
    }
    void onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) override {
        slots.push_back({generation, slotBytes, slotCount});
    }
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override { FAIL() << "verbs shares no pools"; }
    void onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) override {
        frames.push_back({generation, slot, info});
    }
    void onFrameSent(std::uint32_t localSlot) override { sent.push_back(localSlot); }

    std::vector<std::string> messages;
    std::vector<std::size_t> slotsBeforeMessages;  ///< onPeerSlots calls when each message came
    std::vector<Frame> frames;
    std::vector<Slots> slots;
    std::vector<std::uint32_t> sent;
};

struct End {
    std::unique_ptr<Channel> channel;
    Recorder seen;
    bool closed = false;
};

/// Processes all ends, sleeping when all are idle, until `done` or until kPatience is over. Gives done().
bool drive(const std::vector<End*>& ends, const std::function<bool()>& done);

/// Accepts one peer from the listener. Null when none came in time.
std::unique_ptr<Channel> acceptOne(Listener& listener);

/// The port in "verbs://host:port".
std::uint16_t portOf(const Listener& listener);

struct Pair {
    End source;  ///< connected
    End sink;    ///< accepted
};
/// Connects to a listener of ours. `more` are options of the connecting end's URL.
std::unique_ptr<Pair> connectPair(const Url& listenAt, const std::string& more = "",
                                  const TransportOptions& sourceOptions = {.sendsFrames = true});

std::span<const std::byte> asBytes(const std::string& text);

/// Bytes that depend on the seed, for the whole span.
void fillPattern(std::span<std::byte> memory, std::uint64_t seed);
/// XXH3 of the bytes.
std::uint64_t hashOf(std::span<const std::byte> memory);

std::shared_ptr<FramePool> makePool(std::uint64_t slotBytes, std::uint32_t slotCount);

}  // namespace verbcast::testing
