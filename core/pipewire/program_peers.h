// A stream that hears all that some processes play.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "core/pipewire/sound_clients.h"
#include "core/pipewire/sound_peers.h"

namespace verbcast {

/// Links each node that these processes play with to the stream, besides what it plays to: PipeWire adds them
/// up, sample by sample, at the rate of its graph. The stream has a channel for each that they have, and at
/// least left and right; it runs while nothing is played, too, and is silent then.
class ProgramPeers final : public SoundPeers {
  public:
    explicit ProgramPeers(std::function<bool(pid_t)> isOurs);
    ~ProgramPeers() override;

    void connected(pw_core& core, const std::function<void()>& changed) override;
    void disconnected() override;
    bool hasTarget(const SoundNodes&) const override { return true; }
    std::string absence(const SoundNodes&) const override { return ""; }
    std::vector<std::uint32_t> channels(const SoundNodes& nodes) override;
    bool mustReopen(const SoundNodes& nodes, const std::vector<std::uint32_t>& channels) override {
        return this->channels(nodes) != channels;
    }
    pw_stream_flags flags() const override { return PW_STREAM_FLAG_NONE; }
    void describe(const SoundNodes& nodes, pw_properties& properties) const override;
    std::optional<std::string> link(const SoundNodes& nodes, std::uint32_t stream) override;

  private:
    struct Ends {
        std::uint32_t from, to;  // ports
        friend bool operator<(const Ends& a, const Ends& b) {
            return std::tie(a.from, a.to) < std::tie(b.from, b.to);
        }
    };
    class Link;

    std::vector<SoundNode> ours(const SoundNodes& nodes) const;

    const std::function<bool(pid_t)> isOurs_;
    std::vector<std::uint32_t> channels_;  // all that there have been
    pw_core* core_ = nullptr;
    std::unique_ptr<SoundClients> clients_;
    std::map<Ends, std::unique_ptr<Link>> links_;
};

}  // namespace verbcast
