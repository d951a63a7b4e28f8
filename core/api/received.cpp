// What receivers of the C interface take: frames and sound, as leases.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "core/api/formats.h"
#include "core/api/receiving.h"
#include "core/api/sized_struct.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_frame>{"vc_frame", offsetof(vc_frame, track)};
template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_sound_block>{"vc_sound_block",
                                                             offsetof(vc_sound_block, rate)};

namespace {

/// Waits, and after a wait in vain arms the descriptor, if somebody polls.
template <typename Receive>
Status takeOrArm(ReceiverObject& r, TrackId track, std::chrono::nanoseconds timeout, Receive&& receive) {
    Status status = receive(timeout);
    while (status == Status::TimedOut && r.polls && !r.stream->arm(track)) {
        status = receive(std::chrono::nanoseconds(0));
    }
    return status;
}

/// Frames of the track before this one that have not come; another sender counts anew.
std::uint64_t missingBefore(Consumed& track, const ReceivedFrame& frame, std::uint64_t skipped) {
    const FrameInfo& info = frame.info;
    const bool follows = std::exchange(track.sender, frame.sender) == frame.sender;
    const std::uint64_t expected = std::exchange(track.next, info.sequence + 1) + skipped;
    return follows && info.sequence > expected ? info.sequence - expected : 0;
}

void noticeFormat(ReceiverObject& r, TrackId track, const ReceivedFrame& frame) {
    Consumed& consumed = r.consumed[track];
    if (consumed.format == frame.format) {
        return;
    }
    {
        const std::lock_guard lock(consumed.mutex);
        consumed.format = frame.format;
    }
    ++consumed.formatSerial;
    r.noteFormat(track);
}

void noticeSound(ReceiverObject& r, const std::shared_ptr<const SoundFormat>& format) {
    auto& before = r.consumed[kSoundTrack].sound;
    if (before == format) {
        return;
    }
    const bool same = before && sameSound(*before, *format);
    before = format;
    if (!same) {
        r.noteFormat(kSoundTrack);
    }
}

vc_rect rectFrom(const FrameRect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

void fillRegion(vc_frame& told, const ReceivedFrame& frame) {
    const VideoFormat& format = *frame.format;
    told.picture_width = frame.region ? frame.region->pictureWidth : format.width;
    told.picture_height = frame.region ? frame.region->pictureHeight : format.height;
    if (frame.fits()) {
        told.region = rectFrom(frame.region ? frame.region->held : wholePicture(format));
    }
}

void fillChanges(vc_frame& told, ReceivedLease& lease) {
    const PictureChanges changes = PictureChanges::of(lease.frame.info);
    if (changes.isAll()) {
        return;
    }
    std::ranges::transform(changes.rects(), lease.changed.begin(), rectFrom);
    told.changed = lease.changed.data();
    told.changed_count = changes.rects().size();
}

void fillTimes(auto& told, const ReceivedFrame& frame) {
    told.captured_at = frame.clockKnown ? frame.capturedAt : 0;
    told.arrived_at = frame.arrivedAt;
}

/// Without the lease.
vc_frame frameFrom(ReceiverObject& r, std::uint32_t track, ReceivedLease& lease) {
    const ReceivedFrame& frame = lease.frame;
    Consumed& consumed = r.consumed[track];
    noticeFormat(r, static_cast<TrackId>(track), frame);
    vc_frame told = VC_INIT(vc_frame);
    told.track = track;
    told.format_serial = consumed.formatSerial;
    fillPlanes(told, reinterpret_cast<const uint8_t*>(addressOf(frame.lease)), *frame.format);
    told.bytes = frame.format->payloadBytes - frame.format->planes[0].offset;
    told.sequence = frame.info.sequence;
    const std::uint64_t skipped = r.stream->skipped(static_cast<TrackId>(track));
    told.skipped = skipped - std::exchange(consumed.skipped, skipped);
    told.missing = missingBefore(consumed, frame, told.skipped);
    told.pts = frame.info.pts;
    told.time = nanosecondsOf(frame.info.pts, frame.format->timeBase);
    fillTimes(told, frame);
    told.submitted_at = frame.clockKnown ? frame.submittedAt : 0;
    told.input_serial = frame.info.inputSequence;
    told.damaged = (frame.info.flags & kFrameDamaged) != 0 ? 1 : 0;
    fillRegion(told, frame);
    fillChanges(told, lease);
    return told;
}

/// Without the lease.
vc_sound_block soundFrom(ReceiverObject& r, const ReceivedFrame& block) {
    const SoundFormat& format = *block.sound;
    noticeSound(r, block.sound);
    vc_sound_block told = VC_INIT(vc_sound_block);
    told.rate = format.rate;
    told.channels = format.channels;
    told.samples = format.samplesOf(block.info.payloadBytes).value_or(0);
    told.planar = reinterpret_cast<const float*>(block.lease.data());
    told.layout = format.layout;
    told.time = nanosecondsOf(block.info.pts, {1, static_cast<std::int32_t>(format.rate)});
    fillTimes(told, block);
    told.sequence = block.info.sequence;
    told.missing = missingBefore(r.consumed[kSoundTrack], block, 0);
    return told;
}

vc_lease lend(std::shared_ptr<ReceivedLease> lease) {
    return HandleTable::ours().add(std::move(lease));
}

std::shared_ptr<ReceivedLease> leaseAround(const ReceiverObject& r, ReceivedFrame&& frame) {
    auto lease = std::make_shared<ReceivedLease>();
    lease->frame = std::move(frame);
    lease->stream = r.stream;
    return lease;
}

vc_status take(ReceiverObject& r, std::uint32_t track, vc_take which, vc_frame* frame, int timeout) {
    if (track >= kMaxTracks || !r.wants(track, TrackContent::Frames)) {
        refuse(fmt::format("vc_receiver_take: track {} is not wanted", track),
               "name it in vc_receiver_options.tracks");
    }
    require(which == VC_TAKE_NEXT || which == VC_TAKE_NEWEST,
            "vc_receiver_take: VC_TAKE_NEXT or VC_TAKE_NEWEST expected");
    checkedSize(frame);
    const Turn turn(r.consumed[track].taking, "vc_receiver_take");
    ReceivedFrame received;
    const auto id = static_cast<TrackId>(track);
    const Status status = takeOrArm(r, id, timeoutFrom(timeout), [&](std::chrono::nanoseconds time) {
        return which == VC_TAKE_NEXT ? r.stream->receive(received, time, id)
                                     : r.stream->receiveNewest(received, time, id);
    });
    vc_frame told = VC_INIT(vc_frame);
    if (status == Status::Ok) {
        if (!received.format) {
            refuse(fmt::format("track {} brings no pictures", track), "leave it out of the wanted tracks");
        }
        auto lease = leaseAround(r, std::move(received));
        told = frameFrom(r, track, *lease);
        told.lease = lend(std::move(lease));
    }
    fillSized(frame, told);
    return statusFrom(status);
}

vc_status takeSound(ReceiverObject& r, vc_sound_block* block, int timeout) {
    require(r.wants(kSoundTrack, TrackContent::Sound),
            "vc_receiver_take_sound: the receiver was opened without vc_receiver_options.sound");
    checkedSize(block);
    const Turn turn(r.consumed[kSoundTrack].taking, "vc_receiver_take_sound");
    ReceivedFrame received;
    const Status status = takeOrArm(r, kSoundTrack, timeoutFrom(timeout), [&](std::chrono::nanoseconds time) {
        return r.stream->receive(received, time, kSoundTrack);
    });
    vc_sound_block told = VC_INIT(vc_sound_block);
    if (status == Status::Ok) {
        told = soundFrom(r, received);
        told.lease = lend(leaseAround(r, std::move(received)));
    }
    fillSized(block, told);
    return statusFrom(status);
}

/// Throws Error{Usage} if it was released.
std::shared_ptr<ReceivedLease> leaseOf(vc_lease number, const char* function) {
    if (auto lease = HandleTable::ours().find<ReceivedLease>(number)) {
        return lease;
    }
    refuse(fmt::format("{}: lease {} was released, or never given", function, number));
}

void shown(ReceiverObject& r, vc_lease number, std::int64_t at) {
    require(at >= 0, "vc_receiver_shown: a time of vc_now() expected");
    const auto lease = leaseOf(number, "vc_receiver_shown");
    require(lease->stream.lock() == r.stream, "vc_receiver_shown: the lease is of another receiver");
    const std::scoped_lock lock(lease->mutex, r.shownMutex);
    lease->frame.shownAt = at;
    r.stream->frameShown(lease->frame);
}

}  // namespace

extern "C" {

vc_status vc_receiver_take(vc_receiver* receiver, uint32_t track, vc_take which, vc_frame* frame,
                           int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_take");
        require(frame != nullptr, "vc_receiver_take: a frame expected, NULL given");
        return take(*r, track, which, frame, timeout_ms);
    });
}

vc_status vc_receiver_take_sound(vc_receiver* receiver, vc_sound_block* block, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_take_sound");
        require(block != nullptr, "vc_receiver_take_sound: a block expected, NULL given");
        return takeSound(*r, block, timeout_ms);
    });
}

vc_status vc_receiver_shown(vc_receiver* receiver, vc_lease lease, int64_t at) {
    return guarded(VC_ERROR, [&] {
        shown(*receiverOf(receiver, "vc_receiver_shown"), lease, at);
        return VC_OK;
    });
}

vc_status vc_receiver_format(vc_receiver* receiver, uint32_t track, vc_video_format* format) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_format");
        require(format != nullptr, "vc_receiver_format: a format expected, NULL given");
        require(track < kMaxTracks, "vc_receiver_format: there is no such track");
        std::shared_ptr<const VideoFormat> current;
        {
            const std::lock_guard lock(r->consumed[track].mutex);
            current = r->consumed[track].format;
        }
        fillSized(format, current ? formatFrom(*current) : VC_INIT(vc_video_format));
        return current ? VC_OK : VC_BUSY;
    });
}

vc_status vc_lease_release(vc_lease lease) {
    return guarded(VC_ERROR, [&] {
        if (lease != 0 && !HandleTable::ours().take<ReceivedLease>(lease)) {
            refuse(fmt::format("vc_lease_release: lease {} was released, or never given", lease));
        }
        return VC_OK;
    });
}

int vc_lease_intact(vc_lease lease) {
    return guarded(0, [&] {
        const auto held = leaseOf(lease, "vc_lease_intact");
        const auto stream = held->stream.lock();
        const std::lock_guard lock(held->mutex);
        if (!held->torn) {  // counted once
            held->torn = stream ? !stream->confirm(held->frame) : held->frame.lease.takenBack();
        }
        return held->torn ? 0 : 1;
    });
}

}  // extern "C"
