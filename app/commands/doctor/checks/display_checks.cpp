// Checks OpenGL and the desktop session.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/commands/doctor/checks/checks.h"
#include "app/host/helper_program.h"
#include "app/host/process.h"
#include "capture/screen/open_screen.h"

namespace verbcast {
namespace {

// Together they leave the other checks their share of three seconds.
constexpr std::chrono::milliseconds kUploadPatience{1500};
constexpr std::chrono::milliseconds kNamePatience{600};

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// True for renderers that draw on the CPU.
bool isSoftwareRenderer(const std::string& name) {
    constexpr std::array kWords{"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software"};
    return std::ranges::any_of(kWords,
                               [&](const char* word) { return name.find(word) != std::string::npos; });
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

RendererAnswer askRenderer(const DoctorOptions& options) {
    RendererAnswer answer;
    const std::string program = helperProgram("verbcast-gl");
    if (program.empty()) {
        return answer;
    }
    answer.installed = true;
    const auto text =
        childOutput({program, "--upload-rate", fmt::format("{}x{}", options.size.width, options.size.height),
                     std::string(pixelFormatName(options.pixelFormat))},
                    kUploadPatience);
    const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
    if (json.is_object()) {
        try {
            answer.renderer = json.value("renderer", "");
            answer.uploadPath = json.value("path", "");
            answer.uploadGigabytesPerSecond = json.value("gigabytes_per_second", 0.0);
            answer.uploadFramesPerSecond = json.value("frames_per_second", 0.0);
            return answer;
        } catch (const nlohmann::json::exception&) {
            answer = {};  // the program has another version
            answer.installed = true;
        }
    }
    answer.renderer = firstLine(childOutput({program, "--gl-renderer"}, kNamePatience).value_or(""));
    return answer;
}

Check rendererCheck(const RendererAnswer& answer, const DoctorOptions& options) {
    if (!answer.installed) {
        return {"OpenGL", CheckState::Info, "no windows in this installation: verbcast view --headless works",
                "sudo apt-get install qt6-base-dev libepoxy-dev, and build again"};
    }
    if (answer.renderer.empty() || answer.renderer.starts_with("none")) {
        return {"OpenGL", CheckState::Warning,
                answer.renderer.empty() ? "it did not answer in time" : answer.renderer,
                "sudo apt-get install libegl1 libgl1-mesa-dri (or the graphics card's driver); verbcast "
                "view --headless works without"};
    }
    Check check{"OpenGL", CheckState::Ok, answer.renderer};
    const double rate = answer.uploadFramesPerSecond;
    if (rate > 0) {
        check.seen += fmt::format("; uploads {:.0f} frames/s ({:.1f} GB/s{}{}), {:g} needed", rate,
                                  answer.uploadGigabytesPerSecond, answer.uploadPath.empty() ? "" : ", ",
                                  answer.uploadPath, options.fps.value());
    }
    // More pixels are too many for CPUs that have other work too.
    constexpr double kSoftwarePixels = 1920.0 * 1080 * 60;
    const double pixels = static_cast<double>(options.size.width) * options.size.height * options.fps.value();
    const bool software = isSoftwareRenderer(answer.renderer);
    if (software && pixels > kSoftwarePixels * 1.001) {
        check.state = CheckState::Warning;
        check.seen += "; it draws in software, on the processors";
        check.remedy =
            "sudo apt-get install libgl1-mesa-dri firmware-misc-nonfree (or the graphics card's "
            "driver), and add yourself: sudo usermod -aG render,video $USER";
    } else if (rate > 0 && rate < options.fps.value()) {
        check.state = CheckState::Warning;
        check.remedy =
            "the viewer will skip frames: a smaller stream (--fps 30, --format nv12), or a faster "
            "graphics card";
    }
    return check;
}

DesktopSession sessionOfThisProcess() {
    return {variable("XDG_SESSION_TYPE"), variable("DISPLAY"), variable("WAYLAND_DISPLAY"),
            portalSupport().compiledIn};
}

Check sessionCheck(const DesktopSession& session) {
    const bool wayland = !session.waylandDisplay.empty() || session.type == "wayland";
    if (!wayland && session.x11Display.empty()) {
        return {"desktop session", CheckState::Info,
                "none: no window can open and no screen be captured from here",
                "verbcast view --headless; or, from a terminal elsewhere: DISPLAY=:0 verbcast view"};
    }
    if (!wayland) {
        return {"desktop session", CheckState::Info,
                fmt::format("X11 on {}: programs of this user may capture the screen", session.x11Display)};
    }
    const char* xPrograms =
        session.x11Display.empty() ? "no screen can be captured" : "only X programs can be captured";
    Check check{"desktop session", CheckState::Info};
    check.seen = fmt::format(
        "Wayland{}{}: {}", session.waylandDisplay.empty() ? "" : " on ", session.waylandDisplay,
        session.portal ? "verbcast send screen asks the desktop what may be sent (ScreenCast portal)"
                       : fmt::format("{}: {}", xPrograms, portalSupport().detail));
    if (!session.portal) {
        check.remedy =
            "sudo apt-get install libpipewire-0.3-dev libsystemd-dev, and build again; or log in to an X11 "
            "session";
    }
    return check;
}

}  // namespace verbcast
