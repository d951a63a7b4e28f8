#include "app/view/words/alignment_words.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr double kLongestDelay = 10'000;  // ms
constexpr std::uint32_t kMaxFramesHeld = 64;

AlignBy alignByName(const std::string& name) {
    if (name.empty() || name == "newest") {
        return AlignBy::Newest;
    }
    if (name == "capture") {
        return AlignBy::Capture;
    }
    if (name == "pts") {
        return AlignBy::Pts;
    }
    throw Error(ErrorKind::Usage, fmt::format("--align {}: newest, capture or pts expected", name));
}

}  // namespace

std::string alignName(AlignBy by) {
    switch (by) {
        case AlignBy::Newest:
            return "newest";
        case AlignBy::Capture:
            return "capture";
        case AlignBy::Pts:
            return "pts";
    }
    throw Error(ErrorKind::Internal, "streams are aligned in no way that is known");
}

AlignmentOptions parseAlignment(const std::string& align, const std::string& delay) {
    AlignmentOptions options{.by = alignByName(align), .delay = {}};
    if (delay.empty()) {
        return options;
    }
    double milliseconds = 0;
    const auto [end, code] = std::from_chars(delay.data(), delay.data() + delay.size(), milliseconds);
    // Written so that NaN fails too.
    const bool inRange = milliseconds >= 0 && milliseconds <= kLongestDelay;
    if (code != std::errc() || end != delay.data() + delay.size() || !inRange) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--delay {}: milliseconds from 0 to {} expected", delay, kLongestDelay));
    }
    if (options.by == AlignBy::Newest) {
        throw Error(ErrorKind::Usage, "--delay needs --align capture or --align pts",
                    "add one of them, or leave out --delay");
    }
    options.delay = std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
    return options;
}

std::vector<std::string> alignmentLines(const AlignmentStats& alignment,
                                        const std::vector<NamedStats>& streams, std::uint32_t slots) {
    std::string summary = fmt::format("aligned by {}: {} at {:.1f} ms", alignment.by,
                                      counted(alignment.sets, "set"), alignment.delayMs);
    if (alignment.delayGiven && alignment.smallestDelayMs > alignment.delayMs) {
        summary += fmt::format(" ({:.1f} ms would suffice)", alignment.smallestDelayMs);
    }
    summary += percentilesText("skew", alignment.skew);
    std::vector<std::string> lines{summary};
    for (const NamedStats& stream : streams) {
        if (!stream.alignment) {
            continue;
        }
        const StreamAlignment& own = *stream.alignment;
        if (!own.reason.empty()) {
            lines.push_back(fmt::format("stream {}: not aligned, its newest frame is shown: {}",
                                        stream.number, own.reason));
        }
        if (own.framesThinned > 0) {
            const std::string remedy =
                own.slotsNeeded <= kMaxFramesHeld
                    ? fmt::format("--slots {} holds them all (over shm the sender's; here {})",
                                  own.slotsNeeded, slots)
                    : fmt::format("even {} slots hold too few", kMaxFramesHeld);
            lines.push_back(fmt::format("stream {}: {} discarded while waiting for the other streams: {}",
                                        stream.number, counted(own.framesThinned, "frame was", "frames were"),
                                        remedy));
        }
    }
    return lines;
}

}  // namespace verbcast
