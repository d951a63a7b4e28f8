// The desktop's D-Bus.
#pragma once

#include <QFileInfo>
#include <QString>

namespace verbcast {

/// Check before using the bus: connecting to one that does not run would start it.
inline bool sessionBusRuns() {
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
           (!runtime.isEmpty() && QFileInfo::exists(runtime + "/bus"));
}

}  // namespace verbcast
