// Which monitor an installation uses.
#pragma once

#include <QString>
#include <QStringList>
#include <cstddef>

class QScreen;

namespace verbcast {

/// What is known about a monitor: "HDMI-1" and "3840x2160 at 1920,0".
struct ScreenDescription {
    QString name;
    QString place;
};

/// The index of the wanted one: its name, or its number from 0; "" is the first. Throws Error{Usage} that
/// lists those there are.
std::size_t chooseScreen(const QString& wanted, const QList<ScreenDescription>& screens);

/// The same among this application's screens.
QScreen* findScreen(const QString& wanted);

}  // namespace verbcast
