// A stream that a session manager links with a device, or with one node by name.
#pragma once

#include "core/pipewire/sound_peers.h"
#include "core/pipewire/sound_stream.h"

namespace verbcast {

/// An input stays with the node that the wish names and waits for it; everything else moves to the default
/// device where it must.
class DevicePeers final : public SoundPeers {
  public:
    explicit DevicePeers(const SoundStreamWish& wish);

    bool hasTarget(const SoundNodes& nodes) const override;
    std::string absence(const SoundNodes& nodes) const override;
    std::vector<std::uint32_t> channels(const SoundNodes& nodes) override;
    bool mustReopen(const SoundNodes& nodes, const std::vector<std::uint32_t>& channels) override;
    pw_stream_flags flags() const override;
    void describe(const SoundNodes& nodes, pw_properties& properties) const override;
    std::optional<std::string> link(const SoundNodes& nodes, std::uint32_t stream) override;

  private:
    bool isOutput() const { return direction_ == SoundDirection::Output; }
    bool stays() const { return !isOutput() && !name_.empty(); }
    const SoundNode* target(const SoundNodes& nodes) const;

    const SoundDirection direction_;
    const std::string name_;
    const bool monitor_;
    const std::vector<std::uint32_t> channels_;  // of an output
};

}  // namespace verbcast
