// The page to send: what is set on the left, what comes of it on the right.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/window/figures/figures_panel.h"
#include "app/window/main/playback_bar.h"
#include "app/window/main/preview_pane.h"
#include "app/window/main/send_form.h"
#include "app/window/main/sender_process.h"
#include "app/window/parts/command_bar.h"
#include "app/window/parts/problem_panel.h"
#include "app/window/trust/padlock.h"
#include "app/window/trust/pairing_banner.h"
#include "app/window/trust/pairing_offer.h"

namespace verbcast {

/// One program runs for it at a time: the sender, or before that one that shows the source in the preview. A
/// change of the form restarts the preview; starting to send ends it first, since a camera opens once.
class SendPage : public QWidget {
    Q_OBJECT
  public:
    explicit SendPage(QWidget* parent = nullptr);

    SendSettings settings() const { return form_->settings(); }
    void setSettings(const SendSettings& settings) { form_->setSettings(settings); }
    /// From now on the source may be opened.
    void begin();
    /// Starts to send, or stops.
    void toggle();
    bool sending() const { return wanted_ == Job::Send || running_ == Job::Send; }
    void copyCommand() { command_->copy(); }
    void focusFirst() { form_->focusFirst(); }
    void useKey(const QString& file) { form_->useKey(file); }

  Q_SIGNALS:
    /// Sending has begun or ended.
    void sendingChanged();

  private:
    enum class Job { None, Preview, Send };

    QWidget* makeForm();
    QWidget* makeResults();
    void connectParts();
    void settingsChanged();
    void followSettings();
    bool check();
    void want(Job job);
    void run();
    void onSaid(const QString& line);
    void onEnded(const ChildEnd& end);
    void tellProblem(Job ended, Message problem);
    void showState(const QString& state, theme::Tone tone);
    void showRunning();
    void showProtection(const SenderFigures& figures);

    SendForm* form_;
    QPushButton* start_;
    PreviewPane* preview_;
    PlaybackBar* playback_;
    PairingBanner* pairing_;
    PairingOffer* pairingOffer_;
    QLabel* state_;
    PadlockBadge* padlock_;
    ElidedLabel* news_;
    FiguresPanel* figures_;
    ProblemPanel* problem_;
    CommandBar* command_;
    SenderProcess program_;
    QTimer settle_;  // typing goes on for a moment
    bool begun_ = false;
    Job wanted_ = Job::None;
    Job running_ = Job::None;
    SendSettings sent_;      // what is being sent
    Words previewed_;        // what is being shown before
    bool failed_ = false;    // the program has, with these settings
    bool watched_ = false;   // somebody takes what is sent
    bool stranger_ = false;  // to whom it was sent
};

}  // namespace verbcast
