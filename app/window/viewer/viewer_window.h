// The viewer's window: the picture, the strip below it, and keyboard commands.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/window/desktop/screen_saver.h"
#include "app/window/input/input_forwarder.h"
#include "app/window/input/input_mode.h"
#include "app/window/parts/log_news.h"
#include "app/window/parts/message_overlay.h"
#include "app/window/picture/video_surface.h"
#include "app/window/settings/session.h"
#include "app/window/sound/window_sound.h"
#include "app/window/stats/status_strip.h"
#include "app/window/streams/viewer_controller.h"
#include "app/window/trust/pairing_banner.h"
#include "app/window/trust/pairing_offer.h"
#include "app/window/viewer/idle_cursor.h"
#include "app/window/viewer/sent_view.h"

class QMenu;

namespace verbcast {

/// The window's data for each stream shown.
struct ShownStream {
    QElapsedTimer sinceConnecting{};
    ThroughputHistory history{};
    std::optional<Message> message{};
    QSize messageRoom{};  ///< the size that the message was rendered for
    QString label{};
    int labelRoom = 0;        ///< the width that the label was rendered for
    bool remembered = false;  ///< its address is among the recent ones
    bool labelHasFocus = false;
};

/// Belongs to the GUI thread. Does nothing per frame; texts are updated a few times a second.
class ViewerWindow : public QWidget {
    Q_OBJECT
  public:
    /// `controller` must outlive this.
    ViewerWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video);
    ~ViewerWindow() override;

    VideoSurface& video() { return *video_; }

    /// Call before showing: opens on that monitor; fullscreen fills it.
    void openOn(QScreen& screen);

    /// Sizes the window itself if no window manager runs.
    void setFullscreen(bool fullscreen);

  Q_SIGNALS:
    /// From any thread: where the picture is, or why it was not saved.
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
    const StreamPeer* listener() const;
    void refreshSign(const StripContent& content);
    void remember(std::size_t stream);
    void showRecordingIn(StripContent& content);
    void refreshTitle(const StripContent& content);
    void refreshPairing();
    void refreshMessage(std::size_t stream);
    void refreshStagePanel(const StripContent& content);
    // For several streams: viewer_window_streams.cpp
    StreamFeed& focusedFeed() { return controller_.feed(video_->focus()); }
    void followStreams();
    void follow(StreamFeed& feed);
    void onPaired(const Url& url);
    void useMailbox(std::size_t stream);
    std::size_t streamOf(const StreamFeed& feed);
    bool takeStreamKey(const QKeyEvent& event);
    bool takeStreamKeyOfOne(int key);
    void focusOn(std::size_t stream);
    void soloOn(std::size_t stream);
    void nextLayout();
    void swapEyes();
    void useLayout(const Layout& layout);
    void showNames();
    void refreshLabels();
    void refreshComparison();
    void compare();
    void showComparison(const QString& text);
    QString framesText(std::size_t first, std::size_t second) const;
    bool takeFreeKey(int key);
    void changeOpacity(double by);
    void toggleAlpha();
    QString labelOf(std::size_t stream);
    QString addressOf(std::size_t stream);
    // Adding and removing streams while the window runs: viewer_window_set.cpp
    void followSet();
    void onStreamLeaves(std::size_t stream);
    void askForStream();
    void askForAddress();
    /// Adds each address as typed; reports those that are wrong.
    void addStreams(const QStringList& addresses);
    void addStream(const SessionAddress& address, const std::string& keyFile);
    void attempt(const std::function<void()>& action);
    QString noRoom() const;
    void removeStream(std::size_t stream);
    bool takeDrop(QEvent& event);
    void offerToSend(const QString& file);
    void startMainWindow(const QStringList& arguments);
    void saveSession();
    QString savedText(const QString& path);
    bool showsTracks() const;
    Session session();
    void toggleSentView();
    // viewer_window_menu.cpp
    void showMenu(const QPoint& position);
    void addPictureActions(QMenu& menu);
    void addSoundActions(QMenu& menu);
    bool takeInput(QEvent& event);
    bool takeSoundKey(int key);
    void followInput();
    void toggleInput();
    void tellInput();
    void toggleFullscreen();
    void toggleStagePanel();
    void toggleWaveform();
    void togglePause();
    void toggleStrip();
    void toggleRecording();
    void tellTake(const FinishedTake& take);
    void saveSnapshot();
    void showToast(const QString& text);
    void tellLogged(const QString& text);
    void paintToast();

    ViewerController& controller_;
    PairingBanner* pairing_;
    PairingOffer* pairingOffer_;
    VideoSurface* video_;
    QWidget* videoContainer_;
    WindowSound sound_;
    StatusStrip* strip_;
    bool nativeKeysyms_;
    SentView sentView_;
    InputMode inputMode_;
    HostKey hostKey_;
    InputForwarder input_;
    ScreenSaverInhibitor screenSaver_;  // active in fullscreen
    IdleCursor idleCursor_;             // likewise
    QTimer refreshTimer_;
    QTimer toastTimer_;
    LogNews logged_;
    QString toast_;              // of the user's own actions
    QStringList freshlyLogged_;  // below it, or kept while the picture fills the screen
    std::vector<ShownStream> shown_;
    std::optional<std::size_t> pointed_;  // the stream under the pointer
    QString comparison_;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> compared_;  // sequence numbers of the pictures
    QElapsedTimer sinceCompared_;
    bool comparing_ = false;               // another thread does
    QElapsedTimer sinceNamed_;             // time since labels were requested
    std::optional<PadlockState> warning_;  // shown over the picture
    QString sign_;                         // likewise
    bool rememberedGiven_ = false;         // the addresses of the command line are among the recent ones
    QRect windowedGeometry_;
    bool stagePanelVisible_ = false;
    bool stripWanted_ = true;
};

}  // namespace verbcast
