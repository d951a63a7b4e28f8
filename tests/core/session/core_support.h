// Shared by the tests of sessions and streams: a source whose torn frames are detectable, options for a
// loaded machine, and waiting for a condition.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/expectations.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {

using namespace std::chrono_literals;

/// The longest wait in these tests unless something is wrong.
inline constexpr std::chrono::seconds kLimit{20};

/// Polls until `condition` holds. Returns false if it does not within the limit.
template <typename Condition>
bool eventually(Condition&& condition, std::chrono::nanoseconds limit = kLimit) {
    const Deadline deadline = Deadline::in(limit);
    while (!condition()) {
        if (deadline.passed()) {
            return condition();
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

inline std::size_t threadsOfThisProcess() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Makes frames in which every 8-byte word is the sequence number, so that torn frames are detected.
struct TestSource {
    explicit TestSource(VideoFormat f = tightFormat(160, 120, PixelFormat::rgba), std::uint32_t slots = 8)
        : format(std::move(f)),
          pool(FramePool::create({.slotBytes = format.payloadBytes, .slotCount = slots})) {}

    std::optional<FrameLease> make() {
        auto lease = pool->acquire(kLimit, &never);
        if (lease) {
            fill(lease->data(), format.payloadBytes, next);
        }
        return lease;
    }
    static void fill(std::byte* bytes, std::uint64_t count, std::uint64_t number) {
        for (std::uint64_t i = 0; i + 8 <= count; i += 8) {
            std::memcpy(bytes + i, &number, 8);
        }
    }
    FrameInfo info() const {
        FrameInfo frame;
        frame.pts = static_cast<std::int64_t>(next);
        frame.capturedAt = nowNs();
        return frame;
    }
    /// Returns TimedOut if no slot became free.
    Status send(Broadcast& sender) {
        auto lease = make();
        if (!lease) {
            return Status::TimedOut;
        }
        const Status status = sender.submit(std::move(*lease), format, info(), never);
        next += status == Status::Ok ? 1 : 0;
        return status;
    }
    /// Like send(), but waits for a receiver whenever there is none.
    Status sendToWhoComes(Broadcast& sender) {
        auto lease = make();
        if (!lease) {
            return Status::TimedOut;
        }
        for (;;) {
            if (::testing::Test::HasFailure()) {
                return Status::Cancelled;  // nobody takes frames any more
            }
            const Status status = sender.submit(std::move(*lease), format, info(), never);
            if (status != Status::Busy) {
                next += status == Status::Ok ? 1 : 0;
                return status;
            }
            if (const Status there = sender.waitForReceiver(kLimit, never); there != Status::Ok) {
                return there;
            }
        }
    }

    VideoFormat format;
    std::shared_ptr<FramePool> pool;
    std::uint64_t next = 0;
    Event never;
};

inline ::testing::AssertionResult isWhole(const ReceivedFrame& frame) {
    for (std::uint64_t i = 0; i + 8 <= frame.info.payloadBytes; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, frame.lease.data() + i, 8);
        if (word != static_cast<std::uint64_t>(frame.info.pts)) {
            return ::testing::AssertionFailure()
                   << "frame " << frame.info.pts << " holds " << word << " at byte " << i;
        }
    }
    return ::testing::AssertionSuccess();
}

/// With timeouts that are long enough for a loaded machine.
inline SenderOptions senderOptions(const TransportUnderTest& transport, Policy policy) {
    SenderOptions options;
    options.url = parseUrl(listenAddressFor(transport));
    options.policy = policy;
    options.peerTimeout = kLimit;
    return options;
}

inline ReceiverOptions receiverOptions(const std::string& address) {
    ReceiverOptions options;
    options.url = parseUrl(address);
    options.endWithStream = true;
    options.peerTimeout = kLimit;
    return options;
}

inline ReceiverOptions receiverOptions(const Broadcast& sender) {
    return receiverOptions(sender.listenAddresses().front());
}

}  // namespace verbcast::testing
