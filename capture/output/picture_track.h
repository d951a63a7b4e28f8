// The pictures of a recording, as they are or encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/convert/picture_packer.h"
#include "capture/output/container_names.h"
#include "capture/output/muxer.h"
#include "capture/output/picture_encoder.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

inline constexpr std::int64_t kLatestTime = std::int64_t{1} << 52;  ///< a peer may send any value

/// Used by one thread. Frames are not copied if their planes lie without gaps in the slot and the container
/// takes those bytes, else once into a buffer; y4m passes row by row through libavformat's own.
class PictureTrack {
  public:
    /// `encoder`: see PictureEncoder, which throws; empty: pictures are stored as they are. Notes for the
    /// user go to `notes`, which outlives the track.
    PictureTrack(Container container, const std::string& encoder, std::vector<std::string>& notes);

    bool encodes() const { return encoder_ != nullptr; }
    std::uint64_t written() const { return frames_; }

    /// Before the first frame. Throws Error{Usage} if the container cannot hold it, or the encoder does not
    /// take it.
    void prepare(const VideoFormat& format);
    /// Adds the stream. `pts`: of the first frame, which is at 0 in the file.
    void addTo(Muxer& muxer, const VideoFormat& format, std::int64_t pts);
    /// Of the stream, once the file's header is written.
    AVRational timeBase() const { return stream_->time_base; }
    /// Returns FFmpeg's code; throws Error{Input} if the picture differs in size or pixel format. The caller
    /// counts it with countWritten() once the output has taken it.
    int write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload);
    void countWritten() { ++frames_; }
    /// Writes what the encoder has kept.
    int finish();

    /// A time of the stream, in units of 1/rate s, in the file. From addTo() on.
    std::int64_t toFile(std::int64_t time, std::uint32_t rate) const;
    /// The last picture's time in the file, in units of 1/rate s.
    std::int64_t lastTime(std::uint32_t rate) const;

  private:
    void describe(AVStream& stream, const VideoFormat& format) const;
    void noteLosses(const VideoFormat& format);
    void noteChanges(const VideoFormat& format);
    void requireSame(const VideoFormat& format) const;
    int store(const VideoFormat& format, const std::byte* payload, std::int64_t time);
    int encode(const VideoFormat& format, const std::byte* payload, std::int64_t time);
    int muxEncoded();
    std::int64_t nextTime(const VideoFormat& format, std::int64_t pts);
    std::span<const std::byte> bytesOf(const VideoFormat& format, const std::byte* payload);

    Container container_;
    std::unique_ptr<PictureEncoder> encoder_;  // null: pictures are stored as they are
    std::vector<std::string>& notes_;
    Muxer* muxer_ = nullptr;  // from addTo() on, as is stream_
    AVStream* stream_ = nullptr;
    PicturePacker packer_;
    PacketPtr packet_;
    VideoFormat format_;           // of the first frame
    VideoFormat last_;             // of the last one
    std::int64_t timeOffset_ = 0;  // added to pts, in format_.timeBase
    std::int64_t lastGiven_ = 0;   // with timeOffset_
    std::int64_t lastTime_ = 0;    // written
    std::uint64_t frames_ = 0;
};

}  // namespace verbcast
