#include "capture/screen/portal/screen_choice.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/os/whole_file.h"

namespace verbcast {
namespace {

namespace fs = std::filesystem;

std::string stateFolder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
        return state;
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.local/state" : std::string();
}

}  // namespace

const char* kindName(std::uint32_t types) {
    return types == kPortalMonitor ? "monitor" : types == kPortalWindow ? "window" : "screen";
}

ScreenChoice parseScreenChoice(std::string_view what) {
    if (what.empty()) {
        return {};
    }
    if (what == "monitor") {
        return {.types = kPortalMonitor};
    }
    if (what == "window") {
        return {.types = kPortalWindow};
    }
    if (what == "ask") {
        return {.askAgain = true};
    }
    throw Error(ErrorKind::Usage, fmt::format("screen:portal={} is not understood", what),
                "one of screen:portal, screen:portal=monitor, screen:portal=window, screen:portal=ask: "
                "which one is chosen in the desktop's own dialog");
}

RestoreToken::RestoreToken(std::uint32_t types) {
    if (const std::string folder = stateFolder(); !folder.empty()) {
        path_ = fmt::format("{}/verbcast/portal-{}", folder, kindName(types));
    }
}

std::string RestoreToken::load() const {
    std::ifstream file(path_);
    std::string token;
    std::getline(file, token);
    return token;
}

bool RestoreToken::save(const std::string& token) const {
    std::error_code problem;
    if (token.empty()) {
        fs::remove(path_, problem);
        return true;
    }
    const fs::path folder = fs::path(path_).parent_path();
    fs::create_directories(folder, problem);
    fs::permissions(folder, fs::perms::owner_all, problem);  // the token grants access without a dialog
    try {
        writeWhole(path_, token + "\n");
    } catch (const Error&) {
        return false;
    }
    return true;
}

}  // namespace verbcast
