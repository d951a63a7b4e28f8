// Whom a stream of sound is linked with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/pipewire/sound_nodes.h"

namespace verbcast {

/// All is called on the loop's thread.
class SoundPeers {
  public:
    SoundPeers() = default;
    SoundPeers(const SoundPeers&) = delete;
    SoundPeers& operator=(const SoundPeers&) = delete;
    virtual ~SoundPeers() = default;

    /// A daemon is there. `changed`: to be called when peers are others now, though no node is.
    virtual void connected(pw_core& /*core*/, const std::function<void()>& /*changed*/) {}
    /// What belongs to the core goes now.
    virtual void disconnected() {}

    /// Whether the daemon has what is wanted.
    virtual bool hasTarget(const SoundNodes& nodes) const = 0;
    /// Why there is nobody to be linked with: "PipeWire has no device that plays". "" if there is somebody.
    virtual std::string absence(const SoundNodes& nodes) const = 0;
    /// For a new stream: spa_audio_channel of each. Empty: not known yet.
    virtual std::vector<std::uint32_t> channels(const SoundNodes& nodes) = 0;
    /// Whether a new stream must take the place of one with these channels.
    virtual bool mustReopen(const SoundNodes& nodes, const std::vector<std::uint32_t>& channels) = 0;
    virtual pw_stream_flags flags() const = 0;
    /// Adds what tells a session manager whom a new stream is for.
    virtual void describe(const SoundNodes& nodes, pw_properties& properties) const = 0;
    /// The other end of this stream's node, for people; "" if there need be none now. nullopt: not linked
    /// yet.
    virtual std::optional<std::string> link(const SoundNodes& nodes, std::uint32_t stream) = 0;
};

}  // namespace verbcast
