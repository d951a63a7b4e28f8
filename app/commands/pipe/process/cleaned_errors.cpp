#include "app/commands/pipe/process/cleaned_errors.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/os/standard_streams.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxLine = 4096;  // longer lines are cut

/// Prints and removes the whole lines of the text; a carriage return also ends a line.
void printLines(std::string& text) {
    std::size_t end = 0;
    while ((end = text.find_first_of("\r\n")) != std::string::npos || text.size() > kMaxLine) {
        const std::size_t length = std::min(end, kMaxLine);
        if (length > 0) {
            printToStderr("{}\n", cleanLine(std::string_view(text).substr(0, length)));
        }
        text.erase(0, end == length ? length + 1 : length);
    }
}

std::size_t waitingBytes(int descriptor) {
    int bytes = 0;
    return ::ioctl(descriptor, FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace

CleanedErrors::CleanedErrors(UniqueFd errors) : errors_(std::move(errors)), thread_([this] { pass(); }) {}

void CleanedErrors::finish() {
    stop_.notify();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void CleanedErrors::pass() const {
    ::fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
    std::string text;
    std::array<char, 4096> buffer{};
    std::optional<std::size_t> left;  // once stopped, of what was there then: more may come without end
    while (left != 0) {
        if (!left && stop_.isSet()) {
            left = waitingBytes(errors_.get());
            continue;
        }
        const ssize_t got =
            ::read(errors_.get(), buffer.data(), std::min(buffer.size(), left.value_or(buffer.size())));
        if (got > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
            printLines(text);
            left = left ? std::optional(*left - static_cast<std::size_t>(got)) : std::nullopt;
        } else if (got == 0 || errno != EAGAIN || left) {
            break;
        } else {
            waitReadable({errors_.get(), stop_.descriptor()}, std::chrono::hours(1));
        }
    }
    text += '\n';
    printLines(text);
}

}  // namespace verbcast
