#include "app/host/helper_program.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "app/host/child_output.h"
#include "app/host/process.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::chrono::seconds kPatience(60);  // for a graphics driver's first start on a busy machine

/// `access`: as for ::access().
std::string installedFile(const std::string& name, int access) {
    std::error_code ignored;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    for (const char* place : {".", VERBCAST_TO_HELPERS, VERBCAST_FROM_HELPERS}) {
        const auto candidate = self.parent_path() / place / name;
        if (::access(candidate.c_str(), access) == 0) {
            return candidate.string();
        }
    }
    return "";
}

[[noreturn]] void become(const std::string& name, const std::string& consequence, const std::string& remedy,
                         char** argv) {
    const std::string program = helperProgram(name);
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

void becomeWindow(char** argv) {
    become("verbcast-window", "this installation has no windows",
           "install it, or use a command that needs none: verbcast --help", argv);
}

void becomeGl(char** argv) {
    become("verbcast-gl", "this installation cannot render", "install it, or use verbcast send", argv);
}

void becomeKms(char** argv) {
    become("verbcast-kms", "this installation cannot show anything without a desktop",
           "install it, or leave out --drm", argv);
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
