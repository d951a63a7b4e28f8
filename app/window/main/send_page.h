// The page to send: settings on the left, results on the right.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/window/main/playback_bar.h"
#include "app/window/main/preview_pane.h"
#include "app/window/main/send_form.h"
#include "app/window/main/sender_process.h"
#include "app/window/parts/command_bar.h"
#include "app/window/parts/problem_panel.h"
#include "app/window/stats/stats_panel.h"
#include "app/window/trust/padlock.h"
#include "app/window/trust/pairing_banner.h"
#include "app/window/trust/pairing_offer.h"

namespace verbcast {

/// Runs one program at a time: the sender, or until then one that shows the source in the preview. Changing
/// the form restarts the preview; sending ends it first, since a camera can be opened only once.
class SendPage : public QWidget {
    Q_OBJECT
  public:
    explicit SendPage(QWidget* parent = nullptr);

    SendSettings settings() const { return form_->settings(); }
    void setSettings(const SendSettings& settings) { form_->setSettings(settings); }
    /// Allows opening the source from now on.
    void begin();
    /// Starts or stops sending.
    void toggle();
    bool sending() const { return wanted_ == Job::Send || running_ == Job::Send; }
    void copyCommand() { command_->copy(); }
    void focusFirst() { form_->focusFirst(); }
    /// Sends with this key from the next start on.
    void useKey(const QString& file);

  Q_SIGNALS:
    /// Sending has started or ended.
    void sendingChanged();

  private:
    enum class Job { None, Preview, Send };

    QWidget* makeResults();
    void connectParts();
    void settingsChanged();
    void followSettings();
    bool check();
    void want(Job job);
    void run();
    void onSaid(const QString& line);
    bool takeNote(const QString& line);
    void showNotes();
    void tellAddress(const QString& line);
    void onEnded(const ChildEnd& end);
    void tellProblem(Job ended, Message problem);
    void showState(const QString& state, theme::Tone tone);
    void showRunning();
    void showProtection(const SenderStats& stats);

    SendForm* form_;
    QPushButton* start_;
    PreviewPane* preview_;
    PlaybackBar* playback_;
    PairingBanner* pairing_;
    PairingOffer* pairingOffer_;
    QLabel* state_;
    PadlockBadge* padlock_;
    ElidedLabel* news_;
    QToolButton* copyAddress_;
    StatsPanel* stats_;
    ProblemPanel* problem_;
    ProblemPanel* notes_;  // the newest notes and warnings of the program that runs
    CommandBar* command_;
    SenderProcess program_;
    QTimer settle_;  // waits for a pause in typing
    bool begun_ = false;
    Job wanted_ = Job::None;
    Job running_ = Job::None;
    struct Note {
        QString text;
        bool alarming;
    };
    QList<Note> noted_;               // what notes_ shows
    bool sentNotes_ = false;          // they are of a stream: a preview after it leaves them
    SendSettings sent_;               // settings being sent
    std::optional<QString> nextKey_;  // chosen meanwhile: the settings shown are those that run
    QString address_;                 // that viewers open
    Words previewed_;                 // command line of the current preview
    bool failed_ = false;             // the program failed with these settings
    bool watched_ = false;            // somebody receives the stream
    bool needsPairing_ = false;       // the viewer serves paired hosts only
};

}  // namespace verbcast
