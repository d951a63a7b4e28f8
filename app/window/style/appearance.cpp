#include "app/window/style/appearance.h"

#include <QApplication>
#include <QSettings>
#include <array>

#include "app/window/desktop/colour_scheme.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

constexpr const char* kKey = "window/appearance";
constexpr std::array<const char*, 3> kNames{"system", "dark", "light"};

void show(const ColourScheme& scheme) {
    const Appearance chosen = chosenAppearance();
    const bool dark = chosen == Appearance::System ? scheme.dark() : chosen == Appearance::Dark;
    const theme::Colours& colours = dark ? theme::kDark : theme::kLight;
    if (&theme::colours() != &colours || qApp->styleSheet().isEmpty()) {
        theme::apply(*qApp, colours);
    }
}

}  // namespace

void beginAppearance(QApplication& application) {
    auto* scheme = new ColourScheme(&application);
    QObject::connect(scheme, &ColourScheme::changed, scheme, [scheme] { show(*scheme); });
    show(*scheme);
}

Appearance chosenAppearance() {
    const QString kept = QSettings().value(kKey).toString();
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kept == kNames.at(i)) {
            return static_cast<Appearance>(i);
        }
    }
    return Appearance::System;
}

void chooseAppearance(Appearance appearance) {
    QSettings().setValue(kKey, kNames.at(static_cast<std::size_t>(appearance)));
    if (const auto* scheme = qApp->findChild<ColourScheme*>()) {
        show(*scheme);
    }
}

}  // namespace verbcast
