// How pictures reach the GPU. No GL here.
#pragma once

#include <cstdint>
#include <string>

namespace verbcast {

enum class UploadPath {
    Measure,        ///< tries all others briefly with the first frames and keeps the fastest
    Direct,         ///< glTexSubImage2D from the frame's own memory
    PersistentPbo,  ///< copies into a persistently mapped pixel-unpack buffer, then glTexSubImage2D from it
    Pinned,         ///< the GPU copies from the frame's pinned ring (CUDA), without the processor
    Device,         ///< not to choose: the frame was in the memory of the GPU that draws, which copied it
};

struct UploadReport {
    UploadPath path = UploadPath::Measure;  ///< in use; Measure while measuring, or without uploads
    std::string reason;                     ///< "direct: 2.1 ms, persistent PBO: 3.4 ms (fastest of 8)"
    double lastMilliseconds = 0;            ///< duration of the last upload() call
    std::uint64_t inPlace = 0, withinGpu = 0, uploaded = 0;  ///< pictures: see UploadStats
};

/// Whether software drivers may read dma-bufs: they crash on those of other devices.
enum class SoftwareImport { Refuse, Allow };

}  // namespace verbcast
