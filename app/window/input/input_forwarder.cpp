#include "app/window/input/input_forwarder.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QTouchEvent>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "app/window/input/keysym.h"

namespace verbcast {
namespace {

constexpr double kWheelNotch = 120;  // eighths of a degree, Qt's unit

/// Numbers buttons as X11 does; 0 for buttons that X11 does not number.
std::uint32_t buttonCode(Qt::MouseButton button) {
    switch (button) {
        case Qt::LeftButton:
            return 1;
        case Qt::MiddleButton:
            return 2;
        case Qt::RightButton:
            return 3;
        case Qt::BackButton:
            return 8;
        case Qt::ForwardButton:
            return 9;
        default:
            return 0;
    }
}

/// Identifies a key from press to release, whatever modifiers do meanwhile.
std::uint32_t keyPlace(const QKeyEvent& event) {
    constexpr std::uint32_t kByName = 0x80000000;
    return event.nativeScanCode() != 0 ? event.nativeScanCode()
                                       : kByName | static_cast<std::uint32_t>(event.key());
}

}  // namespace

InputForwarder::InputForwarder(Send send, ToStream toStream, bool nativeIsKeysym, QObject* parent)
    : QObject(parent),
      send_(std::move(send)),
      toStream_(std::move(toStream)),
      nativeIsKeysym_(nativeIsKeysym) {
    movePeriod_.setSingleShot(true);
    movePeriod_.setTimerType(Qt::PreciseTimer);
    connect(&movePeriod_, &QTimer::timeout, this, &InputForwarder::frameDisplayed);
}

bool InputForwarder::forward(QEvent& event) {
    switch (event.type()) {
        case QEvent::KeyPress:
        case QEvent::KeyRelease:
            key(static_cast<QKeyEvent&>(event));
            return true;
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseButtonRelease:
            button(static_cast<QMouseEvent&>(event));
            return true;
        case QEvent::MouseMove:
            move(static_cast<QMouseEvent&>(event));
            return true;
        case QEvent::Wheel:
            wheel(static_cast<QWheelEvent&>(event));
            return true;
        case QEvent::TouchBegin:
        case QEvent::TouchUpdate:
        case QEvent::TouchEnd:
        case QEvent::TouchCancel:
            touch(static_cast<QTouchEvent&>(event));
            return true;
        case QEvent::FocusOut:
            releaseAll();
            return false;
        default:
            return false;
    }
}

bool InputForwarder::forwardRelease(QEvent& event) {
    const bool down = event.type() == QEvent::KeyRelease
                          ? keys_.contains(keyPlace(static_cast<QKeyEvent&>(event)))
                      : event.type() == QEvent::MouseButtonRelease
                          ? buttons_.contains(buttonCode(static_cast<QMouseEvent&>(event).button()))
                          : false;
    return down && forward(event);
}

bool InputForwarder::sendNow(const InputEvent& event) {
    return send_(event) != 0;
}

std::optional<InputEvent> InputForwarder::eventAt(InputKind kind, const QPointF& position) const {
    const auto point = toStream_(position);
    if (!point) {
        return std::nullopt;
    }
    InputEvent event{.kind = kind};
    event.x = static_cast<float>(point->x());
    event.y = static_cast<float>(point->y());
    return event;
}

void InputForwarder::key(const QKeyEvent& event) {
    const bool pressed = event.type() == QEvent::KeyPress;
    if (!pressed && event.isAutoRepeat()) {
        return;  // auto-repeat: the next press comes without a release
    }
    const std::uint32_t place = keyPlace(event);
    const auto held = keys_.find(place);
    if (!pressed && held == keys_.end()) {
        return;
    }
    const std::uint32_t keysym = held != keys_.end() ? held->second : x11Keysym(event, nativeIsKeysym_);
    if (keysym == 0) {
        return;
    }
    flushMoves();
    const bool sent = sendNow({.kind = InputKind::Key, .pressed = pressed, .code = keysym});
    if (!pressed) {
        keys_.erase(held);
    } else if (sent) {
        keys_.emplace(place, keysym);
    }
}

void InputForwarder::button(const QMouseEvent& event) {
    const std::uint32_t code = buttonCode(event.button());
    const bool pressed = event.type() != QEvent::MouseButtonRelease;
    // Qt reports the second press of a double click twice, as two event types. Mouse events synthesized from
    // touches are not sent: the touch was.
    if (code == 0 || pressed == buttons_.contains(code) || event.source() != Qt::MouseEventNotSynthesized) {
        return;
    }
    auto input = eventAt(InputKind::PointerButton, event.position());
    if (!input) {
        return;
    }
    input->code = code;
    input->pressed = pressed;
    flushMoves();
    const bool sent = sendNow(*input);
    if (!pressed) {
        buttons_.erase(code);
    } else if (sent) {
        buttons_.insert(code);
    }
}

void InputForwarder::move(const QMouseEvent& event) {
    if (event.source() != Qt::MouseEventNotSynthesized) {
        return;
    }
    if (const auto input = eventAt(InputKind::PointerMove, event.position())) {
        queueMove(*input);
        if (mayMove_) {
            flushMoves();
        }
    }
}

void InputForwarder::wheel(const QWheelEvent& event) {
    // With Alt, Qt swaps the wheel's directions.
    const bool swapped = event.modifiers().testFlag(Qt::AltModifier);
    const QPoint angle = swapped ? event.angleDelta().transposed() : event.angleDelta();
    auto input = eventAt(InputKind::Wheel, event.position());
    if (angle.isNull() || !input) {
        return;
    }
    input->dx = static_cast<float>(-angle.x() / kWheelNotch);  // Qt counts leftwards
    input->dy = static_cast<float>(angle.y() / kWheelNotch);
    flushMoves();
    sendNow(*input);
}

void InputForwarder::touch(QTouchEvent& event) {
    const bool cancelled = event.type() == QEvent::TouchCancel;
    for (const QEventPoint& point : event.points()) {
        auto input = eventAt(InputKind::Touch, point.position());
        if (!input || point.state() == QEventPoint::Stationary) {
            continue;
        }
        input->code = static_cast<std::uint32_t>(point.id());
        input->pressed = !cancelled && point.state() != QEventPoint::Released;
        const bool held = fingers_.contains(input->code);
        if (held && input->pressed) {
            fingers_[input->code] = *input;
            queueMove(*input);
        } else if (held || input->pressed) {
            flushMoves();
            const bool sent = sendNow(*input);
            if (held) {
                fingers_.erase(input->code);
            } else if (sent) {
                fingers_.emplace(input->code, *input);
            }
        }
    }
    if (mayMove_) {
        flushMoves();
    }
    event.accept();
}

void InputForwarder::queueMove(const InputEvent& event) {
    const auto same = std::find_if(moves_.begin(), moves_.end(), [&](const InputEvent& waiting) {
        return waiting.kind == event.kind && waiting.code == event.code;
    });
    if (same != moves_.end()) {
        *same = event;
    } else {
        moves_.push_back(event);
    }
}

void InputForwarder::flushMoves() {
    if (moves_.empty()) {
        return;
    }
    for (const InputEvent& event : std::exchange(moves_, {})) {
        sendNow(event);
    }
    mayMove_ = false;
    movePeriod_.start(kMovePeriod);
}

void InputForwarder::frameDisplayed() {
    if (moves_.empty()) {
        mayMove_ = true;
    } else {
        flushMoves();
    }
}

void InputForwarder::releaseAll() {
    moves_.clear();
    if (keys_.empty() && buttons_.empty() && fingers_.empty()) {
        return;
    }
    keys_.clear();
    buttons_.clear();
    fingers_.clear();
    sendNow({.kind = InputKind::ReleaseAll});
}

}  // namespace verbcast
