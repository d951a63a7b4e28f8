// A siege: unknown peers attack a victim before its good peer connects and in the middle of its stream.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/hostile/victim.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {

inline constexpr unsigned kFrames = 40;
/// The most memory a victim may use beyond its use without unknown peers: --max-memory of the viewer and the
/// relay. What is freed under a sanitizer stays in its quarantine, of 256 MiB.
inline constexpr std::uint64_t kBound = (VERBCAST_SANITIZED ? 256ULL : 64ULL) << 20;

struct Outcome {
    std::vector<std::string> frames;
    std::uint64_t peakMemory = 0;
};

/// Unknown peers. They exist until the stream has ended.
class Attack {
  public:
    virtual ~Attack() = default;
    /// Called once before the good peer has connected, and once in the middle of its stream.
    virtual void begin(const Victim& victim) = 0;
    /// Called before every frame after begin().
    virtual void goOn() {}
};

inline Outcome besiege(Victim& victim, Attack* attack, const std::string& reason) {
    if (attack != nullptr) {
        attack->begin(victim);
        EXPECT_TRUE(reason.empty() || victim.program().waitForError(reason)) << victim.program().errors();
    }
    victim.meet();
    Outcome outcome;
    for (unsigned frame = 0; frame < kFrames; ++frame) {
        if (attack != nullptr && frame == kFrames / 4) {
            attack->begin(victim);
        }
        if (attack != nullptr) {
            attack->goOn();
        }
        victim.feed();
    }
    outcome.peakMemory = victim.peakMemory();
    outcome.frames = victim.finish();
    return outcome;
}

using Siege = std::tuple<TransportUnderTest, VictimKind>;

class Hostile : public ProgramTest, public ::testing::WithParamInterface<Siege> {
  protected:
    TransportUnderTest transport() const { return std::get<0>(GetParam()); }
    VictimKind kind() const { return std::get<1>(GetParam()); }
    Role role() const { return roleOfStrangersAt(kind()); }

    /// For unknown peers that send a greeting: a pipe asks for the key first.
    std::string unlessPipe(const std::string& reason) const {
        return kind() == VictimKind::Pipe ? "only one side has a key" : reason;
    }
    /// `reason`: what the victim's log must contain. Pipes have a key, and the unknown peers none: a pipe
    /// serves one peer, and any peer that is accepted and speaks the protocol may end it.
    void withstand(Attack& attack, const std::string& reason = "", bool pipesHaveAKey = true) {
        Arguments more;
        if (kind() == VictimKind::Pipe && pipesHaveAKey) {
            Verbcast key({"key", "new", file("key")}, home_);
            ASSERT_TRUE(endsWith(key, 0));
            more = {"--key-file", file("key")};
        }
        const Outcome& untouched = leftAlone(more);
        ASSERT_EQ(untouched.frames.size(), kFrames);
        Victim victim(kind(), transport(), home_, more);
        const Outcome outcome = besiege(victim, &attack, reason);
        EXPECT_EQ(outcome.frames, untouched.frames) << victim.program().errors();
        EXPECT_LE(outcome.peakMemory, untouched.peakMemory + kBound);
    }

  private:
    /// Without unknown peers: the same for all attacks, so measured once for each kind of victim.
    const Outcome& leftAlone(const Arguments& more) {
        static std::map<std::string, Outcome> outcomes;
        const std::string which =
            transport().name + " " + victimName(kind()) + (more.empty() ? "" : " with key");
        const auto known = outcomes.find(which);
        if (known != outcomes.end()) {
            return known->second;
        }
        Victim alone(kind(), transport(), home_, more);
        return outcomes[which] = besiege(alone, nullptr, "");
    }
};

/// Peers that send something and stay connected.
class Peers : public Attack {
  public:
    using Talk = std::function<void(RawPeer&)>;
    Peers(int count, Talk talk) : count_(count), talk_(std::move(talk)) {}

    void begin(const Victim& victim) override {
        for (int i = 0; i < count_; ++i) {
            try {
                peers_.push_back(std::make_unique<RawPeer>(victim.url()));
                peers_.back()->accepts = false;
                talk_(*peers_.back());
            } catch (const Error& error) {
                expectTurnedAway(error);
            }
        }
    }
    void goOn() override {
        for (const auto& peer : peers_) {
            try {
                peer->serve();
            } catch (const Error& error) {
                expectTurnedAway(error);
            }
        }
    }

  private:
    /// The connection was refused or closed.
    static void expectTurnedAway(const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::Network || error.kind() == ErrorKind::Peer) << error.what();
    }

    int count_;
    Talk talk_;
    std::vector<std::unique_ptr<RawPeer>> peers_;
};

inline std::vector<Siege> sieges(const std::vector<TransportUnderTest>& transports,
                                 const std::vector<VictimKind>& kinds = {
                                     VictimKind::Sender, VictimKind::Viewer, VictimKind::Relay,
                                     VictimKind::Pipe}) {
    std::vector<Siege> list;
    for (const TransportUnderTest& transport : transports) {
        for (const VictimKind kind : kinds) {
            list.emplace_back(transport, kind);
        }
    }
    return list;
}

inline std::string siegeName(const ::testing::TestParamInfo<Siege>& info) {
    return std::get<0>(info.param).name + "_" + victimName(std::get<1>(info.param));
}

/// Instantiates a suite over the everyday transports, and over the others for `scripts/test --all`.
#define VERBCAST_SIEGES(Suite, kinds)                                                                   \
    INSTANTIATE_TEST_SUITE_P(                                                                           \
        Over, Suite, ::testing::ValuesIn(sieges(everydayOf(transportsForCrowds()), kinds)), siegeName); \
    INSTANTIATE_TEST_SUITE_P(ThoroughOver, Suite,                                                       \
                             ::testing::ValuesIn(sieges(furtherOf(transportsForCrowds()), kinds)),      \
                             siegeName)

}  // namespace verbcast::testing
