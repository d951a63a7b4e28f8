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
    const PipeAccept agreed = agree();
    pool_ = FramePool::create({.slotBytes = agreed.blockBytes, .slotCount = agreed.depth});
    try {
        sendAll(agreed);
    } catch (const Error&) {
        throwIfShortened();
        throw;
    }
    waitForGoodbyes();
}

void PipeSender::sendAll(const PipeAccept& agreed) {
    skipStart(agreed);
    openDirect(agreed);
    // The ring first: registrable memory is limited, and the rest of the input needs it.
    maps_ = !agreed.checksum && !input_.mayBlock() && allTake(pool_->memory());
    do {
        sendMapped(agreed);
        sendDirect(agreed);
    } while (sendRead(agreed));
    throwIfShortened();
    const PipeEnd last{sent_, agreed.checksum ? checksum_.value() : 0};
    for (PipeSourceLink* link : links_) {
        link->finish(last);
    }
    waitFor([this] { return all([](const PipeSourceLink* link) { return link->complete(); }); });
    endFlow(agreed.checksum ? std::optional(last.checksum) : std::nullopt);
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
        connect(address, Role::PipeSender,
                [&](PeerConnection peer, const LinkOptions& options) -> std::unique_ptr<PipeLink> {
                    auto link = std::make_unique<PipeSourceLink>(std::move(peer), options, progress_, offer);
                    candidate_ = link.get();
                    return link;
                });
        links_.push_back(candidate_);
    }
}

PipeAccept PipeSender::agree() {
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
    return agreed;
}

/// Reads and compares what the receiver already has, even if the input could seek past it.
void PipeSender::skipStart(const PipeAccept& agreed) {
    if (agreed.start == 0) {
        return;
    }
    const FrameLease lease = freeSlot();
    while (sent_ < agreed.start) {
        const std::uint64_t wanted = std::min(agreed.blockBytes, agreed.start - sent_);
        const std::size_t got = read({lease.data(), wanted});
        if (got == 0) {
            throw Error(ErrorKind::Input,
                        fmt::format("the input ends after {}, and the receiver has {}",
                                    counted(sent_, "byte"), agreed.start),
                        "resume with the same input, or start again without --resume");
        }
        checksum_.add({lease.data(), got});
        sent_ += got;
    }
    if (checksum_.value() != agreed.startChecksum) {
        throw Error(
            ErrorKind::Corrupt,
            fmt::format("the input's first {} bytes are not those that the receiver has", agreed.start),
            "resume with the same input, or start again without --resume");
    }
}

/// With small or few blocks the kernel's read-ahead goes further than ours would.
void PipeSender::openDirect(const PipeAccept& agreed) {
    constexpr std::uint64_t kMinBlock = 256U << 10;
    constexpr std::uint32_t kMinDepth = 4;
    if (!input_.mayBlock() && agreed.blockBytes >= kMinBlock && agreed.depth >= kMinDepth &&
        agreed.blockBytes % DirectReader::kAlignment == 0 &&
        input_.position() % DirectReader::kAlignment == 0) {
        direct_ = DirectReader::open(input_.descriptor(), progress_);
    }
}

/// How many blocks from here on are in the page cache, up to the number that matters; 0: the next one is not.
std::uint32_t PipeSender::cachedBlocks(const PipeAccept& agreed) const {
    std::uint32_t count = 0;
    for (std::uint64_t at = input_.position(); count < PipeInput::kMaxWindowBlocks; ++count) {
        if (isOnDisk(at, agreed)) {
            break;
        }
        at += agreed.blockBytes;
    }
    return count;
}

/// Sends what is in the page cache. Not with a checksum: that reads the bytes, which is unsafe in a mapped
/// file; see FramePool::mapFile().
void PipeSender::sendMapped(const PipeAccept& agreed) {
    while (maps_) {
        const std::uint32_t blocks = cachedBlocks(agreed);
        const auto window = blocks > 0 ? input_.mapBlocks(agreed.blockBytes, blocks) : nullptr;
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
            input_.populate({window->slotData(slot), agreed.blockBytes});  // else the send waits for pages
            push(*window->adopt(slot), agreed.blockBytes);
        }
    }
}

void PipeSender::push(const FrameLease& lease, std::uint64_t bytes) {
    waitFor([this] { return all([](const PipeSourceLink* link) { return link->canPush(); }); });
    for (PipeSourceLink* link : links_) {
        link->push({lease.share(), bytes});
    }
    sent_ += bytes;
    countBytes(bytes);
}

/// Sends what is not cached: reads past the page cache, as long as that continues and succeeds. Failures are
/// left to sendRead(), which can report them.
void PipeSender::sendDirect(const PipeAccept& agreed) {
    if (!direct_) {
        return;
    }
    std::uint64_t next = input_.position();
    bool more = isOnDisk(next, agreed);
    const std::uint32_t ahead = std::max(1U, agreed.depth / 2);  // the other half is in flight
    while (more || direct_->pending() > 0) {
        while (more && direct_->pending() < ahead) {
            std::optional<FrameLease> lease = direct_->pending() == 0 ? freeSlot() : pool_->tryAcquire();
            if (!lease) {
                break;
            }
            direct_->begin(std::move(*lease), agreed.blockBytes, next);
            next += agreed.blockBytes;
            more = isOnDisk(next, agreed);
        }
        waitFor([this] { return direct_->ready(); });
        const DirectReader::Block block = direct_->take();
        if (block.bytes > 0) {
            input_.skip(block.bytes);
            if (agreed.checksum) {
                checksum_.add({block.lease.data(), block.bytes});
            }
            push(block.lease, block.bytes);
        }
        if (block.bytes < agreed.blockBytes) {
            direct_.reset();
            return;
        }
    }
}

/// Sends one block; false at the end.
bool PipeSender::sendRead(const PipeAccept& agreed) {
    const FrameLease lease = freeSlot();
    const std::size_t got = read({lease.data(), agreed.blockBytes});
    if (got == 0) {
        return false;
    }
    if (agreed.checksum) {
        checksum_.add({lease.data(), got});
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
