#include "capture/screen/portal/screen_cast.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "capture/screen/portal/screen_choice.h"
#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/os/clock.h"

namespace verbcast {
namespace {

constexpr const char* kPortalService = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kScreenCast = "org.freedesktop.portal.ScreenCast";
constexpr const char* kInstall =
    "install xdg-desktop-portal and its part for this desktop (xdg-desktop-portal-gnome, -kde, -wlr); "
    "screen:x11 sends what is on an X display";

constexpr std::uint32_t kPointerHidden = 1, kPointerEmbedded = 2;
constexpr std::uint32_t kUntilRevoked = 2;  // persist_mode
constexpr std::uint32_t kSinceCursors = 2, kSinceTokens = 4;

constexpr TimestampNs kPatience = 120'000'000'000;  // the user may be looking for a window
constexpr TimestampNs kHintAfter = 1'000'000'000;

int require(int result, const char* what) {
    if (result < 0) {
        throwErrno(ErrorKind::Display, what, "the session's D-Bus", -result,
                   "start it from a terminal of the desktop's own session");
    }
    return result;
}

int read(int result) {
    return require(result, "reading from");
}

void write(int result) {
    require(result, "a message to");
}

struct BusError {
    sd_bus_error error{};

    BusError() = default;
    ~BusError() { sd_bus_error_free(&error); }
    BusError(const BusError&) = delete;
    BusError& operator=(const BusError&) = delete;
    std::string text(int result) const {
        return error.message != nullptr ? error.message : errnoText(-result);
    }
};

/// The last part of a request's object path, which the portal derives from our bus name by this rule.
std::string senderPart(sd_bus* bus) {
    const char* name = nullptr;
    require(sd_bus_get_unique_name(bus, &name), "asking our name of");
    std::string part = name + 1;  // without the colon
    std::replace(part.begin(), part.end(), '.', '_');
    return part;
}

}  // namespace

ScreenCast::Bus ScreenCast::openBus() {
    sd_bus* bus = nullptr;
    const int result = sd_bus_open_user(&bus);
    if (result < 0) {
        throw Error(ErrorKind::Display,
                    fmt::format("the ScreenCast portal cannot be asked: this session's D-Bus does not answer "
                                "({})",
                                errnoText(-result)),
                    "start it from a terminal of the desktop's own session, which has "
                    "DBUS_SESSION_BUS_ADDRESS set");
    }
    return Bus(bus);
}

ScreenCast::ScreenCast(const ScreenCastWish& wish) : cancel_(wish.cancel), bus_(openBus()) {
    version_ = property("version").value_or(0);
    const std::uint32_t types = offered(wish.types);
    const Answer created = request("CreateSession", [](sd_bus_message* message) {
        write(sd_bus_message_append(message, "{sv}", "session_handle_token", "s", "verbcast"));
    });
    session_ = created.session;
    sd_bus_slot* slot = nullptr;
    require(sd_bus_match_signal(bus_.get(), &slot, nullptr, session_.c_str(),
                                "org.freedesktop.portal.Session", "Closed", &takeClosed, this),
            "watching a session on");
    closed_.reset(slot);
    selectSources({types, wish.restoreToken, nullptr});
    const Answer started = request("Start", [](sd_bus_message*) {});
    if (!started.node) {
        throw Error(ErrorKind::Display, "the desktop grants a screen cast without a picture", kInstall);
    }
    node_ = *started.node;
    restoreToken_ = started.restoreToken;
}

std::optional<std::uint32_t> ScreenCast::property(const char* name, std::string* problem) {
    BusError error;
    std::uint32_t value = 0;
    const int result = sd_bus_get_property_trivial(bus_.get(), kPortalService, kPath, kScreenCast, name,
                                                   &error.error, SD_BUS_TYPE_UINT32, &value);
    if (result < 0 && problem != nullptr) {
        *problem = error.text(result);
    }
    return result < 0 ? std::nullopt : std::optional(value);
}

std::uint32_t ScreenCast::offered(std::uint32_t wished) {
    std::string problem = "it offers nothing";
    const auto types = property("AvailableSourceTypes", &problem);
    if (!types || *types == 0) {
        throw Error(
            ErrorKind::Display,
            fmt::format("this session has no ScreenCast portal by which its screen could be captured: {}",
                        problem),
            kInstall);
    }
    if ((*types & wished) == 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("this desktop's ScreenCast portal offers no {}", kindName(wished)),
                    fmt::format("screen:portal={}", kindName(*types & (kPortalMonitor | kPortalWindow))));
    }
    pointerInPicture_ = version_ >= kSinceCursors &&
                        (property("AvailableCursorModes").value_or(kPointerHidden) & kPointerEmbedded) != 0;
    return *types & wished;
}

ScreenCast::Message ScreenCast::newCall(const char* method) {
    sd_bus_message* message = nullptr;
    write(sd_bus_message_new_method_call(bus_.get(), &message, kPortalService, kPath, kScreenCast, method));
    return Message(message);
}

ScreenCast::Message ScreenCast::call(const char* method, sd_bus_message* message) {
    BusError error;
    sd_bus_message* reply = nullptr;
    const int result = sd_bus_call(bus_.get(), message, 0, &error.error, &reply);
    if (result < 0) {
        throw Error(ErrorKind::Display,
                    fmt::format("the ScreenCast portal does not answer {}: {}", method, error.text(result)),
                    kInstall);
    }
    return Message(reply);
}

/// The portal answers with a signal from an object of a path known in advance, so that none can be missed.
template <typename Fill>
ScreenCast::Answer ScreenCast::request(const char* method, Fill&& fill) {
    const std::string token = fmt::format("verbcast{}", ++requests_);
    const std::string path = fmt::format("{}/request/{}/{}", kPath, senderPart(bus_.get()), token);
    std::optional<Answer> answer;
    sd_bus_slot* slot = nullptr;
    require(sd_bus_match_signal(bus_.get(), &slot, nullptr, path.c_str(), "org.freedesktop.portal.Request",
                                "Response", &takeAnswer, &answer),
            "watching a request on");
    const Slot watched(slot);
    const Message message = newCall(method);
    sd_bus_message* raw = message.get();
    if (!session_.empty()) {
        write(sd_bus_message_append(raw, "o", session_.c_str()));
    }
    if (std::string_view(method) == "Start") {
        write(sd_bus_message_append(raw, "s", ""));  // we have no parent window for the dialog
    }
    write(sd_bus_message_open_container(raw, 'a', "{sv}"));
    write(sd_bus_message_append(raw, "{sv}", "handle_token", "s", token.c_str()));
    fill(raw);
    write(sd_bus_message_close_container(raw));
    call(method, raw);
    return awaitAnswer(answer);
}

ScreenCast::Answer ScreenCast::awaitAnswer(const std::optional<Answer>& answer) {
    const TimestampNs began = nowNs();
    bool hinted = false;
    while (!answer) {
        const int result = read(sd_bus_process(bus_.get(), nullptr));
        const TimestampNs waited = nowNs() - began;
        if (result > 0) {
            continue;
        }
        if (waited > kPatience) {
            throw Error(ErrorKind::Display, "nobody has answered the desktop's dialog about what may be sent",
                        "answer the dialog on the desktop itself; it is asked only once");
        }
        if (waited > kHintAfter && !std::exchange(hinted, true)) {
            log(LogCategory::Capture).warn("the desktop asks what may be sent: answer its dialog");
        }
        if (cancel_ != nullptr && cancel_->isSet()) {
            throw Error(ErrorKind::Display,
                        "the desktop asked what may be sent, and this program stopped before the answer");
        }
        waitReadable({descriptor(), cancel_ != nullptr ? cancel_->descriptor() : -1},
                     std::chrono::nanoseconds(kHintAfter));
    }
    if (answer->code != 0) {
        throw Error(ErrorKind::Display,
                    answer->code == 1 ? "the desktop's dialog was declined: nothing may be sent"
                                      : "the desktop's ScreenCast portal cannot give a picture",
                    answer->code == 1 ? "start again, and allow a screen or window in the dialog"
                                      : "the portal's own messages tell more: journalctl --user -u "
                                        "'xdg-desktop-portal*'");
    }
    return *answer;
}

int ScreenCast::takeAnswer(sd_bus_message* message, void* kept, sd_bus_error*) {
    Answer answer;
    try {
        read(sd_bus_message_read(message, "u", &answer.code));
        read(sd_bus_message_enter_container(message, 'a', "{sv}"));
        while (read(sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
            readResult(message, answer);
            read(sd_bus_message_exit_container(message));
        }
    } catch (const Error&) {
        answer.code = 2;  // malformed
    }
    *static_cast<std::optional<Answer>*>(kept) = std::move(answer);
    return 0;
}

void ScreenCast::readResult(sd_bus_message* message, Answer& answer) {
    const char* key = nullptr;
    const char* type = nullptr;
    const char* text = nullptr;
    read(sd_bus_message_read(message, "s", &key));
    read(sd_bus_message_peek_type(message, nullptr, &type));
    const std::string_view name = key, held = type;
    const bool isText = held == "s" || held == "o";
    if (name == "streams" && held == "a(ua{sv})") {
        readStreams(message, answer);
    } else if (isText && (name == "session_handle" || name == "restore_token")) {
        read(sd_bus_message_read(message, "v", type, &text));
        (name == "restore_token" ? answer.restoreToken : answer.session) = text;
    } else {
        read(sd_bus_message_skip(message, "v"));
    }
}

/// Reads the first stream: we ask for one only.
void ScreenCast::readStreams(sd_bus_message* message, Answer& answer) {
    read(sd_bus_message_enter_container(message, 'v', "a(ua{sv})"));
    read(sd_bus_message_enter_container(message, 'a', "(ua{sv})"));
    while (read(sd_bus_message_enter_container(message, 'r', "ua{sv}")) > 0) {
        std::uint32_t node = 0;
        read(sd_bus_message_read(message, "u", &node));
        read(sd_bus_message_skip(message, "a{sv}"));
        read(sd_bus_message_exit_container(message));
        answer.node = answer.node.value_or(node);
    }
    read(sd_bus_message_exit_container(message));
    read(sd_bus_message_exit_container(message));
}

void ScreenCast::selectSources(const ScreenCastWish& wish) {
    request("SelectSources", [&](sd_bus_message* message) {
        write(sd_bus_message_append(message, "{sv}{sv}", "types", "u", wish.types, "multiple", "b", 0));
        if (pointerInPicture_) {
            write(sd_bus_message_append(message, "{sv}", "cursor_mode", "u", kPointerEmbedded));
        }
        if (version_ >= kSinceTokens) {
            write(sd_bus_message_append(message, "{sv}", "persist_mode", "u", kUntilRevoked));
        }
        if (version_ >= kSinceTokens && !wish.restoreToken.empty()) {
            write(sd_bus_message_append(message, "{sv}", "restore_token", "s", wish.restoreToken.c_str()));
        }
    });
}

UniqueFd ScreenCast::openPipeWire() {
    const Message message = newCall("OpenPipeWireRemote");
    write(sd_bus_message_append(message.get(), "oa{sv}", session_.c_str(), 0));
    const Message reply = call("OpenPipeWireRemote", message.get());
    int descriptor = -1;  // owned by the message
    require(sd_bus_message_read(reply.get(), "h", &descriptor), "a descriptor from");
    UniqueFd own(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    if (!own) {
        throwErrno(ErrorKind::Resource, "fcntl", "the portal's connection to PipeWire", errno);
    }
    return own;
}

int ScreenCast::takeClosed(sd_bus_message*, void* self, sd_bus_error*) {
    static_cast<ScreenCast*>(self)->ended_ = true;
    return 0;
}

bool ScreenCast::hasEnded() {
    int result = 1;
    while (!ended_ && result > 0) {
        result = sd_bus_process(bus_.get(), nullptr);
        ended_ |= result < 0;
    }
    return ended_;
}

}  // namespace verbcast
