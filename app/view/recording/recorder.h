// Writes a stream to a file while it is shown and heard.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/view/recording/stream_file.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/flow/received_frame.h"
#include "core/memory/device_pool.h"

namespace verbcast {

struct RecorderOptions {
    VideoFile file;
    std::uint32_t slots = 8;                ///< of the receiver; a quarter of them may wait to be written
    std::optional<std::uint64_t> frames{};  ///< limit
    bool soundMayBeAlone = true;            ///< see StreamFile
    std::chrono::nanoseconds patience = StreamFile::kPatience;  ///< of pictures, likewise
};

struct RecordingStatus {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint64_t leftOut =
        0;  ///< frames that arrived but are not in the file: writing was slow, or had failed
    std::optional<std::uint64_t> room{};  ///< bytes that the file's disk has left, if it is a file
    bool complete = false;                ///< the frame limit has been reached
    std::string problem;                  ///< why writing stopped; finish() throws it
};

/// One thread brings frames, another one sound; threads of the recorder write, frames straight from their
/// slots. The rest is thread-safe.
class Recorder {
  public:
    /// Opens the file. Throws Error{Usage} if it cannot be written.
    explicit Recorder(const RecorderOptions& options);
    /// Without finish(), waiting frames are lost.
    ~Recorder();

    /// Takes a second lease on the frame. When the writer is behind, a frame of a lossless stream waits for
    /// it (until `stop`), which makes its sender wait too; other frames are dropped and counted. `withSound`:
    /// the sender has sound, too.
    void put(const ReceivedFrame& frame, bool withSound, const std::stop_token& stop);
    /// Copies the sound: it never waits for the writer. When that is seconds behind, silence stands for it.
    void put(const ArrivedSound& sound);

    /// Writes the waiting frames and the end of the file. If a pipe's reader has not taken them within
    /// `patience`, the rest is dropped. Throws what writing threw. Call once, after the last put().
    void finish(std::chrono::milliseconds patience);

    RecordingStatus status() const;
    const std::string& path() const { return options_.file.path; }
    /// Notes about the file for the user. Call after finish().
    const std::vector<std::string>& notes() const { return notes_; }
    /// Becomes readable when status() reports a problem or completion.
    const Event& ended() const { return ended_; }

  private:
    struct Item {
        FrameLease lease;
        std::shared_ptr<const VideoFormat> format;
        FrameInfo info;
        bool withSound = false;
    };
    struct SoundItem {
        std::shared_ptr<const SoundFormat> format;
        FrameInfo info;
        std::vector<std::byte> planar;
        bool follows = false;
    };
    void run();
    void runSound();
    void endSound();
    bool takesMore() const;
    bool writeOne(const Item& item, const std::stop_token& crowded);
    void lookForRoom();
    void finishFile();
    /// Returns what writing throws, or an error if the reader has left; null on success.
    template <typename Writing>
    std::exception_ptr failureOf(Writing&& writing) const;
    Error readerLeft() const;
    void fail(const std::exception_ptr& failure);

    const RecorderOptions options_;
    Event cancel_;
    Event ended_;
    StreamFile file_;
    HostPayload payload_;  // of thread_
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Item> waiting_;
    std::stop_source crowded_;  // of the frame that is being written
    std::deque<SoundItem> sound_;
    std::uint64_t accepted_ = 0;
    RecordingStatus status_;
    TimestampNs lookedForRoomAt_ = 0;  // owned by the thread
    bool finishing_ = false;
    bool finished_ = false;
    std::exception_ptr failure_;
    std::vector<std::string> notes_;
    std::jthread soundThread_;  // once there is sound
    std::jthread thread_;
};

}  // namespace verbcast
