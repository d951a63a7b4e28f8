#include "app/commands/send/command_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"
#include "core/base/os/event.h"
#include "core/base/text/clean_text.h"

namespace verbcast {

void CommandLines::readMore() {
    if (descriptor_ < 0 || !waitReadable({descriptor_}, std::chrono::nanoseconds(0))) {
        return;
    }
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
    if (got <= 0) {
        descriptor_ = -1;
        return;
    }
    partial_.append(buffer.data(), static_cast<std::size_t>(got));
}

int CommandRouter::add(std::uint32_t number) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throwErrno(ErrorKind::Resource, "making", "a pipe for commands", errno);
    }
    streams_.push_back({number, UniqueFd(ends[0]), UniqueFd(ends[1])});
    return ends[0];
}

void CommandRouter::passOn() {
    lines_.read([this](std::string_view line) { passOn(line); });
    if (lines_.descriptor() < 0) {
        for (Stream& stream : streams_) {
            stream.writing.reset();
        }
    }
}

void CommandRouter::passOn(std::string_view line) {
    std::uint32_t number = 0;
    const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), number);
    const bool forOne = code == std::errc() && end != line.data() + line.size() && *end == ' ';
    const std::string command =
        std::string(forOne ? line.substr(static_cast<std::size_t>(end - line.data()) + 1) : line) + '\n';
    bool taken = false;
    for (const Stream& stream : streams_) {
        if (!forOne || stream.number == number) {
            // Whole or not at all: it is shorter than PIPE_BUF.
            static_cast<void>(::write(stream.writing.get(), command.data(), command.size()));
            taken = true;
        }
    }
    if (!taken) {
        warnOfPeer(LogCategory::General, "unknown stream", "",
                   "--control: \"{}\": no stream that can be controlled has the number {}",
                   cleanLine(std::string(line)), number);
    }
}

}  // namespace verbcast
