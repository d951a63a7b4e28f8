#include "tests/window/desktop/wayland_desktop.h"

#include <sys/stat.h>

#include <QImage>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>

#include "tests/support/installed_programs.h"

namespace verbcast::testing {
namespace {

constexpr const char* kSwayPrograms[] = {"wtype"};
constexpr const char* kWestonPrograms[] = {"weston", "weston-screenshooter"};

std::string missingWithQt(std::span<const char* const> programs) {
    const bool qtOnWayland = std::filesystem::exists(QT_WAYLAND_PLUGINS);
    return missingOf(programs) + (qtOnWayland ? "" : " qt6-wayland");
}

void expectSuccess(ChildProcess& program, const std::string& what) {
    if (program.waitForEnd() != 0) {
        throw std::runtime_error(what + " failed: " + program.output() + program.errors());
    }
}

void useQtOnWayland(const TemporaryFolder& folder) {
    ::chmod(folder.path().c_str(), S_IRWXU);  // Qt requires it
    ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
    ::setenv("HOME", folder.path().c_str(), 1);
    ::setenv("QT_QPA_PLATFORM", "wayland", 1);
    ::setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    ::setenv("LANG", "C.UTF-8", 1);
    ::unsetenv("DISPLAY");
}

}  // namespace

std::string SwayDesktop::missingPrograms() {
    return WaylandSession::missingPrograms() + missingWithQt(kSwayPrograms);
}

SwayDesktop::SwayDesktop() {
    useQtOnWayland(folder_);
}

bool SwayDesktop::key(const std::string& name) {
    ChildProcess typing({"wtype", "-k", name});
    expectSuccess(typing, "wtype -k " + name);
    return true;
}

bool SwayDesktop::closeWindow() {
    session_.command("kill");
    return true;
}

std::string WestonDesktop::missingPrograms() {
    return missingWithQt(kWestonPrograms);
}

WestonDesktop::WestonDesktop() {
    ::unsetenv("WAYLAND_DISPLAY");
    useQtOnWayland(folder_);
    // --debug: allows any client to take screenshots.
    compositor_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        "weston", "--backend=headless-backend.so", "--shell=desktop-shell.so", "--socket=wayland-test",
        "--width=640", "--height=480", "--idle-time=0", "--no-config", "--use-pixman", "--debug"});
    if (!compositor_->waitForError("launching '")) {
        throw std::runtime_error("weston does not start: " + compositor_->errors());
    }
    ::setenv("WAYLAND_DISPLAY", "wayland-test", 1);
}

Picture WestonDesktop::screenshot() {
    const TemporaryFolder shots;
    ChildProcess shooter({"weston-screenshooter"}, {.folder = shots.path()});
    expectSuccess(shooter, "weston-screenshooter");
    const auto names = shots.names();
    QImage image;
    if (names.size() != 1 || !image.load(QString::fromStdString(shots.file(names.front())))) {
        throw std::runtime_error("weston-screenshooter leaves no picture");
    }
    Picture picture{image.width(), image.height(), {}};
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            picture.pixels.push_back(image.pixel(x, y) & 0xFFFFFF);
        }
    }
    return picture;
}

}  // namespace verbcast::testing
