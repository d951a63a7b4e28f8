#include "app/commands/view/headless_streams.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/cli/options/values.h"
#include "app/cli/report_error.h"
#include "app/host/interrupt.h"
#include "app/view/words/alignment_words.h"
#include "core/base/log/log.h"
#include "core/base/os/output_file.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Period for looking at the clock and interruptEvent().
constexpr auto kLook = 100ms;

/// In the names of files; 0: there is only one stream, and none.
std::uint32_t numberOf(const ViewOptions& options, std::size_t place) {
    return options.streams == 1 ? 0 : static_cast<std::uint32_t>(place) + 1;
}

}  // namespace

HeadlessStreams::HeadlessStreams(const ViewOptions& options)
    : options_(options), progress_(options.verbosity) {
    checkWritable(options.statsJson);
    // Those of senders that call are opened when they come; those of others one after the other.
    const std::uint32_t files = options.output.empty() || options.streams == 1 ? 0 : options.streams;
    for (std::uint32_t number = 1; number <= files; ++number) {
        static_cast<void>(findOutput(nameOfStream(options.output, number), options.existing));
    }
    if (options.takesCallers()) {
        checkWritable(nameOfStream(options.frameMd5, 1));
        checkWritable(nameOfStream(options.output, 1));
        acceptor_ = std::make_unique<StreamAcceptor>(acceptorOptions(options));
    }
    if (options.alignment.by != AlignBy::Newest) {
        alignment_ = std::make_unique<SharedAlignment>(options.alignment);
        display_.emplace(alignment_->descriptor(), [this] { alignment_->showDue(); });
    }
    if (options.sync) {
        frameLock_ = std::make_unique<FrameLockStream>(options.receiver.slots);
    }
}

HeadlessStreams::~HeadlessStreams() {
    for (const auto& place : places_) {
        if (place) {
            place->stream->end();
        }
    }
}

int HeadlessStreams::run() {
    if (acceptor_) {
        progress_.line.state(fmt::format("waiting for a sender on {} ({} at most)",
                                         fmt::join(acceptor_->listenAddresses(), ", "), options_.streams));
    } else {
        std::vector<StreamOutputs> outputs;
        for (std::size_t i = 0; i < options_.peers.size(); ++i) {
            outputs.push_back(openOutputs(options_, numberOf(options_, i)));
        }
        for (std::size_t i = 0; i < options_.peers.size(); ++i) {
            const StreamPeer& peer = options_.peers[i];
            if (const std::string text = openingText(options_, peer);
                options_.streams == 1 && !text.empty()) {
                progress_.line.state(text);
            }
            begin(openStream(options_, peer, frameLock_.get()), peer.url.text(), std::move(outputs[i]));
        }
    }
    do {
        if (acceptor_) {
            takeCallers();
        } else {
            waitReadable({changed_.descriptor()}, kLook);
        }
        changed_.clear();
        look();
        showStats();
    } while (!over());
    awaitShown([this] { return alignment_ && alignment_->anyWaiting(); });
    return report();
}

void HeadlessStreams::takeCallers() {
    if (auto stream = acceptor_->accept(kLook, changed_)) {
        begin(std::make_unique<SenderStream>(std::move(stream)), "", std::nullopt);
    }
}

/// Uses the first free place.
void HeadlessStreams::begin(std::unique_ptr<ViewedSource> stream, const std::string& name,
                            std::optional<StreamOutputs> outputs) {
    const auto free = std::ranges::find_if(places_, [](const auto& place) { return place == nullptr; });
    const std::uint32_t number = numberOf(options_, static_cast<std::size_t>(free - places_.begin()));
    auto fresh = std::make_unique<Place>();
    Place& place = *fresh;
    place.name = name;
    place.stream = std::make_unique<HeadlessStream>(
        options_, number, StreamProgress(progress_, number == 0 ? "" : fmt::format("stream {}: ", number)),
        std::move(stream), ShownWith{alignment_.get(), frameLock_.get()});
    if (free == places_.end()) {
        places_.push_back(std::move(fresh));
    } else {
        *free = std::move(fresh);
    }
    place.thread = std::jthread([this, &place, outputs = std::move(outputs)]() mutable {
        place.outcome = place.stream->run(std::move(outputs));
        place.ended = true;
        changed_.notify();
    });
}

/// Frees the places of senders that called and sent nothing.
void HeadlessStreams::look() {
    open_ = ended_ = 0;
    for (auto& place : places_) {
        if (place && !place->ended) {
            ++open_;
        } else if (place && place->outcome.reason.empty()) {
            place.reset();
        } else if (place) {
            ++ended_;
        }
    }
}

bool HeadlessStreams::over() {
    if (open_ > 0) {
        return false;
    }
    if (!acceptor_ || interruptEvent().isSet() || givenUp()) {
        return true;
    }
    return ended_ > 0 && (!options_.receiver.reconnect || ended_ == options_.streams);
}

/// True if no sender came within the time of --wait.
bool HeadlessStreams::givenUp() {
    nobodyCame_ = options_.patience && ended_ == 0 && nowNs() - begunAt_ >= options_.patience->count();
    return nobodyCame_;
}

void HeadlessStreams::showStats() {
    const std::lock_guard lock(progress_.mutex);
    if (options_.streams == 1 || !progress_.line.due()) {
        return;
    }
    StreamStats sum;
    std::size_t streaming = 0;
    for (const auto& place : places_) {
        if (place) {
            const StreamStats stats = place->stream->stats();
            sum.framesTransferred += stats.framesTransferred;
            sum.framesDropped += stats.framesDropped;
            sum.bytes += stats.bytes;
            streaming += place->stream->status().state == StreamState::Streaming ? 1 : 0;
        }
    }
    if (sum.framesTransferred > 0) {
        progress_.line.statistics(sum, "in " + counted(streaming, "stream"));
    }
}

void HeadlessStreams::tellAlignment(const AlignmentStats& alignment, const std::vector<NamedStats>& streams) {
    for (const std::string& line : alignmentLines(alignment, streams, options_.receiver.slots)) {
        progress_.line.note(line);
    }
}

int HeadlessStreams::report() {
    StreamOutcome worst;
    std::vector<NamedStats> streams;
    for (std::uint32_t number = 1; number <= places_.size(); ++number) {
        const auto& place = places_[number - 1];
        if (!place) {
            continue;
        }
        const StreamOutcome& outcome = place->outcome;
        const ReceiverStatus status = place->stream->status();
        streams.push_back({.number = number,
                           .name = place->name.empty() ? status.peerName : place->name,
                           .stats = alignment_ ? place->stream->stats() : outcome.stats,
                           .exitReason = outcome.reason,
                           .alignment = place->stream->alignment()});
        if (worst.reason.empty() || exitCodeRank(outcome.exitCode) > exitCodeRank(worst.exitCode)) {
            worst = outcome;
        }
    }
    if (streams.empty()) {
        worst = interruptEvent().isSet()
                    ? StreamOutcome{{"interrupted", StreamOutcome::kByInterrupt}}
                    : StreamOutcome{{"no sender came", static_cast<int>(ErrorKind::Network)}};
    }
    if (nobodyCame_) {
        log().error("no sender connected within {:g} s (--wait)",
                    std::chrono::duration<double>(*options_.patience).count());
    }
    std::optional<AlignmentStats> alignment;
    if (alignment_) {
        alignment = alignment_->stats();
        tellAlignment(*alignment, streams);
    }
    writeViewStats(options_, streams, worst.reason, alignment);
    return worst.exitCode;
}

}  // namespace verbcast
