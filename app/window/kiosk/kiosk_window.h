// The picture of an installation: one monitor, nothing but the stream, and a still while there is none.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/view/kiosk_words.h"
#include "app/window/desktop/screen_saver.h"
#include "app/window/input/input_forwarder.h"
#include "app/window/picture/video_surface.h"
#include "app/window/streams/viewer_controller.h"

namespace verbcast {

/// Fills its monitor, wherever that goes; hides the cursor; opens no dialog and draws no text but the warning
/// that anybody is let in: what there is to say goes to stderr. After a failure the address is used again,
/// forever. Keys, mouse and touch belong to the sender. Belongs to the GUI thread.
class KioskWindow : public QObject {
    Q_OBJECT
  public:
    /// `controller` must outlive the window. Throws Error{Usage} for a monitor that does not exist,
    /// Error{Input} for a still that cannot be read.
    KioskWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video);
    ~KioskWindow() override;

    VideoSurface& video() { return *video_; }
    void show();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void connectParts();
    void place();
    void onFrameShown();
    void followSignal();
    void followTile();
    void say(const QString& text) const;

    ViewerController& controller_;
    KioskWords words_;
    QString wantedScreen_;
    std::unique_ptr<VideoSurface> video_;
    InputForwarder input_;
    ScreenSaverInhibitor screenSaver_;
    QTimer followTimer_;
    QTimer retryTimer_;
    std::optional<Message> tileMessage_;  // on the screen
};

}  // namespace verbcast
