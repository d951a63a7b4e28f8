// What senders of the C interface send: frames in slots of their rings, or in memory of the program.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "core/api/formats.h"
#include "core/api/lent_memory.h"
#include "core/api/sending.h"
#include "core/api/sized_struct.h"
#include "core/video/picture_changes.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_slot>{"vc_slot", offsetof(vc_slot, captured_at)};

namespace {

SentTrack& trackOf(SenderObject& s, std::uint32_t track, const char* function) {
    if (track >= kMaxTracks || track == kSoundTrack) {
        refuse(fmt::format("{}: track {}: 0 to {} expected, not {}, which is sound", function, track,
                           kMaxTracks - 1, kSoundTrack));
    }
    return s.tracks[track];
}

void setFormat(SentTrack& track, const vc_video_format* given) {
    const VideoFormat format = formatFrom(readSized(given));
    const std::lock_guard lock(track.mutex);
    track.format = format;
    ++track.formatSerial;
}

/// What a track's next frame is.
struct NextFrame {
    VideoFormat format;
    std::uint32_t formatSerial = 0;
    std::int64_t pts = 0;
};

/// Call with the track's mutex held.
NextFrame nextOf(const SentTrack& track, const char* function) {
    if (track.formatSerial == 0) {
        refuse(fmt::format("{}: call vc_sender_set_format() first", function));
    }
    return {track.format, track.formatSerial, track.nextPts};
}

void giveSlot(const std::shared_ptr<SenderObject>& s, std::uint32_t id, const NextFrame& next,
              FrameLease&& lease, vc_slot* slot) {
    vc_slot told = VC_INIT(vc_slot);
    const bool forDevice = !lease.pool()->memory()->buffers().empty();
    fillPlanes(told, forDevice ? nullptr : reinterpret_cast<uint8_t*>(addressOf(lease)), next.format);
    told.bytes = next.format.payloadBytes;
    told.pts = next.pts;
    told.track = id;
    told.id = HandleTable::ours().add(
        std::make_shared<AcquiredSlot>(AcquiredSlot{std::move(lease), nowNs(), s, id, next.formatSerial}));
    fillSized(slot, told);
}

vc_status acquire(const std::shared_ptr<SenderObject>& s, std::uint32_t id, vc_slot* slot, int timeout) {
    SentTrack& track = trackOf(*s, id, "vc_sender_acquire");
    checkedSize(slot);
    require(slot->id == 0, "vc_sender_acquire: the slot is acquired: submit or discard it");
    const Turn turn(track.acquiring, "vc_sender_acquire");
    std::unique_lock lock(track.mutex);
    const NextFrame next = nextOf(track, "vc_sender_acquire");
    if (!track.pool || track.pool->slotBytes() < next.format.payloadBytes) {
        track.pool.reset();
        // One more than may be in flight: the one that the caller fills.
        track.pool =
            FramePool::create({.slotBytes = next.format.payloadBytes, .slotCount = s->options.slots + 1});
    }
    const std::shared_ptr<FramePool> pool = track.pool;
    lock.unlock();
    auto lease = timeout == 0 ? pool->tryAcquire() : pool->acquire(timeoutFrom(timeout), &s->interrupt);
    if (!lease) {
        fillSized<vc_slot>(slot, VC_INIT(vc_slot));
        return s->interrupt.isSet() ? VC_INTERRUPTED : VC_TIMEOUT;
    }
    giveSlot(s, id, next, std::move(*lease), slot);
    return VC_OK;
}

vc_status lend(const std::shared_ptr<SenderObject>& s, std::uint32_t id, const vc_memory* handle,
               vc_slot* slot) {
    SentTrack& track = trackOf(*s, id, "vc_sender_lend");
    const auto memory = objectOf<LentMemory>(handle, "vc_sender_lend");
    checkedSize(slot);
    require(slot->id == 0, "vc_sender_lend: the slot is acquired: submit or discard it");
    std::unique_lock lock(track.mutex);
    const NextFrame next = nextOf(track, "vc_sender_lend");
    lock.unlock();
    if (memory->memory().size() < next.format.payloadBytes) {
        refuse(fmt::format("vc_sender_lend: the memory has {} bytes, a frame {}", memory->memory().size(),
                           next.format.payloadBytes));
    }
    auto lease = memory->lend();
    if (!lease) {
        fillSized<vc_slot>(slot, VC_INIT(vc_slot));
        return VC_BUSY;
    }
    giveSlot(s, id, next, std::move(*lease), slot);
    return VC_OK;
}

/// What the caller says changed. Throws Error{Usage} for parts outside the picture.
PictureChanges changesFrom(const vc_slot& slot, const VideoFormat& format) {
    if (slot.changed == nullptr) {
        require(slot.changed_count == 0, "vc_slot.changed_count is set, and vc_slot.changed is NULL");
        return PictureChanges::all();
    }
    PictureChanges changes = PictureChanges::none();
    for (const vc_rect& rect : std::span(slot.changed, slot.changed_count)) {
        if (std::uint64_t{rect.x} + rect.width > format.width ||
            std::uint64_t{rect.y} + rect.height > format.height) {
            refuse(fmt::format("vc_slot.changed: {}x{} at {},{} is not inside the picture of {}x{}",
                               rect.width, rect.height, rect.x, rect.y, format.width, format.height));
        }
        changes.add(FrameRect{static_cast<std::uint16_t>(rect.x), static_cast<std::uint16_t>(rect.y),
                              static_cast<std::uint16_t>(rect.width),
                              static_cast<std::uint16_t>(rect.height)});
    }
    return changes;
}

FrameInfo infoFrom(const vc_slot& slot, const AcquiredSlot& acquired, const VideoFormat& format) {
    require(slot.captured_at >= 0 && slot.captured_at <= nowNs(),
            "vc_slot.captured_at: a time of vc_now() before now expected");
    FrameInfo info;
    info.track = static_cast<TrackId>(acquired.track);
    info.pts = slot.pts;
    info.capturedAt = slot.captured_at != 0 ? slot.captured_at : acquired.acquiredAt;
    info.inputSequence = slot.input_serial;
    info.flags = slot.damaged != 0 ? kFrameDamaged : 0U;
    changesFrom(slot, format).tellIn(info);
    return info;
}

/// One frame's duration after `pts`; at an unknown rate one unit.
std::int64_t ptsAfter(std::int64_t pts, const VideoFormat& format) {
    __extension__ using Wide = __int128;
    const Rational base = format.timeBase;
    const Rational rate =
        format.frameRate.numerator > 0 ? format.frameRate : Rational{base.denominator, base.numerator};
    const Wide units = Wide{rate.denominator} * base.denominator / (Wide{rate.numerator} * base.numerator);
    std::int64_t next = pts;
    return __builtin_add_overflow(pts, static_cast<std::int64_t>(std::max<Wide>(units, 1)), &next) ? pts
                                                                                                   : next;
}

vc_status submitAs(SenderObject& s, AcquiredSlot& acquired, const vc_slot& given) {
    require(acquired.sender.lock().get() == &s, "vc_sender_submit: the slot is of another sender");
    SentTrack& track = s.tracks[acquired.track];
    const Turn turn(track.submitting, "vc_sender_submit");
    std::unique_lock lock(track.mutex);
    require(acquired.formatSerial == track.formatSerial,
            "vc_sender_submit: the track's format has changed since the slot was acquired; discard it");
    const VideoFormat format = track.format;
    lock.unlock();
    const FrameInfo info = infoFrom(given, acquired, format);
    std::optional<Turn> wait;
    if (!mayDrop(s.options.policy)) {
        wait.emplace(s.waiting, "vc_sender_submit");
    }
    const Status status = s.broadcast.submit(std::move(acquired.lease), format, info, s.interrupt);
    if (status == Status::Ok) {
        lock.lock();
        track.nextPts = ptsAfter(given.pts, format);
    }
    return statusFrom(status);
}

/// The slot is the caller's until it is sent, and meanwhile nobody else's.
vc_status submit(SenderObject& s, vc_slot* slot) {
    const auto given = readSized(slot);
    HandleTable& table = HandleTable::ours();
    auto acquired = table.take<AcquiredSlot>(given.id);
    require(acquired != nullptr, "vc_sender_submit: the slot was not acquired, or is submitted or discarded");
    const auto putBack = [&] { table.putBack(given.id, std::move(acquired)); };
    vc_status status = VC_ERROR;
    try {
        status = submitAs(s, *acquired, given);
    } catch (...) {
        if (acquired->lease) {
            putBack();
        }
        throw;
    }
    if (status == VC_OK) {
        fillSized<vc_slot>(slot, VC_INIT(vc_slot));
    } else {
        putBack();
    }
    return status;
}

}  // namespace

extern "C" {

vc_status vc_sender_set_format(vc_sender* sender, uint32_t track, const vc_video_format* format) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_set_format");
        require(format != nullptr, "vc_sender_set_format: a format expected, NULL given");
        setFormat(trackOf(*s, track, "vc_sender_set_format"), format);
        return VC_OK;
    });
}

vc_status vc_sender_acquire(vc_sender* sender, uint32_t track, vc_slot* slot, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_acquire");
        require(slot != nullptr, "vc_sender_acquire: a slot expected, NULL given");
        return acquire(s, track, slot, timeout_ms);
    });
}

vc_status vc_sender_submit(vc_sender* sender, vc_slot* slot) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_submit");
        require(slot != nullptr, "vc_sender_submit: a slot expected, NULL given");
        return submit(*s, slot);
    });
}

vc_status vc_sender_lend(vc_sender* sender, uint32_t track, vc_memory* memory, vc_slot* slot) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_lend");
        require(slot != nullptr, "vc_sender_lend: a slot expected, NULL given");
        return lend(s, track, memory, slot);
    });
}

void vc_slot_discard(vc_slot* slot) {
    if (slot != nullptr && hasSize(slot)) {
        static_cast<void>(guarded(VC_ERROR, [&] {
            HandleTable::ours().take<AcquiredSlot>(slot->id);
            fillSized<vc_slot>(slot, VC_INIT(vc_slot));
            return VC_OK;
        }));
    }
}

}  // extern "C"
