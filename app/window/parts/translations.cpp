#include "app/window/parts/translations.h"

#include <QApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace verbcast {
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

}  // namespace

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

}  // namespace verbcast
