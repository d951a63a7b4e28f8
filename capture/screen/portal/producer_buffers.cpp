#include "capture/screen/portal/producer_buffers.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/memory/dma_buf.h"

namespace verbcast {
namespace {

// What a driver may add to a picture: rows padded to its units, and some more of them.
constexpr std::uint64_t kPadding = 4U << 20U;

}  // namespace

void ProducerBuffers::add(pw_buffer* buffer) {
    const spa_buffer& held = *buffer->buffer;
    if (buffers_.size() == kMaxBuffers) {
        problem_ = fmt::format("there are more than {} of them", kMaxBuffers);
        return;
    }
    if (held.n_datas != 1) {
        problem_ = fmt::format("a picture is in {} of them, 1 was expected", held.n_datas);
    }
    UniqueFd copy(::fcntl(static_cast<int>(held.datas[0].fd), F_DUPFD_CLOEXEC, 0));
    if (!copy) {
        problem_ = fmt::format("descriptor {}: {}", held.datas[0].fd, std::strerror(errno));
    }
    buffers_.push_back({.buffer = buffer,
                        .busy = static_cast<spa_meta_busy*>(
                            spa_buffer_find_meta_data(&held, SPA_META_Busy, sizeof(spa_meta_busy)))});
    descriptors_.push_back(std::move(copy));
}

ProducerBuffers::Buffer* ProducerBuffers::find(const pw_buffer* buffer) {
    const auto found = std::ranges::find(buffers_, buffer, &Buffer::buffer);
    return buffer == nullptr || found == buffers_.end() ? nullptr : &*found;
}

void ProducerBuffers::remove(const pw_buffer* buffer) {
    if (Buffer* const found = find(buffer)) {
        found->buffer = nullptr;
        found->busy = nullptr;
    }
}

bool ProducerBuffers::isEmpty() const {
    return std::ranges::all_of(buffers_, [](const Buffer& each) { return each.buffer == nullptr; });
}

std::string ProducerBuffers::map(std::uint64_t bytes) {
    if (pool_ || !problem_.empty()) {
        return problem_;
    }
    // All of each buffer, as a picture may start anywhere; as far as all of them reach.
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    for (const UniqueFd& descriptor : descriptors_) {
        const auto holds = dmaBufBytes(descriptor.get());
        if (!holds) {
            return problem_ = "one of them is no dma-buf of this kernel";
        }
        all = std::min(all, *holds);
    }
    // Viewers map whole buffers, and a copy of one takes as much memory.
    if (all < bytes || all > 2 * bytes + kPadding) {
        return problem_ = fmt::format("they hold {} bytes for pictures of {}", all, bytes);
    }
    try {
        const std::uint64_t page = wholePages(1);
        const auto whole = FramePool::onBuffers(std::move(descriptors_), std::max(bytes, all / page * page));
        pool_ = FramePool::viewOf(*whole, weak_from_this());
    } catch (const Error& error) {
        problem_ = error.what();
    }
    return problem_;
}

std::optional<std::uint32_t> ProducerBuffers::slotOf(const pw_buffer* buffer) {
    const Buffer* const found = pool_ ? find(buffer) : nullptr;
    return found ? std::optional(static_cast<std::uint32_t>(found - buffers_.data())) : std::nullopt;
}

std::optional<FrameLease> ProducerBuffers::lend(std::uint32_t slot) {
    auto lease = pool_->adopt(slot);
    if (!lease) {
        drawnOver_ = true;
        return std::nullopt;
    }
    ++lent_;
    Buffer& lent = buffers_[slot];
    lent.guarded = isGuarded(slot);
    if (lent.guarded) {
        __atomic_add_fetch(&lent.busy->count, 1, __ATOMIC_SEQ_CST);
    }
    return lease;
}

bool ProducerBuffers::owns(const FrameLease& lease) const {
    return lease && lease.pool() == pool_ && buffers_[lease.slot()].buffer != nullptr;
}

std::vector<pw_buffer*> ProducerBuffers::takeReturned() {
    std::vector<pw_buffer*> back;
    for (std::uint64_t bits = free_.exchange(0, std::memory_order_acq_rel); bits != 0; bits &= bits - 1) {
        const auto slot = static_cast<std::uint32_t>(__builtin_ctzll(bits));
        --lent_;
        endDmaBufRead(descriptor(slot));
        const Buffer& returned = buffers_[slot];
        if (returned.buffer != nullptr && returned.guarded) {
            __atomic_sub_fetch(&returned.busy->count, 1, __ATOMIC_SEQ_CST);
        } else if (returned.buffer != nullptr) {
            back.push_back(returned.buffer);
        }
    }
    return back;
}

void ProducerBuffers::onFree(std::uint32_t slot) noexcept {
    free_.fetch_or(std::uint64_t{1} << slot, std::memory_order_acq_rel);
    returned_->notify();
}

}  // namespace verbcast
