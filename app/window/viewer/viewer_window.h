// The viewer's window: the picture, the strip under it, and what keys do.
#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/window/desktop/screen_saver.h"
#include "app/window/figures/status_strip.h"
#include "app/window/input/input_forwarder.h"
#include "app/window/input/input_mode.h"
#include "app/window/parts/message_overlay.h"
#include "app/window/picture/video_surface.h"
#include "app/window/settings/session.h"
#include "app/window/streams/viewer_controller.h"
#include "app/window/trust/pairing_banner.h"
#include "app/window/trust/pairing_offer.h"
#include "app/window/viewer/idle_cursor.h"

namespace verbcast {

/// What the window keeps of a stream that it shows.
struct ShownStream {
    QElapsedTimer sinceConnecting{};
    ThroughputHistory history{};
    std::optional<Message> message{};
    QSize messageRoom{};  ///< that the message was made for
    QString label{};
    bool labelHasFocus = false;
};

/// Belongs to the GUI thread. Per frame it does nothing; texts follow a few times a second.
class ViewerWindow : public QWidget {
    Q_OBJECT
  public:
    /// `controller` must outlive the window.
    ViewerWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video);
    ~ViewerWindow() override;

    VideoSurface& video() { return *video_; }

    /// Before it is shown: on that monitor, and fullscreen fills that one.
    void openOn(QScreen& screen);

    /// Where no window manager runs the window sizes itself.
    void setFullscreen(bool fullscreen);

  Q_SIGNALS:
    /// From any thread: where the picture is, or why it could not be saved.
    void pictureSaved(const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool event(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void keyPressEvent(QKeyEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void connectParts();
    void takeInitialSize();
    void refresh();
    PadlockState padlock(const ReceiverStatus& status);
    void refreshPadlock(const PadlockState& state);
    void refreshTitle(const StripContent& content);
    void refreshPairing();
    void refreshMessage(std::size_t stream);
    void refreshStagePanel(const StripContent& content);
    // Of several streams: viewer_window_streams.cpp
    StreamFeed& focusedFeed() { return controller_.feed(video_->focus()); }
    void followStreams();
    void follow(StreamFeed& feed);
    void useMailbox(std::size_t stream);
    std::size_t streamOf(const StreamFeed& feed);
    bool takeStreamKey(const QKeyEvent& event);
    void focusOn(std::size_t stream);
    void soloOn(std::size_t stream);
    void nextLayout();
    void swapEyes();
    void useLayout(Layout layout);
    void showNames();
    void refreshLabels();
    void refreshComparison();
    QString framesText(std::size_t first, std::size_t second) const;
    bool takeFreeKey(int key);
    void changeOpacity(double by);
    void toggleAlpha();
    QString labelOf(std::size_t stream);
    // Streams that come and go while the window runs: viewer_window_set.cpp
    void followSet();
    void onStreamLeaves(std::size_t stream);
    void askForStream();
    /// Each as it was typed; says what is wrong with those that cannot be.
    void addStreams(const QStringList& addresses);
    void addStream(const Url& url, bool listen, const std::string& keyFile);
    QString noRoom() const;
    void removeStream(std::size_t stream);
    bool takeDrop(QEvent& event);
    void saveSession();
    Session session();
    // viewer_window_menu.cpp
    void showMenu(const QPoint& position);
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
    std::vector<ShownStream> shown_;
    std::optional<std::size_t> pointed_;  // the stream under the pointer
    QString comparison_;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> compared_;  // sequence numbers of the pictures
    QElapsedTimer sinceNamed_;                                         // labels were asked for
    QPointer<StreamFeed> strange_;                                     // the one that wants to be paired
    std::optional<PadlockState> warning_;                              // over the picture
    QRect windowedGeometry_;
    bool stagePanelVisible_ = false;
};

}  // namespace verbcast
