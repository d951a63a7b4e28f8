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
    /// The picture, rotated and stretched as the sender's format says, and reduced. `size`: its own, as
    /// stored; `upright`: it was neither rotated nor stretched.
    void pictureChanged(const QImage& picture, const QSize& size, bool upright);
    /// "connected to ...", or why no frames come for now.
    void stateChanged(const QString& text);
    /// Nothing is watched any more, for this reason.
    void failed(const QString& reason);

  private:
    void run(const ReceiverOptions& options, std::uint64_t watch, const std::stop_token& stop);

    /// Emits on this object's thread, unless another sender is watched by then.
    template <typename Emit>
    void tell(std::uint64_t watch, Emit&& emit);

    std::uint64_t watch_ = 0;  // counts the senders that were watched
    std::jthread thread_;
};

}  // namespace verbcast
