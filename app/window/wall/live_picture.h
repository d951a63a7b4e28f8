// What a sender sends now, a few times a second, to look at while something is set up.
#pragma once

#include <QImage>
#include <QObject>
#include <thread>

#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Receives and converts in a thread of its own, and takes every frame at once: the sender is held up no more
/// than by any viewer. Belongs to the GUI thread.
class LivePicture : public QObject {
    Q_OBJECT
  public:
    explicit LivePicture(QObject* parent = nullptr) : QObject(parent) {}
    ~LivePicture() override;

    /// From now on that sender's; what was watched before ends.
    void watch(const ReceiverOptions& options);
    void stop();

  Q_SIGNALS:
    /// As the sender's picture is turned and stretched.
    void pictureChanged(const QImage& picture);
    /// "connected to ...", and why nothing comes.
    void stateChanged(const QString& text);

  private:
    void run(const ReceiverOptions& options, const std::stop_token& stop);

    std::jthread thread_;
};

}  // namespace verbcast
