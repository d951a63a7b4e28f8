// Controls the viewer: which streams it shows, when it is over and with what outcome.
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
#include "app/window/streams/take.h"

class QSocketNotifier;

namespace verbcast {

/// Has at least one feed: one per stream, or a vacant one if there is none. If several senders may call
/// (ViewOptions::takesCallers()), each gets a feed when it comes. Belongs to the GUI thread.
class ViewerController : public QObject {
    Q_OBJECT
  public:
    /// Throws Error{Usage} if the recording cannot be written.
    explicit ViewerController(const ViewOptions& options);
    ~ViewerController() override;

    /// Opens the addresses of the options. Waits until they are open, not for senders. Throws what a receiver
    /// throws if its address cannot be opened. Call once.
    void open();
    /// The same without waiting; an error becomes the feed's failure. Not where senders call.
    void reopen();

    std::size_t streams() const { return feeds_.size(); }
    StreamFeed& feed(std::size_t stream = 0) { return *feeds_.at(stream); }
    const StreamFeed& feed(std::size_t stream = 0) const { return *feeds_.at(stream); }
    /// Without the vacant one.
    std::size_t liveStreams() const;
    /// How many more may be added: kMaxViewedStreams less those reserved for senders that call.
    std::size_t room() const;

    /// Whether streams may be added and removed: not while the only one is recorded or hashed, or shows a
    /// tile.
    bool mayChange() const { return options_.output.empty() && options_.frameMd5.empty() && !options_.tile; }

    /// Appends a stream or uses the vacant place. Returns its number; nullopt if there is no room. `keyFile`:
    /// empty for none. Throws Error{Usage} if the key cannot be used.
    std::optional<std::size_t> add(const SessionAddress& address, const std::string& keyFile);
    /// Later streams move up; removing the last leaves a vacant place. A sender that called is sent away.
    void remove(std::size_t stream);
    /// The place shows what comes from this address. A sender that called is sent away. Throws Error{Usage}
    /// if the key cannot be used: the stream goes on.
    void connectTo(std::size_t stream, const SessionAddress& address, const std::string& keyFile);

    /// Streams that brought frames and are no longer shown, the oldest first.
    const std::vector<LeftStream>& left() const { return left_; }

    const ViewOptions& options() const { return options_; }
    /// By the options or the user; also one that has failed, until the next. nullopt: the stream is not
    /// recorded.
    std::optional<RecordingStatus> recording(std::size_t stream = 0) const;
    /// "" if the stream is not recorded.
    std::string recordingPath(std::size_t stream) const;
    /// Whether the user may record: not what the options record already.
    bool mayRecord() const { return !recorder_ && !options_.kiosk; }
    /// Begins to record the stream into a new file. Throws Error{Usage} if it cannot be written.
    void startTake(std::size_t stream, const std::string& path);
    /// Ends the recording, if there is one; takeEnded() follows once the file is complete. Removing the
    /// stream or connecting it elsewhere ends it, too.
    void stopTake(std::size_t stream);
    /// Whether the user records the stream.
    bool records(std::size_t stream) const { return findTake(feed(stream)) != nullptr; }
    /// Ends the user's recordings and waits until their files are complete. Returns all there have been.
    std::vector<FinishedTake> finishTakes();
    /// Call when no more frames are needed: closes the receivers and finishes the file. Returns null if the
    /// stream is not recorded. Throws what writing threw.
    const Recorder* finishRecording();

    /// Ends the program; the first caller's reason wins.
    void end(const std::string& reason, int exitCode);
    /// The user closed the window: the outcome is that of the failure shown, if any.
    void endByUser();
    const std::optional<ViewOutcome>& outcome() const { return outcome_; }

    void frameShown(const ReceivedFrame& frame, std::size_t stream = 0);

    /// Null if frames are shown as they come, whatever the sender says.
    FrameLockStream* frameLock() { return frameLock_.get(); }
    /// nullopt if streams are not aligned.
    std::optional<AlignmentStats> alignment() const {
        return alignment_ ? std::optional(alignment_->stats()) : std::nullopt;
    }

  Q_SIGNALS:
    /// Frames to show together are in their mailboxes.
    void alignedFramesWaiting();
    /// The last stream is new.
    void streamAdded();
    /// Take nothing more from its feed, which is destroyed when this returns; the last feed becomes vacant
    /// instead.
    void streamLeaves(std::size_t stream);
    /// A stream has left.
    void streamsChanged();
    /// Nothing more is recorded.
    void recordingFailed();
    void takeEnded(const verbcast::FinishedTake& take);
    void ended();

  private:
    void startRecorder();
    void startAlignment();
    StreamFeed& newFeed(std::unique_ptr<StreamFeed> feed);
    void startListening();
    void onCame(std::shared_ptr<IncomingStream> stream);
    Message vacancy() const;
    void dismiss(const StreamFeed& feed);
    void vacate(std::size_t stream);
    void endTake(StreamFeed& feed);
    void leaveTakes(StreamFeed& feed);
    void onTakeEnded(Take& take);
    const Take* findTake(const StreamFeed& feed) const;
    void closeLater(std::unique_ptr<ReceiverThread> receiver);
    void onOver(StreamFeed& feed);
    void onPatienceOver();
    void endAfterFrames();

    ViewOptions options_;
    std::shared_ptr<Recorder> recorder_;  // shared with the feeds; null: none
    std::unique_ptr<QSocketNotifier> recorderEnded_;
    std::unique_ptr<SharedAlignment> alignment_;  // null: none
    std::unique_ptr<FrameLockStream> frameLock_;  // of the first stream, if it started as the only one
    std::unique_ptr<QSocketNotifier> aligned_;
    std::unique_ptr<StreamCallers> callers_;  // null: no sender may call
    std::vector<std::future<void>> leaving_;  // closing a stream waits for its peer
    std::vector<std::unique_ptr<StreamFeed>> feeds_;
    std::vector<LeftStream> left_;
    struct OpenTake {
        StreamFeed* feed;
        std::unique_ptr<Take> take;
    };
    std::vector<OpenTake> takes_;
    std::vector<OpenTake> endingTakes_;  // their files are being completed; null: the feed has gone
    std::vector<FinishedTake> finishedTakes_;
    struct BrokenTake {
        const StreamFeed* feed;
        FinishedTake take;
    };
    std::vector<BrokenTake> brokenTakes_;  // the last one of a stream, if it has failed
    QTimer duration_;
    std::optional<ViewOutcome> outcome_;
};

}  // namespace verbcast
