#include "app/helper_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace verbcast {
namespace {

[[noreturn]] void become(const std::string& name, const std::string& consequence, const std::string& remedy,
                         char** argv) {
    const std::string program = helperProgram(name);
    if (program.empty()) {
        throw Error(ErrorKind::Display, consequence + ": " + name + " is missing", remedy);
    }
    ::execv(program.c_str(), argv);
    throwErrno(ErrorKind::Display, "starting", program, errno, remedy);
}

}  // namespace

std::string helperProgram(const std::string& name) {
    std::error_code ignored;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    for (const char* place : {".", "../libexec/verbcast"}) {
        const auto candidate = self.parent_path() / place / name;
        if (::access(candidate.c_str(), X_OK) == 0) {
            return candidate.string();
        }
    }
    return "";
}

void becomeWindow(char** argv) {
    become("verbcast-window", "this installation has no windows",
           "install it, or use verbcast view --headless", argv);
}

void becomeGl(char** argv) {
    become("verbcast-gl", "this installation cannot render", "install it, or use verbcast send", argv);
}

std::string askProgram(const std::string& name, const std::vector<std::string>& arguments) {
    const std::string program = helperProgram(name);
    std::array<int, 2> ends{};
    if (program.empty() || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return "";
    }
    UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    pid_t child = -1;
    const int code = ::posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) {
        return "";
    }
    writing.reset();
    std::string text;
    std::array<char, 512> buffer;
    for (ssize_t got = 0; (got = ::read(reading.get(), buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

}  // namespace verbcast
