// What the XSETTINGS manager of an X11 desktop tells all programs: its theme, for one
// (https://specifications.freedesktop.org/xsettings-spec).
#pragma once

#include <QAbstractNativeEventFilter>
#include <QByteArray>
#include <QObject>
#include <cstdint>

namespace verbcast {

/// The text of that name in a property _XSETTINGS_SETTINGS; empty when there is none, and when the property
/// ends too early.
QByteArray xSettingsText(const QByteArray& property, const QByteArray& name);

/// The settings of the X server's first screen, now and whenever they change; none where the screen is not
/// X11 or has no manager. Asks the X server when made and at each change. GUI thread; needs a
/// QGuiApplication.
class XSettings : public QObject, private QAbstractNativeEventFilter {
    Q_OBJECT
  public:
    explicit XSettings(QObject* parent = nullptr);

    /// "Net/ThemeName"; empty when there is no such text.
    QByteArray text(const QByteArray& name) const { return xSettingsText(property_, name); }

  Q_SIGNALS:
    void changed();

  private:
    bool nativeEventFilter(const QByteArray& type, void* message, qintptr* result) override;
    void findManager();

    std::uint32_t managerAtom_ = 0, selection_ = 0, settings_ = 0;
    std::uint32_t manager_ = 0;  // a window; 0: there is none
    QByteArray property_;
};

}  // namespace verbcast
