#include "app/commands/send/sending_streams.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "app/cli/options/values.h"
#include "app/cli/report_error.h"
#include "app/host/interrupt.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/counted.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Interval between updates of the statistics.
constexpr auto kStatsTime = 100ms;

std::uint32_t streamNumber(std::size_t index) {
    return static_cast<std::uint32_t>(index) + 1;
}

/// "studio-2": lets viewers tell the streams of one host apart.
std::string numberedHostName(std::size_t index) {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    return fmt::format("{}-{}", name.data(), streamNumber(index));
}

}  // namespace

SendingStreams::SendingStreams(const SendOptions& options) : options_(options), progress_(options.verbosity) {
    if (options.statsDescriptor >= 0) {
        stats_ = std::make_shared<StatsOutput>(options.statsDescriptor);
    }
    if (options.control) {
        commands_.emplace(STDIN_FILENO);
    }
}

SendOptions SendingStreams::optionsOf(const SendOptions& options, std::size_t index) {
    SendOptions one = options;
    one.sources = {options.sources.at(index)};
    one.sender.name = options.names.empty() ? numberedHostName(index) : options.names.at(index);
    one.frameMd5 = nameOfStream(options.frameMd5, streamNumber(index));
    if (options.sender.listen && index > 0) {
        if (options.sender.url.isName()) {
            one.sender.url.name = fmt::format("{}-{}", options.sender.url.name, streamNumber(index));
        } else if (options.sender.url.port != 0) {
            one.sender.url.port = static_cast<std::uint16_t>(options.sender.url.port + index);
        }
    }
    return one;
}

void SendingStreams::add(std::unique_ptr<FrameSource> source) {
    if (streams_.empty()) {
        checkWritable(options_.statsJson);
    }
    const std::size_t index = streams_.size();
    auto stream = std::make_unique<Stream>(optionsOf(options_, index), progress_);
    OneOfSeveral& one = stream->one;
    one.label = {streamNumber(index), stream->options.sender.name};
    one.stats = stats_;
    if (commands_ && source->playback() != nullptr) {
        one.commands = commands_->add(one.label.number);
    }
    stream->sending = std::make_unique<Sending>(stream->options, std::move(source), &one);
    streams_.push_back(std::move(stream));
}

int SendingStreams::run() {
    if (commands_ && commands_->empty()) {
        throw Error(ErrorKind::Usage, "--control is for files, and none of the sources is one",
                    "leave it out");
    }
    try {
        serveAll();
    } catch (...) {
        interruptEvent().notify();  // ends the streams already started, which are waited for
        throw;
    }
    return report();
}

void SendingStreams::serveAll() {
    for (const auto& stream : streams_) {
        stream->thread = std::jthread([this, &stream = *stream] { serve(stream); });
    }
    while (!std::ranges::all_of(streams_, [](const auto& stream) { return stream->ended.load(); })) {
        waitReadable({changed_.descriptor(), commands_ ? commands_->descriptor() : -1}, kStatsTime);
        changed_.clear();
        if (commands_) {
            commands_->passOn();
        }
        showStats();
    }
}

/// Runs in the stream's thread.
void SendingStreams::serve(Stream& stream) {
    try {
        stream.exitCode = stream.sending->run();
        stream.exitReason = stream.sending->exitReason();
    } catch (...) {
        const std::lock_guard lock(progress_.mutex);
        progress_.line.clear();
        stream.exitCode = reportCurrentErrorOf(stream.one.prefix());
        stream.exitReason = errorKindName(static_cast<ErrorKind>(stream.exitCode));
    }
    stream.ended = true;
    changed_.notify();
}

void SendingStreams::showStats() {
    {
        const std::lock_guard lock(progress_.mutex);
        if (!progress_.line.due()) {
            return;
        }
    }
    StreamStats sum;
    std::size_t watched = 0;
    for (const auto& stream : streams_) {
        const StreamStats stats = stream->sending->stats();
        sum.framesTransferred += stats.framesTransferred;
        sum.framesDropped += stats.framesDropped;
        sum.bytes += stats.bytes;
        watched += std::ranges::any_of(stats.viewers, &ViewerStats::connected) ? 1 : 0;
    }
    if (sum.framesTransferred > 0) {
        const std::lock_guard lock(progress_.mutex);
        progress_.line.statistics(
            sum, fmt::format("{} of {} watched", watched, counted(streams_.size(), "stream")));
    }
}

int SendingStreams::report() {
    const Stream* worst = streams_.front().get();
    std::vector<NamedStats> all;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        const Stream& stream = *streams_[i];
        all.push_back({.number = streamNumber(i),
                       .name = stream.options.sender.name,
                       .stats = stream.sending->stats(),
                       .exitReason = stream.exitReason});
        if (exitCodeRank(stream.exitCode) > exitCodeRank(worst->exitCode)) {
            worst = &stream;
        }
    }
    writeStatsJson(options_.statsJson, [&] {
        return statsJson(StreamEnd::Sender, all, worst->exitReason, std::nullopt, options_.numa);
    });
    return worst->exitCode;
}

}  // namespace verbcast
