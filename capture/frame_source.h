// Where frames come from: a file, a pattern, a pipe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/pool/frame_pool.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// A captured frame: a slot of the source's pool with the picture in it.
struct CapturedFrame {
    FrameLease lease;
    VideoFormat format;       ///< equals the frame's before unless size or layout changed: then a new epoch
    std::int64_t pts = 0;     ///< in format.timeBase
    std::uint32_t flags = 0;  ///< FrameFlags
    TimestampNs capturedAt = 0;
    std::uint64_t inputSequence = 0;  ///< ViewerInput::serial of the last event that the picture shows
};

/// What happened to the source's data so far.
struct SourceCounters {
    std::uint64_t frames = 0;
    std::uint64_t framesDamaged = 0;  ///< decoded with errors
    std::uint64_t packetsUndecodable = 0;
    std::uint64_t pixelCopies = 0;  ///< times that a whole picture was copied or converted after decoding
};

/// Produces frames into a pool of its own. Used by one thread; capture() may wait for data or for a free
/// slot.
class FrameSource {
  public:
    virtual ~FrameSource() = default;

    /// "file clip.mp4 (h264)" for messages.
    virtual std::string describe() const = 0;
    /// A person should know: "yuv422p12le is sent as yuv422p10le: 2 bits of depth are lost". Empty lines
    /// none.
    virtual std::vector<std::string> notes() const = 0;
    /// Format of the next frame, known from the start for all sources; a later frame may carry another.
    virtual const VideoFormat& format() const = 0;
    /// Live sources (cameras, patterns) go on whether or not anybody takes the frames: policy `latest`.
    virtual bool isLive() const = 0;
    /// Frames expected in all, if the source knows.
    virtual std::optional<std::uint64_t> expectedFrames() const = 0;

    /// Ok: `frame` is filled. Closed: the end. Cancelled: `cancel` was set while waiting.
    /// Busy is never returned. Throws Error{Input} when the source fails for good.
    virtual Status capture(CapturedFrame& frame, const Event& cancel) = 0;

    virtual SourceCounters counters() const = 0;
};

struct SourceOptions {
    std::string source;                        ///< path or URL for FFmpeg, "pattern[:name]", "-"
    std::optional<PixelFormat> pixelFormat{};  ///< convert to this
    std::optional<std::uint32_t> width{}, height{};
    std::optional<Rational> frameRate{};  ///< patterns and stdin: their rate; files keep their own
    bool loop = false;                    ///< files start again at their end, pts going on
    std::uint32_t slots = 8;              ///< frames in flight beyond what a decoder keeps for itself
    int decoderThreads = 0;               ///< 0: one per processor
};

/// Opens any source. Throws Error{Input} (no such file, no video in it), Error{Usage} (unknown pattern, size
/// or format missing for stdin), Error{Resource}.
std::unique_ptr<FrameSource> openSource(const SourceOptions& options);

/// Names for "pattern:NAME" with a line about each.
struct PatternName {
    std::string name, summary;
};
std::vector<PatternName> patternNames();

/// "libavcodec 59.37.100, libavformat ..." as loaded at run time.
std::string ffmpegVersion();

/// Cameras and the like that the machine has: "/dev/video0  vivid" (V4L2). May be empty.
std::vector<std::string> captureDevices();

/// A kind of graphics hardware that FFmpeg was built to decode on, whether or not this machine has it.
struct HardwareDecoder {
    std::string type;                 ///< "vaapi", "cuda", ...
    std::vector<std::string> codecs;  ///< "av1", "h264", ...; sorted
};
/// Opens no device.
std::vector<HardwareDecoder> hardwareDecoders();

}  // namespace verbcast
