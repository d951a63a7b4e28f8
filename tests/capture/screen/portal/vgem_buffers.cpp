// Buffers of the kernel's virtual graphics card.
#include "tests/capture/screen/portal/buffer_maker.h"
#include "tests/dmabuf/virtual_card.h"

namespace verbcast::testing {

UniqueFd makeDmaBuf(std::uint64_t bytes) {
    static const VirtualCard card;
    return card.buffer(bytes, {});
}

bool isBeingRead(int) {
    return false;
}

std::uint64_t readsBegun() {
    return 0;
}

bool knowsReads() {
    return false;
}

void refuseToSynchronise(bool) {}

}  // namespace verbcast::testing
