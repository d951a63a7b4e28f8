// What the user does over the picture, as events for the sender.
#pragma once

#include <QObject>
#include <QPointF>
#include <QTimer>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/session/messages/input.h"

class QEvent;
class QKeyEvent;
class QMouseEvent;
class QTouchEvent;
class QWheelEvent;

namespace verbcast {

/// Translates the events of the picture's window. A key goes up under the name under which it went down, even
/// if Shift changed in between. Moves of the pointer and of fingers are sent at once when the screen has
/// shown a frame since the last one; else the newest waits for the next frame (or, when no frames come, for
/// kMovePeriod), and goes out before whatever else happens. Belongs to the GUI thread.
class InputForwarder : public QObject {
    Q_OBJECT
  public:
    /// Longer than a frame of 60 fps, so that those decide.
    static constexpr std::chrono::milliseconds kMovePeriod{25};

    /// Hands an event to the session; 0 when it was not sent.
    using Send = std::function<std::uint64_t(const InputEvent&)>;
    /// The point of the stream, in its pixels, under one of the window; nothing while there is no picture.
    using ToStream = std::function<std::optional<QPointF>(const QPointF&)>;

    InputForwarder(Send send, ToStream toStream, bool nativeIsKeysym, QObject* parent = nullptr);

    /// True for what is input: the window must not use it for itself. Losing the focus releases everything.
    bool forward(QEvent& event);

    /// For events that are the viewer's: what is down at the sender still goes up there. True when it was
    /// that.
    bool forwardRelease(QEvent& event);

    /// The screen shows another frame.
    void frameDisplayed();

    /// Lets go of whatever is down, if anything is.
    void releaseAll();

  private:
    void key(const QKeyEvent& event);
    void button(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void wheel(const QWheelEvent& event);
    void touch(QTouchEvent& event);
    void queueMove(const InputEvent& event);
    void flushMoves();
    bool sendNow(const InputEvent& event);
    std::optional<InputEvent> eventAt(InputKind kind, const QPointF& position) const;

    Send send_;
    ToStream toStream_;
    bool nativeIsKeysym_;
    std::map<std::uint32_t, std::uint32_t> keys_;  // down: keysyms by the key's place on the keyboard
    std::set<std::uint32_t> buttons_;              // down
    std::map<std::uint32_t, InputEvent> fingers_;  // down: the last event of each
    std::vector<InputEvent> moves_;                // waiting; one for the pointer and one for each finger
    bool mayMove_ = true;
    QTimer movePeriod_;
};

}  // namespace verbcast
