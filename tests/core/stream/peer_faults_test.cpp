// Peers that vanish or go silent: each one ends only its own session, with a reason and within time bounds.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/expectations.h"
#include "tests/support/forked_child.h"
#include "tests/support/patience.h"
#include "tests/support/reserved_address.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

void sendForEver(const Url& url) {
    SenderOptions options;
    options.url = url;
    Broadcast sender(options);
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 8});
    const Event never;
    for (;;) {
        static_cast<void>(sender.waitForReceiver(1h, never));
        auto lease = pool->acquire(1s, &never);
        if (lease) {
            FrameInfo info;
            static_cast<void>(sender.submit(std::move(*lease), format, info, never));
        }
        waitReadable({never.descriptor()}, 5ms);
    }
}

void receiveForEver(const Url& url) {
    ReceiverOptions options;
    options.url = url;
    options.listen = true;
    FrameReceiver receiver(options);
    ReceivedFrame frame;
    for (;;) {
        static_cast<void>(receiver.receive(frame, 1s));
    }
}

template <typename Condition>
double secondsUntil(Condition&& condition) {
    const auto start = std::chrono::steady_clock::now();
    double passed = 0;
    while (!condition() && passed < 10) {
        std::this_thread::sleep_for(2ms);
        passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return passed;
}

/// A process that listens at its own address.
struct Listening {
    template <typename Body>
    Listening(const TransportUnderTest& transport, Body&& body)
        : address(transport), child([&] { body(url()); }) {}
    Url url() const { return parseUrl(address.url()); }

    const ReservedAddress address;
    const ForkedChild child;
};

class PeerFaults : public TransportSuite {
  protected:
    /// Starts as many processes as quickest() may need.
    template <typename Body>
    void listen(Body&& body) {
        for (auto& one : listening_) {
            one = std::make_unique<Listening>(GetParam(), body);
        }
    }
    /// The next process that has not been used yet.
    std::unique_ptr<Listening> nextListening() { return std::move(listening_.at(taken_++)); }

    /// Returns a sender to that listener, once it is connected.
    static std::unique_ptr<Broadcast> sendTo(const Url& url) {
        SenderOptions options;
        options.url = url;
        options.listen = false;
        auto sender = std::make_unique<Broadcast>(options);
        EXPECT_EQ(sender->waitForReceiver(kPatience, Event()), Status::Ok);
        return sender;
    }

  private:
    std::array<std::unique_ptr<Listening>, kTrials> listening_;
    std::size_t taken_ = 0;
};

TEST_P(PeerFaults, AKilledSenderIsNoticedWithinASecondAndTheLastPictureStays) {
    listen(&sendForEver);
    const auto trial = [&] {
        auto sender = nextListening();
        ReceiverOptions options;
        options.url = sender->url();
        FrameReceiver receiver(options);
        ReceivedFrame frame;
        if (receiver.receive(frame, kPatience) != Status::Ok) {
            ADD_FAILURE() << "no frame has come";
            return 0.0;
        }
        sender->child.send(SIGKILL);
        const double seconds = secondsUntil([&] { return receiver.status().state == StreamState::Lost; });
        EXPECT_GE(receiver.stats().connectionsLost,
                  1U);  // a second one if the dying process's socket still answered
        sender.reset();
        EXPECT_NE(frame.lease.data(), nullptr) << "the last picture stays";
        EXPECT_EQ(frame.lease.data()[0], std::byte{0});
        frame = {};
        while (receiver.receive(frame, 1ms) == Status::Ok) {
            frame = {};
        }
        return seconds;
    };
    EXPECT_LT(quickest(1.0, trial), 1.0);
}

TEST_P(PeerFaults, AKilledReceiverIsNoticedWithinASecond) {
    listen(&receiveForEver);
    const auto trial = [&] {
        const auto receiver = nextListening();
        const auto sender = sendTo(receiver->url());
        receiver->child.send(SIGKILL);
        const double seconds = secondsUntil([&] { return sender->receiverCount() == 0; });
        EXPECT_TRUE(sender->lastEnd().isLoss());
        EXPECT_FALSE(sender->lastEnd().reason.empty());
        return seconds;
    };
    EXPECT_LT(quickest(1.0, trial), 1.0);
}

TEST_P(PeerFaults, AFrozenPeerIsNoticedByItsSilence) {
    listen(&receiveForEver);
    const auto trial = [&] {
        const auto receiver = nextListening();
        const auto sender = sendTo(receiver->url());
        receiver->child.send(SIGSTOP);
        const double seconds = secondsUntil([&] { return sender->receiverCount() == 0; });
        EXPECT_TRUE(contains(sender->lastEnd().reason, "no sign of life"));
        receiver->child.send(SIGCONT);
        return seconds;
    };
    EXPECT_LT(quickest(1.2, trial), 1.2);
}

VERBCAST_OVER_TRANSPORTS(PeerFaults, transportsForTheKilled());

}  // namespace
}  // namespace verbcast::testing
