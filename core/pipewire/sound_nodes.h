// The nodes of PipeWire that play and record sound, as its registry tells of them.
#pragma once

#include <pipewire/extensions/metadata.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/pipewire/pipewire_handles.h"
#include "core/sound/sound_device.h"

namespace verbcast {

struct SoundNode {
    std::uint32_t id = 0;
    std::string serial, name, description;
    std::string mediaClass;  ///< "Audio/Sink", "Audio/Source", "Stream/Output/Audio", ...
    int priority = 0;
    std::uint32_t client = 0;  ///< that has made it

    bool plays() const { return mediaClass.starts_with("Audio/Sink"); }
    bool isProgram() const { return mediaClass == "Stream/Output/Audio"; }
    bool isDevice(SoundDirection direction) const {
        return mediaClass == "Audio/Duplex" ||
               (direction == SoundDirection::Output ? plays() : mediaClass.starts_with("Audio/Source"));
    }
};

struct SoundPort {
    std::uint32_t id = 0;
    std::uint32_t channel = 0;  ///< spa_audio_channel
};

/// What one connection knows. Belongs to the thread of its loop.
class SoundNodes {
  public:
    /// `changed` is called after any change.
    SoundNodes(pw_core* core, std::function<void()> changed);
    SoundNodes(const SoundNodes&) = delete;
    SoundNodes& operator=(const SoundNodes&) = delete;

    /// By name, serial number or description; devices first, then programs that play. Null: there is none.
    const SoundNode* find(const std::string& name) const;
    bool has(std::uint32_t id) const { return nodes_.contains(id); }
    /// Null: there is no such device.
    const SoundNode* defaultDevice(SoundDirection direction) const;
    /// The other end of a node's first link; null: it has none.
    const SoundNode* linkedWith(std::uint32_t id) const;
    /// What can be captured of it, a sink's monitor if it plays: spa_audio_channel of each port. Empty: not
    /// known yet.
    std::vector<std::uint32_t> channels(const SoundNode& node) const;

    std::vector<SoundNode> devices(SoundDirection direction) const;
    /// Those that play sound of their own.
    std::vector<SoundNode> programs() const;
    /// That give a node's sound, or take it; without monitors. Empty: not known yet.
    std::vector<SoundPort> ports(std::uint32_t node, SoundDirection direction) const {
        return ports(node, direction, false);
    }

  private:
    struct Port {
        std::uint32_t node;
        std::uint32_t place;  // among the node's: the ids of its ports are in no order
        std::uint32_t channel;
        SoundDirection direction;
        bool isMonitor;
    };
    struct Link {
        std::uint32_t from, to;  // nodes
    };

    void added(std::uint32_t id, const char* type, const spa_dict& properties);
    void addNode(std::uint32_t id, const spa_dict& properties);
    void addPort(std::uint32_t id, const spa_dict& properties);
    void removed(std::uint32_t id);
    void defaultIs(const char* key, const char* value);
    std::vector<SoundPort> ports(std::uint32_t node, SoundDirection direction, bool isMonitor) const;

    static const pw_registry_events kRegistryEvents;
    static const pw_metadata_events kMetadataEvents;

    std::function<void()> changed_;
    std::map<std::uint32_t, SoundNode> nodes_;
    std::map<std::uint32_t, Port> ports_;
    std::map<std::uint32_t, Link> links_;
    std::string defaultSink_, defaultSource_;
    spa_hook registryListener_{}, metadataListener_{};
    PipeWireHandle<pw_registry> registry_;
    PipeWireHandle<pw_proxy> metadata_;
};

}  // namespace verbcast
