// The dma-bufs of a PipeWire producer as the slots of a ring.
#pragma once

#include <pipewire/stream.h>
#include <spa/buffer/meta.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// The buffers that a producer gave for one format: buffer N is slot N. A lent buffer comes back when the
/// last lease on its slot is gone, on whichever thread that is.
///
/// PipeWire lets a producer draw into its buffers in turn, whether or not they have come back; only the count
/// of their users (SPA_META_Busy, which streams on both sides keep) stops it. So a lent buffer counts one
/// user more, but goes back to PipeWire at once: a consumer's stream takes only one back with each picture,
/// and drops pictures in buffers that it has not taken back yet.
///
/// PipeWire may remove buffers at any time. The memory of those that are lent stays mapped, but the producer
/// may write there again.
///
/// All functions but onFree() are called with the lock of the stream's loop held.
class ProducerBuffers final : public SlotKeeper, public std::enable_shared_from_this<ProducerBuffers> {
  public:
    /// `returned` is notified when takeReturned() has something to return; any thread may do so, and later
    /// than this object's owner lets go of it.
    explicit ProducerBuffers(std::shared_ptr<const Event> returned) : returned_(std::move(returned)) {}

    /// Takes a duplicate of the descriptor; what is wrong with the buffer, map() tells. Before map().
    void add(pw_buffer* buffer);
    /// PipeWire has taken the buffer away. Does nothing for buffers that were not added.
    void remove(const pw_buffer* buffer);
    /// Whether all buffers were removed.
    bool isEmpty() const;
    std::size_t count() const { return buffers_.size(); }

    /// Maps all buffers for pictures of `bytes` or somewhat more. Returns why they cannot be used; "" if they
    /// can, and from then on.
    std::string map(std::uint64_t bytes);
    bool isMapped() const { return pool_ != nullptr; }

    /// The slot of a mapped buffer; nothing if there is no such buffer.
    std::optional<std::uint32_t> slotOf(const pw_buffer* buffer);
    /// A mapped slot's memory, of memoryBytes().
    const std::byte* memory(std::uint32_t slot) const { return pool_->slotData(slot); }
    std::uint64_t memoryBytes() const { return pool_->slotBytes(); }
    int descriptor(std::uint32_t slot) const { return pool_->memory()->buffers()[slot].get(); }

    /// Lends a mapped slot. Nothing if it is lent already: the producer has drawn over it, and none of its
    /// buffers is guarded from then on.
    std::optional<FrameLease> lend(std::uint32_t slot);
    /// Whether the producer keeps away from the slot while it is lent, so that its buffer may go back to
    /// PipeWire at once. Otherwise it must not, and takeReturned() returns it.
    bool isGuarded(std::uint32_t slot) const { return buffers_[slot].busy != nullptr && !drawnOver_; }
    std::uint32_t lent() const { return lent_; }
    /// Whether it is a lease of this ring, whose buffer PipeWire has not removed.
    bool owns(const FrameLease& lease) const;
    /// Ends the use of slots that came back, and returns the buffers that PipeWire still has to get.
    std::vector<pw_buffer*> takeReturned();

    void onFree(std::uint32_t slot) noexcept override;

  private:
    // PipeWire itself has at most 64 buffers in a stream.
    static constexpr std::size_t kMaxBuffers = 64;

    struct Buffer {
        pw_buffer* buffer = nullptr;    // null: removed
        spa_meta_busy* busy = nullptr;  // shared with the producer; null: none, or removed
        bool guarded = false;           // while it is lent
    };
    Buffer* find(const pw_buffer* buffer);

    std::shared_ptr<const Event> returned_;  // shared: leases may outlive the stream
    std::vector<Buffer> buffers_;            // by slot
    std::vector<UniqueFd> descriptors_;      // by slot, until they are mapped
    std::string problem_;
    std::shared_ptr<FramePool> pool_;
    std::uint32_t lent_ = 0;
    bool drawnOver_ = false;
    std::atomic<std::uint64_t> free_{0};  // a bit for each slot that came back
};

}  // namespace verbcast
