#include "app/view/source/tile_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/deadline.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// Frames that were given and are never said to be shown: a mailbox has replaced them.
constexpr std::size_t kMaxGiven = 64;

std::vector<MatchedParts::Part> receivers(const ViewedTile& tile, std::vector<ReceiverOptions> options) {
    std::vector<MatchedParts::Part> parts;
    parts.reserve(options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
        const WallSource& source = tile.wall.sources.at(i);
        options[i].region = sourceWish(source, tile.display);
        parts.push_back({.name = fmt::format("{} ({})", source.name, options[i].url.text()),
                         .receiver = std::make_shared<FrameReceiver>(options[i])});
    }
    return parts;
}

bool sameSamples(const VideoFormat& a, const VideoFormat& b) {
    return a.pixelFormat == b.pixelFormat && a.timeBase == b.timeBase && a.colour == b.colour;
}

VideoFormat canvasFormat(const Wall& wall, VideoFormat format) {
    format.width = wall.width;
    format.height = wall.height;
    layOutPlanes(format, 1, 1);
    return format;
}

}  // namespace

TileStream::TileStream(const ViewedTile& tile, std::vector<ReceiverOptions> sources, std::uint32_t slots)
    : tile_(tile), slots_(slots), parts_(receivers(tile, std::move(sources))) {
    told_.left.resize(parts_.parts().size());
}

/// Why the frames of the set make no picture of the wall, or "".
std::string TileStream::misfitOfParts() const {
    const auto& parts = parts_.parts();
    const VideoFormat& first = *parts.front().frame->format;
    const VideoFormat canvas = canvasFormat(tile_.wall, first);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const ReceivedFrame& frame = *parts[i].frame;
        const WallSource& source = tile_.wall.sources[i];
        if (std::string text = sourceFit(source, *frame.region).text; !text.empty()) {
            return text;
        }
        if (!sameSamples(*frame.format, first)) {
            return fmt::format(
                "{} sends {} and {} sends {}: the same pixel format, colours and rate expected",
                tile_.wall.sources.front().name, verbcast::describe(first), source.name,
                verbcast::describe(*frame.format));
        }
        if (regionProblem(canvas, source.rectangle)) {
            const FrameRect whole = alignedRegion(canvas, source.rectangle);
            return fmt::format(
                "{} of {} can be cut at {}x{} at {},{} at the nearest, its rectangle is {}x{} at {},{}",
                pixelFormatName(first.pixelFormat), source.name, whole.width, whole.height, whole.x, whole.y,
                source.rectangle.width, source.rectangle.height, source.rectangle.x, source.rectangle.y);
        }
    }
    return "";
}

/// What the set's frames are, if it is not what those before were.
void TileStream::follow() {
    const auto& parts = parts_.parts();
    const auto format = [](const MatchedParts::Part& part) -> const auto& {
        return part.frame->format;
    };
    const auto region = [](const MatchedParts::Part& part) -> const auto& {
        return part.frame->region;
    };
    if (std::ranges::equal(parts, layout_.formats, {}, format) &&
        std::ranges::equal(parts, layout_.regions, {}, region)) {
        return;
    }
    layout_ = {};
    std::ranges::transform(parts, std::back_inserter(layout_.formats), format);
    std::ranges::transform(parts, std::back_inserter(layout_.regions), region);
    const std::string misfit = misfitOfParts();
    {
        const std::lock_guard lock(mutex_);
        misfit_ = misfit;
    }
    if (misfit.empty()) {
        layOut();
    }
}

void TileStream::layOut() {
    const VideoFormat canvas = canvasFormat(tile_.wall, *layout_.formats.front());
    const FrameRect held = alignedRegion(canvas, tile_.display.rectangle);
    layout_.region = std::make_shared<const PictureRegion>(
        PictureRegion{tile_.display.rectangle, held, tile_.wall.width, tile_.wall.height});
    layout_.format = std::make_shared<const VideoFormat>(regionFormat(canvas, held));
    if (!pool_ || pool_->slotBytes() < layout_.format->payloadBytes) {
        pool_ = FramePool::create({.slotBytes = layout_.format->payloadBytes, .slotCount = slots_});
    }
}

Status TileStream::awaitSet(std::chrono::nanoseconds timeout) {
    const Deadline deadline = Deadline::in(timeout);
    Status status = Status::TimedOut;
    do {
        status = parts_.awaitSet(deadline.left());
    } while (status == Status::TimedOut && !deadline.passed());
    return status;
}

Status TileStream::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    if (const Status status = awaitSet(timeout); status != Status::Ok) {
        return status;
    }
    follow();
    if (!layout_.format) {
        giveMisfit(frame);
        return Status::Ok;
    }
    auto lease = pool_->acquire(timeout, &ended_);
    if (!lease) {
        return ended_.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    return assemble(std::move(*lease), frame) ? Status::Ok : Status::TimedOut;
}

Status TileStream::receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    const Status status = receive(frame, timeout);
    if (status != Status::Ok) {
        return status;
    }
    for (ReceivedFrame newer; receive(newer, 0ns) == Status::Ok; frame = std::move(newer)) {
        PictureChanges changes = PictureChanges::of(frame.info);
        changes.add(PictureChanges::of(newer.info));
        changes.tellIn(newer.info);
        const std::lock_guard lock(mutex_);
        ++told_.skipped;
    }
    return Status::Ok;
}

/// A frame of which nothing is shown: that of the first source, without a part that is wanted.
void TileStream::giveMisfit(ReceivedFrame& frame) {
    MatchedParts::Part& first = parts_.parts().front();
    PictureRegion none = *first.frame->region;
    none.wanted = {};
    frame = std::move(*first.frame);
    frame.region = std::make_shared<const PictureRegion>(none);
    parts_.finishSet();
}

/// A rectangle of what a source's frames hold, in pixels of the tile's; empty where nothing of it is shown.
FrameRect TileStream::inTile(std::size_t source, const FrameRect& rect) const {
    const FrameRect &canvas = tile_.wall.sources[source].rectangle, &held = layout_.regions[source]->held;
    const FrameRect& tile = layout_.region->held;
    FrameRect common =
        commonPart({static_cast<std::uint16_t>(canvas.x + held.x + rect.x),
                    static_cast<std::uint16_t>(canvas.y + held.y + rect.y), rect.width, rect.height},
                   tile);
    if (!common.isEmpty()) {
        common.x = static_cast<std::uint16_t>(common.x - tile.x);
        common.y = static_cast<std::uint16_t>(common.y - tile.y);
    }
    return common;
}

void TileStream::copyParts(std::byte* payload) const {
    const FrameRect& tile = layout_.region->held;
    for (std::size_t i = 0; i < parts_.parts().size(); ++i) {
        const ReceivedFrame& frame = *parts_.parts()[i].frame;
        const FrameRect &canvas = tile_.wall.sources[i].rectangle, &held = frame.region->held;
        const FrameRect place = inTile(i, wholePicture(*frame.format));
        copyPart(
            *frame.format, frame.lease.data(),
            {static_cast<std::uint16_t>(tile.x + place.x - canvas.x - held.x),
             static_cast<std::uint16_t>(tile.y + place.y - canvas.y - held.y), place.width, place.height},
            *layout_.format, payload, {place.x, place.y});
    }
}

/// Times are those of the part that was first to be captured, sent or posted, and last to come.
void TileStream::describe(ReceivedFrame& frame) {
    PictureChanges changes = PictureChanges::none();
    const ReceivedFrame& first = *parts_.parts().front().frame;
    frame.info = first.info;
    frame.postedAt = first.postedAt;
    frame.submittedAt = first.submittedAt;
    frame.capturedAt = first.capturedAt;
    frame.lossless = frame.clockKnown = true;
    for (std::size_t i = 0; i < parts_.parts().size(); ++i) {
        const MatchedParts::Part& part = parts_.parts()[i];
        const ReceivedFrame& each = *part.frame;
        frame.info.flags |= each.info.flags;
        frame.postedAt = std::min(frame.postedAt, each.postedAt);
        frame.submittedAt = std::min(frame.submittedAt, each.submittedAt);
        frame.capturedAt = std::min(frame.capturedAt, each.capturedAt);
        frame.lossless &= each.lossless;
        frame.clockKnown &= each.clockKnown;
        const FrameRect whole = wholePicture(*each.format);
        for (const FrameRect& rect : part.changed.isAll() ? std::span(&whole, 1) : part.changed.rects()) {
            if (const FrameRect place = inTile(i, rect); !place.isEmpty()) {
                changes.add(place);
            }
        }
    }
    frame.info.rectCount = 0;
    changes.tellIn(frame.info);
    frame.info.sequence = sets_;
    frame.info.inputSequence = 0;
    frame.info.payloadBytes = layout_.format->payloadBytes;
    frame.format = layout_.format;
    frame.region = layout_.region;
    frame.presentAt = 0;
    frame.session = 0;
}

/// False when a sender took its frame back meanwhile.
bool TileStream::assemble(FrameLease lease, ReceivedFrame& frame) {
    copyParts(lease.data());
    if (parts_.dropTakenBack()) {
        return false;
    }
    describe(frame);
    frame.lease = std::move(lease);
    frame.arrivedAt = nowNs();
    std::vector<ReceivedFrame> parts;
    parts.reserve(parts_.parts().size());
    for (MatchedParts::Part& part : parts_.parts()) {
        part.frame->lease.reset();
        parts.push_back(std::move(*part.frame));
    }
    parts_.finishSet();
    ++sets_;
    count(frame, std::move(parts));
    return true;
}

void TileStream::count(const ReceivedFrame& frame, std::vector<ReceivedFrame> parts) {
    const std::lock_guard lock(mutex_);
    if (given_.size() == kMaxGiven) {
        given_.pop_front();
    }
    given_.push_back({frame.info.sequence, std::move(parts)});
    ++told_.frames;
    told_.bytes += frame.format->payloadBytes;
    told_.copied += frame.format->payloadBytes;
    told_.firstAt = told_.frames == 1 ? frame.arrivedAt : told_.firstAt;
    told_.lastAt = frame.arrivedAt;
    told_.format = *frame.format;
    if (frame.clockKnown) {
        told_.latency.record(frame.arrivedAt - frame.submittedAt);
    }
    for (std::size_t i = 0; i < told_.left.size(); ++i) {
        told_.left[i] = parts_.parts()[i].left;
    }
}

/// Each part's own figures follow.
void TileStream::frameShown(const ReceivedFrame& frame) {
    std::vector<ReceivedFrame> parts;
    {
        const std::lock_guard lock(mutex_);
        ++told_.shown;
        while (!given_.empty() && given_.front().sequence < frame.info.sequence) {
            given_.pop_front();
        }
        if (!given_.empty() && given_.front().sequence == frame.info.sequence) {
            parts = std::move(given_.front().parts);
            given_.pop_front();
        }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts_.parts()[i].receiver->frameShown(parts[i]);
    }
}

bool TileStream::inputAllowed() const {
    return std::ranges::any_of(parts_.parts(),
                               [](const auto& part) { return part.receiver->inputAllowed(); });
}

std::uint64_t TileStream::sendInput(const InputEvent& event) {
    std::uint64_t sent = 0;
    for (std::size_t i = 0; i < parts_.parts().size(); ++i) {
        const FrameRect& source = tile_.wall.sources[i].rectangle;
        InputEvent own = event;
        own.x -= source.x;
        own.y -= source.y;
        sent |= parts_.parts()[i].receiver->sendInput(own);
    }
    const std::lock_guard lock(mutex_);
    return sent == 0 ? 0 : ++inputs_;
}

/// That of the first source that does not stream, with its name, or else of all.
ReceiverStatus TileStream::status() const {
    ReceiverStatus all = parts_.parts().front().receiver->status();
    for (std::size_t i = 0; i < parts_.parts().size(); ++i) {
        const ReceiverStatus each = parts_.parts()[i].receiver->status();
        if (each.state != StreamState::Streaming) {
            const std::string& name = tile_.wall.sources[i].name;
            ReceiverStatus status = each;
            status.text = fmt::format("{}: {}", name, each.text);
            status.senderReason =
                each.senderReason.empty() ? "" : fmt::format("{}: {}", name, each.senderReason);
            return status;
        }
        all.trust = each.trust.protection < all.trust.protection ? each.trust : all.trust;
        if (i > 0) {
            all.peerName += ", " + each.peerName;
            all.channel.peer += ", " + each.channel.peer;
            if (all.channel.transport.find(each.channel.transport) == std::string::npos) {
                all.channel.transport += ", " + each.channel.transport;
            }
        }
    }
    return all;
}

/// Stages are those of the slowest source.
StreamStats TileStream::stats() {
    std::vector<StreamStats> each;
    for (const MatchedParts::Part& part : parts_.parts()) {
        each.push_back(part.receiver->stats());
    }
    StreamStats all =
        *std::ranges::max_element(each, {}, [](const StreamStats& stats) { return stats.latency.p99; });
    const std::lock_guard lock(mutex_);
    all.framesDropped = all.framesLost = all.framesCorrupt = all.bytesMoved = 0;
    all.bytesCopied = told_.copied;
    all.cipherBytes = all.framesRefused = all.connectionsLost = 0;
    all.cipherSeconds = 0;
    for (std::size_t i = 0; i < each.size(); ++i) {
        const StreamStats& part = each[i];
        all.framesDropped = std::max(all.framesDropped, part.framesDropped + told_.left[i]);
        all.framesLost = std::max(all.framesLost, part.framesLost);
        all.framesCorrupt += part.framesCorrupt;
        all.bytesMoved += part.bytesMoved;
        all.bytesCopied += part.bytesCopied;
        all.cipherBytes += part.cipherBytes;
        all.cipherSeconds += part.cipherSeconds;
        all.framesRefused += part.framesRefused;
        all.connections = std::min(all.connections, part.connections);
        all.connectionsLost += part.connectionsLost;
        all.connectToFirstShownMs = std::max(all.connectToFirstShownMs, part.connectToFirstShownMs);
        all.clockErrorUs = std::max(all.clockErrorUs, part.clockErrorUs);
    }
    all.format = told_.format;
    all.framesTransferred = told_.frames;
    all.framesShown = told_.shown;
    all.framesSkipped = told_.skipped;
    all.bytes = told_.bytes;
    all.seconds = static_cast<double>(told_.lastAt - told_.firstAt) * 1e-9;
    all.latency = told_.latency.percentiles();
    return all;
}

void TileStream::end() {
    ended_.notify();
    for (const MatchedParts::Part& part : parts_.parts()) {
        part.receiver->cancel();
    }
}

std::string TileStream::misfit() const {
    const std::lock_guard lock(mutex_);
    return misfit_;
}

}  // namespace verbcast
