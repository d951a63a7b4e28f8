#include "tests/capture/screen/wayland_pointer.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "core/base/os/event.h"
#include "tests/support/child_process.h"

namespace verbcast::testing {
namespace {

constexpr const char* kManager = "zwlr_virtual_pointer_manager_v1";
constexpr std::uint32_t kDisplay = 1;
enum DisplayRequest : std::uint32_t { Sync = 0, GetRegistry = 1 };
enum RegistryRequest : std::uint32_t { Bind = 0 };
enum RegistryEvent : std::uint32_t { Global = 0 };
enum ManagerRequest : std::uint32_t { CreatePointer = 0 };
enum PointerRequest : std::uint32_t { MoveTo = 1, EndOfFrame = 4 };
constexpr std::uint32_t kHeaderBytes = 8;

/// A string in wire format: its length with the final zero, then words.
void append(std::vector<std::uint32_t>& words, const std::string& text) {
    words.push_back(static_cast<std::uint32_t>(text.size() + 1));
    const std::size_t at = words.size();
    words.resize(at + (text.size() + 4) / 4);
    std::memcpy(&words[at], text.data(), text.size());
}

}  // namespace

WaylandPointer::WaylandPointer() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = std::getenv("WAYLAND_DISPLAY");
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error("no compositor at " + path);
    }
    const std::uint32_t registry = ++lastId_;
    send(kDisplay, GetRegistry, {registry});
    const std::uint32_t name = synchronise();
    if (name == 0) {
        throw std::runtime_error(std::string("the compositor has no ") + kManager);
    }
    std::vector<std::uint32_t> bind{name};
    append(bind, kManager);
    const std::uint32_t manager = ++lastId_;
    bind.push_back(1);  // version
    bind.push_back(manager);
    send(registry, Bind, bind);
    pointer_ = ++lastId_;
    send(manager, CreatePointer, {0, pointer_});  // of any seat
    synchronise();
}

void WaylandPointer::move(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
    send(pointer_, MoveTo, {0, x, y, width, height});
    send(pointer_, EndOfFrame, {});
    synchronise();
}

void WaylandPointer::send(std::uint32_t object, std::uint32_t opcode,
                          const std::vector<std::uint32_t>& words) {
    const auto bytes = static_cast<std::uint32_t>(kHeaderBytes + words.size() * sizeof(std::uint32_t));
    std::vector<std::uint32_t> message{object, bytes << 16 | opcode};
    message.insert(message.end(), words.begin(), words.end());
    if (::send(socket_.get(), message.data(), bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) {
        throw std::runtime_error("the compositor has gone");
    }
}

void WaylandPointer::readExactly(void* data, std::size_t bytes) {
    for (auto* at = static_cast<char*>(data); bytes > 0;) {
        const ssize_t got =
            waitReadable({socket_.get()}, kPatience) ? ::read(socket_.get(), at, bytes) : ssize_t{0};
        if (got <= 0) {
            throw std::runtime_error("the compositor has gone");
        }
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
}

WaylandPointer::Message WaylandPointer::receive() {
    std::uint32_t header[2] = {};
    readExactly(header, sizeof header);
    Message message{header[0], header[1] & 0xFFFF, {}};
    message.words.resize((std::max(header[1] >> 16, kHeaderBytes) - kHeaderBytes) / sizeof(std::uint32_t));
    readExactly(message.words.data(), message.words.size() * sizeof(std::uint32_t));
    return message;
}

std::uint32_t WaylandPointer::synchronise() {
    const std::uint32_t callback = ++lastId_;
    send(kDisplay, Sync, {callback});
    std::uint32_t name = 0;
    for (;;) {
        const Message message = receive();
        if (message.object == callback) {
            return name;
        }
        if (message.object == kDisplay && message.opcode == 0) {
            throw std::runtime_error("the compositor takes the pointer's words for wrong");
        }
        // The registry is the first object that was created.
        if (message.object == kDisplay + 1 && message.opcode == Global && message.words.size() > 2 &&
            std::strcmp(reinterpret_cast<const char*>(&message.words[2]), kManager) == 0) {
            name = message.words[0];
        }
    }
}

}  // namespace verbcast::testing
