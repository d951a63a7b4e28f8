// The sound of a recording: blocks with times become one unbroken track.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/output/container_names.h"
#include "capture/output/muxer.h"
#include "capture/output/sound_encoder.h"
#include "core/sound/sound_format.h"

namespace verbcast {

/// Used by one thread. Times are the file's, in 1/rate s: the first picture is at 0, sound from before it
/// has negative ones. `int`s are FFmpeg's codes.
///
/// A block whose time differs from the count of samples by less than 20 ms follows the last one, sample by
/// sample. Where more is missing, silence is written; what lies before the end of the last block is left
/// out. Then the next sample is at its time, exactly.
///
/// Times that go their own way, as those of a device whose crystal is not the clock's, are followed: while
/// they differ by more than 10 ms for longer than a block may be late, a sample in at least 1000 is repeated
/// or left out, until they meet.
class SoundTrack {
  public:
    /// A longer gap is not filled with silence. Where the container has times, they tell of it.
    static constexpr std::int64_t kMaxSilenceSeconds = 600;

    /// `encoder`: see SoundEncoder, which throws. Throws Error{Usage} for one whose packets need times that
    /// the container does not have.
    SoundTrack(const SoundFormat& format, const std::string& encoder, Container container);

    const SoundFormat& format() const { return format_; }
    const std::string& note() const { return encoder_.note(); }
    /// What the encoder puts before the first sample, unless the container's edit lists hide it.
    std::int64_t preroll() const;

    /// `held`: packets wait for pictures that an encoder has kept.
    void addTo(Muxer& muxer, bool held);
    /// Of the stream, once the file's header is written.
    AVRational timeBase() const { return stream_->time_base; }
    /// What lies before `earliest`, which is 0 in the file, is left out. Call once the file's header is
    /// written.
    void setEarliest(std::int64_t earliest) { earliest_ = earliest; }

    /// `planar`: a block as SoundFormat says.
    int put(std::int64_t time, std::span<const std::byte> planar);
    /// Begins at 0 with silence until `time`: call before the first block.
    int putSilence(std::int64_t time);
    /// Writes what the encoder has kept.
    int finish();

    bool isBegun() const { return begun_; }
    /// The time after the last sample, once there is one.
    std::int64_t end() const { return end_; }
    std::uint64_t written() const { return written_; }
    /// What was missing and what was left out, for the user.
    std::vector<std::string> notes() const;

  private:
    void start(std::int64_t time);
    int fillGap(std::int64_t samples, bool atStart);
    int silence(std::int64_t samples);
    int follow(std::int64_t ahead, std::int64_t samples);
    int mux();

    SoundFormat format_;
    const ContainerName& container_;
    SoundEncoder encoder_;
    Muxer* muxer_ = nullptr;  // from addTo() on
    AVStream* stream_ = nullptr;
    bool held_ = false;
    PacketPtr packet_;
    std::int64_t earliest_ = 0;
    bool begun_ = false;
    std::int64_t end_ = 0;
    bool overlapping_ = false;
    int astray_ = 0;              // 1 or -1: the last block's time was late or early, by too much to stay so
    bool following_ = false;      // until it is in its place
    std::int64_t astrayFor_ = 0;  // samples, or since the last one that was repeated or left out
    std::uint64_t written_ = 0;   // samples
    std::uint64_t gaps_ = 0, gapSamples_ = 0;
    std::uint64_t overlaps_ = 0, overlapSamples_ = 0;
    std::uint64_t longGaps_ = 0;
};

/// The smallest number of samples that lasts a whole number of units of `timeBase`; 1 if that were more than
/// a second.
std::int64_t wholeUnits(std::uint32_t rate, AVRational timeBase);

}  // namespace verbcast
