// Decides what the viewer does: which streams it shows, when it is over and with what outcome.
#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/view/view_options.h"
#include "app/window/picture/stream_feed.h"
#include "app/window/recording/recorder.h"

class QSocketNotifier;

namespace verbcast {

/// Has a feed for each stream, one at least. Belongs to the GUI thread.
class ViewerController : public QObject {
    Q_OBJECT
  public:
    /// Throws Error{Usage} when what is to be recorded cannot be written.
    explicit ViewerController(const ViewOptions& options);
    ~ViewerController() override;

    /// Uses the addresses of the options. Waits until they are in use, not for senders. Throws what a
    /// receiver throws when its address cannot be used. Called once.
    void open();
    /// The same without waiting; what fails is the feed's failure.
    void reopen();

    std::size_t streams() const { return feeds_.size(); }
    StreamFeed& feed(std::size_t stream = 0) { return *feeds_.at(stream); }

    const ViewOptions& options() const { return options_; }
    /// Nothing when the stream is not recorded.
    std::optional<RecordingStatus> recording() const;
    /// Once no frame is needed any more: closes the receivers and finishes the file. Null when the stream is
    /// not recorded. Throws what writing has thrown.
    const Recorder* finishRecording();

    /// Ends the program; the first caller's reason counts.
    void end(const std::string& reason, int exitCode);
    /// The user closed the window: the outcome is that of the failure on display, if there is one.
    void endByUser();
    const std::optional<ViewOutcome>& outcome() const { return outcome_; }

    void frameShown(const ReceivedFrame& frame, std::size_t stream = 0);

    /// Nothing where streams are not aligned.
    std::optional<AlignmentStats> alignment() const {
        return alignment_ ? std::optional(alignment_->stats()) : std::nullopt;
    }

  Q_SIGNALS:
    /// Frames that are shown together are in their mailboxes.
    void alignedFramesWaiting();
    /// Nothing more is written.
    void recordingFailed();
    void ended();

  private:
    void startRecorder();
    void startAlignment();
    void onOver(const StreamFeed& feed);
    void onPatienceOver();
    void endAfterFrames();

    ViewOptions options_;
    std::unique_ptr<Recorder> recorder_;  // null: none
    std::unique_ptr<QSocketNotifier> recorderEnded_;
    std::unique_ptr<SharedAlignment> alignment_;  // null: none
    std::unique_ptr<QSocketNotifier> aligned_;
    std::vector<std::unique_ptr<StreamFeed>> feeds_;
    QTimer duration_;
    std::optional<ViewOutcome> outcome_;
};

}  // namespace verbcast
