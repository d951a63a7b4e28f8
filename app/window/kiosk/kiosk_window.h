// The window of an installation: fills one monitor with the stream, or with a still while there is none.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/view/words/kiosk_words.h"
#include "app/window/desktop/screen_saver.h"
#include "app/window/input/input_forwarder.h"
#include "app/window/picture/video_surface.h"
#include "app/window/streams/viewer_controller.h"

namespace verbcast {

/// Fills its monitor and follows it; hides the cursor; opens no dialog and draws no text except the warning
/// that anybody is let in: messages go to stderr. After a failure it reopens the address, forever. Keys,
/// mouse and touch go to the sender. Belongs to the GUI thread.
class KioskWindow : public QObject {
    Q_OBJECT
  public:
    /// `controller` must outlive this. Throws Error{Usage} if the monitor does not exist, Error{Input} if the
    /// still cannot be read.
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
    std::optional<Message> tileMessage_;  // shown on the screen
};

}  // namespace verbcast
