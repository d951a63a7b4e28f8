// Lets a decoder write its pictures directly into the slots of a frame pool (AVCodecContext::get_buffer2).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/media/input/ffmpeg_log.h"
#include "core/base/os/event.h"
#include "core/memory/frame_pool.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Pictures that are sent as decoded; all others are converted and need no slot while decoding.
struct InPlaceRule {
    std::optional<PixelFormat> pixelFormat;      ///< unset: any of ours
    std::optional<std::uint32_t> width, height;  ///< unset: any
};

/// Owns the pool of a decoding source, and replaces it by a larger one when pictures outgrow it.
///
/// The pool has slots for the consumers and for what the decoder keeps: its threads' pictures and its
/// references. A slot is free once the decoder and all consumers have released it. If the decoder wants more,
/// it gets plain memory, and the picture is copied later; one slot is reserved for such copies, so that the
/// decoder cannot starve them.
///
/// getBuffer() runs on the decoder's threads; call the rest from one thread. Must outlive the codec context
/// and all of its pictures.
class SlotAllocator {
  public:
    explicit SlotAllocator(std::uint32_t consumerSlots) : consumerSlots_(consumerSlots) {}
    SlotAllocator(const SlotAllocator&) = delete;
    SlotAllocator& operator=(const SlotAllocator&) = delete;

    /// Installs get_buffer2. Call before avcodec_open2().
    void attach(AVCodecContext& context, const InPlaceRule& rule);
    /// The rule for placePicture().
    void setRule(const InPlaceRule& rule) { rule_ = rule; }
    /// The number of pictures that the decoder may keep. Call after avcodec_open2(), before the first packet.
    void setDecoderSlots(std::uint32_t count) { decoderSlots_ = count; }

    /// See DamageWatch. Ask once per picture.
    bool takeDamage(const AVFrame& picture) { return damage_.takeDamage(picture); }

    /// Places the planes of a picture, whose size and format are set, in a slot, laid out as for copies.
    /// False if it is not wanted in place or there is no room.
    bool placePicture(AVFrame& picture);

    /// A shared lease on the slot that holds the picture; nullopt if it is not in a slot, or if the decoder
    /// repeats a picture: a viewer that reads the slot cannot be sent it again.
    std::optional<FrameLease> leaseOf(const AVFrame& picture);

    /// Waits until the consumers hold fewer slots than they were promised, so that the decoder finds room.
    Status waitForConsumers(const Event& cancel);

    /// Acquires a slot of at least that size for a copy; waits for the consumers if need be.
    Status acquireForCopy(std::uint64_t bytes, const Event& cancel, FrameLease& lease);

  private:
    /// A pool and the decoder's leases on it. An AVBuffer in a slot points to that slot's entry.
    struct DecoderPool {
        struct Slot {
            DecoderPool* owner = nullptr;
            FrameLease lease;
            bool delivered = false;  // since the decoder has filled it
        };
        DecoderPool(std::uint64_t slotBytes, std::uint32_t slotCount, bool servesDecoder);
        std::uint32_t heldByConsumers() const;

        std::shared_ptr<FramePool> pool;
        std::vector<Slot> slots;
        std::atomic<std::uint32_t> heldByDecoder{0};
        bool forDecoder;
    };
    /// Places a picture's planes in a slot, with the padding that the decoder needs.
    struct Placement {
        std::array<std::uint64_t, 4> offsets{};
        std::array<int, 4> strides{};
        std::uint64_t bytes = 0;
    };

    static int getBuffer(AVCodecContext* context, AVFrame* frame, int flags);
    static void returnBuffer(void* slot, std::uint8_t* data);
    static std::optional<Placement> placementFor(AVCodecContext& context, const AVFrame& frame);
    bool isWantedInPlace(const AVFrame& frame, int width, int height) const;
    bool placeInSlot(const Placement& placement, AVFrame& frame);
    DecoderPool::Slot* takeSlot(std::uint64_t bytes);
    std::uint32_t slotsFor(bool decoder) const;
    void makePool(std::uint64_t slotBytes, bool forDecoder);
    void forgetIdlePools();

    const std::uint32_t consumerSlots_;
    std::uint32_t decoderSlots_ = 0;
    InPlaceRule rule_;
    DamageWatch damage_;
    std::mutex mutex_;  // guards pools_
    // The last one is in use; the others wait for the decoder. Shared with a thread that waits for consumers
    // while a decoding thread replaces the pool.
    std::vector<std::shared_ptr<DecoderPool>> pools_;
};

}  // namespace verbcast
