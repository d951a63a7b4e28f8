// Where frames come from: a file, a pattern, a pipe, a camera, a screen.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/input_injector.h"
#include "core/base/event.h"
#include "core/memory/frame_pool.h"
#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

/// A captured frame: a slot of the source's pool with the picture in it.
struct CapturedFrame {
    FrameLease lease;
    /// Since the frame captured before. The slot holds the whole picture in any case.
    PictureChanges changed = PictureChanges::all();
    VideoFormat format;       ///< equals the frame's before unless size or layout changed: then a new epoch
    std::int64_t pts = 0;     ///< in format.timeBase
    std::uint32_t flags = 0;  ///< FrameFlags
    TimestampNs capturedAt = 0;
    std::uint64_t inputSequence = 0;  ///< serial of the last ViewerInput that the picture may show; 0: none
};

/// What happened to the source's data so far.
struct SourceCounters {
    std::uint64_t frames = 0;
    std::uint64_t framesDamaged = 0;  ///< decoded with errors, or marked so by the device
    std::uint64_t framesLost = 0;     ///< taken by a device, and not handed over by it, or broken
    std::uint64_t packetsUndecodable = 0;
    std::uint64_t pixelCopies = 0;  ///< times that a whole picture was copied or converted after decoding
};

/// Where in it a source is that has a beginning and an end. Used by the thread that captures. Times count
/// from the beginning.
class Playback {
  public:
    virtual ~Playback() = default;
    /// Of the last picture captured.
    virtual std::chrono::nanoseconds position() const = 0;
    /// What the container says, if it does.
    virtual std::optional<std::chrono::nanoseconds> duration() const = 0;
    /// False for pipes: then neither of the next two may be called.
    virtual bool canSeek() const = 0;
    /// The first picture at or after this time is captured next; pts goes on without a gap. A time outside
    /// the part that is sent means its nearest end. Throws Error{Input} where a file cannot be read again.
    virtual void seek(std::chrono::nanoseconds time) = 0;
    /// The picture so many before the last one captured is captured next.
    virtual void stepBack(std::uint32_t pictures) = 0;
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
    /// capture() itself waits until a frame is due or there is something new: the caller adds no pace.
    virtual bool pacesItself() const { return false; }
    /// Frames expected in all, if the source knows.
    virtual std::optional<std::uint64_t> expectedFrames() const = 0;

    /// Ok: `frame` is filled. Closed: the end. Cancelled: `cancel` was set while waiting. TimedOut, from
    /// sources that pace themselves only: there is no frame yet, and notes() says why; call again. Busy is
    /// never returned. Throws Error{Input} or Error{Device} when the source fails for good.
    virtual Status capture(CapturedFrame& frame, const Event& cancel) = 0;

    virtual SourceCounters counters() const = 0;
    /// Closed, because the connection that the frames came over was lost.
    virtual bool wasLost() const { return false; }

    /// What takes viewers' input, or null when nothing does; outlived by the source. Throws Error{Display}
    /// when it should but cannot.
    virtual std::unique_ptr<InputInjector> inputInjector() { return nullptr; }

    /// Null for sources without a beginning and an end; lives as long as the source.
    virtual Playback* playback() { return nullptr; }
};

struct SourceOptions {
    std::string source;  ///< path or URL for FFmpeg, "pattern[:name]", "-", "v4l2[:path]", "screen[:what]"
    std::optional<PixelFormat> pixelFormat{};  ///< convert to this; cameras: the nearest that they offer
    std::optional<std::uint32_t> width{}, height{};
    std::optional<Rational> frameRate{};  ///< patterns, stdin, cameras: their rate; screens: at most
    bool unpaced = false;                 ///< sources that pace themselves: as fast as there is something new
    bool loop = false;                    ///< files start again at their end, pts going on
    std::chrono::nanoseconds start{0};    ///< files: from the first picture at or after this time,
    std::optional<std::chrono::nanoseconds> length{};  ///< those less than so much later than that one
    /// Cameras and screens: pts count from that moment, so that those of several of one host can be compared;
    /// 0: from the first picture.
    TimestampNs ptsZero = 0;
    std::uint32_t slots = 8;        ///< frames in flight beyond what a decoder keeps for itself
    int decoderThreads = 0;         ///< 0: one per processor
    const Event* cancel = nullptr;  ///< ends waits for a pipe or a person while the source is opened
};

/// Opens any source. Throws Error{Input} (no such file, no video in it), Error{Usage} (unknown pattern; raw
/// frames on stdin without size or format), Error{Device} (camera missing, in use, refused), Error{Resource}.
std::unique_ptr<FrameSource> openSource(const SourceOptions& options);

/// "libavcodec 59.37.100, libavformat ..." as loaded at run time.
std::string ffmpegVersion();

/// Cameras that the machine has (V4L2): a line for each, "/dev/video0  vivid  (driver vivid,
/// platform:vivid-000)", and an indented one for each of its pixel formats. May be empty.
std::vector<std::string> captureDevices();

/// A kind of graphics hardware that FFmpeg was built to decode on, whether or not this machine has it.
struct HardwareDecoder {
    std::string type;                 ///< "vaapi", "cuda", ...
    std::vector<std::string> codecs;  ///< "av1", "h264", ...; sorted
};
/// Opens no device.
std::vector<HardwareDecoder> hardwareDecoders();

}  // namespace verbcast
