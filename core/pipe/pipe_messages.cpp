#include "core/pipe/pipe_messages.h"

namespace verbcast {

void checkRing(std::uint64_t blockBytes, std::uint32_t depth) {
    if (blockBytes < kMinBlockBytes || blockBytes > kMaxBlockBytes || depth < 1 || depth > kMaxDepth ||
        blockBytes * depth > kMaxRingBytes) {
        throw peerError(
            "the peer wants {} blocks of {} bytes in flight: at most {} blocks, {} bytes each and {} "
            "together expected",
            depth, blockBytes, kMaxDepth, kMaxBlockBytes, kMaxRingBytes);
    }
}

void checkStreamBytes(std::uint64_t bytes) {
    if (bytes > std::uint64_t{1} << 62) {
        throw peerError("the peer speaks of a stream of {} bytes", bytes);
    }
}

}  // namespace verbcast
