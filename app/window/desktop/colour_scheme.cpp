#include "app/window/desktop/colour_scheme.h"

#include <QDBusConnection>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QPalette>
#include <QStyleHints>

#include "app/window/desktop/session_bus.h"

namespace verbcast {
namespace {

constexpr const char* kService = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kColourScheme = "color-scheme";
// Its values; 0 is no preference.
constexpr unsigned kPrefersDark = 1;
constexpr unsigned kPrefersLight = 2;

bool paletteIsDark() {
    return QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
}

/// Without a desktop, Qt's palette is its own light one, which says nothing.
bool desktopRuns() {
    return !qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP");
}

}  // namespace

ColourScheme::ColourScheme(QObject* parent) : QObject(parent), qt_(paletteIsDark() || !desktopRuns()) {
    followQt();
    followTheme();
    connect(&xSettings_, &XSettings::changed, this, &ColourScheme::followTheme);
    if (sessionBusRuns()) {
        askPortal();
    }
}

void ColourScheme::followQt() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const auto take = [this](Qt::ColorScheme scheme) {
        if (scheme != Qt::ColorScheme::Unknown && desktopRuns()) {
            qt_ = scheme == Qt::ColorScheme::Dark;
            Q_EMIT changed();
        }
    };
    const QStyleHints* hints = QGuiApplication::styleHints();
    take(hints->colorScheme());
    connect(hints, &QStyleHints::colorSchemeChanged, this, take);
#endif
}

/// Dark themes say so in their names: "Adwaita-dark", "Breeze-Dark", "Yaru-viridian-dark".
void ColourScheme::followTheme() {
    const bool before = dark();
    darkTheme_ = xSettings_.text("Net/ThemeName").toLower().contains("dark");
    if (dark() != before) {
        Q_EMIT changed();
    }
}

void ColourScheme::askPortal() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    // From any sender at that path: a portal may start later or restart.
    bus.connect(QString(), kPath, kSettings, "SettingChanged", this, SLOT(onSettingChanged(QDBusMessage)));
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kSettings, "Read");
    call << QString(kAppearance) << QString(kColourScheme);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (!reply.isError()) {
            take(reply.value());
        }
    });
}

// Takes the whole message: Qt may not know QDBusVariant yet when this is connected, and would refuse it.
void ColourScheme::onSettingChanged(const QDBusMessage& signal) {
    const QVariantList values = signal.arguments();
    if (values.size() == 3 && values[0] == QString(kAppearance) && values[1] == QString(kColourScheme)) {
        take(values[2].value<QDBusVariant>());
    }
}

void ColourScheme::take(const QDBusVariant& value) {
    // The method Read wraps the value once more.
    QVariant scheme = value.variant();
    while (scheme.userType() == qMetaTypeId<QDBusVariant>()) {
        scheme = scheme.value<QDBusVariant>().variant();
    }
    const unsigned preference = scheme.toUInt();
    const bool before = dark();
    portal_ = preference == kPrefersDark || preference == kPrefersLight
                  ? std::optional(preference == kPrefersDark)
                  : std::nullopt;
    if (dark() != before) {
        Q_EMIT changed();
    }
}

}  // namespace verbcast
