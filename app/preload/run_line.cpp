#include "app/preload/run_line.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerPatience = 1s;

/// An address in the abstract namespace, which vanishes with its socket and needs no folder.
struct SocketAddress {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    socklen_t length = sizeof(sa_family_t);  // no name: bind() picks one

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&address); }
    std::string name() const {
        constexpr std::size_t kBefore = offsetof(sockaddr_un, sun_path) + 1;
        return length > kBefore ? std::string(address.sun_path + 1, length - kBefore) : std::string();
    }
    static SocketAddress of(const std::string& name) {
        SocketAddress made;
        const std::size_t size = std::min(name.size(), sizeof made.address.sun_path - 1);
        std::copy_n(name.data(), size, made.address.sun_path + 1);
        made.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
        return made;
    }
};

UniqueFd openSocket() {
    return UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

bool bindToAnyName(const UniqueFd& socket) {
    SocketAddress any;
    return ::bind(socket.get(), any.get(), any.length) == 0;
}

constexpr std::size_t kMaxText =
    64 << 10;  // more than StreamWatch's statistics with the longest texts for each viewer

/// A message: one byte and a text, with the ancillary data that the kernel carries.
template <typename Carried>
struct Message {
    std::vector<char> bytes = std::vector<char>(1 + kMaxText);
    iovec whole{bytes.data(), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(Carried))]{};
    std::string_view text;  // of a received message
    msghdr header{};

    Message() {
        header.msg_iov = &whole;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof control;
    }
    Message(const Message&) = delete;

    /// Returns nullopt if there is no message, or none that carries this.
    std::optional<Carried> receive(const UniqueFd& socket, int type) {
        const ssize_t received = ::recvmsg(socket.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (received < 1 || (header.msg_flags & MSG_TRUNC) != 0) {
            return std::nullopt;
        }
        text = std::string_view(bytes.data() + 1, static_cast<std::size_t>(received) - 1);
        const cmsghdr* const first = CMSG_FIRSTHDR(&header);
        if (first == nullptr || first->cmsg_level != SOL_SOCKET || first->cmsg_type != type ||
            first->cmsg_len != CMSG_LEN(sizeof(Carried))) {
            return std::nullopt;
        }
        Carried carried;
        std::memcpy(&carried, CMSG_DATA(first), sizeof carried);
        return carried;
    }

    /// Sends it without a text.
    void send(const UniqueFd& socket, int type, const Carried& carried) {
        whole.iov_len = 1;
        cmsghdr* const first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = type;
        first->cmsg_len = CMSG_LEN(sizeof carried);
        std::memcpy(CMSG_DATA(first), &carried, sizeof carried);
        ::sendmsg(socket.get(), &header, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
};

/// Returns a socket connected to the runner; empty if nobody listens there.
UniqueFd tell(const std::string& runner, RunStatus status, std::string_view text, bool forAnswer,
              bool patient) {
    const std::string message = static_cast<char>(status) + std::string(text);
    UniqueFd socket = openSocket();
    SocketAddress to = SocketAddress::of(runner);
    constexpr timeval kPatience{.tv_sec = 1, .tv_usec = 0};
    if (!socket || (forAnswer && !bindToAnyName(socket)) ||
        ::connect(socket.get(), to.get(), to.length) != 0 ||
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience) != 0 ||
        ::send(socket.get(), message.data(), message.size(), (patient ? 0 : MSG_DONTWAIT) | MSG_NOSIGNAL) <
            0) {
        return {};
    }
    return socket;
}

}  // namespace

std::string RunEnd::text() const {
    return std::to_string(exitCode) + " " + reason;
}

std::optional<RunEnd> RunEnd::fromText(std::string_view text) {
    RunEnd end;
    const char* const last = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), last, end.exitCode);
    if (code != std::errc() || rest == last || *rest != ' ') {
        return std::nullopt;
    }
    end.reason.assign(rest + 1, last);
    return end;
}

RunLine::RunLine(int stats, std::function<UniqueFd()> openSound)
    : socket_(openSocket()), stats_(stats), openSound_(std::move(openSound)) {
    constexpr int kOn = 1;
    SocketAddress own;
    own.length = sizeof own.address;
    if (!socket_ || !bindToAnyName(socket_) ||
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_PASSCRED, &kOn, sizeof kOn) != 0 ||
        ::getsockname(socket_.get(), own.get(), &own.length) != 0) {
        throwErrno(ErrorKind::Resource, "socket", "the line to the program", errno);
    }
    name_ = own.name();
}

void RunLine::hear() {
    while (waitReadable({socket_.get()}, 0s)) {
        Message<ucred> message;
        SocketAddress from;
        message.header.msg_name = from.get();
        message.header.msg_namelen = sizeof from.address;
        const std::optional<ucred> sender = message.receive(socket_, SCM_CREDENTIALS);
        if (!sender || sender->uid != ::geteuid()) {
            continue;  // anybody can find the name
        }
        from.length = message.header.msg_namelen;
        const auto status = static_cast<RunStatus>(message.bytes[0]);
        loaded_ |= status == RunStatus::Loaded;
        swapped_ |= status == RunStatus::Swapped;
        if (status == RunStatus::Statistics) {
            statistics_ = message.text;
        }
        if (status == RunStatus::Over && !end_) {
            end_ = RunEnd::fromText(message.text);
        }
        const UniqueFd sound = status == RunStatus::WantsSound && openSound_ ? openSound_() : UniqueFd();
        const int wanted = status == RunStatus::WantsStats ? stats_ : sound.get();
        if (wanted >= 0) {
            Message<int> answer;
            answer.header.msg_name = from.get();
            answer.header.msg_namelen = from.length;
            answer.send(socket_, SCM_RIGHTS, wanted);
        }
    }
}

void tellRunner(const std::string& runner, RunStatus status, std::string_view text, bool mayMiss) {
    tell(runner, status, text, false, !mayMiss);
}

UniqueFd askRunner(const std::string& runner, RunStatus wanted) {
    const UniqueFd socket = tell(runner, wanted, "", true, true);
    if (!socket || !waitReadable({socket.get()}, kAnswerPatience)) {
        return {};
    }
    return UniqueFd(Message<int>().receive(socket, SCM_RIGHTS).value_or(-1));
}

}  // namespace verbcast
