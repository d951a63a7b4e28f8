#include "core/stream/link_features.h"

#include "core/regions/region_requests.h"
#include "core/stream/send/viewer_input.h"

namespace verbcast {

void plugIn(SenderLink& link, const SourceFeatures& with) {
    if (with.input != nullptr) {
        link.plugIn(std::make_unique<ViewerInputs>(link, *with.input));
    }
    if (with.frameLock != nullptr) {
        link.plugIn(lockedDisplay(link, link.id(), *with.frameLock));
    }
    // Where each receiver is sent its own bytes:
    if (!link.sharesMemory() && !link.reachesMany()) {
        link.Link::plugIn(std::make_unique<RegionRequests>(link));
    }
}

void plugIn(ReceiverLink& link, const SinkFeatures& with) {
    if (with.display != nullptr) {
        link.plugIn(std::make_unique<PresentingStream>(link, *with.display));
    }
}

}  // namespace verbcast
