#include "app/window/parts/message_overlay.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <vector>

#include "app/window/parts/core_words.h"
#include "app/window/parts/overlay_panel.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

constexpr TimestampNs kPatience = 3'000'000'000;  // a sender that is there answers sooner

QString agoText(TimestampNs since, TimestampNs now) {
    const auto seconds = std::max<TimestampNs>(0, (now - since) / 1'000'000'000);
    if (seconds < 60) {
        return StreamMessage::tr("%1 s ago").arg(seconds);
    }
    return StreamMessage::tr("%1 min %2 s ago").arg(seconds / 60).arg(seconds % 60);
}

QString durationOf(TimestampNs time) {
    const auto seconds = time / 1'000'000'000;
    return seconds < 60 ? StreamMessage::tr("%1 s").arg(seconds)
                        : StreamMessage::tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
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
                                   message.alarming ? theme::kOverVideo.warning : theme::kOverVideo.text, 0}};
    if (!message.text.isEmpty()) {
        result.push_back({message.text, theme::font(1.05), theme::kOverVideo.text, line / 2});
    }
    if (!message.remedy.isEmpty()) {
        result.push_back({message.remedy, theme::font(1.0), theme::kOverVideo.muted, line / 2});
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
        return Message{.title = tr("Opening the address")};
    }
    const QString text = sentence(inWindowLanguage(status->text));
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
            return Message{.title = tr("The stream failed"), .text = text, .alarming = true};
        case StreamState::Connected:
            return Message{.title = tr("Connected"), .text = tr("No frame has arrived yet")};
        case StreamState::Waiting:
        case StreamState::Connecting:
            break;
    }
    const QString reason = sentence(inWindowLanguage(lossReason_));
    const QString attempt = text == reason ? tr("Waiting for the sender to return") : text;
    if (lostAt_) {
        return Message{.title = tr("Signal lost"),
                       .text = agoText(*lostAt_, now) +
                               (lossReason_.empty() ? QString() : ": " + inWindowLanguage(lossReason_)),
                       .remedy = attempt,
                       .alarming = true};
    }
    if (endedAt_) {
        return Message{
            .title = tr("Stream ended"), .text = reason, .remedy = tr("Waiting for the sender to return")};
    }
    if (status->state == StreamState::Waiting) {
        return Message{.title = tr("Waiting for a sender"), .text = text};
    }
    connectingSince_ = connectingSince_.value_or(now);
    const TimestampNs passed = now - *connectingSince_;
    return Message{.title = tr("Connecting"),
                   .text = text,
                   .remedy = passed < kPatience
                                 ? QString()
                                 : tr("Trying for %1. Is the address right, and does the sender run there?")
                                       .arg(durationOf(passed))};
}

Message errorMessage(const std::exception& error) {
    const auto* typed = dynamic_cast<const Error*>(&error);
    return {.title = StreamMessage::tr("Something is wrong"),
            .text = sentence(inWindowLanguage(error.what())),
            .remedy = typed != nullptr ? sentence(inWindowLanguage(typed->remedy())) : QString(),
            .alarming = true};
}

QImage renderMessage(const Message& message, int maximumWidth, double devicePixelRatio) {
    return card(paragraphsOf(message), std::min(maximumWidth, theme::line() * 36), theme::line() * 3 / 2,
                devicePixelRatio);
}

QImage renderToast(const QString& text, int maximumWidth, double devicePixelRatio) {
    return card({{text, theme::font(), theme::kOverVideo.text, 0}}, maximumWidth, theme::line() * 3 / 4,
                devicePixelRatio);
}

}  // namespace verbcast
