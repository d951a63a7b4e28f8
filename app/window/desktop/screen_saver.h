// Keeps the screen on while a picture is to be seen.
#pragma once

#include <QObject>
#include <QString>
#include <optional>

namespace verbcast {

/// From start() to stop() or the program's end. On X11 the server's own screen saver and DPMS timers are
/// suspended (MIT-SCREEN-SAVER, undone by the server when the program ends); a desktop that answers to
/// org.freedesktop.ScreenSaver is asked as well, without waiting for it. GUI thread; needs a QGuiApplication.
class ScreenSaverInhibitor : public QObject {
    Q_OBJECT
  public:
    explicit ScreenSaverInhibitor(QObject* parent = nullptr);

    /// Starts, unless it has; report() follows once, when it is known what could be done.
    void start();
    /// Leaves the screen to its savers again.
    void stop();

  Q_SIGNALS:
    /// "screen saver: suspended on the X server; inhibited at the desktop"
    void report(const QString& text);

  private:
    static QString suspendOnX11();
    void askDesktop(const QString& done);
    static void releaseDesktop(unsigned cookie);

    bool on_ = false;
    std::optional<unsigned> cookie_;  // of the desktop's inhibition
};

}  // namespace verbcast
