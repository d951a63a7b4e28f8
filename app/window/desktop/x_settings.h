// Settings that an X11 desktop's XSETTINGS manager publishes to all programs, such as its theme
// (https://specifications.freedesktop.org/xsettings-spec).
#pragma once

#include <QAbstractNativeEventFilter>
#include <QByteArray>
#include <QObject>
#include <cstdint>

namespace verbcast {

/// Returns the text of that name from a _XSETTINGS_SETTINGS property; empty if there is none or the property
/// is truncated.
QByteArray xSettingsText(const QByteArray& property, const QByteArray& name);

/// Follows the settings of the X server's first screen; none if the screen is not X11 or has no manager. Asks
/// the X server at construction and at each change. GUI thread; needs a QGuiApplication.
class XSettings : public QObject, private QAbstractNativeEventFilter {
    Q_OBJECT
  public:
    explicit XSettings(QObject* parent = nullptr);

    /// Of "Net/ThemeName", for example; empty if there is no such text.
    QByteArray text(const QByteArray& name) const { return xSettingsText(property_, name); }

  Q_SIGNALS:
    void changed();

  private:
    bool nativeEventFilter(const QByteArray& type, void* message, qintptr* result) override;
    void findManager();

    std::uint32_t managerAtom_ = 0, selection_ = 0, settings_ = 0;
    std::uint32_t manager_ = 0;  // a window; 0: none
    QByteArray property_;
};

}  // namespace verbcast
