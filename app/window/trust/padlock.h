// How far a stream is protected, as a padlock that can be seen from across the room.
#pragma once

#include <QFrame>
#include <QIcon>
#include <QImage>
#include <QLabel>
#include <optional>

#include "app/window/parts/theme.h"
#include "core/session/trust/trust.h"

class QPainter;

namespace verbcast {

/// What a padlock tells.
struct PadlockState {
    std::optional<Protection> protection{};  ///< of the peer; nothing while there is none
    bool open = false;                       ///< this side listens with --open: anybody is let in

    /// It has to be seen all the time, in words.
    bool alarming() const { return open || protection == Protection::None; }
    friend bool operator==(const PadlockState&, const PadlockState&) = default;
};

/// Closed and filled: Encrypted. Closed and filled by half: Proven. Open: ThisHost, None.
void paintPadlock(QPainter& painter, const QRectF& area, Protection protection,
                  const theme::Colours& colours = theme::colours());
QIcon padlockIcon(Protection protection);
theme::Tone padlockTone(Protection protection);

/// "encrypted", "proven", "this machine", "unprotected".
QString protectionWord(Protection protection);
/// What the state means, in one or two sentences.
QString padlockMeaning(const PadlockState& state);

/// A padlock of its own. Keeps its colour where a label would turn grey, in what is disabled.
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

/// A padlock beside other badges; with words in red while it is alarming; hidden while there is nothing to
/// tell.
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

/// The alarming badge, to lie over a picture that has no strip below it.
QImage renderPadlockWarning(const PadlockState& state, double devicePixelRatio);

}  // namespace verbcast
