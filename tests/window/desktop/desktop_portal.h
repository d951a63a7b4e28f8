// A private session bus with a desktop portal on it that reports the preferred colour scheme.
#pragma once

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QDBusVirtualObject>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <stdexcept>

namespace verbcast::testing {

/// Starts no services, so the machine's own portal does not appear on it.
class SessionBus {
  public:
    /// Throws std::runtime_error when dbus-daemon is missing or does not start.
    SessionBus() {
        QFile configuration(folder_.filePath("bus.conf"));
        configuration.open(QIODevice::WriteOnly);
        configuration.write(
            "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context=\"default\">"
            "<allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>"
            "</policy></busconfig>");
        configuration.close();
        process_.start("dbus-daemon",
                       {"--config-file=" + configuration.fileName(), "--nofork", "--print-address"});
        if (!process_.waitForReadyRead(kPatienceMilliseconds)) {
            throw std::runtime_error("dbus-daemon does not start");
        }
        address_ = QString::fromUtf8(process_.readLine()).trimmed();
    }
    ~SessionBus() {
        process_.terminate();
        process_.waitForFinished(kPatienceMilliseconds);
    }
    SessionBus(const SessionBus&) = delete;
    SessionBus& operator=(const SessionBus&) = delete;

    const QString& address() const { return address_; }

  private:
    static constexpr int kPatienceMilliseconds = 30'000;
    QTemporaryDir folder_;
    QProcess process_;
    QString address_;
};

/// Answers requests while this thread's events are processed.
class DesktopPortal : public QDBusVirtualObject {
  public:
    explicit DesktopPortal(const QString& address, unsigned colourScheme)
        : bus_(QDBusConnection::connectToBus(address, kConnection)), colourScheme_(colourScheme) {
        bus_.registerVirtualObject(kPath, this);
        bus_.registerService("org.freedesktop.portal.Desktop");
    }
    ~DesktopPortal() override { QDBusConnection::disconnectFromBus(kConnection); }
    DesktopPortal(const DesktopPortal&) = delete;
    DesktopPortal& operator=(const DesktopPortal&) = delete;

    /// 0: no preference, 1: dark, 2: light.
    void setColourScheme(unsigned value) {
        colourScheme_ = value;
        QDBusMessage signal = QDBusMessage::createSignal(kPath, kSettings, "SettingChanged");
        signal << QString(kSpace) << QString(kKey) << QVariant::fromValue(QDBusVariant(value));
        bus_.send(signal);
    }

    QString introspect(const QString& /*path*/) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        if (message.interface() != kSettings || message.member() != "Read" ||
            message.arguments() != QVariantList{QString(kSpace), QString(kKey)}) {
            return false;
        }
        // A variant within a variant: the portal's first version did this, and later ones have kept it.
        const QDBusVariant inner(colourScheme_);
        connection.send(message.createReply(QVariant::fromValue(QDBusVariant(QVariant::fromValue(inner)))));
        return true;
    }

  private:
    static constexpr const char* kConnection = "portal";
    static constexpr const char* kPath = "/org/freedesktop/portal/desktop";
    static constexpr const char* kSettings = "org.freedesktop.portal.Settings";
    static constexpr const char* kSpace = "org.freedesktop.appearance";
    static constexpr const char* kKey = "color-scheme";

    QDBusConnection bus_;
    unsigned colourScheme_;
};

}  // namespace verbcast::testing
