#include "app/host/child_output.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "app/host/process.h"
#include "core/base/error.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxOutput = 1U << 20;

/// Reads until the end of the file, the deadline, or kMaxOutput.
std::string readAll(int descriptor, Deadline deadline) {
    std::string text;
    std::array<char, 4096> buffer;
    while (text.size() < kMaxOutput && !deadline.passed() && waitReadable({descriptor}, deadline)) {
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
    Pipe output;
    try {
        output = makePipe(command.front());
    } catch (const Error&) {
        return std::nullopt;
    }
    pid_t child = -1;
    const int code = spawn(child, command.front(), command,
                           {.input = kNothing, .output = output.writing.get(), .errors = kNothing});
    output.writing.reset();
    if (code != 0) {
        return std::nullopt;
    }
    const Deadline deadline = Deadline::in(patience);
    const UniqueFd process = processDescriptor(child);
    std::string text = readAll(output.reading.get(), deadline);
    if (!process || !waitReadable({process.get()}, deadline)) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace verbcast
