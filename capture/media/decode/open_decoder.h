// Opens software decoders.
#pragma once

#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/media/decode/slot_allocator.h"

namespace verbcast {

struct DecoderSetup {
    std::string what;            ///< "the video in clip.mp4", for errors
    std::string withoutDecoder;  ///< the remedy if FFmpeg has no decoder
    AVRational timeBase{0, 1};
    int threads = 0;         ///< 0: one per processor
    bool atOnce = false;     ///< outputs each picture at once: threads only share a picture
    bool wholeOnly = false;  ///< drops pictures with errors
    int delay = 0;           ///< known reorder delay in pictures, for streams that do not say
};

/// Opens a decoder whose pictures go to the allocator's slots if the rule allows. The allocator must outlive
/// it. Throws Error{Input} if there is none.
CodecContextPtr openDecoder(const AVCodecParameters& parameters, const DecoderSetup& setup,
                            SlotAllocator& allocator, const InPlaceRule& rule);

}  // namespace verbcast
