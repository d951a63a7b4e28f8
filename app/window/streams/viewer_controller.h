// Decides what the viewer does: which streams it shows, when it is over and with what outcome.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/view/recording/recorder.h"
#include "app/view/view_options.h"
#include "app/window/streams/stream_callers.h"
#include "app/window/streams/stream_feed.h"

class QSocketNotifier;

namespace verbcast {

/// Has a feed for each stream, one at least: a vacant one while there is no stream. Senders that call at the
/// address of several (ViewOptions::takesCallers()) get one each as they come. Belongs to the GUI thread.
class ViewerController : public QObject {
    Q_OBJECT
  public:
    /// Throws Error{Usage} when what is to be recorded cannot be written.
    explicit ViewerController(const ViewOptions& options);
    ~ViewerController() override;

    /// Uses the addresses of the options. Waits until they are in use, not for senders. Throws what a
    /// receiver throws when its address cannot be used. Called once.
    void open();
    /// The same without waiting; what fails is the feed's failure. Not where senders call.
    void reopen();

    std::size_t streams() const { return feeds_.size(); }
    StreamFeed& feed(std::size_t stream = 0) { return *feeds_.at(stream); }
    const StreamFeed& feed(std::size_t stream = 0) const { return *feeds_.at(stream); }
    /// Without a vacant one.
    std::size_t liveStreams() const;
    /// So many more may be added: kMaxViewedStreams without those kept for senders that call.
    std::size_t room() const;

    /// Whether streams may come and go: not while the one is recorded or hashed.
    bool mayChange() const { return options_.output.empty() && options_.frameMd5.empty() && !options_.tile; }

    /// Behind the others, or in the vacant place. Returns its number; nothing when there is no room.
    /// `keyFile` is empty where there is none.
    std::optional<std::size_t> add(const Url& url, bool listen, const std::string& keyFile);
    /// The others move up; the last one leaves a vacant place. A sender that has called is sent away.
    void remove(std::size_t stream);
    /// See StreamFeed. A sender that has called is sent away.
    void connectTo(std::size_t stream, const Url& url, bool listen, const std::string& keyFile);

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

    /// Null where frames are shown as they come, whatever the sender says.
    TogetherStream* together() { return together_.get(); }
    /// Nothing where streams are not aligned.
    std::optional<AlignmentStats> alignment() const {
        return alignment_ ? std::optional(alignment_->stats()) : std::nullopt;
    }

  Q_SIGNALS:
    /// Frames that are shown together are in their mailboxes.
    void alignedFramesWaiting();
    /// The last one is new.
    void streamAdded();
    /// Nothing may be taken from its feed any more, which goes when this returns; the last one becomes
    /// vacant.
    void streamLeaves(std::size_t stream);
    /// One has left.
    void streamsChanged();
    /// Nothing more is written.
    void recordingFailed();
    void ended();

  private:
    void startRecorder();
    void startAlignment();
    StreamFeed& newFeed(std::unique_ptr<StreamFeed> feed);
    void openDoor();
    void onCame(std::shared_ptr<IncomingStream> stream);
    Message vacancy() const;
    void dismiss(const StreamFeed& feed);
    void closeLater(std::unique_ptr<ReceiverThread> receiver);
    void onOver(StreamFeed& feed);
    void onPatienceOver();
    void endAfterFrames();

    ViewOptions options_;
    std::unique_ptr<Recorder> recorder_;  // null: none
    std::unique_ptr<QSocketNotifier> recorderEnded_;
    std::unique_ptr<SharedAlignment> alignment_;  // null: none
    std::unique_ptr<TogetherStream> together_;    // of the first stream, if it began as the only one
    std::unique_ptr<QSocketNotifier> aligned_;
    std::unique_ptr<StreamCallers> callers_;  // null: nobody may call
    std::vector<std::future<void>> leaving_;  // closing a stream waits for its peer
    std::vector<std::unique_ptr<StreamFeed>> feeds_;
    QTimer duration_;
    std::optional<ViewOutcome> outcome_;
};

}  // namespace verbcast
