// A stream's pictures and sound on their way into one file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/view/sound/sound_thread.h"
#include "capture/output/frame_sink.h"

namespace verbcast {

/// Writes them in the order of time: a picture waits until the sound of its time has been written, if there
/// is any. Once one has waited in vain, those after it do not wait until sound has come as far as pictures
/// have. One thread brings pictures, another one sound. A file that cannot hold the sound holds the pictures,
/// and notes() says so.
class StreamFile {
  public:
    /// A picture waits no longer for its sound.
    static constexpr std::chrono::milliseconds kPatience{500};

    /// Opens it, as openSink() does. `soundMayBeAlone`: without a picture for 2 s, the file is one of sound;
    /// false: the stream has pictures, which are waited for.
    StreamFile(const VideoFile& file, const Event& cancel, bool soundMayBeAlone = true,
               std::chrono::nanoseconds patience = kPatience);

    // From the thread that brings pictures:
    /// Whether the sender has sound, for which pictures wait.
    void expectSound(bool expected);
    /// As FrameSink. `crowded`: there is no room for further pictures, and this one waits no more; but the
    /// first, with which the file's tracks begin, does.
    Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload,
                 const std::stop_token& crowded = {});
    /// Call once no more sound comes.
    Status finish();
    /// Instead of finish() after an error: what was written before is a file that plays.
    void finishAfterFailure() noexcept;
    /// Those that came since the last call.
    std::vector<std::string> takeNotes();

    // From the thread that brings sound:
    void write(const ArrivedSound& sound);
    void endSound();

    // From any thread:
    /// What has become of writing, as FrameSink::write() says it.
    Status status() const;
    std::uint64_t bytesWritten() const;

  private:
    void await(std::unique_lock<std::mutex>& lock, double time, const std::stop_token& crowded);
    void begin(const SoundFormat& format);
    void put(const ArrivedSound& sound);
    void countAlone(double seconds);
    Status writable() const;
    void complete() noexcept;

    mutable std::mutex mutex_;  // guards all that follows
    std::condition_variable_any changed_;
    const std::unique_ptr<FrameSink> sink_;
    bool holdsPictures_;
    const bool soundMayBeAlone_;
    const std::chrono::nanoseconds patience_;
    std::vector<std::string> notes_;
    std::size_t sinkNotes_ = 0;
    bool expected_ = false;  // sound, before the next picture
    bool takes_ = true;      // sound
    bool begun_ = false;     // the file
    std::optional<SoundFormat> format_;
    double soundUntil_ = 0;                                        // seconds, of what has been written
    double pictureAt_ = -std::numeric_limits<double>::infinity();  // seconds, of the last one
    double soundAlone_ = 0;                                        // seconds that came before any picture
    Status status_ = Status::Ok;
    std::exception_ptr failure_;  // of the thread that brings sound
};

}  // namespace verbcast
