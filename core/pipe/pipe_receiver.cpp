// Per block: one or more write() calls from its slot, plus a checksum on request. Copies by this process: the
// one in write().
#include "core/pipe/pipe_receiver.h"

#include <fmt/format.h>
#include "core/base/text/counted.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace verbcast {

std::shared_ptr<FramePool> sinkPool(const PipeSinkLink& link, std::uint64_t blockBytes, std::uint32_t slots) {
    return link.sharesMemory() ? nullptr : FramePool::create({.slotBytes = blockBytes, .slotCount = slots});
}

PipeReceiver::PipeReceiver(const PipeSettings& settings, PipeAddress address, PipeOutput& output)
    : PipeRun(settings), address_(std::move(address)), output_(output) {}

void PipeReceiver::transfer() {
    connect(address_, Role::PipeReceiver,
            [this](PeerConnection peer, const LinkOptions& options) -> std::unique_ptr<PipeLink> {
                auto link = std::make_unique<PipeSinkLink>(std::move(peer), options, progress_);
                link_ = link.get();
                return link;
            });
    waitFor([this] { return link_->offered().has_value(); });
    const PipeOffer offer = *link_->offered();
    const PipeAccept agreed = agree(offer);
    link_->accept(agreed, sinkPool(*link_, agreed.blockBytes, agreed.depth));
    beginFlow(agreed, offer.length, "receiving");
    const PipeEnd last = receiveBlocks(agreed);
    if (agreed.checksum && last.checksum != checksum_.value()) {
        throw Error(ErrorKind::Corrupt,
                    fmt::format("checksum mismatch: xxh3 {:016x} was sent, {:016x} has arrived ({})",
                                last.checksum, checksum_.value(), counted(last.bytes, "byte")),
                    "send it again, without --resume");
    }
    output_.finish();
    endFlow(agreed.checksum ? std::optional(last.checksum) : std::nullopt);
    link_->finish({last.bytes});
    waitForGoodbyes();
}

PipeAccept PipeReceiver::agree(const PipeOffer& offer) const {
    PipeAccept agreed;
    agreed.blockBytes = std::min(offer.blockBytes, settings_.blockBytes);
    agreed.depth = std::min(offer.depth, settings_.depth);
    agreed.checksum = offer.checksum || settings_.checksum;
    agreed.start = output_.start();
    agreed.startChecksum = output_.startChecksum().value();
    return agreed;
}

PipeEnd PipeReceiver::receiveBlocks(const PipeAccept& agreed) {
    checksum_ = output_.startChecksum();
    for (;;) {
        throwIfCancelled();
        PipeBlock block;
        std::optional<PipeEnd> last;
        waitFor(
            [&] {
                if (link_->pop(block) || (last = link_->endOfStream())) {
                    return true;
                }
                output_.throwIfClosed();
                return false;
            },
            output_.waitDescriptor());
        if (last) {
            return *last;
        }
        const std::span<const std::byte> bytes(block.lease.data(), block.bytes);
        if (agreed.checksum) {
            checksum_.add(bytes);
        }
        write(bytes);
    }
}

void PipeReceiver::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t written = output_.write(bytes);
        countBytes(written);
        bytes = bytes.subspan(written);
        if (written == 0) {
            waitFor([this] { return output_.ready(); }, output_.waitDescriptor());
        }
    }
}

}  // namespace verbcast
