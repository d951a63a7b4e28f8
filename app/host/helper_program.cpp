#include "app/host/helper_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "app/host/process.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::chrono::seconds kPatience(60);  // for a graphics driver's first start on a busy machine

std::filesystem::path ownFolder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

/// `access`: as for ::access().
std::string installedFile(const std::string& name, int access) {
    const std::filesystem::path own = ownFolder();
    for (const char* place : {".", VERBCAST_TO_HELPERS, VERBCAST_FROM_HELPERS}) {
        const auto candidate = own / place / name;
        if (::access(candidate.c_str(), access) == 0) {
            return candidate.string();
        }
    }
    return "";
}

/// `otherwise`: what else one can do.
[[noreturn]] void become(const std::string& name, const std::string& consequence,
                         const std::string& otherwise, char** argv) {
    const std::string program = helperProgram(name);
    const std::string remedy = remedyForMissing(name) + ", or " + otherwise;
    if (program.empty()) {
        throw Error(ErrorKind::Display, consequence + ": " + name + " is missing", remedy);
    }
    ignoreNoMore();
    ::execv(program.c_str(), argv);
    throwErrno(ErrorKind::Display, "starting", program, errno, remedy);
}

}  // namespace

std::string helperProgram(const std::string& name) {
    return installedFile(name, X_OK);
}

std::string helperLibrary(const std::string& name) {
    return installedFile(name, R_OK);
}

std::string documentFolder() {
    std::error_code ignored;
    const std::filesystem::path program = installedFile("verbcast", X_OK);
    const auto folder = program.parent_path() / VERBCAST_TO_DOCUMENTS;
    return std::filesystem::is_directory(folder, ignored)
               ? std::filesystem::canonical(folder, ignored).string()
               : "";
}

std::string remedyForMissing(const std::string& target) {
    std::error_code ignored;
    const std::filesystem::path folder = ownFolder();
    if (std::filesystem::exists(folder / "CMakeCache.txt", ignored)) {
        const char* const quote = folder.string().find(' ') != std::string::npos ? "'" : "";
        return fmt::format("build it: cmake --build {}{}{} --target {}", quote, folder.string(), quote,
                           target);
    }
    return "install it";
}

void becomeWindow(char** argv) {
    become("verbcast-window", "this installation has no windows",
           "use a command that needs none: verbcast --help", argv);
}

void becomeGl(char** argv) {
    become("verbcast-gl", "this installation cannot render", "use verbcast send", argv);
}

void becomeKms(char** argv) {
    become("verbcast-kms", "this installation cannot show anything without a desktop", "leave out --drm",
           argv);
}

std::string askProgram(const std::string& name, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{helperProgram(name)};
    if (command.front().empty()) {
        return "";
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    std::string text = childOutput(command, kPatience).value_or("");
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

}  // namespace verbcast
