// A sender's current picture, a few times a second, to look at while setting something up.
#pragma once

#include <QImage>
#include <QObject>
#include <thread>

#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Receives and converts in its own thread and takes every frame at once: the sender is slowed no more than
/// by any viewer. Belongs to the GUI thread.
class LivePicture : public QObject {
    Q_OBJECT
  public:
    explicit LivePicture(QObject* parent = nullptr) : QObject(parent) {}
    ~LivePicture() override;

    /// Watches that sender from now on; stops watching the previous one.
    void watch(const ReceiverOptions& options);
    void stop();

  Q_SIGNALS:
    /// The picture, rotated and stretched as the sender's format says, and reduced; `size` is its own.
    void pictureChanged(const QImage& picture, const QSize& size);
    /// "connected to ...", or why no frames come.
    void stateChanged(const QString& text);

  private:
    void run(const ReceiverOptions& options, const std::stop_token& stop);

    std::jthread thread_;
};

}  // namespace verbcast
