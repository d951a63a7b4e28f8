// What a vc_memory stands for: memory of the program, in which one frame at a time is sent.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "core/api/calls.h"
#include "core/api/sender.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// Thread-safe. Lives until its frame is released, though its handle was closed.
class LentMemory final : public SlotKeeper, public std::enable_shared_from_this<LentMemory> {
  public:
    /// Throws Error{Usage} for what cannot be, Error{Device, Resource} if it cannot be mapped or is of no GPU
    /// here.
    static std::shared_ptr<LentMemory> from(const vc_memory_options& options);

    const Memory& memory() const { return *pool_->memory(); }
    /// Nothing if the frame before is not released.
    std::optional<FrameLease> lend();

    void onFree(std::uint32_t slot) noexcept override;

  private:
    explicit LentMemory(const vc_memory_options& options) : options_(options) {}

    const vc_memory_options options_;
    std::shared_ptr<FramePool> pool_;  // shared with its frame, and with who last sent one
    std::atomic<bool> lent_{false};
    std::shared_ptr<LentMemory> self_;  // while it is lent
};
template <>
inline constexpr const char* kHandleName<LentMemory> = "vc_memory";

}  // namespace verbcast
