// Shows how a stream is protected, as a padlock that is visible from across the room.
#pragma once

#include <QFrame>
#include <QIcon>
#include <QImage>
#include <QLabel>
#include <optional>

#include "app/window/style/theme.h"
#include "core/session/trust/trust.h"

class QPainter;

namespace verbcast {

/// What a padlock shows.
struct PadlockState {
    std::optional<Protection> protection{};  ///< of the peer; nullopt: no peer
    bool open = false;                       ///< this side listens with --open: anybody may connect

    /// Must be visible all the time, in words.
    bool alarming() const { return open || protection == Protection::None; }
    friend bool operator==(const PadlockState&, const PadlockState&) = default;
};

/// Closed and filled: Encrypted. Closed and half filled: Proven. Open: ThisHost, None.
void paintPadlock(QPainter& painter, const QRectF& area, Protection protection,
                  const theme::Colours& colours = theme::colours());
QIcon padlockIcon(Protection protection);
theme::Tone padlockTone(Protection protection);

/// "encrypted", "proven", "this machine", "unprotected".
QString protectionWord(Protection protection);
/// What the state means, in one or two sentences.
QString padlockMeaning(const PadlockState& state);

/// A padlock as a widget. Keeps its colour when disabled, where a label would turn grey.
class PadlockPicture : public QWidget {
    Q_OBJECT
  public:
    PadlockPicture(Protection protection, int side, QWidget* parent = nullptr);
    void setProtection(Protection protection);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Protection protection_;
};

/// A padlock beside other badges, with red text while it is alarming; hidden when there is nothing to show.
class PadlockBadge : public QFrame {
    Q_OBJECT
  public:
    explicit PadlockBadge(QWidget* parent = nullptr);
    void show(const PadlockState& state);

  private:
    PadlockPicture* icon_;
    QLabel* words_;
    PadlockState shown_;
};

/// The alarming badge, drawn over a picture that has no strip below it.
QImage renderPadlockWarning(const PadlockState& state, double devicePixelRatio);

}  // namespace verbcast
