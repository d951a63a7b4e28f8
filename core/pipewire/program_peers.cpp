#include "core/pipewire/program_peers.h"

#include <spa/param/audio/raw.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "core/pipewire/sound_channels.h"

namespace verbcast {
namespace {

/// Of a sound without sides, both loudspeakers get all.
bool reaches(std::uint32_t from, std::uint32_t to) {
    return from == to ||
           (from == SPA_AUDIO_CHANNEL_MONO && (to == SPA_AUDIO_CHANNEL_FL || to == SPA_AUDIO_CHANNEL_FR));
}

/// In the order of SoundFormat::layout; behind them those that it does not know.
auto placeOf(std::uint32_t channel) {
    const std::uint64_t bit = layoutOf({channel});
    return std::tuple(bit == 0, bit, channel);
}

}  // namespace

/// From port to port. Goes with this object.
class ProgramPeers::Link {
  public:
    Link(pw_core& core, const Ends& ends) {
        const std::string from = std::to_string(ends.from), to = std::to_string(ends.to);
        const spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_PORT, from.c_str()},
                                       {PW_KEY_LINK_INPUT_PORT, to.c_str()}};
        const spa_dict properties = SPA_DICT_INIT_ARRAY(items);
        proxy_.reset(static_cast<pw_proxy*>(pw_core_create_object(
            &core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties, 0)));
        if (proxy_) {
            pw_proxy_add_listener(proxy_.get(), &listener_, &kEvents, this);
        }
    }
    /// False: refused, or one of its ports has gone.
    bool isThere() const { return proxy_ != nullptr && !gone_; }

  private:
    static const pw_proxy_events kEvents;

    bool gone_ = false;
    spa_hook listener_{};
    PipeWireHandle<pw_proxy> proxy_;
};

const pw_proxy_events ProgramPeers::Link::kEvents = [] {
    pw_proxy_events events{};
    events.version = PW_VERSION_PROXY_EVENTS;
    events.removed = [](void* self) { static_cast<Link*>(self)->gone_ = true; };
    events.error = [](void* self, int, int, const char*) { static_cast<Link*>(self)->gone_ = true; };
    return events;
}();

ProgramPeers::ProgramPeers(std::function<bool(pid_t)> isOurs) : isOurs_(std::move(isOurs)) {}

ProgramPeers::~ProgramPeers() = default;

void ProgramPeers::connected(pw_core& core, const std::function<void()>& changed) {
    core_ = &core;
    clients_ = std::make_unique<SoundClients>(core, changed);
}

void ProgramPeers::disconnected() {
    links_.clear();
    clients_.reset();
}

std::vector<SoundNode> ProgramPeers::ours(const SoundNodes& nodes) const {
    std::vector<SoundNode> found = nodes.programs();
    std::erase_if(found, [this](const SoundNode& node) {
        const pid_t process = clients_ ? clients_->process(node.client) : 0;
        return process == 0 || !isOurs_(process);
    });
    return found;
}

std::vector<std::uint32_t> ProgramPeers::channels(const SoundNodes& nodes) {
    std::vector<std::uint32_t> all{SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR};
    all.insert(all.end(), channels_.begin(), channels_.end());
    for (const SoundNode& node : ours(nodes)) {
        std::ranges::copy(nodes.channels(node), std::back_inserter(all));
    }
    std::erase(all, SPA_AUDIO_CHANNEL_MONO);
    std::ranges::sort(all, {}, placeOf);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.resize(std::min<std::size_t>(all.size(), SPA_AUDIO_MAX_CHANNELS));
    channels_ = all;
    return all;
}

void ProgramPeers::describe(const SoundNodes&, pw_properties& properties) const {
    // Without keeping a device from sleeping while nothing is played.
    pw_properties_set(&properties, PW_KEY_NODE_PASSIVE, "true");
    pw_properties_set(&properties, PW_KEY_NODE_ALWAYS_PROCESS, "true");
}

std::optional<std::string> ProgramPeers::link(const SoundNodes& nodes, std::uint32_t stream) {
    const std::vector<SoundNode> playing = ours(nodes);
    const std::vector<SoundPort> inputs = nodes.ports(stream, SoundDirection::Input);
    std::map<Ends, std::unique_ptr<Link>> links;
    for (const SoundNode& node : playing) {
        for (const SoundPort& from : nodes.ports(node.id, SoundDirection::Output)) {
            for (const SoundPort& to : inputs) {
                if (!reaches(from.channel, to.channel)) {
                    continue;
                }
                std::unique_ptr<Link>& link = links[{from.id, to.id}];
                if (const auto known = links_.find({from.id, to.id});
                    known != links_.end() && known->second->isThere()) {
                    link = std::move(known->second);
                } else {
                    link = std::make_unique<Link>(*core_, Ends{from.id, to.id});
                }
            }
        }
    }
    links_ = std::move(links);
    if (playing.empty()) {
        return "";
    }
    return links_.empty() ? std::nullopt : std::optional(playing.front().description);
}

}  // namespace verbcast
