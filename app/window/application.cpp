#include "app/window/application.h"

#include <QApplication>
#include <QSurfaceFormat>

#include "app/window/theme.h"

namespace verbcast {

void requestOpenGl(VerticalSync sync) {
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setSwapInterval(sync == VerticalSync::On ? 1 : 0);
    QSurfaceFormat::setDefaultFormat(format);
}

void nameApplication(QApplication& application) {
    QApplication::setApplicationName("verbcast");
    QApplication::setDesktopFileName("verbcast");
    QApplication::setOrganizationName("verbcast");
    theme::apply(application);
}

}  // namespace verbcast
