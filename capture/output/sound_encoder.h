// Turns sound into packets by one of FFmpeg's encoders; samples as they are have one, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

extern "C" {
#include <libavutil/audio_fifo.h>
}

#include "capture/convert/ffmpeg_handles.h"
#include "capture/output/encoder_choice.h"
#include "core/sound/sound_format.h"

struct SwrContext;

namespace verbcast {

/// Blocks go in, packets come out. Times are in 1/rate s. Used by one thread; encoders have others of their
/// own. Functions that take sound throw Error{Resource} if out of memory.
class SoundEncoder {
  public:
    /// `asked`: as for chooseEncoder(), which throws; empty: 32-bit floats, bit by bit. Throws Error{Usage}
    /// if `muxer` does not hold what the encoder makes, or the encoder does not take such sound.
    SoundEncoder(const SoundFormat& format, const std::string& asked, const AVOutputFormat& muxer);

    /// What the muxer needs to know.
    const AVCodecContext& context() const { return *context_; }
    /// "the sound's 32-bit floats are converted to s32, which flac takes", or "".
    const std::string& note() const { return note_; }

    /// The next sample's time. Call before the first, and where missing() is 0 and receive() has returned
    /// false.
    void moveTo(std::int64_t time) { time_ = time; }
    /// Samples until the encoder has no incomplete packet of its own.
    std::int64_t missing() const;
    /// `count` samples of a block as SoundFormat says, without those before `first`.
    void send(std::span<const std::byte> planar, std::int64_t first, std::int64_t count);
    void sendSilence(std::int64_t samples);
    /// There is no further sound.
    void sendEnd() { ending_ = true; }
    /// Throws Error{Input} if the encoder fails.
    bool receive(AVPacket& packet);

  private:
    struct FreeFifo {
        void operator()(AVAudioFifo* fifo) const { av_audio_fifo_free(fifo); }
    };
    struct FreeResampler {
        void operator()(SwrContext* context) const;
    };
    void open(const AVOutputFormat& muxer);
    void openConversion();
    bool feed();
    void write(void* const* planes, std::int64_t samples);
    FramePtr newBlock(AVSampleFormat format, int samples) const;
    [[noreturn]] void fail(int code) const;

    SoundFormat format_;
    EncoderChoice choice_;
    std::string note_;
    CodecContextPtr context_;
    std::unique_ptr<AVAudioFifo, FreeFifo> waiting_;        // planar floats
    std::unique_ptr<SwrContext, FreeResampler> converted_;  // null: the encoder takes planar floats
    std::int64_t time_ = 0;                                 // of the first sample in waiting_
    bool ending_ = false;
    bool ended_ = false;
};

}  // namespace verbcast
