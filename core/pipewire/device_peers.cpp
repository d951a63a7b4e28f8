#include "core/pipewire/device_peers.h"

#include <fmt/format.h>

#include "core/pipewire/sound_channels.h"

namespace verbcast {

DevicePeers::DevicePeers(const SoundStreamWish& wish)
    : direction_(wish.direction),
      name_(wish.target),
      monitor_(wish.monitor),
      channels_(channelsOf(wish.layout, wish.channels)) {}

const SoundNode* DevicePeers::target(const SoundNodes& nodes) const {
    const SoundNode* const named = name_.empty() ? nullptr : nodes.find(name_);
    return named != nullptr || stays() ? named
                                       : nodes.defaultDevice(monitor_ ? SoundDirection::Output : direction_);
}

bool DevicePeers::hasTarget(const SoundNodes& nodes) const {
    return (name_.empty() ? target(nodes) : nodes.find(name_)) != nullptr;
}

std::string DevicePeers::absence(const SoundNodes& nodes) const {
    if (target(nodes) != nullptr) {
        return "";
    }
    return stays()
               ? fmt::format("PipeWire has no {}", name_)
               : fmt::format("PipeWire has no device that {}", isOutput() || monitor_ ? "plays" : "records");
}

std::vector<std::uint32_t> DevicePeers::channels(const SoundNodes& nodes) {
    const SoundNode* const node = target(nodes);
    return isOutput() || node == nullptr ? channels_ : nodes.channels(*node);
}

bool DevicePeers::mustReopen(const SoundNodes& nodes, const std::vector<std::uint32_t>& channels) {
    const SoundNode* const node = target(nodes);
    if (isOutput() || node == nullptr) {
        return stays();  // to wait for it
    }
    const std::vector<std::uint32_t> now = nodes.channels(*node);
    return !now.empty() && now != channels;
}

pw_stream_flags DevicePeers::flags() const {
    return static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT |
                                        (stays() ? PW_STREAM_FLAG_DONT_RECONNECT : PW_STREAM_FLAG_NONE));
}

void DevicePeers::describe(const SoundNodes& nodes, pw_properties& properties) const {
    const SoundNode* const node = target(nodes);
    if (node == nullptr) {
        return;
    }
    if (!isOutput() && node->plays()) {
        pw_properties_set(&properties, PW_KEY_STREAM_CAPTURE_SINK, "true");
    }
    if (!name_.empty()) {
        // By its name, an output finds its way back to a device.
        pw_properties_set(&properties, PW_KEY_TARGET_OBJECT,
                          isOutput() ? node->name.c_str() : node->serial.c_str());
    }
}

std::optional<std::string> DevicePeers::link(const SoundNodes& nodes, std::uint32_t stream) {
    const SoundNode* const node = nodes.linkedWith(stream);
    return node != nullptr ? std::optional(node->description) : std::nullopt;
}

}  // namespace verbcast
