// The viewer's window: the picture, the strip under it, and what keys do.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "app/window/idle_cursor.h"
#include "app/window/input_forwarder.h"
#include "app/window/input_mode.h"
#include "app/window/message_overlay.h"
#include "app/window/screen_saver.h"
#include "app/window/status_strip.h"
#include "app/window/trust/pairing_banner.h"
#include "app/window/trust/pairing_offer.h"
#include "app/window/video_surface.h"
#include "app/window/viewer_controller.h"

namespace verbcast {

/// Belongs to the GUI thread. Per frame it does nothing; texts follow a few times a second.
class ViewerWindow : public QWidget {
    Q_OBJECT
  public:
    /// `controller` must outlive the window.
    ViewerWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video);
    ~ViewerWindow() override;

    VideoSurface& video() { return *video_; }

    /// Where no window manager runs the window sizes itself.
    void setFullscreen(bool fullscreen);

  Q_SIGNALS:
    /// From any thread: where the picture is, or why it could not be saved.
    void pictureSaved(const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void connectParts();
    void takeInitialSize();
    void useMailbox();
    void refresh();
    PadlockState padlock(const ReceiverStatus& status) const;
    void refreshPadlock(const PadlockState& state);
    void refreshTitle(const StripContent& content);
    void refreshPairing();
    void refreshMessage();
    void refreshStagePanel(const StripContent& content);
    bool takeInput(QEvent& event);
    void followInput();
    void toggleInput();
    void tellInput();
    void toggleFullscreen();
    void toggleStagePanel();
    void togglePause();
    void saveSnapshot();
    void showToast(const QString& text);
    void askForAddress();

    ViewerController& controller_;
    PairingBanner* pairing_;
    PairingOffer* pairingOffer_;
    VideoSurface* video_;
    QWidget* videoContainer_;
    StatusStrip* strip_;
    bool nativeKeysyms_;
    InputMode inputMode_;
    HostKey hostKey_;
    InputForwarder input_;
    ScreenSaverInhibitor screenSaver_;  // held off in fullscreen
    IdleCursor idleCursor_;             // hidden there
    QTimer refreshTimer_;
    QTimer toastTimer_;
    QElapsedTimer sinceConnecting_;
    ThroughputHistory history_;
    std::optional<Message> message_;
    int messageWidth_ = 0;
    std::optional<PadlockState> warning_;  // over the picture
    QRect windowedGeometry_;
    bool stagePanelVisible_ = false;
};

}  // namespace verbcast
