#include "app/window/desktop/display_check.h"

#include <QOpenGLContext>
#include <QtGlobal>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {
namespace {

const char* displayRemedy = "";  // for takeQtMessage(), which gets no other arguments
constexpr const char* kOpenGlRemedy =
    "install the graphics driver or Mesa's software renderer (apt install libgl1-mesa-dri), or receive "
    "without a "
    "window (verbcast view --headless)";

bool isSet(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

void takeQtMessage(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
    if (type == QtFatalMsg) {
        // Qt calls abort() when this returns; an exception cannot pass through it.
        printToStderr("verbcast: the display cannot be used: {}\n  try: {}\n", text.toStdString(),
                      displayRemedy);
        std::_Exit(static_cast<int>(ErrorKind::Display));
    }
    if (type == QtCriticalMsg) {
        log(LogCategory::Window).error("Qt: {}", text.toStdString());
    } else {
        log(LogCategory::Window).info("Qt: {}", text.toStdString());
    }
}

}  // namespace

void requireDisplay(const char* remedy) {
    displayRemedy = remedy;
    if (!isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY") && !isSet("QT_QPA_PLATFORM")) {
        throw Error(ErrorKind::Display,
                    "no display: neither DISPLAY nor WAYLAND_DISPLAY is set, and a window needs one of them",
                    remedy);
    }
    qInstallMessageHandler(takeQtMessage);
}

std::unique_ptr<QOpenGLContext> makeOpenGlContext(QSurface& surface) {
    auto context = std::make_unique<QOpenGLContext>();
    if (!context->create() || !context->makeCurrent(&surface)) {
        throw Error(ErrorKind::Display, "this display offers no OpenGL context, 3.3 core is needed",
                    kOpenGlRemedy);
    }
    const QSurfaceFormat format = context->format();
    if (context->isOpenGLES() || format.version() < qMakePair(3, 3)) {
        throw Error(ErrorKind::Display,
                    "this display offers OpenGL " + std::string(context->isOpenGLES() ? "ES " : "") +
                        std::to_string(format.majorVersion()) + "." + std::to_string(format.minorVersion()) +
                        ", 3.3 core is needed",
                    kOpenGlRemedy);
    }
    return context;
}

}  // namespace verbcast
