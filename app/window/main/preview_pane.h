// A preview of what is sent or would be.
#pragma once

#include <QStackedWidget>
#include <QTimer>
#include <memory>
#include <string>

#include "app/window/picture/video_surface.h"
#include "app/window/streams/viewer_controller.h"

class QLabel;

namespace verbcast {

/// Has its own viewer and paints at most 30 times a second. Without OpenGL it shows a text instead. Takes no
/// mouse or keyboard input. Belongs to the GUI thread.
class PreviewPane : public QStackedWidget {
    Q_OBJECT
  public:
    explicit PreviewPane(QWidget* parent = nullptr);
    ~PreviewPane() override;

    /// Shows the stream at that address, which may not exist yet. The last picture stays until then.
    void watch(const std::string& address);
    /// Shows text instead of the picture, until the next watch().
    void showText(const QString& title, const QString& text);
    /// Stops watching; the last picture stays.
    void release();

  private:
    void makeVideo();
    void frameWaiting();
    void tellFailure();
    void paintDue();

    QLabel* text_;
    VideoSurface* video_ = nullptr;  // null without OpenGL
    QWidget* videoContainer_ = nullptr;
    std::unique_ptr<ViewerController> controller_;
    QTimer pace_;
    bool frameWaits_ = false;
};

}  // namespace verbcast
