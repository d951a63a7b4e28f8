// Decodes one of a file's sound tracks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/sound/note_list.h"
#include "capture/sound/sample_converter.h"
#include "capture/sound/sample_queue.h"
#include "capture/sound/sound_timeline.h"

namespace verbcast {

/// Decoded sound waits in queue(), in one rate and number of channels from beginning to end: what has another
/// rate is resampled, and other channels are mixed, with a note.
class DecodedTrack {
  public:
    /// `name` for notes: "the sound of clip.mp4". `beginning`: see SoundInput::startTime(). `rate`: that of
    /// the queue. Throws Error{Input} if FFmpeg cannot decode it.
    DecodedTrack(const AVStream& stream, std::string name, std::int64_t beginning, std::uint32_t rate,
                 NoteList& notes);

    std::uint16_t channels() const { return static_cast<std::uint16_t>(parameters_->ch_layout.nb_channels); }

    /// Decodes a packet. Null: the end. What cannot be decoded is missing in the queue.
    void decode(const AVPacket* packet);
    /// The next packet is from elsewhere. Empties the queue.
    void restart(bool atBeginning);

    SampleQueue& queue() { return queue_; }
    const SampleQueue& queue() const { return queue_; }
    /// See SoundTimeline.
    bool isExact() const { return timeline_.isExact(); }

  private:
    void openDecoder();
    void take(const AVFrame& frame);
    void beginRun(const AVFrame& frame, std::int64_t at);
    /// Brings what is left of a run that is resampled.
    void endRun();
    void add(std::uint32_t samples);
    void noteUndecodable();

    CodecParametersPtr parameters_;
    std::string name_;
    std::uint32_t rate_;
    NoteList& notes_;
    AVRational timeBase_;
    CodecContextPtr decoder_{};
    FramePtr frame_;
    SoundTimeline timeline_;
    int decodedRate_;
    bool saidChange_ = false;
    std::optional<SampleConverter> converter_{};  // of the current run, which has one format and no gap
    std::int64_t end_ = 0;                        // of what has come out of it
    SampleQueue queue_;
};

}  // namespace verbcast
