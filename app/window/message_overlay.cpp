#include "app/window/message_overlay.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <vector>

#include "app/window/overlay_panel.h"
#include "app/window/theme.h"

namespace verbcast {
namespace {

QString sentence(const std::string& text) {
    QString result = QString::fromStdString(text).trimmed();
    if (!result.isEmpty()) {
        result[0] = result[0].toUpper();
    }
    return result;
}

QString agoText(TimestampNs since, TimestampNs now) {
    const auto seconds = std::max<TimestampNs>(0, (now - since) / 1'000'000'000);
    if (seconds < 60) {
        return QString("%1 s ago").arg(seconds);
    }
    return QString("%1 min %2 s ago").arg(seconds / 60).arg(seconds % 60);
}

struct Paragraph {
    QString text;
    QFont font;
    QColor colour;
    int spaceBefore;
};

std::vector<Paragraph> paragraphsOf(const Message& message) {
    const int line = theme::line();
    std::vector<Paragraph> result{{message.title, theme::font(1.5, QFont::DemiBold),
                                   message.alarming ? theme::kWarning : theme::kText, 0}};
    if (!message.text.isEmpty()) {
        result.push_back({message.text, theme::font(1.05), theme::kText, line / 2});
    }
    if (!message.remedy.isEmpty()) {
        result.push_back({message.remedy, theme::font(1.0), theme::kMuted, line / 2});
    }
    return result;
}

QImage card(const std::vector<Paragraph>& paragraphs, int maximumWidth, int margin, double devicePixelRatio) {
    constexpr int kFlags = Qt::AlignHCenter | Qt::TextWordWrap;
    const int textWidth = std::max(maximumWidth - 2 * margin, theme::line() * 4);
    int width = 0;
    int height = 2 * margin;
    std::vector<QRect> boxes;
    for (const Paragraph& paragraph : paragraphs) {
        const QRect box =
            QFontMetrics(paragraph.font).boundingRect(QRect(0, 0, textWidth, 10000), kFlags, paragraph.text);
        height += paragraph.spaceBefore + box.height();
        width = std::max(width, box.width() + 2);
        boxes.push_back(box);
    }
    const QSize size(width + 2 * margin, height);
    QImage image = overlayPanel(size, devicePixelRatio);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    int y = margin;
    for (std::size_t i = 0; i < paragraphs.size(); ++i) {
        y += paragraphs[i].spaceBefore;
        painter.setFont(paragraphs[i].font);
        painter.setPen(paragraphs[i].colour);
        painter.drawText(QRect(margin, y, width, boxes[i].height()), kFlags, paragraphs[i].text);
        y += boxes[i].height();
    }
    return image;
}

}  // namespace

std::optional<Message> StreamMessage::update(const std::optional<ReceiverStatus>& status, TimestampNs now) {
    if (!status) {
        return Message{.title = "Opening the address", .text = {}, .remedy = {}};
    }
    const QString text = sentence(status->text);
    switch (status->state) {
        case StreamState::Streaming:
            reset();
            return std::nullopt;
        case StreamState::Lost:
            if (!endedAt_) {
                lostAt_ = lostAt_.value_or(now);
                lossReason_ = status->senderReason;
            }
            break;
        case StreamState::Ended:
            endedAt_ = endedAt_.value_or(now);
            lossReason_ = status->senderReason;
            break;
        case StreamState::Failed:
            return Message{.title = "The stream failed", .text = text, .remedy = {}, .alarming = true};
        case StreamState::Connected:
            return Message{.title = "Connected", .text = "No frame has arrived yet", .remedy = {}};
        case StreamState::Waiting:
        case StreamState::Connecting:
            break;
    }
    const QString reason = sentence(lossReason_);
    const QString attempt = text == reason ? QString("Waiting for the sender to return") : text;
    if (lostAt_) {
        return Message{.title = "Signal lost",
                       .text = agoText(*lostAt_, now) +
                               (lossReason_.empty() ? QString() : ": " + QString::fromStdString(lossReason_)),
                       .remedy = attempt,
                       .alarming = true};
    }
    if (endedAt_) {
        return Message{.title = "Stream ended", .text = reason, .remedy = "Waiting for the sender to return"};
    }
    const bool waiting = status->state == StreamState::Waiting;
    return Message{.title = waiting ? "Waiting for a sender" : "Connecting", .text = text, .remedy = {}};
}

Message errorMessage(const std::exception& error) {
    const auto* typed = dynamic_cast<const Error*>(&error);
    return {.title = "Something is wrong",
            .text = sentence(error.what()),
            .remedy = typed != nullptr ? sentence(typed->remedy()) : QString(),
            .alarming = true};
}

QImage renderMessage(const Message& message, int maximumWidth, double devicePixelRatio) {
    return card(paragraphsOf(message), std::min(maximumWidth, theme::line() * 36), theme::line() * 3 / 2,
                devicePixelRatio);
}

QImage renderToast(const QString& text, int maximumWidth, double devicePixelRatio) {
    return card({{text, theme::font(), theme::kText, 0}}, maximumWidth, theme::line() * 3 / 4,
                devicePixelRatio);
}

}  // namespace verbcast
