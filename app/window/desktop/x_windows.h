// The windows of the X11 screen, to choose one to send.
#pragma once

#include <QList>
#include <QString>
#include <cstdint>

namespace verbcast {

struct ScreenWindow {
    std::uint32_t id = 0;
    QString title;
};

/// The windows that a window manager manages, or else those with a title. Empty if the screen is not X11.
QList<ScreenWindow> screenWindows();

}  // namespace verbcast
