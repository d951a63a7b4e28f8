// Where pictures that OpenGL draws are kept.
#pragma once

namespace verbcast {

enum class PictureMemory {
    Host,    ///< main memory: they are read back
    Device,  ///< the memory of the NVIDIA GPU that draws them
    DmaBuf,  ///< buffers of the device that draws them, exported as dma-bufs
};

}  // namespace verbcast
