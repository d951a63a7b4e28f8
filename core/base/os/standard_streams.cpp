#include "core/base/os/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <exception>

#include "core/base/error.h"
#include "core/base/os/output_file.h"

namespace verbcast {
namespace {

/// Blocks the signals of a failed write on this thread, and discards one that a write has raised.
class WriteSignalsHeld {
  public:
    WriteSignalsHeld() {
        ::sigemptyset(&held_);
        ::sigaddset(&held_, SIGPIPE);
        ::sigaddset(&held_, SIGXFSZ);
        ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
    }
    ~WriteSignalsHeld() {
        if (failed_) {
            const timespec atOnce{};
            ::sigtimedwait(&held_, nullptr, &atOnce);
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WriteSignalsHeld(const WriteSignalsHeld&) = delete;
    WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

    void failed() { failed_ = true; }

  private:
    sigset_t held_{};
    sigset_t before_{};
    bool failed_ = false;
};

/// Whether to try again after errno `code`. Whoever shares the descriptor may have made it non-blocking.
bool isPassing(int code) {
    if (code == EAGAIN) {
        pollfd room{STDERR_FILENO, POLLOUT, 0};
        ::poll(&room, 1, -1);
    }
    return code == EINTR || code == EAGAIN;
}

[[noreturn]] void throwUnwritten(int code) {
    throwErrno(ErrorKind::Resource, "writing", "standard output", code, unwrittenRemedy(code));
}

}  // namespace

void reserveStandardStreams() {
    // open() returns the lowest free number.
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) < 0) {
            static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

void writeToStderr(std::string_view text) noexcept {
    const int before = errno;
    {
        WriteSignalsHeld signals;
        while (!text.empty()) {
            const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
            if (put >= 0) {
                text.remove_prefix(static_cast<std::size_t>(put));
            } else if (!isPassing(errno)) {
                signals.failed();
                break;
            }
        }
    }
    errno = before;
}

void formatToStderr(fmt::string_view format, fmt::format_args values) noexcept {
    try {
        writeToStderr(fmt::vformat(format, values));
    } catch (const std::exception&) {
        // There is nobody to tell.
    }
}

void writeToStdout(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
        throwUnwritten(errno);
    }
}

void flushStdout() {
    if (std::fflush(stdout) != 0) {
        throwUnwritten(errno);
    }
}

}  // namespace verbcast
