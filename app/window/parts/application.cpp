#include "app/window/parts/application.h"

#include <QApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QSurfaceFormat>
#include <QTranslator>
#include <clocale>

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

/// Returns whether there is such a translation; the application owns it.
bool install(QApplication& application, const QString& file, const QString& folder) {
    auto* translator = new QTranslator(&application);
    if (!translator->load(file, folder)) {
        delete translator;
        return false;
    }
    return QCoreApplication::installTranslator(translator);
}

/// Sets the first of the user's languages (LANGUAGE, LC_ALL, LC_MESSAGES, LANG) that has a translation; else
/// English. Standard error, files and output for other programs stay English.
void translateWindows(QApplication& application) {
    for (const QString& name : QLocale::system().uiLanguages()) {  // "de-AT", "de"
        const QString language = QString(name).replace('-', '_');
        if (language.startsWith("en") || language == "C") {
            break;  // English is preferred to the languages that follow
        }
        if (install(application, "verbcast_" + language, ":/translations")) {
            // The texts of Qt's own dialogs, if installed.
            install(application, "qtbase_" + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
            return;
        }
    }
    QLocale::setDefault(QLocale::English);  // no other language's numbers among English words
}

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
