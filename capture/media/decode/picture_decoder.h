// Decodes the packets of a MediaInput into pictures, on graphics hardware or the CPU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/frame_source.h"
#include "capture/media/decode/hardware_decoding.h"
#include "capture/media/decode/open_decoder.h"
#include "capture/media/decode/slot_allocator.h"
#include "capture/media/input/media_input.h"
#include "capture/media/input/packet_history.h"

namespace verbcast {

/// Used by one thread; FFmpeg decodes on threads of its own.
///
/// If anything goes wrong in hardware (a device error, a picture that it cannot give, a damaged packet),
/// software takes over. It starts at the last key picture, from kept packets, and skips what was handed out
/// already, so that the pictures are those that software alone would give.
class PictureDecoder {
  public:
    struct Wish {
        Decoder decoder = Decoder::Software;
        int threads = 0;  ///< for software; 0: one per processor
        PicturesFor use = PicturesFor::MainMemory;
    };

    /// The allocator must outlive the decoder. Throws Error{Input} if there is no decoder for the stream,
    /// Error{Device} if the named one is missing.
    PictureDecoder(const MediaInput& input, Wish wish, SlotAllocator& allocator, const InPlaceRule& rule);

    std::string codecName() const { return context().codec->name; }
    /// `fromDevice` counts the pictures that bring() transferred, `onDevice` those of leave().
    const DecodingStats& decoding() const { return decoding_; }

    /// The next picture in presentation order. Counts packets that yield none. Closed after the last picture,
    /// Cancelled if a read was cancelled. The picture's flags tell of damage. Throws Error{Device} if the
    /// named decoder refuses the stream.
    Status next(MediaInput& input, AVFrame& picture, SourceCounters& counters);

    /// Transfers a picture of next() to CPU memory, where software's pictures already are. False: the device
    /// lost it; `picture` is unchanged, and next() returns the same one again, from software.
    [[nodiscard]] bool bring(AVFrame& picture);

    /// Says that a surface of next() is used where it is, and that the device has not lost it.
    void leave(const AVFrame& surface);

    /// For the next decoder: pictures stay in the format already sent.
    void keepFormat(PixelFormat format) { rule_.pixelFormat = format; }

    /// Says once that software took over in mid-stream, and why.
    std::optional<std::string> takeNews() { return std::exchange(news_, std::nullopt); }

    /// Why reading ended early, if it did.
    const std::optional<std::string>& readProblem() const { return readProblem_; }

    /// Forgets all pictures. Call after MediaInput::rewind().
    void restart();

  private:
    /// Feeds the decoder one packet, or the end. Ok or Cancelled.
    Status feed(MediaInput& input, SourceCounters& counters);
    Status read(MediaInput& input, SourceCounters& counters);
    AVCodecContext& context() const { return hardware_ ? hardware_->context() : *software_; }
    /// Opens the next kind of hardware that works, or software. Throws if a named one does not open.
    void openNext();
    void openSoftware(int delay);
    /// Switches to another decoder if the hardware refused the stream or `failure` is not empty. Returns
    /// whether it did.
    bool handOver(const std::string& failure);
    void noteRefusal(Decoder decoder, const std::string& reason);
    void tellChoice();

    const CodecParametersPtr parameters_;  // a copy: the file may be reopened
    const DecoderSetup setup_;
    const Wish wish_;
    SlotAllocator& allocator_;
    InPlaceRule rule_;
    std::vector<Decoder> untried_;  // the next one last
    std::string refusals_;          // of the kinds tried
    std::unique_ptr<HardwareDecoding> hardware_;
    CodecContextPtr software_;  // exactly one of the two is set
    PacketHistory history_;
    bool keeps_ = false;    // history_ is in use: hardware decodes, or did
    bool brought_ = false;  // a picture came from hardware
    PacketPtr packet_;
    bool packetWaits_ = false;
    bool inputEnded_ = false;
    bool draining_ = false;
    DecodingStats decoding_;
    std::optional<std::string> news_;
    std::optional<std::string> readProblem_;
};

}  // namespace verbcast
