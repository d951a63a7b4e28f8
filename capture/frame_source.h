// Sources of frames: a file, a pattern, a pipe, a camera, a screen.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/decoders.h"
#include "capture/input_injector.h"
#include "capture/picture_memory.h"
#include "capture/sound_source.h"
#include "core/base/error.h"
#include "core/base/os/event.h"
#include "core/memory/frame_pool.h"
#include "core/stats/decoding_stats.h"
#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

class SoundInput;

/// A captured frame: a slot of the source's pool that holds the picture.
struct CapturedFrame {
    FrameLease lease;
    /// Relative to the previously captured frame. The slot always holds the whole picture.
    PictureChanges changed = PictureChanges::all();
    VideoFormat format;         ///< the previous frame's unless size or layout changed: then a new epoch
    std::int64_t pts = 0;       ///< in format.timeBase
    std::int64_t duration = 0;  ///< likewise; 0 if unknown. The stream does not end before the last one has
    std::uint32_t flags = 0;    ///< FrameFlags
    TimestampNs capturedAt = 0;
    std::uint64_t inputSequence = 0;  ///< serial of the last ViewerInput that the picture may show; 0: none
};

/// The source's counters so far.
struct SourceCounters {
    std::uint64_t frames = 0;
    std::uint64_t framesDamaged = 0;  ///< decoded with errors, or marked so by the device
    std::uint64_t framesLost = 0;     ///< taken by a device but never delivered, or broken
    std::uint64_t packetsUndecodable = 0;
    std::uint64_t pixelCopies = 0;  ///< whole pictures copied or converted after decoding
};

/// Error{Input}: a file without video, which may hold sound.
class NoVideo : public Error {
  public:
    using Error::Error;
    std::shared_ptr<SoundInput> sound;  ///< of a pipe, which nobody can open again; null: none, or of a file
};

/// Position in a source that begins and ends. Use from the capturing thread. Times count from its beginning.
class Playback {
  public:
    virtual ~Playback() = default;
    /// The time of the last picture captured.
    virtual std::chrono::nanoseconds position() const = 0;
    /// The container's duration, if it has one.
    virtual std::optional<std::chrono::nanoseconds> duration() const = 0;
    /// False for pipes: then do not call seek() or stepBack().
    virtual bool canSeek() const = 0;
    /// Continues with the first picture at or after this time; pts goes on without a gap. Times outside the
    /// part that is sent are clamped to it. The next capture() goes there, and throws Error{Input} if a file
    /// cannot be read again.
    virtual void seek(std::chrono::nanoseconds time) = 0;
    /// Continues with the picture that many before the last one captured, or before the place just sought.
    virtual void stepBack(std::uint32_t pictures) = 0;
};

/// So that callers can look after other things.
constexpr std::chrono::seconds kLongestCapture{2};

/// Produces frames in a pool of its own. Used by one thread; capture() may wait for data or a free slot.
class FrameSource {
  public:
    virtual ~FrameSource() = default;

    /// "file clip.mp4 (h264)" for messages.
    virtual std::string describe() const = 0;
    /// Notes for the user, such as "yuv422p12le is sent as yuv422p10le: 2 bits of depth are lost". May be
    /// empty; only grows.
    virtual std::vector<std::string> notes() const = 0;
    /// Further notes, of what may come and go for days, such as a signal: those since the last call.
    virtual std::vector<std::string> takeNews() { return {}; }
    /// Format of the next frame, known from the start for all sources; later frames may change it. Without a
    /// size: the source has no pictures, at least none yet.
    virtual const VideoFormat& format() const = 0;
    /// Live sources (cameras, patterns) do not wait for anybody to take their frames: policy `latest`.
    virtual bool isLive() const = 0;
    /// capture() itself waits until a frame is due or something is new: the caller must not pace it.
    virtual bool pacesItself() const { return false; }
    /// Others send to it, and wait if nobody takes their frames.
    virtual bool isFed() const { return false; }
    /// The clock of its time stamps may be set anew, as in recorded broadcasts: a gap of more than 10 s is no
    /// pause.
    virtual bool mayJump() const { return false; }
    /// The total number of frames, if the source knows it.
    virtual std::optional<std::uint64_t> expectedFrames() const = 0;

    /// Ok: `frame` is filled. Closed: the end. Cancelled: `cancel` was set while waiting. TimedOut, only from
    /// sources that pace themselves, which return it after kLongestCapture: no frame yet, and notes() may say
    /// why; call again. Never returns Busy.
    /// Throws Error{Input} or Error{Device} if the source fails for good.
    virtual Status capture(CapturedFrame& frame, const Event& cancel) = 0;

    virtual SourceCounters counters() const = 0;
    /// Where pictures are decoded now; null for sources that do not decode. Lives as long as the source.
    virtual const DecodingStats* decoding() const { return nullptr; }
    /// Whether the source closed because it lost the connection that its frames came over.
    virtual bool wasLost() const { return false; }

    /// Takes viewers' input; null if input is not accepted. Must not outlive the source. Throws
    /// Error{Display} if the source should accept input but cannot.
    virtual std::unique_ptr<InputInjector> inputInjector() { return nullptr; }

    /// Null for sources without a beginning and an end. Lives as long as the source.
    virtual Playback* playback() { return nullptr; }

    /// The source's own sound, as SourceOptions::soundTrack has chosen it; null if it has none. Call once,
    /// before capture(), and use from the same thread. Throws Error{Input} if it cannot be read or decoded,
    /// which the pictures need not mind; Error{Usage} if there is sound, but not that track.
    virtual std::unique_ptr<SoundSource> sound(const SoundOptions& /*options*/) { return nullptr; }
};

/// Where a camera's pictures are stored.
enum class CameraMemoryChoice {
    Best,    ///< the first of these three that its driver supports
    Ring,    ///< the device writes into our ring
    DmaBuf,  ///< in the driver's memory, exported as dma-bufs
    Copy,    ///< copied from the driver's memory into our ring
};

/// Where the pictures of a screen that comes over PipeWire are stored.
enum class ScreenMemoryChoice {
    Best,    ///< as Copy, without a note: no desktop's dma-bufs have been tried
    DmaBuf,  ///< in the desktop's memory, exported as dma-bufs; copied, with a note, if it offers none
    Copy,    ///< copied from the desktop's shared memory into our ring, with a note
};

struct SourceOptions {
    std::string source;         ///< path or URL for FFmpeg, "-", or of kSourceSchemes
    std::string inputFormat{};  ///< files: FFmpeg's name for the format; lists of others are opened only so
    std::optional<std::uint32_t> videoTrack{};  ///< files with several: see MediaChoice
    std::optional<std::uint32_t> soundTrack{};  ///< for sound(), as SoundOptions::track; nullopt: none
    std::optional<PixelFormat> pixelFormat{};   ///< convert to this; cameras: the nearest that they offer
    std::optional<std::uint32_t> width{}, height{};
    std::optional<Rational> frameRate{};  ///< patterns, stdin, cameras: their rate; screens: the maximum
    bool unpaced = false;                 ///< sources that pace themselves: as fast as something is new
    bool loop = false;                    ///< files restart at their end; pts goes on
    std::chrono::nanoseconds start{0};    ///< files: begin with the first picture at or after this time;
    std::optional<std::chrono::nanoseconds> length{};  ///< files: only this much, counted from that picture
    /// Cameras and screens: time of pts 0, which makes those of one host comparable. 0: the first picture.
    TimestampNs ptsZero = 0;
    CameraMemoryChoice cameraMemory = CameraMemoryChoice::Best;  ///< Copy, with a note, if unsupported
    ScreenMemoryChoice screenMemory = ScreenMemoryChoice::Best;  ///< of Wayland desktops
    std::uint32_t slots = 8;  ///< frames in flight beyond what a decoder keeps for itself
    int decoderThreads = 0;   ///< 0: one per processor
    /// For files. Error{Device} if this machine lacks a decoder named here, or it cannot decode the file.
    Decoder decoder = Decoder::Software;
    /// Files. Device, Auto: pictures of NVIDIA's decoder stay in its GPU's memory where they are sent as
    /// decoded; notes() tells why others do not. Device: Error{Usage} for other sources.
    PictureMemory memory = PictureMemory::Host;
    std::string whyHost{};          ///< for a note where NVIDIA's decoder decodes
    const Event* cancel = nullptr;  ///< ends waits for a pipe or the user while the source opens
};

/// Opens any source. Throws Error{Input} (no such file; NoVideo if there is none in it), Error{Usage}
/// (unknown pattern; raw frames on stdin without size or format), Error{Device} (camera missing, in use,
/// refused), Error{Resource}.
std::unique_ptr<FrameSource> openSource(const SourceOptions& options);

/// What this machine has of the kinds of sources, for `verbcast devices`.
struct SourceDevices {
    std::string heading;
    std::vector<std::string> lines;  ///< may be empty
};
std::vector<SourceDevices> sourceDevices();

/// "5.1.6-0+deb12u1", as loaded at run time. Loads it.
std::string ffmpegVersion();
/// The same of the one that this program was compiled with.
std::string ffmpegVersionCompiledWith();

}  // namespace verbcast
