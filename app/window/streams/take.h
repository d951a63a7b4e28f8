// A recording that is started and stopped while a stream is watched.
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "app/view/recording/recorder.h"

namespace verbcast {

/// For a disk that is slow with the last frames.
inline constexpr std::chrono::minutes kTakePatience{1};

/// How a recording has ended.
struct FinishedTake {
    std::string path;  ///< removed if it has no frames
    RecordingStatus status{};
    std::vector<std::string> notes{};
    std::uint64_t dropped = 0;  ///< on the way to this viewer, meanwhile
    std::string problem{};      ///< why the file is not complete; "": it is
};

/// Belongs to the GUI thread.
class Take : public QObject {
    Q_OBJECT
  public:
    /// Opens the file. Throws Error{Usage} if it cannot be written, or exists. `before`: of the stream.
    Take(const std::string& path, std::uint32_t slots, const StreamStats& before);
    ~Take() override;

    const std::shared_ptr<Recorder>& recorder() const { return recorder_; }
    const std::string& path() const { return path_; }
    /// Completes the file on another thread, and emits ended(). Call once. `dropped`: of the stream, by now.
    void finish(std::uint64_t dropped);
    /// After finish(): how it ended. Waits.
    FinishedTake wait() const { return finishing_.get(); }

  Q_SIGNALS:
    /// Writing has failed: finish() it.
    void failed();
    /// wait() returns at once from now on.
    void ended();

  private:
    const std::string path_;
    const std::uint64_t droppedBefore_;
    std::shared_ptr<Recorder> recorder_;  // shared with the thread that receives
    QSocketNotifier failure_;
    std::shared_future<FinishedTake> finishing_;
};

/// A new file for a take: into `folder`, named after the stream, the date and the time, so that they sort;
/// a second one of that second ends with "_2".
QString takePath(const QString& folder, const QString& stream);

}  // namespace verbcast
