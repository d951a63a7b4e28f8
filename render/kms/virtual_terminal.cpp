#include "render/kms/virtual_terminal.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/major.h>
#include <linux/vt.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

constexpr int kLeaveSignal = SIGUSR1, kReturnSignal = SIGUSR2;

Event& leaveAsked() {
    static Event event;
    return event;
}
Event& returnAsked() {
    static Event event;
    return event;
}

void onSwitch(int signal) {
    (signal == kLeaveSignal ? leaveAsked() : returnAsked()).notify();
}

/// They stay installed: a late signal would end the process.
void installHandlers() {
    leaveAsked();  // created here, not in the handler
    returnAsked();
    struct sigaction action {};
    action.sa_handler = onSwitch;
    action.sa_flags = SA_RESTART;
    ::sigaction(kLeaveSignal, &action, nullptr);
    ::sigaction(kReturnSignal, &action, nullptr);
}

/// The number of a virtual terminal; nullopt for other terminals, as those of ssh and of windows.
std::optional<int> numberOf(int terminal) {
    unsigned device = 0;
    if (::ioctl(terminal, TIOCGDEV, &device) != 0 || major(device) != TTY_MAJOR ||
        minor(device) < MIN_NR_CONSOLES || minor(device) > MAX_NR_CONSOLES) {
        return std::nullopt;  // serial lines have the same major number, and higher minor ones
    }
    return static_cast<int>(minor(device));
}

}  // namespace

std::unique_ptr<VirtualTerminal> VirtualTerminal::own(std::string& problem) {
    problem.clear();
    const UniqueFd controlling(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
    std::optional<int> number = numberOf(STDIN_FILENO);
    const int from = number ? STDIN_FILENO : controlling.get();
    number = number ? number : numberOf(from);
    if (!number) {
        return nullptr;
    }
    UniqueFd terminal(::fcntl(from, F_DUPFD_CLOEXEC, 3));
    installHandlers();
    leaveAsked().clear();
    returnAsked().clear();
    vt_mode mode{};
    mode.mode = VT_PROCESS;
    mode.relsig = kLeaveSignal;
    mode.acqsig = kReturnSignal;
    if (!terminal || ::ioctl(terminal.get(), VT_SETMODE, &mode) != 0) {
        problem = fmt::format(
            "/dev/tty{}: VT_SETMODE: {}: the picture stays when another console is shown (run it from that "
            "console's own login)",
            *number, errnoText(errno));
        return nullptr;
    }
    return std::unique_ptr<VirtualTerminal>(new VirtualTerminal(std::move(terminal)));
}

VirtualTerminal::~VirtualTerminal() {
    if (!left_ && leaveAsked().isSet()) {
        leave();
    }
    vt_mode mode{};
    mode.mode = VT_AUTO;
    static_cast<void>(::ioctl(terminal_.get(), VT_SETMODE, &mode));
}

int VirtualTerminal::descriptor() const {
    return left_ ? returnAsked().descriptor() : leaveAsked().descriptor();
}

VirtualTerminal::Asked VirtualTerminal::asked() {
    if (!left_) {
        return leaveAsked().isSet() ? Asked::Leave : Asked::Nothing;
    }
    if (!returnAsked().isSet()) {
        return Asked::Nothing;
    }
    returnAsked().clear();
    left_ = false;
    static_cast<void>(::ioctl(terminal_.get(), VT_RELDISP, VT_ACKACQ));
    return Asked::Return;
}

bool VirtualTerminal::leave() {
    leaveAsked().clear();
    left_ = ::ioctl(terminal_.get(), VT_RELDISP, 1) == 0;
    return left_;
}

}  // namespace verbcast
