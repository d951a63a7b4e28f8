// Whether the desktop wants its windows dark or light.
#pragma once

#include <QDBusMessage>
#include <QDBusVariant>
#include <QObject>
#include <optional>

#include "app/window/desktop/x_settings.h"

namespace verbcast {

/// What the desktop's portal says (org.freedesktop.appearance), asked without waiting for it; else dark where
/// XSETTINGS name a dark theme; else what Qt knows: the colour scheme (Qt 6.5) or the lightness of the
/// desktop's palette. Where there is no desktop it is dark. GUI thread; made before the application has a
/// palette of its own.
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
    std::optional<bool> portal_;  // nothing: there is none, or it has no preference
};

}  // namespace verbcast
