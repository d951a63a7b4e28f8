#include "capture/media/decode/slot_allocator.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <utility>

#include "capture/convert/format_mapping.h"
#include "capture/convert/picture_converter.h"
#include "core/base/align.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kSlotsForCopies = 1;

// FFmpeg's own allocator puts 16 bytes and one vector of at most 64 bytes behind each plane, because decoders
// read beyond it.
constexpr std::uint64_t kPlanePadding = 16 + 64;
constexpr std::uint32_t kPlaneAlignment = 64;

}  // namespace

SlotAllocator::DecoderPool::DecoderPool(std::uint64_t slotBytes, std::uint32_t slotCount, bool servesDecoder)
    : pool(FramePool::create({.slotBytes = slotBytes, .slotCount = slotCount})),
      slots(slotCount),
      forDecoder(servesDecoder) {
    for (Slot& slot : slots) {
        slot.owner = this;
    }
}

std::uint32_t SlotAllocator::DecoderPool::heldByConsumers() const {
    const std::uint32_t inUse = pool->slotCount() - pool->slots().freeCount();
    const std::uint32_t decoders = heldByDecoder.load();
    return inUse > decoders ? inUse - decoders : 0;
}

void SlotAllocator::attach(AVCodecContext& context, const InPlaceRule& rule) {
    rule_ = rule;
    context.opaque = this;
    context.get_buffer2 = &SlotAllocator::getBuffer;
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context.thread_safe_callbacks = 1;  // always on in later versions
#pragma GCC diagnostic pop
#endif
}

int SlotAllocator::getBuffer(AVCodecContext* context, AVFrame* frame, int flags) {
    auto* self = static_cast<SlotAllocator*>(context->opaque);
    const bool wanted = (context->codec->capabilities & AV_CODEC_CAP_DR1) != 0 &&
                        self->isWantedInPlace(*frame, context->width, context->height);
    const auto placement = wanted ? placementFor(*context, *frame) : std::nullopt;
    const bool inSlot = placement && self->placeInSlot(*placement, *frame);
    const int code = inSlot ? 0 : avcodec_default_get_buffer2(context, frame, flags);
    if (code >= 0) {
        self->damage_.pictureBegins(*context, *frame);
    }
    return code;
}

bool SlotAllocator::isWantedInPlace(const AVFrame& frame, int width, int height) const {
    const auto format = directPixelFormat(static_cast<AVPixelFormat>(frame.format));
    if (!format || (rule_.pixelFormat && rule_.pixelFormat != format)) {
        return false;
    }
    return (!rule_.width || static_cast<int>(*rule_.width) == width) &&
           (!rule_.height || static_cast<int>(*rule_.height) == height);
}

std::optional<SlotAllocator::Placement> SlotAllocator::placementFor(AVCodecContext& context,
                                                                    const AVFrame& frame) {
    int width = frame.width;
    int height = frame.height;
    int alignment[AV_NUM_DATA_POINTERS] = {};
    avcodec_align_dimensions2(&context, &width, &height, alignment);

    const auto format = static_cast<AVPixelFormat>(frame.format);
    Placement placement;
    bool aligned = false;
    while (!aligned) {  // doubles the width's alignment until all strides fit, as FFmpeg's allocator does
        if (av_image_fill_linesizes(placement.strides.data(), format, width) < 0) {
            return std::nullopt;
        }
        aligned = true;
        for (std::size_t plane = 0; plane < 4; ++plane) {
            aligned = aligned && placement.strides[plane] % std::max(1, alignment[plane]) == 0;
        }
        width += width & -width;
    }
    std::size_t sizes[4];
    const std::ptrdiff_t strides[4] = {placement.strides[0], placement.strides[1], placement.strides[2],
                                       placement.strides[3]};
    if (av_image_fill_plane_sizes(sizes, format, height, strides) < 0) {
        return std::nullopt;
    }
    for (std::size_t plane = 0; plane < 4 && sizes[plane] != 0; ++plane) {
        placement.offsets[plane] = roundUp(placement.bytes, kPlaneAlignment);
        placement.bytes = placement.offsets[plane] + sizes[plane] + kPlanePadding;
    }
    return placement;
}

bool SlotAllocator::placePicture(AVFrame& picture) {
    const auto size = [](int side) { return static_cast<std::uint32_t>(std::max(0, side)); };
    const auto pixelFormat = directPixelFormat(static_cast<AVPixelFormat>(picture.format));
    if (!pixelFormat || std::min(size(picture.width), size(picture.height)) < kMinDimension ||
        std::max(size(picture.width), size(picture.height)) > kMaxDimension ||
        !isWantedInPlace(picture, picture.width, picture.height)) {
        return false;
    }
    VideoFormat format = tightFormat(size(picture.width), size(picture.height), *pixelFormat);
    layOutPlanes(format, kPlaneAlignment, kPlaneAlignment);
    Placement placement;
    placement.bytes = format.payloadBytes;
    for (std::size_t plane = 0; plane < pixelFormatInfo(*pixelFormat).planeCount; ++plane) {
        placement.offsets[plane] = format.planes[plane].offset;
        placement.strides[plane] = static_cast<int>(format.planes[plane].stride);
    }
    return placeInSlot(placement, picture);
}

bool SlotAllocator::placeInSlot(const Placement& placement, AVFrame& frame) {
    DecoderPool::Slot* slot = takeSlot(placement.bytes);
    if (slot == nullptr) {
        return false;
    }
    auto* base = reinterpret_cast<std::uint8_t*>(slot->lease.data());
    // Marked read-only: a decoder that would modify a finished picture in place (ff_reget_buffer) must take a
    // new buffer, because this one may be on its way to a viewer.
    frame.buf[0] = av_buffer_create(base, placement.bytes, returnBuffer, slot, AV_BUFFER_FLAG_READONLY);
    if (frame.buf[0] == nullptr) {
        returnBuffer(slot, base);
        return false;
    }
    for (std::size_t plane = 0; plane < 4; ++plane) {
        frame.linesize[plane] = placement.strides[plane];
        frame.data[plane] = placement.strides[plane] != 0 ? base + placement.offsets[plane] : nullptr;
    }
    frame.extended_data = frame.data;
    return true;
}

SlotAllocator::DecoderPool::Slot* SlotAllocator::takeSlot(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    // A new decoder may keep more pictures than the one before.
    if (pools_.empty() || pools_.back()->pool->slotBytes() < bytes || !pools_.back()->forDecoder ||
        pools_.back()->pool->slotCount() < slotsFor(true)) {
        try {
            makePool(bytes, true);
        } catch (const Error&) {
            return nullptr;  // the decoder uses its own memory; if the copy finds none either, that is
                             // reported
        }
    }
    DecoderPool& current = *pools_.back();
    if (current.pool->slots().freeCount() <= kSlotsForCopies) {
        return nullptr;
    }
    // Counted first: if heldByConsumers() is too high, even briefly, a slot must become free soon after.
    ++current.heldByDecoder;
    auto lease = current.pool->tryAcquire();
    if (!lease) {
        --current.heldByDecoder;
        return nullptr;
    }
    DecoderPool::Slot& slot = current.slots[lease->slot()];
    slot.lease = std::move(*lease);
    slot.delivered = false;
    return &slot;
}

void SlotAllocator::returnBuffer(void* opaque, std::uint8_t*) {
    auto* slot = static_cast<DecoderPool::Slot*>(opaque);
    const FrameLease lease = std::move(slot->lease);
    // The pool may be dropped after this; the lease keeps its memory until the function returns.
    --slot->owner->heldByDecoder;
}

std::optional<FrameLease> SlotAllocator::leaseOf(const AVFrame& picture) {
    if (picture.buf[0] == nullptr || picture.buf[1] != nullptr) {
        return std::nullopt;
    }
    const auto* start = reinterpret_cast<const std::byte*>(picture.buf[0]->data);
    const std::lock_guard lock(mutex_);
    for (const auto& candidate : pools_) {
        const auto memory = candidate->pool->memory()->bytes();
        if (start >= memory.data() && start < memory.data() + memory.size()) {
            const auto index = static_cast<std::size_t>(start - memory.data()) / candidate->pool->slotBytes();
            DecoderPool::Slot& slot = candidate->slots[index];
            return std::exchange(slot.delivered, true) ? std::nullopt : std::optional(slot.lease.share());
        }
    }
    return std::nullopt;
}

Status SlotAllocator::waitForConsumers(const Event& cancel) {
    std::shared_ptr<DecoderPool> current;
    {
        const std::lock_guard lock(mutex_);
        forgetIdlePools();
        current = pools_.empty() ? nullptr : pools_.back();
    }
    const auto hasRoom = [&] { return current->heldByConsumers() < consumerSlots_; };
    return current ? waitFor(current->pool->slots().freed(), hasRoom, Deadline::never(), &cancel)
                   : Status::Ok;
}

Status SlotAllocator::acquireForCopy(std::uint64_t bytes, const Event& cancel, FrameLease& lease) {
    std::shared_ptr<FramePool> pool;
    {
        const std::lock_guard lock(mutex_);
        if (pools_.empty() || pools_.back()->pool->slotBytes() < bytes) {
            makePool(bytes, false);
        }
        pool = pools_.back()->pool;
    }
    return pool->acquire(lease, cancel);
}

std::uint32_t SlotAllocator::slotsFor(bool decoder) const {
    const std::uint32_t wanted = consumerSlots_ + kSlotsForCopies + (decoder ? decoderSlots_ : 0);
    return std::min<std::uint32_t>(wanted, static_cast<std::uint32_t>(kMaxSlots));
}

void SlotAllocator::makePool(std::uint64_t slotBytes, bool forDecoder) {
    forgetIdlePools();
    pools_.push_back(std::make_shared<DecoderPool>(slotBytes, slotsFor(forDecoder), forDecoder));
}

void SlotAllocator::forgetIdlePools() {
    while (pools_.size() > 1 && pools_.front()->heldByDecoder.load() == 0) {
        pools_.erase(pools_.begin());
    }
}

}  // namespace verbcast
