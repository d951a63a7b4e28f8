// Whether the desktop wants its windows dark or light.
#pragma once

#include <QDBusMessage>
#include <QDBusVariant>
#include <QObject>
#include <optional>

#include "app/window/desktop/x_settings.h"

namespace verbcast {

/// Follows the desktop's portal (org.freedesktop.appearance), asked asynchronously. Without it: dark if
/// XSETTINGS name a dark theme, else what Qt knows: its colour scheme (Qt 6.5) or the lightness of the
/// desktop's palette. Dark without a desktop. GUI thread; construct before the application sets its own
/// palette.
class ColourScheme : public QObject {
    Q_OBJECT
  public:
    explicit ColourScheme(QObject* parent);
    bool dark() const { return portal_.value_or(darkTheme_ || qt_); }

  Q_SIGNALS:
    void changed();

  private Q_SLOTS:
    void onSettingChanged(const QDBusMessage& signal);

  private:
    void followQt();
    void followTheme();
    void askPortal();
    void take(const QDBusVariant& value);

    bool qt_ = true;
    XSettings xSettings_;
    bool darkTheme_ = false;
    std::optional<bool> portal_;  // nullopt: no portal, or no preference
};

}  // namespace verbcast
