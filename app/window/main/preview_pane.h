// A look at what is sent, or would be.
#pragma once

#include <QStackedWidget>
#include <QTimer>
#include <memory>
#include <string>

#include "app/window/picture/video_surface.h"
#include "app/window/streams/viewer_controller.h"

class QLabel;

namespace verbcast {

/// A viewer of its own, which paints 30 times a second at most. Where OpenGL cannot be used it says so
/// instead. Takes no mouse and no keys. Belongs to the GUI thread.
class PreviewPane : public QStackedWidget {
    Q_OBJECT
  public:
    explicit PreviewPane(QWidget* parent = nullptr);
    ~PreviewPane() override;

    /// Shows what comes from that address, which may not be there yet. The last picture stays until then.
    void watch(const std::string& address);
    /// Shows text in place of the picture, until the next watch().
    void showText(const QString& title, const QString& text);
    /// Stops watching; the last picture stays.
    void release();

  private:
    void makeVideo();
    void frameWaiting();
    void paintDue();

    QLabel* text_;
    VideoSurface* video_ = nullptr;  // null without OpenGL
    QWidget* videoContainer_ = nullptr;
    std::unique_ptr<ViewerController> controller_;
    QTimer pace_;
    bool frameWaits_ = false;
};

}  // namespace verbcast
