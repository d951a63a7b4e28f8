// Hostile peers against the real programs, over real sockets, shared memory and RDMA. In every case the
// victim's memory stays within its limit, its good peer receives the same frames as without them, and the log
// names the reason.
#include <gtest/gtest.h>

#include <set>

#include "core/pipe/pipe_messages.h"
#include "tests/hostile/siege.h"

namespace verbcast::testing {
namespace {

TEST_P(Hostile, ACrowdThatSaysNothing) {
    Peers crowd(40, [](RawPeer&) {});
    withstand(crowd);
}

TEST_P(Hostile, HalfAGreeting) {
    Hello hello;
    hello.role = role();
    const std::vector<std::byte> bytes = encodeMessage(hello);
    Peers peers(4, [&](RawPeer& peer) { peer.say(std::span(bytes).first(bytes.size() / 2)); });
    withstand(peers, "ends too early");
}

TEST_P(Hostile, AGreetingReplayed) {
    Peers peers(4, [&](RawPeer& peer) {
        peer.greet(role());
        peer.greet(role());
    });
    withstand(peers, unlessPipe("the peer greeted twice"));
}

TEST_P(Hostile, MessagesOutOfOrder) {
    Peers peers(4, [&](RawPeer& peer) {
        peer.greet(role());
        peer.say(Accept{0, 77, 1, true, 0});
        peer.say(EndOfTrack{9, 3, true, "never begun"});
        Credit credit;
        credit.track = 9;
        peer.say(credit);
    });
    withstand(peers,
              unlessPipe(kind() == VictimKind::Viewer ? "" : "accepts epoch 77, which was not announced"));
}

TEST_P(Hostile, GarbageInThePlaceOfAGreeting) {
    const std::array<std::byte, 64> garbage{std::byte{200}};
    Peers peers(4, [&](RawPeer& peer) {
        for (int i = 0; i < 100; ++i) {
            peer.say(garbage);
        }
    });
    withstand(peers, "before its greeting");
}

TEST_P(Hostile, RecordsOfTlsThatAreNone) {
    std::vector<std::byte> record(300, std::byte{0x5a});
    record[0] = std::byte{22};  // a TLS handshake
    Peers peers(4, [&](RawPeer& peer) { peer.say(record); });
    withstand(peers, "does not prove that it has the key");
}

TEST_P(Hostile, AnnouncementsOf16384x16384) {
    Peers peers(4, [&](RawPeer& peer) {
        peer.greet(role());
        for (std::uint32_t epoch = 1; epoch < 4; ++epoch) {
            peer.say(FormatMessage{0, epoch, Policy::Latest, 0,
                                   TrackFormat::ofVideo(tightFormat(16384, 16384, PixelFormat::rgba))});
        }
    });
    withstand(peers,
              kind() == VictimKind::Viewer && transport() != "shm" ? "8 frames of 1.0 GiB need 8.0 GiB" : "");
}

/// Senders of frames for a track that does not exist, and for slots or rings that were never offered.
class StrayFrames : public Attack {
  public:
    void begin(const Victim& victim) override {
        FrameInfo frame;
        frame.epoch = 1;
        frame.payloadBytes = format_.payloadBytes;
        send(victim, frame, kSlots - 1);
        frame.track = 3;
        send(victim, frame, 0);
    }

  private:
    static constexpr std::uint32_t kSlots = 64;

    void send(const Victim& victim, const FrameInfo& frame, std::uint32_t slot) {
        peers_.push_back(std::make_unique<RawPeer>(victim.url()));
        RawPeer& peer = *peers_.back();
        peer.ringSlots = kSlots;
        peer.tellsRings = slot == 0;
        peer.greet(Role::Sender);
        peer.setSource(FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = kSlots}));
        peer.say(FormatMessage{0, 1, Policy::Latest, 0, TrackFormat::ofVideo(format_)});
        const MessageType leave = !peer.sharesMemory() ? MessageType::Credit
                                  : slot == 0          ? MessageType::Accept
                                                       : MessageType::Hello;
        peer.serveUntil([&] { return peer.heard(leave); });
        // During the good peer's stream no slots are free for it.
        if (!peer.closed) {
            EXPECT_EQ(peer.sendFrame(0, slot, frame), Status::Ok);
            peer.serveUntil([] { return false; });
            EXPECT_TRUE(peer.closed);
        }
    }

    const VideoFormat format_ = tightFormat(64, 64, PixelFormat::rgba);
    std::vector<std::unique_ptr<RawPeer>> peers_;
};

class HostileSenders : public Hostile {};
TEST_P(HostileSenders, FramesOfTracksAndSlotsThatThereAreNot) {
    StrayFrames stray;
    withstand(stray, "of track 3 in a ring of track 0");
}

class HostilePipes : public Hostile {};
TEST_P(HostilePipes, TheLargestRingFromAPeerWithoutAKey) {
    Peers peers(4, [](RawPeer& peer) {
        peer.greet(Role::PipeSender);
        peer.say(PipeOffer{kMaxBlockBytes, kMaxRingBytes / kMaxBlockBytes, false, {}});
    });
    withstand(peers, "only one side has a key");
}

TEST_P(HostilePipes, RingsAndLengthsThatCannotBe) {
    for (const PipeOffer& offer :
         {PipeOffer{1ULL << 40U, 8, false, {}}, PipeOffer{kMaxBlockBytes, kMaxDepth, false, {}},
          PipeOffer{0, 8, false, {}}, PipeOffer{1, kMaxDepth + 1, false, {}}}) {
        SCOPED_TRACE(::testing::Message() << offer.blockBytes << " x " << offer.depth);
        Peers peers(1, [&](RawPeer& peer) {
            peer.greet(Role::PipeSender);
            peer.say(offer);
        });
        withstand(peers, "blocks of " + std::to_string(offer.blockBytes) + " bytes in flight", false);
    }
    Peers peers(1, [](RawPeer& peer) {
        peer.greet(Role::PipeSender);
        peer.say(PipeOffer{1, 8, false, 1ULL << 63U});
    });
    withstand(peers, "a stream of 9223372036854775808 bytes", false);
}

/// Viewers that keep every frame and never return a slot.
class Hoarders : public Attack {
  public:
    void begin(const Victim& victim) override {
        for (int i = 0; i < 4; ++i) {
            peers_.push_back(std::make_unique<RawPeer>(victim.url()));
            peers_.back()->accepts = false;
            peers_.back()->greet(Role::Receiver);
        }
    }
    void goOn() override {
        for (const auto& peer : peers_) {
            peer->serve();
            if (peer->sharesMemory() && !peer->rings.empty() && !peer->formats.empty() &&
                accepted_.insert(peer.get()).second) {
                peer->say(Accept{0, peer->formats.back().epoch, peer->rings.back().ring, true, 0});
            }
        }
    }

  private:
    std::vector<std::unique_ptr<RawPeer>> peers_;
    std::set<RawPeer*> accepted_;
};

class HostileViewers : public Hostile {};
TEST_P(HostileViewers, CreditsNeverGiven) {
    Hoarders hoarders;
    withstand(hoarders);
}

const std::vector<VictimKind> kAll{VictimKind::Sender, VictimKind::Viewer, VictimKind::Relay,
                                   VictimKind::Pipe};
const std::vector<VictimKind> kViewer{VictimKind::Viewer};
const std::vector<VictimKind> kPipe{VictimKind::Pipe};

VERBCAST_SIEGES(Hostile, kAll);
VERBCAST_SIEGES(HostileSenders, kViewer);
VERBCAST_SIEGES(HostilePipes, kPipe);

/// A relay over shared memory twice waits half a minute for those who keep its slots, which session tests
/// shorten: with `scripts/test --all`.
std::vector<Siege> siegesOfThoseWhoSend(bool everyday) {
    std::vector<Siege> list = sieges(transportsForCrowds(), {VictimKind::Sender, VictimKind::Relay});
    std::erase_if(list, [&](const Siege& siege) {
        const auto& [transport, kind] = siege;
        const bool waits = transport == "shm" && kind == VictimKind::Relay;
        return everyday != (everydayOf(std::vector{transport}).size() == 1 && !waits);
    });
    return list;
}

INSTANTIATE_TEST_SUITE_P(Over, HostileViewers, ::testing::ValuesIn(siegesOfThoseWhoSend(true)), siegeName);
INSTANTIATE_TEST_SUITE_P(ThoroughOver, HostileViewers, ::testing::ValuesIn(siegesOfThoseWhoSend(false)),
                         siegeName);

}  // namespace
}  // namespace verbcast::testing
