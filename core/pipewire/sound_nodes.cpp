#include "core/pipewire/sound_nodes.h"

#include <spa/utils/dict.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/pipewire/sound_channels.h"

namespace verbcast {
namespace {

std::string text(const spa_dict& properties, const char* key) {
    const char* const value = spa_dict_lookup(&properties, key);
    return value != nullptr ? value : "";
}

std::uint32_t number(const spa_dict& properties, const char* key) {
    const char* const value = spa_dict_lookup(&properties, key);
    return value != nullptr ? static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10)) : PW_ID_ANY;
}

/// Of {"name": "alsa_output.pci-0000_00_1f.3.analog-stereo"}.
std::string nameIn(const char* value) {
    const auto json = nlohmann::json::parse(value != nullptr ? value : "", nullptr, false);
    return json.is_object() && json.contains("name") && json["name"].is_string()
               ? json["name"].get<std::string>()
               : "";
}

}  // namespace

const pw_registry_events SoundNodes::kRegistryEvents = [] {
    pw_registry_events events{};
    events.version = PW_VERSION_REGISTRY_EVENTS;
    events.global = [](void* self, std::uint32_t id, std::uint32_t, const char* type, std::uint32_t,
                       const spa_dict* properties) {
        if (properties != nullptr) {
            static_cast<SoundNodes*>(self)->added(id, type, *properties);
        }
    };
    events.global_remove = [](void* self, std::uint32_t id) { static_cast<SoundNodes*>(self)->removed(id); };
    return events;
}();

const pw_metadata_events SoundNodes::kMetadataEvents = [] {
    pw_metadata_events events{};
    events.version = PW_VERSION_METADATA_EVENTS;
    events.property = [](void* self, std::uint32_t subject, const char* key, const char*, const char* value) {
        if (subject == PW_ID_CORE) {
            static_cast<SoundNodes*>(self)->defaultIs(key, value);
        }
        return 0;
    };
    return events;
}();

SoundNodes::SoundNodes(pw_core* core, std::function<void()> changed)
    : changed_(std::move(changed)), registry_(pw_core_get_registry(core, PW_VERSION_REGISTRY, 0)) {
    pw_registry_add_listener(registry_.get(), &registryListener_, &kRegistryEvents, this);
}

void SoundNodes::added(std::uint32_t id, const char* type, const spa_dict& properties) {
    const std::string_view kind = type;
    if (kind == PW_TYPE_INTERFACE_Node) {
        addNode(id, properties);
    } else if (kind == PW_TYPE_INTERFACE_Port) {
        addPort(id, properties);
    } else if (kind == PW_TYPE_INTERFACE_Link) {
        links_[id] = {number(properties, PW_KEY_LINK_OUTPUT_NODE),
                      number(properties, PW_KEY_LINK_INPUT_NODE)};
    } else if (kind == PW_TYPE_INTERFACE_Metadata && text(properties, PW_KEY_METADATA_NAME) == "default") {
        metadata_.reset(
            static_cast<pw_proxy*>(pw_registry_bind(registry_.get(), id, type, PW_VERSION_METADATA, 0)));
        if (metadata_) {
            pw_metadata_add_listener(reinterpret_cast<pw_metadata*>(metadata_.get()), &metadataListener_,
                                     &kMetadataEvents, this);
        }
    }
    changed_();
}

void SoundNodes::addNode(std::uint32_t id, const spa_dict& properties) {
    SoundNode node{.id = id,
                   .serial = text(properties, PW_KEY_OBJECT_SERIAL),
                   .name = text(properties, PW_KEY_NODE_NAME),
                   .description = text(properties, PW_KEY_NODE_DESCRIPTION),
                   .mediaClass = text(properties, PW_KEY_MEDIA_CLASS),
                   .priority = std::atoi(text(properties, PW_KEY_PRIORITY_SESSION).c_str()),
                   .client = number(properties, PW_KEY_CLIENT_ID)};
    node.description = node.description.empty() ? node.name : node.description;
    nodes_[id] = std::move(node);
}

void SoundNodes::addPort(std::uint32_t id, const spa_dict& properties) {
    ports_[id] = {
        number(properties, PW_KEY_NODE_ID), number(properties, PW_KEY_PORT_ID),
        soundChannelOf(text(properties, PW_KEY_AUDIO_CHANNEL)),
        text(properties, PW_KEY_PORT_DIRECTION) == "out" ? SoundDirection::Output : SoundDirection::Input,
        text(properties, PW_KEY_PORT_MONITOR) == "true"};
}

void SoundNodes::removed(std::uint32_t id) {
    if (nodes_.erase(id) + ports_.erase(id) + links_.erase(id) > 0) {
        changed_();
    }
}

void SoundNodes::defaultIs(const char* key, const char* value) {
    const std::string_view what = key != nullptr ? key : "";
    if (what == "default.audio.sink") {
        defaultSink_ = nameIn(value);
    } else if (what == "default.audio.source") {
        defaultSource_ = nameIn(value);
    } else {
        return;
    }
    changed_();
}

const SoundNode* SoundNodes::find(const std::string& name) const {
    const SoundNode* found = nullptr;
    for (const auto& [id, node] : nodes_) {
        const bool matches = node.name == name || node.serial == name || node.description == name;
        const bool isDevice = node.mediaClass.starts_with("Audio/");
        if (matches && (isDevice || (node.isProgram() && found == nullptr))) {
            found = &node;
            if (isDevice) {
                break;
            }
        }
    }
    return found;
}

const SoundNode* SoundNodes::defaultDevice(SoundDirection direction) const {
    const std::string& name = direction == SoundDirection::Output ? defaultSink_ : defaultSource_;
    const SoundNode* best = nullptr;
    for (const auto& [id, node] : nodes_) {
        if (!node.isDevice(direction)) {
            continue;
        }
        if (!name.empty() && node.name == name) {
            return &node;
        }
        best = best == nullptr || node.priority > best->priority ? &node : best;
    }
    return best;
}

const SoundNode* SoundNodes::linkedWith(std::uint32_t id) const {
    for (const auto& [link, ends] : links_) {
        if (ends.from == id || ends.to == id) {
            const auto other = nodes_.find(ends.from == id ? ends.to : ends.from);
            if (other != nodes_.end()) {
                return &other->second;
            }
        }
    }
    return nullptr;
}

std::vector<SoundPort> SoundNodes::ports(std::uint32_t node, SoundDirection direction, bool isMonitor) const {
    std::map<std::uint32_t, SoundPort> byPlace;
    for (const auto& [id, port] : ports_) {
        if (port.node == node && port.direction == direction && port.isMonitor == isMonitor) {
            byPlace[port.place] = {id, port.channel};
        }
    }
    std::vector<SoundPort> ports;
    ports.reserve(byPlace.size());
    for (const auto& [place, port] : byPlace) {
        if (ports.size() < SPA_AUDIO_MAX_CHANNELS) {
            ports.push_back(port);
        }
    }
    return ports;
}

std::vector<std::uint32_t> SoundNodes::channels(const SoundNode& node) const {
    const std::vector<SoundPort> found = ports(node.id, SoundDirection::Output, node.plays());
    std::vector<std::uint32_t> channels(found.size());
    std::ranges::transform(found, channels.begin(), &SoundPort::channel);
    return channels;
}

std::vector<SoundNode> SoundNodes::devices(SoundDirection direction) const {
    std::vector<SoundNode> devices;
    devices.reserve(nodes_.size());
    for (const auto& [id, node] : nodes_) {
        if (node.isDevice(direction)) {
            devices.push_back(node);
        }
    }
    return devices;
}

std::vector<SoundNode> SoundNodes::programs() const {
    std::vector<SoundNode> programs;
    for (const auto& [id, node] : nodes_) {
        if (node.isProgram()) {
            programs.push_back(node);
        }
    }
    return programs;
}

}  // namespace verbcast
