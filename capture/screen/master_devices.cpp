#include "capture/screen/master_devices.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xcb/xinput.h>
#include <xcb/xtest.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {
namespace {

constexpr std::uint16_t kCorePointer = 2, kCoreKeyboard = 3;  // fixed in the X server
constexpr const char* kPointerSuffix = " pointer";            // added by the server

/// The devices' name up to the process id.
std::string namePrefix() {
    std::array<char, 64> host{};
    ::gethostname(host.data(), host.size() - 1);
    return fmt::format("verbcast {} ", host.data());
}

struct Master {
    MasterPair pair;
    std::string name;  // without the suffix
};

std::vector<Master> masters(const XDisplay& display) {
    std::vector<Master> list;
    const auto reply =
        display.ask(xcb_input_xi_query_device, xcb_input_xi_query_device_reply, XCB_INPUT_DEVICE_ALL_MASTER);
    if (!reply) {
        display.requireAlive();
        return list;
    }
    for (auto each = xcb_input_xi_query_device_infos_iterator(reply.get()); each.rem > 0;
         xcb_input_xi_device_info_next(&each)) {
        const std::string_view name(
            xcb_input_xi_device_info_name(each.data),
            static_cast<std::size_t>(xcb_input_xi_device_info_name_length(each.data)));
        if (each.data->type == XCB_INPUT_DEVICE_TYPE_MASTER_POINTER && name.ends_with(kPointerSuffix)) {
            list.push_back({{each.data->deviceid, each.data->attachment},
                            std::string(name.substr(0, name.size() - std::strlen(kPointerSuffix)))});
        }
    }
    return list;
}

/// Requests one change, in the protocol's wire format.
bool changeHierarchy(const XDisplay& display, const std::vector<std::uint16_t>& words) {
    const auto* change = reinterpret_cast<const xcb_input_hierarchy_change_t*>(words.data());
    return display.carriesOut(xcb_input_xi_change_hierarchy_checked(display.get(), 1, change));
}

bool add(const XDisplay& display, const std::string& name) {
    const std::size_t nameWords = (name.size() + 3) / 4 * 2;
    std::vector<std::uint16_t> words(4 + nameWords);
    words[0] = XCB_INPUT_HIERARCHY_CHANGE_TYPE_ADD_MASTER;
    words[1] = static_cast<std::uint16_t>(words.size() / 2);
    words[2] = static_cast<std::uint16_t>(name.size());
    words[3] = 0x0101;  // sends core events; enabled
    std::memcpy(words.data() + 4, name.data(), name.size());
    return changeHierarchy(display, words);
}

void remove(const XDisplay& display, const MasterPair& pair) {
    // Devices that the user has attached to this pair return to the core devices.
    changeHierarchy(display, {XCB_INPUT_HIERARCHY_CHANGE_TYPE_REMOVE_MASTER, 3, pair.pointer,
                              XCB_INPUT_CHANGE_MODE_ATTACH, kCorePointer, kCoreKeyboard});
}

bool isLeftBehind(const Master& master, const std::string& prefix) {
    if (!master.name.starts_with(prefix)) {
        return false;
    }
    pid_t owner = 0;
    const char* number = master.name.data() + prefix.size();
    const auto parsed = std::from_chars(number, master.name.data() + master.name.size(), owner);
    return parsed.ec == std::errc{} && owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH;
}

void requireExtensions(const XDisplay& display) {
    const char* missing = nullptr;
    if (!display.has(xcb_test_id)) {
        missing = "XTEST";
    } else {
        const auto version = display.ask(xcb_input_xi_query_version, xcb_input_xi_query_version_reply, 2, 2);
        missing = version && version->major_version >= 2 ? nullptr : "XInputExtension 2";
    }
    if (missing != nullptr) {
        display.requireAlive();
        throw Error(ErrorKind::Display,
                    fmt::format("the X server {} takes no input for one program alone: it lacks the "
                                "extension {}",
                                display.name(), missing),
                    "leave --allow-input out");
    }
}

/// Runs in the guard. `line` names the programs in use; 0: the devices are gone.
void takeAwayAfter(int line, const std::string& name) {
    UniqueFd program;
    for (pid_t told = 0; hear(line, std::as_writable_bytes(std::span(&told, 1)));) {
        if (told == 0) {
            return;
        }
        program.reset(static_cast<int>(::syscall(SYS_pidfd_open, told, 0)));
    }
    if (program) {
        waitReadable({program.get()}, Deadline::never());
    }
    const XDisplay display;
    requireExtensions(display);
    for (const Master& master : masters(display)) {
        if (master.name == name) {
            remove(display, master.pair);
        }
    }
}

}  // namespace

OwnMasterPair::OwnMasterPair()
    : name_(namePrefix() + std::to_string(::getpid())),
      guard_("a guard for the input", [this](int line, int /*kept*/) { takeAwayAfter(line, name_); }) {
    requireExtensions(display_);
    for (const Master& master : masters(display_)) {
        if (isLeftBehind(master, namePrefix())) {
            remove(display_, master.pair);
        }
    }
    if (add(display_, name_)) {
        for (const Master& master : masters(display_)) {
            devices_ = master.name == name_ ? master.pair : devices_;
        }
    }
    if (devices_.pointer == 0) {
        throw Error(ErrorKind::Display,
                    fmt::format("the X server {} gives no second pointer and keyboard", display_.name()),
                    "leave --allow-input out");
    }
}

OwnMasterPair::~OwnMasterPair() {
    remove(display_, devices_);
    usedBy(0);
}

void OwnMasterPair::usedBy(pid_t program) const {
    guard_.tell(std::as_bytes(std::span(&program, 1)));
}

}  // namespace verbcast
