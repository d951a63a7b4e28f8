// Drags data onto a window as another program would, using the XDND protocol
// (https://www.freedesktop.org/wiki/Specifications/XDND/).
#pragma once

#include <QByteArray>
#include <QPoint>
#include <QString>

namespace verbcast::testing {

/// Drags data of the given MIME type onto the window at this point of the screen and drops it. Returns false
/// if the window rejects it. Throws std::runtime_error if no window there supports XDND or answers.
bool dragAndDrop(const QString& display, const QPoint& onto, const QString& type, const QByteArray& data);

}  // namespace verbcast::testing
