#include "app/view/tile/tile_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/os/deadline.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

std::uint32_t fewestSlots(const std::vector<ReceiverOptions>& sources) {
    return std::ranges::min(sources, {}, &ReceiverOptions::slots).slots;
}

std::vector<MatchedParts::Part> receivers(const ViewedTile& tile, std::vector<ReceiverOptions> options,
                                          TileRing& ring) {
    std::vector<MatchedParts::Part> parts;
    parts.reserve(options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
        const WallSource& source = tile.wall.sources.at(i);
        options[i].region = sourceWish(source, tile.display);
        options[i].placer = i < tile.pictures() ? ring.placerOf(i) : nullptr;
        parts.push_back({.name = fmt::format("{} ({})", source.name, options[i].url.text()),
                         .receiver = std::make_shared<FrameReceiver>(options[i]),
                         .spare = i >= tile.pictures()});
    }
    return parts;
}

bool sameSamples(const VideoFormat& a, const VideoFormat& b) {
    return a.pixelFormat == b.pixelFormat && a.timeBase == b.timeBase && a.colour == b.colour;
}

}  // namespace

TileStream::TileStream(const ViewedTile& tile, std::vector<ReceiverOptions> sources, std::uint32_t slots)
    : tile_(tile),
      slots_(slots),
      conductor_(tile.conductor()),
      pictures_(tile.pictures()),
      ring_(tile, slots, fewestSlots(sources)),
      parts_(receivers(tile, std::move(sources), ring_)) {}

/// Why the frames of the set do not fit the wall, or "".
std::string TileStream::misfitOfParts() const {
    const auto parts = pictures();
    const VideoFormat& first = *parts.front().frame->format;
    const VideoFormat canvas = canvasFormat(tile_.wall, first);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const ReceivedFrame& frame = *parts[i].frame;
        const WallSource& source = tile_.wall.sources[i];
        if (std::string text = sourceFitText(source, *frame.region); !text.empty()) {
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

/// Updates the layout if the set's formats or regions have changed.
void TileStream::follow() {
    const auto parts = pictures();
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
}

Status TileStream::awaitSet(std::chrono::nanoseconds timeout) {
    const Deadline deadline = Deadline::in(timeout);
    Status status = Status::TimedOut;
    do {
        status = parts_.awaitSet(deadline.left());
        if (parts_.mismatch() != std::exchange(mismatch_, parts_.mismatch()) && !mismatch_.empty()) {
            warnOfPeer(LogCategory::General, "parts without partners", "", "tile {}: {}", tile_.display.name,
                       mismatch_);
        }
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
    assembled_ = 0;
    auto lease = joinParts();
    if (!lease && parts_.complete()) {
        lease = copyAll(timeout);
    }
    if (!lease) {
        return ended_.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    give(std::move(*lease), frame);
    return Status::Ok;
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
        counts_.passedOver();
    }
    return Status::Ok;
}

/// Delivers a frame that shows nothing: the first source's, with an empty wanted part.
void TileStream::giveMisfit(ReceivedFrame& frame) {
    MatchedParts::Part& first = parts_.parts().front();
    PictureRegion none = *first.frame->region;
    none.wanted = {};
    frame = std::move(*first.frame);
    frame.region = std::make_shared<const PictureRegion>(none);
    takePlace(frame);
    parts_.finishSet();
}

/// Numbers the frame for displays that show together: as the conductor's frame, if there is one.
void TileStream::takePlace(ReceivedFrame& frame) {
    frame.info.sequence = sets_;
    frame.presentAt = 0;
    if (conductor_) {
        if (const auto& conducted = parts_.parts()[*conductor_].frame) {
            frame.info.sequence = conducted->info.sequence;
            frame.presentAt = conducted->presentAt;
            session_ = conducted->session;
        }
    }
    frame.session = session_;
}

/// Converts a rectangle of what a source's frames hold to the tile's pixels; empty if outside the tile.
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

void TileStream::copyParts(std::byte* payload, const std::vector<bool>& placed) {
    const FrameRect& tile = layout_.region->held;
    for (std::size_t i = 0; i < pictures_; ++i) {
        if (i < placed.size() && placed[i]) {
            continue;
        }
        const ReceivedFrame& frame = *pictures()[i].frame;
        const FrameRect &canvas = tile_.wall.sources[i].rectangle, &held = frame.region->held;
        const FrameRect place = inTile(i, wholePicture(*frame.format));
        copyPart(
            *frame.format, frame.lease.data(),
            {static_cast<std::uint16_t>(tile.x + place.x - canvas.x - held.x),
             static_cast<std::uint16_t>(tile.y + place.y - canvas.y - held.y), place.width, place.height},
            *layout_.format, payload, {place.x, place.y});
        assembled_ += tightBytes(regionFormat(*layout_.format, place));
    }
}

/// Takes the parts' earliest capture, send and post times; give() sets the arrival time.
void TileStream::describe(ReceivedFrame& frame) {
    PictureChanges changes = PictureChanges::none();
    const ReceivedFrame& first = *parts_.parts().front().frame;
    frame.info = first.info;
    frame.postedAt = first.postedAt;
    frame.submittedAt = first.submittedAt;
    frame.capturedAt = first.capturedAt;
    frame.lossless = frame.clockKnown = true;
    for (std::size_t i = 0; i < pictures_; ++i) {
        const MatchedParts::Part& part = pictures()[i];
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
    frame.info.inputSequence = 0;
    frame.info.payloadBytes = layout_.format->payloadBytes;
    frame.format = layout_.format;
    frame.region = layout_.region;
    takePlace(frame);
}

/// Uses the slot that already holds the parts and copies the others into it. Returns nullopt if the parts are
/// in different slots, or a sender took its frame back meanwhile.
std::optional<FrameLease> TileStream::joinParts() {
    const auto slot = ring_.slotOf(pictures());
    if (!slot) {
        return std::nullopt;
    }
    copyParts(slot->payload, slot->placed);
    return parts_.dropTakenBack() ? std::nullopt : ring_.join(std::span(parts_.parts()).first(pictures_));
}

/// Returns nullopt if no memory was free in time, or a sender took its frame back meanwhile.
std::optional<FrameLease> TileStream::copyAll(std::chrono::nanoseconds timeout) {
    if (!pool_ || pool_->slotBytes() < layout_.format->payloadBytes) {
        pool_ = FramePool::create({.slotBytes = layout_.format->payloadBytes, .slotCount = slots_});
    }
    auto lease = pool_->acquire(timeout, &ended_);
    if (!lease) {
        return std::nullopt;
    }
    assembled_ = 0;
    copyParts(lease->data(), {});
    return parts_.dropTakenBack() ? std::nullopt : std::move(lease);
}

void TileStream::give(FrameLease lease, ReceivedFrame& frame) {
    describe(frame);
    frame.lease = std::move(lease);
    frame.arrivedAt = nowNs();
    counts_.delivered(frame, std::span(parts_.parts()).first(pictures_), assembled_);
    parts_.finishSet();
    ++sets_;
}

/// Updates the statistics of each part too.
void TileStream::frameShown(const ReceivedFrame& frame) {
    if (!frame.fits()) {
        return;
    }
    std::vector<ReceivedFrame> parts = counts_.shown(frame);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].shownAt = frame.shownAt;
        parts_.parts()[i].receiver->frameShown(parts[i]);
    }
}

void TileStream::setSkipped(std::uint64_t frames) {
    const std::uint64_t all = counts_.setSkipped(frames);
    for (const MatchedParts::Part& part : pictures()) {
        part.receiver->setSkipped(all);
    }
}

bool TileStream::inputAllowed() const {
    return std::ranges::any_of(pictures(), [](const auto& part) { return part.receiver->inputAllowed(); });
}

std::uint64_t TileStream::sendInput(const InputEvent& event) {
    std::uint64_t sent = 0;
    for (std::size_t i = 0; i < pictures_; ++i) {
        const FrameRect& source = tile_.wall.sources[i].rectangle;
        InputEvent own = event;
        own.x -= source.x;
        own.y -= source.y;
        sent |= parts_.parts()[i].receiver->sendInput(own);
    }
    return sent == 0 ? 0 : ++inputs_;
}

/// The status of the first shown source that is not streaming, with its name, else of all.
ReceiverStatus TileStream::status() const {
    ReceiverStatus all = parts_.parts().front().receiver->status();
    for (std::size_t i = 0; i < pictures_; ++i) {
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

StreamStats TileStream::stats() {
    std::vector<StreamStats> each;
    for (const MatchedParts::Part& part : pictures()) {
        each.push_back(part.receiver->stats());
    }
    StreamStats all = counts_.of(each);
    if (conductor_ && *conductor_ >= pictures_) {
        const StreamStats stats = parts_.parts()[*conductor_].receiver->stats();
        all.bytesMoved += stats.bytesMoved;
        all.connectionsLost += stats.connectionsLost;
    }
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
