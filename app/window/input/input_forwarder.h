// Turns the user's input over the picture into events for the sender.
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

/// Translates the events of the picture's window. A key is released under the keysym it was pressed with,
/// even if Shift changed in between. Pointer and finger moves are sent at once if the screen has shown a
/// frame since the last one; otherwise the newest waits for the next frame (or, without frames, for
/// kMovePeriod) and is sent before any other event. Belongs to the GUI thread.
class InputForwarder : public QObject {
    Q_OBJECT
  public:
    /// Longer than a frame of 60 fps, so that frames set the pace.
    static constexpr std::chrono::milliseconds kMovePeriod{25};

    /// Passes an event to the session; returns 0 if it was not sent.
    using Send = std::function<std::uint64_t(const InputEvent&)>;
    /// The stream's point, in its pixels, under a point of the window; nullopt without a picture.
    using ToStream = std::function<std::optional<QPointF>(const QPointF&)>;

    InputForwarder(Send send, ToStream toStream, bool nativeIsKeysym, QObject* parent = nullptr);

    /// Returns true for input events: the window must not use them itself. Losing the focus releases
    /// everything.
    bool forward(QEvent& event);

    /// For events meant for the viewer: still releases what is pressed at the sender. Returns true if it did.
    bool forwardRelease(QEvent& event);

    /// Call when the screen shows another frame.
    void frameDisplayed();

    /// Releases everything that is pressed.
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
    std::map<std::uint32_t, std::uint32_t> keys_;  // pressed: keysyms by the key's place on the keyboard
    std::set<std::uint32_t> buttons_;              // pressed
    std::map<std::uint32_t, InputEvent> fingers_;  // touching: the last event of each
    std::vector<InputEvent> moves_;                // waiting: one for the pointer and one for each finger
    bool mayMove_ = true;
    QTimer movePeriod_;
};

}  // namespace verbcast
