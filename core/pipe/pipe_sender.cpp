// Per block: one or more read() calls into a free slot, a checksum on request, a share of the slot for each
// receiver. Copies by this process: the one in read(); none for mapped blocks, nor for those read from the
// disk.
#include "core/pipe/pipe_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/text/counted.h"

namespace verbcast {

PipeSender::PipeSender(const PipeSettings& settings, std::vector<PipeAddress> addresses, PipeInput input)
    : PipeRun(settings), addresses_(std::move(addresses)), input_(std::move(input)) {}

template <typename Holds>
bool PipeSender::all(Holds&& holds) const {
    return std::all_of(links_.begin(), links_.end(), std::forward<Holds>(holds));
}

/// Whether blocks can be sent from this memory over all connections.
bool PipeSender::allTake(const std::shared_ptr<const Memory>& memory) const {
    return all([&](PipeSourceLink* link) {
        const Import import = link->import(memory);
        if (!import.direct) {
            tellOfPeer(LogCategory::Pipe, "blocks read", "",
                       "blocks are read, not sent directly from the file: {}", import.reason);
        }
        return import.direct;
    });
}

void PipeSender::transfer() {
    connectAll();
    agree();
    pool_ = FramePool::create({.slotBytes = agreed_.blockBytes, .slotCount = agreed_.depth});
    try {
        sendAll();
    } catch (const Error&) {
        throwIfShortened();
        throw;
    }
    waitForGoodbyes();
}

void PipeSender::sendAll() {
    skipStart();
    openDirect();
    // The ring first: registrable memory is limited, and the rest of the input needs it.
    maps_ = !agreed_.checksum && !input_.mayBlock() && allTake(pool_->memory());
    do {
        sendMapped();
        sendDirect();
    } while (sendRead());
    throwIfShortened();
    const PipeEnd last{sent_, agreed_.checksum ? checksum_.value() : 0};
    for (PipeSourceLink* link : links_) {
        link->finish(last);
    }
    waitFor([this] { return all([](const PipeSourceLink* link) { return link->complete(); }); });
    endFlow(last);
}

/// Mapped data that is no longer there was sent as zeros, or made the transport fail.
void PipeSender::throwIfShortened() const {
    if (input_.becameShorter()) {
        throw Error(ErrorKind::Input, "the input became shorter while it was sent");
    }
}

void PipeSender::connectAll() {
    const PipeOffer offer{settings_.blockBytes, settings_.depth, settings_.checksum, input_.length()};
    for (const PipeAddress& address : addresses_) {
        links_.push_back(&connect<PipeSourceLink>(address, offer));
    }
}

void PipeSender::agree() {
    waitFor([this] { return all([](const PipeSourceLink* link) { return link->accepted().has_value(); }); });
    PipeAccept agreed = *links_.front()->accepted();
    for (const PipeSourceLink* link : links_) {
        const PipeAccept accept = *link->accepted();
        if (accept.start != agreed.start || accept.startChecksum != agreed.startChecksum) {
            throw Error(ErrorKind::Peer, "the receivers hold different beginnings of the stream",
                        "leave --resume out");
        }
        agreed.blockBytes = std::min(agreed.blockBytes, accept.blockBytes);
        agreed.depth = std::min(agreed.depth, accept.depth);
        agreed.checksum |= accept.checksum;
    }
    beginFlow(agreed, input_.length(), "sending");
}

/// Reads and compares what the receiver already has, even if the input could seek past it.
void PipeSender::skipStart() {
    if (agreed_.start == 0) {
        return;
    }
    const FrameLease lease = freeSlot();
    while (sent_ < agreed_.start) {
        const std::uint64_t wanted = std::min(agreed_.blockBytes, agreed_.start - sent_);
        const std::size_t got = read({lease.data(), wanted});
        if (got == 0) {
            throw Error(ErrorKind::Input,
                        fmt::format("the input ends after {}, and the receiver has {}",
                                    counted(sent_, "byte"), agreed_.start),
                        "resume with the same input, or start again without --resume");
        }
        checksum_.add({lease.data(), got});
        sent_ += got;
    }
    if (checksum_.value() != agreed_.startChecksum) {
        throw Error(
            ErrorKind::Corrupt,
            fmt::format("the input's first {} bytes are not those that the receiver has", agreed_.start),
            "resume with the same input, or start again without --resume");
    }
}

/// With small or few blocks the kernel's read-ahead goes further than ours would.
void PipeSender::openDirect() {
    constexpr std::uint64_t kMinBlock = 256U << 10;
    constexpr std::uint32_t kMinDepth = 4;
    if (!input_.mayBlock() && agreed_.blockBytes >= kMinBlock && agreed_.depth >= kMinDepth &&
        agreed_.blockBytes % DirectReader::kAlignment == 0 &&
        input_.position() % DirectReader::kAlignment == 0) {
        direct_ = DirectReader::open(input_.descriptor(), progress_);
    }
}

/// How many blocks from here on are in the page cache, up to the number that matters; 0: the next one is not.
std::uint32_t PipeSender::cachedBlocks() const {
    std::uint32_t count = 0;
    for (std::uint64_t at = input_.position(); count < PipeInput::kMaxWindowBlocks; ++count) {
        if (isOnDisk(at)) {
            break;
        }
        at += agreed_.blockBytes;
    }
    return count;
}

/// Sends what is in the page cache. Not with a checksum: that reads the bytes, which is unsafe in a mapped
/// file; see FramePool::mapFile().
void PipeSender::sendMapped() {
    while (maps_) {
        const std::uint32_t blocks = cachedBlocks();
        const auto window = blocks > 0 ? input_.mapBlocks(agreed_.blockBytes, blocks) : nullptr;
        if (!window) {
            return;
        }
        if (!allTake(window->memory())) {
            input_.giveBack(window->memory()->bytes().size());
            maps_ = false;
            return;
        }
        for (std::uint32_t slot = 0; slot < window->slotCount(); ++slot) {
            throwIfOver();
            input_.populate({window->slotData(slot), agreed_.blockBytes});  // else the send waits for pages
            push(*window->adopt(slot), agreed_.blockBytes);
        }
    }
}

void PipeSender::push(const FrameLease& lease, std::uint64_t bytes) {
    if (agreed_.checksum) {
        checksum_.add({lease.data(), bytes});
    }
    waitFor([this] { return all([](const PipeSourceLink* link) { return link->canPush(); }); });
    for (PipeSourceLink* link : links_) {
        link->push({lease.share(), bytes});
    }
    sent_ += bytes;
    countBytes(bytes);
}

/// Sends what is not cached: reads past the page cache, as long as that continues and succeeds. Failures are
/// left to sendRead(), which can report them.
void PipeSender::sendDirect() {
    if (!direct_) {
        return;
    }
    std::uint64_t next = input_.position();
    bool more = isOnDisk(next);
    const std::uint32_t ahead = std::max(1U, agreed_.depth / 2);  // the other half is in flight
    while (more || direct_->pending() > 0) {
        while (more && direct_->pending() < ahead) {
            std::optional<FrameLease> lease = direct_->pending() == 0 ? freeSlot() : pool_->tryAcquire();
            if (!lease) {
                break;
            }
            direct_->begin(std::move(*lease), agreed_.blockBytes, next);
            next += agreed_.blockBytes;
            more = isOnDisk(next);
        }
        std::optional<DirectReader::Block> block;
        waitFor([&] { return (block = direct_->take()).has_value(); });
        if (block->bytes > 0) {
            input_.skip(block->bytes);
            push(block->lease, block->bytes);
        }
        if (block->bytes < agreed_.blockBytes) {
            direct_.reset();
            return;
        }
    }
}

/// Sends one block; false at the end.
bool PipeSender::sendRead() {
    const FrameLease lease = freeSlot();
    const std::size_t got = read({lease.data(), agreed_.blockBytes});
    if (got == 0) {
        return false;
    }
    push(lease, got);
    return true;
}

FrameLease PipeSender::freeSlot() {
    std::optional<FrameLease> lease;
    waitFor([&] { return (lease = pool_->tryAcquire()).has_value(); });
    return std::move(*lease);
}

std::size_t PipeSender::read(std::span<std::byte> target) {
    if (input_.mayBlock()) {
        waitFor([this] { return input_.ready(); }, input_.descriptor());
    }
    throwIfOver();
    return input_.fill(target);
}

}  // namespace verbcast
