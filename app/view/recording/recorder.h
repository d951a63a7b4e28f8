// Writes a stream to a file while it is shown.
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

#include "capture/output/video_writer.h"
#include "core/base/error.h"
#include "core/stream/frame/received_frame.h"

namespace verbcast {

struct RecorderOptions {
    std::string path;  ///< "-": standard output
    Container container = Container::Nut;
    std::uint32_t slots = 8;                ///< of the receiver: a quarter of them may wait to be written
    std::optional<std::uint64_t> frames{};  ///< as many at most
};

struct RecordingStatus {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint64_t leftOut =
        0;                  ///< frames that arrived and are not in the file: it was too slow, or had failed
    bool complete = false;  ///< has as many frames as were wanted
    std::string problem;    ///< why nothing more is written; finish() throws it
};

/// One thread puts; another one, of the recorder's own, writes the frames straight from their slots. The rest
/// may be called from any thread.
class Recorder {
  public:
    /// Opens the file. Throws Error{Usage} when it cannot be written to.
    explicit Recorder(const RecorderOptions& options);
    /// Without finish(): what waits is lost.
    ~Recorder();

    /// Takes a second lease on the frame. When the writer is behind, a frame of a lossless stream waits for
    /// it (until `stop`), so that its sender does, too; another one is left out and counted.
    void put(const ReceivedFrame& frame, const std::stop_token& stop);

    /// Writes what waits and the end of the file. A pipe whose reader has not taken that by then is cut:
    /// what it lacks is left out. Throws what writing has thrown. Call once, when nobody puts any more.
    void finish(std::chrono::milliseconds patience);

    RecordingStatus status() const;
    const std::string& path() const { return options_.path; }
    /// What a person should know about the file, once it is finished.
    const std::vector<std::string>& notes() const { return writer_.notes(); }
    /// Becomes readable when status() tells a problem, or is complete.
    const Event& ended() const { return ended_; }

  private:
    struct Item {
        FrameLease lease;
        std::shared_ptr<const VideoFormat> format;
        FrameInfo info;
    };
    void run();
    bool takesMore() const;
    bool writeOne(const Item& item);
    void finishFile();
    /// What writing throws, or that nobody reads any more; null otherwise.
    template <typename Writing>
    std::exception_ptr failureOf(Writing&& writing) const;
    Error readerLeft() const;
    void fail(const std::exception_ptr& failure);

    const RecorderOptions options_;
    Event cancel_;
    Event ended_;
    VideoWriter writer_;  // of the thread while it runs
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Item> waiting_;
    std::uint64_t accepted_ = 0;
    RecordingStatus status_;
    bool finishing_ = false;
    bool finished_ = false;
    std::exception_ptr failure_;
    std::jthread thread_;
};

}  // namespace verbcast
