// The processes that PipeWire's clients are.
#pragma once

#include <pipewire/client.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>

#include "core/pipewire/pipewire_handles.h"

namespace verbcast {

/// Asks each client of a daemon, which the registry's announcements are too short for. Belongs to the thread
/// of its loop.
class SoundClients {
  public:
    /// `changed` is called when processes are known.
    SoundClients(pw_core& core, std::function<void()> changed);
    SoundClients(const SoundClients&) = delete;
    SoundClients& operator=(const SoundClients&) = delete;

    /// As the kernel tells it, or, of those that play through PulseAudio's protocol, as they say themselves.
    /// 0: not known yet.
    pid_t process(std::uint32_t client) const;

  private:
    struct Client {
        explicit Client(SoundClients& asks) : owner(asks) {}

        SoundClients& owner;
        pid_t process = 0;
        spa_hook listener{};
        PipeWireHandle<pw_proxy> proxy;
    };

    static const pw_registry_events kRegistryEvents;
    static const pw_client_events kClientEvents;

    std::function<void()> changed_;
    spa_hook listener_{};
    PipeWireHandle<pw_registry> registry_;
    std::map<std::uint32_t, Client> clients_;
};

}  // namespace verbcast
