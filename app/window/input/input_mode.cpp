#include "app/window/input/input_mode.h"

#include <xkbcommon/xkbcommon-keysyms.h>

#include <QKeyEvent>
#include <utility>

#include "app/window/input/keysym.h"

namespace verbcast {

bool InputMode::want(bool wanted) {
    const bool before = on_;
    wanted_ = wanted;
    on_ = wanted && streaming_ && allowed_;
    return on_ != before;
}

bool InputMode::update(bool streaming, bool allowed) {
    const bool before = on_;
    streaming_ = streaming;
    allowed_ = allowed;
    if (streaming) {
        on_ = wanted_ && allowed;
    }
    return on_ != before;
}

bool InputMode::leave() {
    streaming_ = allowed_ = false;
    return std::exchange(on_, false);
}

InputState InputMode::state() const {
    if (on_) {
        return InputState::On;
    }
    if (!streaming_) {
        return InputState::NoStream;
    }
    return allowed_ ? InputState::Off : InputState::Refused;
}

bool isInputChord(const QEvent& event) {
    if (event.type() != QEvent::KeyPress) {
        return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(event);
    return key.key() == Qt::Key_I && !key.isAutoRepeat() &&
           (key.modifiers() & (Qt::ControlModifier | Qt::AltModifier)) ==
               (Qt::ControlModifier | Qt::AltModifier);
}

HostKey::Meaning HostKey::see(const QEvent& event, bool nativeIsKeysym) {
    switch (event.type()) {
        case QEvent::KeyPress:
        case QEvent::KeyRelease: {
            const auto& key = static_cast<const QKeyEvent&>(event);
            return seeKey(event.type() == QEvent::KeyPress, key.isAutoRepeat(),
                          x11Keysym(key, nativeIsKeysym) == XKB_KEY_Control_R);
        }
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseButtonRelease:
        case QEvent::MouseMove:
        case QEvent::Wheel:
            alone_ = alone_ && event.type() == QEvent::MouseMove;
            return held_ ? Meaning::Viewer : Meaning::Nothing;
        case QEvent::FocusOut:
            held_ = false;
            return Meaning::Nothing;
        default:
            return Meaning::Nothing;
    }
}

HostKey::Meaning HostKey::seeKey(bool pressed, bool repeated, bool isHostKey) {
    if (!isHostKey) {
        alone_ = false;
        return held_ ? Meaning::Viewer : Meaning::Nothing;
    }
    if (repeated) {
        return Meaning::Taken;
    }
    const bool wasHeld = std::exchange(held_, pressed);
    if (pressed) {
        alone_ = true;
        return Meaning::Taken;
    }
    return wasHeld && alone_ ? Meaning::Switch : Meaning::Taken;
}

}  // namespace verbcast
