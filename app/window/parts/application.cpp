#include "app/window/parts/application.h"

#include <QApplication>
#include <QSurfaceFormat>
#include <clocale>

#include "app/window/parts/appearance.h"
#include "app/window/parts/theme.h"
#include "app/window/parts/translations.h"

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
    std::setlocale(LC_NUMERIC, "C");  // Qt took the user's: options have decimal points everywhere
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
