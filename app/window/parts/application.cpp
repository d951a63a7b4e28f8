#include "app/window/parts/application.h"

#include <QApplication>
#include <QSurfaceFormat>
#include <clocale>

#include "app/window/parts/translations.h"
#include "app/window/style/appearance.h"
#include "app/window/style/theme.h"

namespace verbcast {

void requestOpenGl(VerticalSync sync) {
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setSwapInterval(sync == VerticalSync::On ? 1 : 0);
    QSurfaceFormat::setDefaultFormat(format);
}

void requestStereo() {
    QSurfaceFormat format = QSurfaceFormat::defaultFormat();
    format.setStereo(true);
    QSurfaceFormat::setDefaultFormat(format);
}

namespace {

void begin(QApplication& application) {
    QApplication::setApplicationName("verbcast");
    QApplication::setDesktopFileName("verbcast");
    QApplication::setOrganizationName("verbcast");
    std::setlocale(LC_NUMERIC, "C");  // Qt set the user's locale: options always use decimal points
    translateWindows(application);
}

}  // namespace

void nameApplication(QApplication& application) {
    begin(application);
    beginAppearance(application);
}

void nameApplication(QApplication& application, const theme::Colours& colours) {
    begin(application);
    theme::apply(application, colours);
}

}  // namespace verbcast
