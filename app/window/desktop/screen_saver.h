// Keeps the screen on while a picture is shown.
#pragma once

#include <QObject>
#include <QString>
#include <optional>

namespace verbcast {

/// Active from start() to stop() or the program's end. On X11 suspends the server's screen saver and DPMS
/// timers (MIT-SCREEN-SAVER; the server undoes it when the program ends). Also asks a desktop that serves
/// org.freedesktop.ScreenSaver, without waiting. GUI thread; needs a QGuiApplication.
class ScreenSaverInhibitor : public QObject {
    Q_OBJECT
  public:
    explicit ScreenSaverInhibitor(QObject* parent = nullptr);

    /// Does nothing if started already. Emits report() once the result is known.
    void start();
    /// Lets the screen savers run again.
    void stop();

  Q_SIGNALS:
    /// "screen saver: suspended on the X server; inhibited at the desktop". `asWanted`: false if it could not
    /// be held off.
    void report(const QString& text, bool asWanted);

  private:
    struct Done {
        QString text;
        bool off = false;
    };

    static Done suspendOnX11();
    void askDesktop(const Done& done);
    static void releaseDesktop(unsigned cookie);

    bool on_ = false;
    std::optional<unsigned> cookie_;  // of the desktop's inhibition
};

}  // namespace verbcast
