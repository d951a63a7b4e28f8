// A session with org.freedesktop.portal.ScreenCast on the user's D-Bus.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

struct ScreenCastWish {
    std::uint32_t types = 0;        ///< kPortalMonitor, kPortalWindow or both
    std::string restoreToken;       ///< from an earlier answer, or ""
    const Event* cancel = nullptr;  ///< ends the wait for an answer
};

/// What the desktop's user has granted, for as long as this object lives. Used by one thread.
class ScreenCast {
  public:
    /// Asks, and waits up to two minutes for the answer. Throws Error{Display} if there is no bus or portal,
    /// the answer is no or the wait is cancelled; Error{Usage} if this desktop does not offer the kind.
    explicit ScreenCast(const ScreenCastWish& wish);

    /// A connection to PipeWire that can see the stream's node. Throws Error{Display}.
    UniqueFd openPipeWire();
    std::uint32_t node() const { return node_; }
    bool pointerInPicture() const { return pointerInPicture_; }
    /// For the next wish; "" if the desktop does not remember.
    const std::string& restoreToken() const { return restoreToken_; }

    /// Call hasEnded() when this is readable.
    int descriptor() const { return sd_bus_get_fd(bus_.get()); }
    /// Whether the desktop has revoked the grant, or the bus is gone. Does not wait.
    bool hasEnded();

  private:
    struct Unref {
        void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
        void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
        void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
    };
    using Bus = std::unique_ptr<sd_bus, Unref>;
    using Slot = std::unique_ptr<sd_bus_slot, Unref>;
    using Message = std::unique_ptr<sd_bus_message, Unref>;

    /// The portal's answer to a request, with fields for the results of all requests.
    struct Answer {
        std::uint32_t code = 0;
        std::string session, restoreToken;
        std::optional<std::uint32_t> node;  ///< the stream's PipeWire node
    };

    static Bus openBus();
    static int takeAnswer(sd_bus_message* message, void* answer, sd_bus_error* error);
    static int takeClosed(sd_bus_message* message, void* self, sd_bus_error* error);
    static void readResult(sd_bus_message* message, Answer& answer);
    static void readStreams(sd_bus_message* message, Answer& answer);

    std::optional<std::uint32_t> property(const char* name, std::string* problem = nullptr);
    Message newCall(const char* method);
    Message call(const char* method, sd_bus_message* message);
    template <typename Fill>
    Answer request(const char* method, Fill&& fill);
    Answer awaitAnswer(const std::optional<Answer>& answer);
    void selectSources(const ScreenCastWish& wish);
    std::uint32_t offered(std::uint32_t wished);

    const Event* const cancel_;
    Bus bus_;
    std::uint32_t version_ = 0;
    std::uint32_t requests_ = 0;
    bool pointerInPicture_ = false;
    std::string session_;  // its object path
    Slot closed_;
    std::uint32_t node_ = 0;
    std::string restoreToken_;
    bool ended_ = false;
};

}  // namespace verbcast
