#include "app/pipe/process/cleaned_errors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/clean_text.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxLine = 4096;  // longer lines are cut

/// Prints and removes the whole lines of the text; a carriage return also ends a line.
void printLines(std::string& text) {
    std::size_t end = 0;
    while ((end = text.find_first_of("\r\n")) != std::string::npos || text.size() > kMaxLine) {
        const std::size_t length = std::min(end, kMaxLine);
        if (length > 0) {
            fmt::print(stderr, "{}\n", cleanLine(std::string_view(text).substr(0, length)));
        }
        text.erase(0, end == length ? length + 1 : length);
    }
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
    bool stopped = false;
    for (;;) {
        const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
        if (got > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
            printLines(text);
        } else if (got == 0 || errno != EAGAIN || stopped) {
            break;
        } else {
            waitReadable({errors_.get(), stop_.descriptor()}, std::chrono::hours(1));
            stopped = stop_.isSet();
        }
    }
    text += '\n';
    printLines(text);
}

}  // namespace verbcast
