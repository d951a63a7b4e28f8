#include "app/host/child_output.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "app/host/process.h"
#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {
namespace {

pid_t start(const std::vector<std::string>& command, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int code = ::posix_spawn(&child, command.front().c_str(), &actions, nullptr,
                                   pointersTo(command).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? child : -1;
}

using Moment = std::chrono::steady_clock::time_point;

/// False when the time is over.
bool waitUntil(int descriptor, Moment deadline) {
    const auto left = deadline - std::chrono::steady_clock::now();
    return left.count() > 0 && waitReadable({descriptor}, left);
}

/// All that comes until the end of the file or the deadline.
std::string readAll(int descriptor, Moment deadline) {
    std::string text;
    std::array<char, 4096> buffer;
    while (waitUntil(descriptor, deadline)) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got <= 0) {
            break;
        }
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

}  // namespace

std::optional<std::string> childOutput(const std::vector<std::string>& command,
                                       std::chrono::milliseconds patience) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return std::nullopt;
    }
    UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    const pid_t child = start(command, writing.get());
    writing.reset();
    if (child < 0) {
        return std::nullopt;
    }
    const auto deadline = std::chrono::steady_clock::now() + patience;
    const UniqueFd process = processDescriptor(child);
    std::string text = readAll(reading.get(), deadline);
    if (!process || !waitUntil(process.get(), deadline)) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace verbcast
