#include "app/window/desktop/session_bus.h"

#include <QFileInfo>
#include <QString>

namespace verbcast {

bool sessionBusRuns() {
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
           (!runtime.isEmpty() && QFileInfo::exists(runtime + "/bus"));
}

}  // namespace verbcast
