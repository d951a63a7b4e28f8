// Runs a real link in one thread without waiting: the link's own loop plays the script.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/session/greeting/peer_connection.h"
#include "core/session/link.h"
#include "core/transport/stages.h"
#include "tests/fuzz/target.h"

namespace verbcast::fuzz {

/// Wraps a real channel: before each process() it plays the next action of the peer or of this side's
/// program.
class ScriptedChannel final : public ChannelStage {
  public:
    /// Worked: continue immediately. Idle: the link's turn. Closed: the script is over and the peer has hung
    /// up.
    using Act = std::function<Progress()>;

    /// The path is only used in readyToSleep().
    ScriptedChannel(std::shared_ptr<MessageChannel> channel, std::shared_ptr<FramePath> path, Act act)
        : ChannelStage(std::move(channel)), path_(std::move(path)), act_(std::move(act)) {}

    Progress process() override {
        const Progress act = act_();
        const Progress progress = ChannelStage::process();
        return progress == Progress::Closed || act == Progress::Closed ? progress : act;
    }
    /// Calls what a link calls before it sleeps, but never allows sleep.
    bool readyToSleep() override {
        static_cast<void>(ChannelStage::readyToSleep() && path_->readyToSleep());
        return false;
    }
    bool spinHelps() const override { return false; }
    SharedRing* sharedRing() override { return nullptr; }  // only the link's own thread plays the script

  private:
    std::shared_ptr<FramePath> path_;
    Act act_;
};

/// Longer than any input may take; libFuzzer detects hangs.
inline LinkOptions linkOptions() {
    return {.peerTimeout = std::chrono::hours(1)};
}

inline PeerConnection peerOf(std::shared_ptr<MessageChannel> channel, const std::shared_ptr<FramePath>& path,
                             ScriptedChannel::Act act, Role role) {
    PeerConnection peer;
    peer.connection = {std::make_shared<ScriptedChannel>(std::move(channel), path, std::move(act)), path};
    peer.hello.role = role;
    peer.hello.instance = 1;
    peer.hello.slots = 4;
    peer.hello.name = "fuzz";
    return peer;
}

/// Serves the link until it ends.
inline void run(Link& link) {
    expectErrors([&] {
        const SessionEnd end = link.run();
        trace(end.reason);
        // The kernel's message when one of our buffers is not where it should be.
        require(end.kind != SessionEnd::Kind::Lost || end.reason.find("Bad address") == std::string::npos,
                "a system call met a guard page");
    });
}

}  // namespace verbcast::fuzz
