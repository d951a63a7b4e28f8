#include "tests/capture/screen/wayland_session.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/capture/screen/portal/connect_to.h"
#include "tests/support/installed_programs.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServices = "/usr/share/dbus-1/services/";
constexpr const char* kPortalServices[] = {"org.freedesktop.portal.Desktop.service",
                                           "org.freedesktop.impl.portal.PermissionStore.service"};
constexpr const char* kBackend = "/usr/libexec/xdg-desktop-portal-wlr";
constexpr const char* kPrograms[] = {"dbus-daemon", "sway",    "swaymsg", "swaybg",
                                     "grim",        "setpriv", "gdbus",   kBackend};

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// The compositor refuses to run as root, so it then runs as nobody.
std::vector<std::string> asOrdinaryUser(std::vector<std::string> command) {
    if (::geteuid() == 0) {
        const std::vector<std::string> prefix{"setpriv",        "--reuid=nobody", "--regid=nogroup",
                                              "--clear-groups", "--pdeathsig",    "KILL"};
        command.insert(command.begin(), prefix.begin(), prefix.end());
    }
    return command;
}

void giveAway(const std::string& path) {
    const passwd* nobody = ::geteuid() == 0 ? ::getpwnam("nobody") : nullptr;
    if (nobody != nullptr && ::chown(path.c_str(), nobody->pw_uid, nobody->pw_gid) != 0) {
        throw std::runtime_error("cannot give " + path + " to nobody");
    }
}

std::string ppm(const Picture& picture) {
    std::string bytes = fmt::format("P6\n{} {}\n255\n", picture.width, picture.height);
    for (const std::uint32_t pixel : picture.pixels) {
        for (const unsigned shift : {16U, 8U, 0U}) {
            bytes.push_back(static_cast<char>(pixel >> shift & 0xFF));
        }
    }
    return bytes;
}

Picture fromPpm(const std::string& bytes) {
    std::istringstream stream(bytes);
    std::string magic;
    Picture picture;
    int most = 0;
    stream >> magic >> picture.width >> picture.height >> most;
    const auto start = static_cast<std::size_t>(stream.tellg()) + 1;
    const std::size_t pixels =
        static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
    if (magic != "P6" || most != 255 || bytes.size() != start + pixels * 3) {
        throw std::runtime_error("grim gives no PPM picture");
    }
    for (std::size_t i = 0; i < pixels; ++i) {
        std::uint32_t pixel = 0;
        for (std::size_t component = 0; component < 3; ++component) {
            pixel = pixel << 8 | static_cast<unsigned char>(bytes[start + i * 3 + component]);
        }
        picture.pixels.push_back(pixel);
    }
    return picture;
}

}  // namespace

std::string WaylandSession::missingPrograms() {
    std::string missing = missingOf(kPrograms) + PipeWireDaemon::missingPrograms();
    for (const char* service : kPortalServices) {
        missing += fs::exists(std::string(kServices) + service) ? "" : std::string(" ") + service;
    }
    return missing;
}

WaylandSession::WaylandSession(const WaylandOptions& options) {
    setEnvironment();
    writeFiles(options);
    startBus();
    startCompositor();
    pipeWire_ = std::make_unique<PipeWireDaemon>(folder_.path());
    if (options.portal) {
        startBackend();
    }
}

WaylandSession::~WaylandSession() {
    backend_.reset();
    pipeWire_.reset();
    compositor_.reset();
    bus_.reset();  // what it has started ends with it
}

void WaylandSession::setEnvironment() const {
    const std::pair<const char*, std::string> variables[] = {
        {"XDG_RUNTIME_DIR", folder_.path()},
        {"XDG_CONFIG_HOME", file("config")},
        {"XDG_STATE_HOME", file("state")},
        {"XDG_DATA_HOME", file("data")},
        {"HOME", folder_.path()},
        {"XDG_SESSION_TYPE", "wayland"},
        {"XDG_CURRENT_DESKTOP", "sway"},
        {"WAYLAND_DISPLAY", file("sway/wayland-1")},
        {"SWAYSOCK", file("sway/ipc")},
        {"DBUS_SESSION_BUS_ADDRESS", "unix:path=" + file("bus")},
    };
    for (const auto& [name, value] : variables) {
        ::setenv(name, value.c_str(), 1);
    }
    ::unsetenv("DISPLAY");
}

void WaylandSession::writeFiles(const WaylandOptions& options) const {
    const std::string portalConfig = file("config/xdg-desktop-portal-wlr");
    for (const std::string& folder : {portalConfig, file("services"), file("sway"), file("state")}) {
        fs::create_directories(folder);
    }
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    giveAway(file("sway"));
    write(portalConfig + "/config",
          "[screencast]\noutput_name=HEADLESS-1\n" +
              (options.chooser.empty()
                   ? std::string("chooser_type=none\n")
                   : fmt::format("chooser_type=simple\nchooser_cmd={}\n", options.chooser)));
    write(file("bus.conf"),
          fmt::format("<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>"
                      "<servicedir>{}</servicedir><policy context=\"default\">"
                      "<allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>"
                      "<allow own=\"*\"/></policy></busconfig>",
                      file("bus"), file("services")));
    write(file("sway.conf"), fmt::format("xwayland disable\noutput HEADLESS-1 mode {}x{}\n"
                                         "exec echo The session is ready >&2\n",
                                         kWidth, kHeight));
    if (options.portal) {
        for (const char* service : kPortalServices) {
            fs::copy_file(std::string(kServices) + service, file("services/") + service);
        }
    }
}

void WaylandSession::startBus() {
    bus_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{"dbus-daemon", "--config-file=" + file("bus.conf"), "--nofork"});
    connectTo(file("bus"));
}

void WaylandSession::startCompositor() {
    compositor_ = std::make_unique<ChildProcess>(asOrdinaryUser(
        {"env", "-u", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR=" + file("sway"), "HOME=" + file("sway"),
         "WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_NO_HARDWARE_CURSORS=1",
         "WLR_LIBINPUT_NO_DEVICES=1", "sway", "-c", file("sway.conf")}));
    if (!compositor_->waitForError("The session is ready")) {
        throw std::runtime_error("sway does not start: " + compositor_->errors());
    }
}

/// Before the first call: version 0.7.0, if started by a call, may block on that call, which it has already
/// read.
void WaylandSession::startBackend() {
    backend_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{"env", std::string("LD_PRELOAD=") + VERBCAST_PORTAL_WITHOUT_GPU, kBackend});
    ChildProcess ready({"gdbus", "wait", "--session", "--timeout", std::to_string(kPatience.count()),
                        "org.freedesktop.impl.portal.desktop.wlr"});
    if (ready.waitForEnd() != 0) {
        throw std::runtime_error("the portal's part for sway does not start: " + backend_->errors());
    }
}

void WaylandSession::command(const std::string& text) const {
    ChildProcess program({"swaymsg", text});
    if (program.waitForEnd() != 0) {
        throw std::runtime_error("swaymsg " + text + " failed: " + program.output() + program.errors());
    }
}

void WaylandSession::showPicture(const Picture& picture) {
    const std::string path = file(fmt::format("picture-{}.ppm", ++pictures_));
    write(path, ppm(picture));
    command(fmt::format("output HEADLESS-1 bg {} fill", path));
}

Picture WaylandSession::grim(bool withPointer) const {
    std::vector<std::string> command{"grim", "-t", "ppm"};
    if (withPointer) {
        command.emplace_back("-c");
    }
    command.emplace_back("-");
    ChildProcess program(command);
    if (program.waitForEnd() != 0) {
        throw std::runtime_error("grim failed: " + program.errors());
    }
    return fromPpm(program.output());
}

void WaylandSession::endCompositor() {
    compositor_->signal(SIGKILL);
    compositor_->waitForEnd();
}

std::string WaylandSession::said() const {
    std::string text;
    for (const auto* program : {&bus_, &compositor_, &backend_}) {
        text += *program ? (*program)->errors() : "";
    }
    return text + (pipeWire_ ? pipeWire_->said() : "");
}

}  // namespace verbcast::testing
