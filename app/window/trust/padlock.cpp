#include "app/window/trust/padlock.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <cmath>
#include <utility>

#include "app/window/parts/core_words.h"
#include "app/window/parts/overlay_panel.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

struct Look {
    const char* word;
    theme::Tone tone;
    bool closed;
    double filled;  ///< how much of the body, from the bottom
};
// In the order of Protection.
constexpr Look kLooks[] = {
    {QT_TRANSLATE_NOOP("verbcast::PadlockBadge", "unprotected"), theme::Tone::Warning, false, 1},
    {QT_TRANSLATE_NOOP("verbcast::PadlockBadge", "this machine"), theme::Tone::Muted, false, 0},
    {QT_TRANSLATE_NOOP("verbcast::PadlockBadge", "proven"), theme::Tone::Accent, true, 0.5},
    {QT_TRANSLATE_NOOP("verbcast::PadlockBadge", "encrypted"), theme::Tone::Accent, true, 1}};

const Look& lookOf(Protection protection) {
    return kLooks[static_cast<std::size_t>(protection)];
}

QString warningWords(const PadlockState& state) {
    return state.open ? PadlockBadge::tr("Open to anybody") : PadlockBadge::tr("Unprotected");
}

Protection shownProtection(const PadlockState& state) {
    return state.open ? Protection::None : state.protection.value_or(Protection::None);
}

/// The shackle above the body, in a field of 16 by 16. An open one is raised and has a short right leg.
QPainterPath shackle(bool isClosed) {
    const double lift = isClosed ? 0 : 1.6;
    QPainterPath path(QPointF(4.75, 7.5));
    path.lineTo(4.75, 5.25 - lift);
    path.arcTo(QRectF(4.75, 2 - lift, 6.5, 6.5), 180, -180);
    path.lineTo(11.25, isClosed ? 7.5 : 5.4 - lift);
    return path;
}

/// Paints at the size needed, so that edges stay sharp.
class PadlockEngine : public QIconEngine {
  public:
    explicit PadlockEngine(Protection protection) : protection_(protection) {}
    void paint(QPainter* painter, const QRect& area, QIcon::Mode /*mode*/, QIcon::State /*state*/) override {
        paintPadlock(*painter, area, protection_);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, pixmap.rect(), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new PadlockEngine(protection_); }

  private:
    Protection protection_;
};

}  // namespace

theme::Tone padlockTone(Protection protection) {
    return lookOf(protection).tone;
}

QString protectionWord(Protection protection) {
    return PadlockBadge::tr(lookOf(protection).word);
}

QString padlockMeaning(const PadlockState& state) {
    QString peer = state.protection ? sentence(inWindowLanguage(meaningOf(*state.protection))) : QString();
    if (!state.open) {
        return peer;
    }
    const QString open = PadlockBadge::tr("Any host that reaches the address is admitted without a key");
    return peer.isEmpty() ? open : open + ".\n" + peer;
}

void paintPadlock(QPainter& painter, const QRectF& area, Protection protection,
                  const theme::Colours& colours) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double side = std::min(area.width(), area.height());
    painter.translate(area.center() - QPointF(side / 2, side / 2));
    painter.scale(side / 16, side / 16);
    const QColor& colour = theme::colourOf(padlockTone(protection), colours);
    const QRectF body(2.75, 7.5, 10.5, 7);
    QPainterPath outline;
    outline.addRoundedRect(body, 1.4, 1.4);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::FlatCap));
    painter.drawPath(shackle(lookOf(protection).closed));
    const double height = body.height() * lookOf(protection).filled;
    painter.setClipRect(QRectF(0, body.bottom() - height, 16, height + 1));
    painter.fillPath(outline, colour);
    painter.setClipping(false);
    painter.setPen(QPen(colour, 1.3));
    painter.drawPath(outline);
    painter.restore();
}

QIcon padlockIcon(Protection protection) {
    return QIcon(new PadlockEngine(protection));  // takes ownership
}

PadlockPicture::PadlockPicture(Protection protection, int side, QWidget* parent)
    : QWidget(parent), protection_(protection) {
    setFixedSize(side, side);
}

void PadlockPicture::setProtection(Protection protection) {
    protection_ = protection;
    update();
}

void PadlockPicture::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    paintPadlock(painter, rect(), protection_);
}

PadlockBadge::PadlockBadge(QWidget* parent)
    : QFrame(parent),
      icon_(new PadlockPicture(Protection::None, theme::line(), this)),
      words_(new QLabel(this)) {
    words_->setFont(theme::font(0.92, QFont::DemiBold));
    auto* row = new QHBoxLayout(this);
    row->setSpacing(theme::line() / 3);
    row->addWidget(icon_);
    row->addWidget(words_);
    hide();
}

void PadlockBadge::show(const PadlockState& state) {
    if (std::exchange(shown_, state) == state) {
        return;
    }
    const bool anything = state.alarming() || state.protection;
    setVisible(anything);
    if (!anything) {
        return;
    }
    const Protection protection = shownProtection(state);
    const theme::Tone tone = padlockTone(protection);
    const int line = theme::line();
    icon_->setProtection(protection);
    words_->setText(warningWords(state));
    words_->setVisible(state.alarming());
    theme::setTone(*words_, tone);
    theme::setTone(*this, tone);
    theme::setFrame(*this, state.alarming() ? theme::Frame::Badge : theme::Frame::None);
    const int side = state.alarming() ? line / 2 : 0;
    layout()->setContentsMargins(side, 1, side, 1);
    const QString meaning = padlockMeaning(state);
    setToolTip(meaning);
    setAccessibleName(tr("Protection: %1").arg(meaning));
}

QImage renderPadlockWarning(const PadlockState& state, double devicePixelRatio) {
    const QFont font = theme::font(1.0, QFont::DemiBold);
    const QString words = warningWords(state);
    const int line = theme::line();
    const int textWidth = QFontMetrics(font).horizontalAdvance(words);
    const QSize size(line / 2 + line + line / 3 + textWidth + line * 3 / 4, line * 7 / 4);
    QImage image = overlayPanel(size, devicePixelRatio, theme::kOverVideo.warning);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF icon(line / 2.0, (size.height() - line) / 2.0, line, line);
    paintPadlock(painter, icon, Protection::None, theme::kOverVideo);
    painter.setPen(theme::kOverVideo.warning);
    painter.setFont(font);
    painter.drawText(QRectF(icon.right() + line / 3.0, 0, textWidth + 2, size.height()), Qt::AlignVCenter,
                     words);
    return image;
}

}  // namespace verbcast
