// Hostile peers that use raw sockets and bypass all checks of our own side.
#include <gtest/gtest.h>

#include "tests/hostile/siege.h"
#include "tests/support/raw_shm_peer.h"
#include "tests/support/raw_tcp_peer.h"
#include "tests/support/raw_tcp_sockets.h"

namespace verbcast::testing {
namespace {

/// Senders of frames with a slot, ring or length that they were not given; bypass the checks of our own side.
class RawStrayFrames : public Attack {
  public:
    void begin(const Victim& victim) override {
        FrameInfo info;
        info.epoch = 1;
        for (const auto& [ring, slot, bytes] :
             {std::tuple{0, 999, 16384ULL}, std::tuple{7, 0, 16384ULL}, std::tuple{0, 0, 1ULL << 40U}}) {
            peers_.push_back(std::make_unique<RawTcpPeer>(victim.url()));
            RawTcpPeer& peer = *peers_.back();
            peer.greet(Role::Sender);
            peer.say(FormatMessage{0, 1, Policy::Latest, 0,
                                   TrackFormat::ofVideo(tightFormat(64, 64, PixelFormat::rgba))});
            // During the good peer's stream no slots are free for it.
            if (peer.hearUntil([&] { return !peer.credits.empty(); })) {
                info.payloadBytes = bytes;
                peer.beginFrame(peer.ring + static_cast<RingId>(ring), static_cast<std::uint32_t>(slot), info,
                                4096);
                EXPECT_NE(peer.refusal(), "");
            }
        }
    }

  private:
    std::vector<std::unique_ptr<RawTcpPeer>> peers_;
};

class HostileRawSenders : public Hostile {};
TEST_P(HostileRawSenders, FramesInRingsAndSlotsThatWereNotGiven) {
    RawStrayFrames stray;
    withstand(stray, "which it was not given");
}

/// Raw tcp sockets.
class Sockets : public Attack {
  public:
    explicit Sockets(int count, std::vector<std::byte> drip = {}) : count_(count), drip_(std::move(drip)) {}

    void begin(const Victim& victim) override {
        for (int i = 0; i < count_; ++i) {
            sockets_.push_back(rawSocket(victim.address()));
        }
    }
    /// Each sends one more byte.
    void goOn() override {
        if (said_ < drip_.size()) {
            for (const UniqueFd& socket : sockets_) {
                writeAll(socket.get(), std::span(drip_).subspan(said_, 1));
            }
            ++said_;
        }
    }

  private:
    int count_;
    std::vector<std::byte> drip_;
    std::size_t said_ = 0;
    std::vector<UniqueFd> sockets_;
};

class HostileBytes : public Hostile {};

TEST_P(HostileBytes, AFloodOfConnections) {
    Sockets flood(300);
    withstand(flood, kind() == VictimKind::Pipe ? "" : "is dropped: too many are waiting");
}

TEST_P(HostileBytes, OneByteAfterTheOther) {
    const tcp::Preamble preamble = newPreamble(tcp::StreamKind::Control);
    const auto bytes = bytesOf(preamble);
    Sockets drip(8, {bytes.begin(), bytes.end()});
    withstand(drip);
}

/// The same pair of connections repeatedly, and halves of pairs.
class ReplayedPreambles : public Attack {
  public:
    void begin(const Victim& victim) override {
        for (int i = 0; i < 12; ++i) {
            preamble_.kind = i % 3 == 0 ? tcp::StreamKind::Data : tcp::StreamKind::Control;
            sockets_.push_back(rawSocket(victim.address()));
            writeAll(sockets_.back().get(), bytesOf(preamble_));
        }
    }

  private:
    tcp::Preamble preamble_ = newPreamble(tcp::StreamKind::Control);
    std::vector<UniqueFd> sockets_;
};

TEST_P(HostileBytes, APreambleReplayed) {
    ReplayedPreambles replayed;
    withstand(replayed);
}

/// Packets with more descriptors than any needs, and invalid rings.
class Descriptors : public Attack {
  public:
    void begin(const Victim& victim) override {
        for (const auto kind : {shm::PacketKind::Ring, shm::PacketKind::Memory, shm::PacketKind::Doorbell}) {
            for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{12}}) {
                peers_.push_back(std::make_unique<RawShmPeer>(victim.url().name));
                peers_.back()->packet(kind, 1, std::vector<int>(count, any_.descriptor()));
            }
        }
    }

  private:
    const Event any_;
    std::vector<std::unique_ptr<RawShmPeer>> peers_;
};

class HostileDescriptors : public Hostile {};
TEST_P(HostileDescriptors, MoreThanExpected) {
    Descriptors descriptors;
    withstand(descriptors, "which is not this version's shared memory protocol");
}

std::vector<TransportUnderTest> only(const std::string& name) {
    std::vector<TransportUnderTest> transports = transportsUnderTest();
    std::erase_if(transports, [&](const TransportUnderTest& each) { return each.name != name; });
    return transports;
}

INSTANTIATE_TEST_SUITE_P(Over, HostileRawSenders,
                         ::testing::ValuesIn(sieges(only("tcp"), {VictimKind::Viewer})), siegeName);
INSTANTIATE_TEST_SUITE_P(Over, HostileBytes, ::testing::ValuesIn(sieges(only("tcp"))), siegeName);
INSTANTIATE_TEST_SUITE_P(Over, HostileDescriptors, ::testing::ValuesIn(sieges(only("shm"))), siegeName);

}  // namespace
}  // namespace verbcast::testing
