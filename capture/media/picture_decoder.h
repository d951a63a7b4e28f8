// Decoders, and what turns the packets of a MediaInput into pictures.
#pragma once

#include <optional>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/frame_source.h"
#include "capture/media/media_input.h"
#include "capture/media/slot_allocator.h"

namespace verbcast {

struct DecoderSetup {
    std::string what;            ///< "the video in clip.mp4", for errors
    std::string withoutDecoder;  ///< the remedy when FFmpeg has none for it
    AVRational timeBase{0, 1};
    int threads = 0;         ///< 0: one per processor
    bool atOnce = false;     ///< each picture as soon as its packet is there: threads share a picture at most
    bool wholeOnly = false;  ///< a picture with errors in it is none
};

/// A decoder whose pictures go to the allocator's slots where the rule allows; the allocator outlives it.
/// Throws Error{Input} when there is none.
CodecContextPtr openDecoder(const AVCodecParameters& parameters, const DecoderSetup& setup,
                            SlotAllocator& allocator, const InPlaceRule& rule);

/// Used by one thread; FFmpeg decodes on `threads` of its own (0: one per processor).
class PictureDecoder {
  public:
    /// The allocator outlives the decoder. Throws Error{Input} when there is no decoder for the stream.
    PictureDecoder(const MediaInput& input, int threads, SlotAllocator& allocator, const InPlaceRule& rule);

    std::string codecName() const { return context_->codec->name; }

    /// The next picture in order of presentation. Counts packets that give none. Closed after the last
    /// picture, Cancelled when a read was cancelled. What a picture itself says about damage is in its flags.
    Status next(MediaInput& input, AVFrame& picture, SourceCounters& counters);

    /// Why reading ended before the end of the file, once it has.
    const std::optional<std::string>& readProblem() const { return readProblem_; }

    /// Forgets all pictures, to go on after MediaInput::rewind().
    void restart();

  private:
    /// Gives the decoder one packet, or the end. Ok or Cancelled.
    Status feed(MediaInput& input, SourceCounters& counters);

    CodecContextPtr context_;
    PacketPtr packet_;
    bool packetWaits_ = false;
    bool draining_ = false;
    std::optional<std::string> readProblem_;
};

}  // namespace verbcast
