#include "core/pipewire/sound_clients.h"

#include <spa/utils/dict.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace verbcast {
namespace {

pid_t processOf(const spa_dict& properties) {
    const char* const protocol = spa_dict_lookup(&properties, PW_KEY_CLIENT_API);
    const bool isPulse = protocol != nullptr && std::strcmp(protocol, "pipewire-pulse") == 0;
    const char* const id = spa_dict_lookup(&properties, isPulse ? PW_KEY_APP_PROCESS_ID : PW_KEY_SEC_PID);
    return id != nullptr ? static_cast<pid_t>(std::strtol(id, nullptr, 10)) : 0;
}

}  // namespace

const pw_registry_events SoundClients::kRegistryEvents = [] {
    pw_registry_events events{};
    events.version = PW_VERSION_REGISTRY_EVENTS;
    events.global = [](void* data, std::uint32_t id, std::uint32_t, const char* type, std::uint32_t,
                       const spa_dict*) {
        auto& self = *static_cast<SoundClients*>(data);
        if (std::string_view(type) != PW_TYPE_INTERFACE_Client) {
            return;
        }
        Client& client = self.clients_.try_emplace(id, self).first->second;
        client.proxy.reset(
            static_cast<pw_proxy*>(pw_registry_bind(self.registry_.get(), id, type, PW_VERSION_CLIENT, 0)));
        if (client.proxy) {
            pw_proxy_add_object_listener(client.proxy.get(), &client.listener, &kClientEvents, &client);
        }
    };
    events.global_remove = [](void* self, std::uint32_t id) {
        static_cast<SoundClients*>(self)->clients_.erase(id);
    };
    return events;
}();

const pw_client_events SoundClients::kClientEvents = [] {
    pw_client_events events{};
    events.version = PW_VERSION_CLIENT_EVENTS;
    events.info = [](void* data, const pw_client_info* info) {
        auto& client = *static_cast<Client*>(data);
        const pid_t process = info->props != nullptr ? processOf(*info->props) : 0;
        if (std::exchange(client.process, process) != process) {
            client.owner.changed_();
        }
    };
    return events;
}();

SoundClients::SoundClients(pw_core& core, std::function<void()> changed)
    : changed_(std::move(changed)), registry_(pw_core_get_registry(&core, PW_VERSION_REGISTRY, 0)) {
    pw_registry_add_listener(registry_.get(), &listener_, &kRegistryEvents, this);
}

pid_t SoundClients::process(std::uint32_t client) const {
    const auto found = clients_.find(client);
    return found != clients_.end() ? found->second.process : 0;
}

}  // namespace verbcast
