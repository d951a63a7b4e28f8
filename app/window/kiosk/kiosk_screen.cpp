#include "app/window/kiosk/kiosk_screen.h"

#include <QGuiApplication>
#include <QScreen>

#include "core/base/error.h"

namespace verbcast {
namespace {

ScreenDescription describeScreen(const QScreen& screen) {
    const QRect area = screen.geometry();
    const QSize pixels = area.size() * screen.devicePixelRatio();
    return {
        .name = screen.name(),
        .place =
            QString("%1x%2 at %3,%4").arg(pixels.width()).arg(pixels.height()).arg(area.x()).arg(area.y())};
}

}  // namespace

std::size_t chooseScreen(const QString& wanted, const QList<ScreenDescription>& screens) {
    if (wanted.isEmpty() && !screens.isEmpty()) {
        return 0;
    }
    QStringList there;
    for (qsizetype i = 0; i < screens.size(); ++i) {
        if (screens[i].name == wanted) {
            return static_cast<std::size_t>(i);
        }
        there << QString("%1: %2 (%3)").arg(i).arg(screens[i].name, screens[i].place);
    }
    bool isNumber = false;
    const int number = wanted.toInt(&isNumber);
    if (isNumber && number >= 0 && number < screens.size()) {
        return static_cast<std::size_t>(number);
    }
    throw Error(ErrorKind::Usage, "--screen " + wanted.toStdString() + ": there is no such monitor",
                there.isEmpty() ? "connect a monitor"
                                : "a number or name of these: " + there.join(", ").toStdString());
}

QScreen* findScreen(const QString& wanted) {
    // Qt lists the primary screen first.
    const QList<QScreen*> screens = QGuiApplication::screens();
    QList<ScreenDescription> descriptions;
    for (const QScreen* screen : screens) {
        descriptions << describeScreen(*screen);
    }
    return screens[static_cast<qsizetype>(chooseScreen(wanted, descriptions))];
}

}  // namespace verbcast
