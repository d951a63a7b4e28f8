#include "app/commands/send/playback_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kTellEvery = 100'000'000;
constexpr std::int64_t kMaxSteps = 1000;
constexpr double kMaxSeconds = 1e8;

template <typename Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Playback& playbackOf(FrameSource& source) {
    if (source.playback() == nullptr) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--control is for files, and the source is {}", source.describe()),
                    "leave it out");
    }
    return *source.playback();
}

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

PlaybackControl::PlaybackControl(int commands, FrameSource& source, StatsStream* report)
    : lines_(commands), playback_(playbackOf(source)), report_(report), shown_(playback_.position()) {}

PlaybackControl::Turn PlaybackControl::follow(Broadcast& sender, std::chrono::nanoseconds longest,
                                              const Event& cancel, bool ahead) {
    ahead_ = ahead;
    obeyCommands();
    if (isHeld() && !cancel.isSet()) {
        jumped_ = true;
        tell(true);
        waitForCommand(sender, longest, cancel);
        obeyCommands();
        if (isHeld() && !cancel.isSet()) {
            return Turn::Held;
        }
    }
    tell(jumped_ || moved_);
    if (std::exchange(moved_, false)) {
        jumped_ = false;
        return Turn::Elsewhere;
    }
    return std::exchange(jumped_, false) ? Turn::AtOnce : Turn::Next;
}

void PlaybackControl::countSent() {
    steps_ = std::max<std::int64_t>(0, steps_ - 1);
    shown_ = playback_.position();
}

void PlaybackControl::waitForCommand(Broadcast& sender, std::chrono::nanoseconds longest,
                                     const Event& cancel) const {
    static_cast<void>(sender.waitForReadable(lines_.descriptor(), longest, cancel));
}

void PlaybackControl::obeyCommands() {
    lines_.read([this](std::string_view line) { obey(line); });
}

void PlaybackControl::obey(std::string_view line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    const std::string_view value = line.substr(std::min(space + 1, line.size()));
    if (word == "pause" && value.empty()) {
        paused_ = true;
        steps_ = moved_ ? 1 : 0;
    } else if (word == "play" && value.empty()) {
        paused_ = false;
    } else if (const auto to = number<double>(value); word == "seek" && to && std::abs(*to) < kMaxSeconds) {
        if (canMove()) {
            playback_.seek(std::chrono::nanoseconds(std::llround(std::max(0.0, *to) * 1e9)));
            move();
        }
    } else if (const auto by = number<std::int64_t>(value);
               word == "step" && by && *by >= -kMaxSteps && *by <= kMaxSteps) {
        step(*by);
    } else {
        warnOfPeer(LogCategory::General, "unknown command", "",
                   "--control: \"{}\" is none of pause, play, seek SECONDS, step N",
                   cleanLine(std::string(line)));
    }
}

/// The picture of the new place is shown, even if the next command is to pause.
void PlaybackControl::move() {
    moved_ = true;
    ahead_ = false;
    steps_ = 1;
}

/// Counts from where the commands before it lead, even if their pictures have not been sent.
void PlaybackControl::step(std::int64_t pictures) {
    const std::int64_t first = moved_ ? 1 : 0;
    const std::int64_t sum = (paused_ ? steps_ - first : 0) + pictures;
    paused_ = true;
    if (sum >= 0) {
        steps_ = sum + first;
    } else if (canMove()) {
        playback_.stepBack(static_cast<std::uint32_t>(-sum) + (ahead_ ? 1 : 0));
        move();
    }
}

/// Returns false, with a warning, for a pipe.
bool PlaybackControl::canMove() const {
    if (!playback_.canSeek()) {
        warnOfPeer(LogCategory::General, "cannot seek", "",
                   "--control: the source is a pipe, which cannot seek: \"pause\", \"play\", \"step 1\"");
        return false;
    }
    return true;
}

void PlaybackControl::tell(bool now) {
    if (report_ == nullptr || (!now && nowNs() - toldAt_ < kTellEvery)) {
        return;
    }
    toldAt_ = nowNs();
    const auto duration = playback_.duration();
    nlohmann::ordered_json playback{
        {"position_s", seconds(shown_)}, {"duration_s", nullptr}, {"paused", paused_}};
    if (duration) {
        playback["duration_s"] = seconds(*duration);
    }
    report_->tell({{"playback", playback}});
}

}  // namespace verbcast
