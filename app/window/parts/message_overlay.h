// Messages over the last picture while no frames come, and short notes at its bottom.
#pragma once

#include <QCoreApplication>
#include <QImage>
#include <QString>
#include <optional>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

struct Message {
    QString title{};
    QString text{};
    QString remedy{};  ///< what to do about it; set apart from the text
    bool alarming = false;

    friend bool operator==(const Message&, const Message&) = default;
};

/// Follows the stream's state, so that "signal lost" stays while the receiver tries to reconnect.
class StreamMessage {
    Q_DECLARE_TR_FUNCTIONS(verbcast::StreamMessage)

  public:
    /// Returns what to show now; nullopt while frames come. `status`: nullopt while the address is being
    /// opened.
    std::optional<Message> update(const std::optional<ReceiverStatus>& status, TimestampNs now);
    void reset() { *this = {}; }

  private:
    std::optional<TimestampNs> connectingSince_;
    std::optional<TimestampNs> lostAt_;
    std::optional<TimestampNs> endedAt_;
    std::string lossReason_;
};

Message errorMessage(const std::exception& error);

/// A card for the middle of the picture.
QImage renderMessage(const Message& message, int maximumWidth, double devicePixelRatio);
/// One line for the bottom of the picture.
QImage renderToast(const QString& text, int maximumWidth, double devicePixelRatio);

}  // namespace verbcast
