// A program that drags something onto a window, as the XDND protocol asks for
// (https://www.freedesktop.org/wiki/Specifications/XDND/).
#pragma once

#include <QByteArray>
#include <QPoint>
#include <QString>

namespace verbcast::testing {

/// Drags the data, of that MIME type, onto the window at that point of the screen and drops it. False when
/// the window does not want it. Throws std::runtime_error when nobody there takes part or answers.
bool dragAndDrop(const QString& display, const QPoint& onto, const QString& type, const QByteArray& data);

}  // namespace verbcast::testing
