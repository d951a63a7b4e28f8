// Per block: one or more write() calls from its slot, plus a checksum on request. Copies by this process: the
// one in write().
#include "core/pipe/pipe_receiver.h"

#include <fmt/format.h>
#include "core/base/text/counted.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace verbcast {

PipeReceiver::PipeReceiver(const PipeSettings& settings, PipeAddress address, PipeOutput& output)
    : PipeRun(settings), address_(std::move(address)), output_(output) {}

void PipeReceiver::transfer() {
    link_ = &connect<PipeSinkLink>(address_);
    waitFor([this] { return link_->offered().has_value(); });
    const PipeOffer offer = *link_->offered();
    const PipeAccept agreed = agree(offer);
    link_->accept(agreed, agreed.depth);
    beginFlow(agreed, offer.length, "receiving");
    const PipeEnd last = receiveBlocks();
    if (agreed.checksum && last.checksum != checksum_.value()) {
        throw Error(ErrorKind::Corrupt,
                    fmt::format("checksum mismatch: xxh3 {:016x} was sent, {:016x} has arrived ({})",
                                last.checksum, checksum_.value(), counted(last.bytes, "byte")),
                    "send it again, without --resume");
    }
    output_.finish();
    endFlow(last);
    link_->finish();
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

PipeEnd PipeReceiver::receiveBlocks() {
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
        if (agreed_.checksum) {
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
