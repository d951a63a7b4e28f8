#include "app/bench/limits/external_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/bench/workers/worker.h"
#include "app/host/interrupt.h"
#include "app/host/process.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// Reads the kernel's socket tables: "  0: 0100007F:1451 00000000:0000 0A ...", where state 0A is LISTEN.
bool somebodyListens(std::uint16_t port) {
    const std::string wanted = fmt::format(":{:04X}", port);
    for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream table(path);
        for (std::string line; std::getline(table, line);) {
            std::istringstream fields(line);
            std::string number, local, peer, state;
            if (fields >> number >> local >> peer >> state && state == "0A" && local.ends_with(wanted)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

void requireInstalled(const std::string& program, const std::string& package) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) {
            return;
        }
    }
    throw Error(ErrorKind::Device, program + " is not installed", "apt-get install " + package);
}

ExternalProgram::ExternalProgram(const std::vector<std::string>& arguments) : name_(arguments.front()) {
    Pipe output = makePipe(name_);
    output_ = std::move(output.reading);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    const int writing = output.writing.get();
    const int code =
        spawn(pid_, name_, arguments, {.input = kNothing, .output = writing, .errors = writing, .group = 0});
    if (code != 0) {
        throwErrno(ErrorKind::Resource, "starting", name_, code);
    }
}

ExternalProgram::~ExternalProgram() {
    if (!hasEnded(false)) {
        endChild(pid_);
    }
}

bool ExternalProgram::hasEnded(bool wait) {
    if (!ended_) {
        const pid_t reaped = ::waitpid(pid_, &status_, wait ? 0 : WNOHANG);
        ended_ = reaped == pid_ || (reaped < 0 && errno != EINTR);
    }
    return ended_;
}

void ExternalProgram::fail(const std::string& what) const {
    std::string last;
    std::istringstream lines(text_);
    for (std::string line; std::getline(lines, line);) {
        last = line.find_first_not_of(" \t-") == std::string::npos ? last : line;
    }
    throw Error(ErrorKind::Device, fmt::format("{} {}{}", name_, what, last.empty() ? "" : ": " + last));
}

void ExternalProgram::readToEnd(Deadline deadline, bool mayBeInterrupted) {
    for (;;) {
        std::array<char, 4096> chunk;
        const ssize_t got = ::read(output_.get(), chunk.data(), chunk.size());
        if (got > 0) {
            text_.append(chunk.data(), static_cast<std::size_t>(got));
            continue;
        }
        if (got == 0) {
            break;
        }
        if (mayBeInterrupted && interruptEvent().isSet()) {
            fail("was interrupted");
        }
        if (deadline.passed()) {
            fail("does not come to an end");
        }
        waitReadable({output_.get(), mayBeInterrupted ? interruptEvent().descriptor() : -1}, deadline);
    }
    while (!hasEnded(true)) {
    }
}

std::string ExternalProgram::waitForOutput(std::chrono::nanoseconds timeout) {
    readToEnd(Deadline::in(timeout), true);
    if (!WIFEXITED(status_) || WEXITSTATUS(status_) != 0) {
        fail(fmt::format("failed with {}",
                         WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_)));
    }
    return text_;
}

void ExternalProgram::requireRunning() {
    if (hasEnded(false)) {
        waitForOutput(1s);
        fail("ended before it was used");
    }
}

void ExternalProgram::interrupt(std::chrono::nanoseconds timeout) {
    if (!hasEnded(false)) {
        ::kill(pid_, SIGINT);
        readToEnd(Deadline::in(timeout), false);
    }
}

void ExternalProgram::waitUntilListening(std::uint16_t port, std::chrono::nanoseconds timeout) {
    const Deadline deadline = Deadline::in(timeout);
    // No event signals that another program has started to listen.
    while (!somebodyListens(port)) {
        requireRunning();
        if (interruptEvent().isSet() || deadline.passed()) {
            fail("does not begin to listen");
        }
        waitReadable({interruptEvent().descriptor()}, 10ms);
    }
}

}  // namespace verbcast
