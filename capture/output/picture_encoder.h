// Compresses pictures with one of FFmpeg's encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/convert/picture_converter.h"
#include "capture/convert/picture_packer.h"
#include "capture/output/encoder_choice.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Pictures go in, packets come out, in the order in which they are decoded. Used by one thread; encoders
/// have others of their own.
class PictureEncoder {
  public:
    /// `asked`: as for chooseEncoder(), which throws; pix_fmt chooses among the pixel formats that it takes.
    PictureEncoder(const std::string& asked, const AVOutputFormat& muxer);

    /// Throws Error{Usage} if the encoder does not take such pictures or one of its options.
    void open(const VideoFormat& format);
    /// What the muxer needs to know; from open() on.
    const AVCodecContext& context() const { return *context_; }
    /// "rgba is converted to yuv420p, which libx264 takes: chroma resolution is lost", or "".
    const std::string& note() const { return note_; }

    /// `pts` in the format's time base; packets are in that of context(). Throws Error{Input} if the encoder
    /// fails. Call receive() until it returns false before the next.
    void send(const VideoFormat& format, const std::byte* payload, std::int64_t pts);
    /// There are no further pictures.
    void sendEnd();
    bool receive(AVPacket& packet);

  private:
    AVPixelFormat choose(AVPixelFormat from);
    FramePtr source(const VideoFormat& format, const std::byte* payload);

    EncoderChoice choice_;
    bool headersApart_;  // in the container, not in each packet
    std::string note_;
    AVPixelFormat asked_ = AV_PIX_FMT_NONE;
    std::int64_t last_ = INT64_MIN;  // pts of the last picture, in the encoder's time base
    CodecContextPtr context_;
    PicturePacker packer_;
    PictureConverter converter_;
    VideoFormat target_;  // of conversions: the colour
    AVPixelFormat from_ = AV_PIX_FMT_NONE;
};

}  // namespace verbcast
