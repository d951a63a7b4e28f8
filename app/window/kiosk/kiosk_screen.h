// Chooses the monitor of an installation.
#pragma once

#include <QString>
#include <QStringList>
#include <cstddef>

class QScreen;

namespace verbcast {

/// A monitor: "HDMI-1" and "3840x2160 at 1920,0".
struct ScreenDescription {
    QString name;
    QString place;
};

/// Returns the index of the monitor with that name or number (from 0); "" is the first. Throws Error{Usage},
/// listing the monitors, if there is no such one.
std::size_t chooseScreen(const QString& wanted, const QList<ScreenDescription>& screens);

/// The same for this application's screens.
QScreen* findScreen(const QString& wanted);

}  // namespace verbcast
