// How a viewer's pictures became textures.
#pragma once

#include <cstdint>
#include <string>

namespace verbcast {

struct UploadStats {
    std::uint64_t inPlace = 0;  ///< pictures read where they lie, as the sender's dma-bufs
    std::uint64_t withinGpu =
        0;                       ///< pictures in the memory of the GPU that draws, copied into textures there
    std::uint64_t uploaded = 0;  ///< all others, copied into textures
    /// How the last one did, and why: "dma-buf: read where it lies", "direct: 2.1 ms, ...".
    std::string reason;

    friend bool operator==(const UploadStats&, const UploadStats&) = default;
};

}  // namespace verbcast
