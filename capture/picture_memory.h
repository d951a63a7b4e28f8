// Where pictures that a GPU draws or decodes are kept.
#pragma once

namespace verbcast {

enum class PictureMemory {
    Auto,    ///< as Device where that can be, else as Host; a note tells which
    Host,    ///< main memory: they are read back
    Copy,    ///< main memory, by a copy, even where the device could write there itself: only cameras and
             ///< screens
    Device,  ///< the memory of the NVIDIA GPU that draws or decodes them
    DmaBuf,  ///< buffers of the device that draws them, exported as dma-bufs
};

}  // namespace verbcast
