#include "app/window/viewer/idle_cursor.h"

#include <QEvent>

namespace verbcast {

IdleCursor::IdleCursor(QWindow& window, QObject* parent) : QObject(parent), window_(window) {
    idle_.setSingleShot(true);
    connect(&idle_, &QTimer::timeout, this, [this] { window_.setCursor(Qt::BlankCursor); });
    window.installEventFilter(this);
}

void IdleCursor::setOn(bool on) {
    on_ = on;
    window_.unsetCursor();
    if (on) {
        idle_.start(kIdle);
    } else {
        idle_.stop();
    }
}

bool IdleCursor::eventFilter(QObject* watched, QEvent* event) {
    const bool moved = event->type() == QEvent::MouseMove || event->type() == QEvent::MouseButtonPress ||
                       event->type() == QEvent::Wheel;
    if (on_ && moved) {
        window_.unsetCursor();
        idle_.start(kIdle);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace verbcast
