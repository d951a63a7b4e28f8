#include "app/view/streams/frame_mailbox.h"

#include <utility>

namespace verbcast {

bool FrameMailbox::put(ReceivedFrame frame) noexcept {
    if (!hasFrame()) {
        untaken_ = PictureChanges::none();
    }
    // If the frame is being taken right now, the newer one reports more changes than needed, which is
    // harmless.
    untaken_.add(PictureChanges::of(frame.info));
    untaken_.tellIn(frame.info);
    cells_[back_] = std::move(frame);
    const unsigned before = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel);
    back_ = before & kIndex;
    if ((before & kFresh) == 0) {
        return true;
    }
    cells_[back_].lease.reset();
    replaced_.fetch_add(1, std::memory_order_relaxed);
    return false;
}

bool FrameMailbox::take(ReceivedFrame& frame) noexcept {
    if (!hasFrame()) {
        return false;
    }
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kIndex;
    frame = std::move(cells_[front_]);
    return true;
}

}  // namespace verbcast
