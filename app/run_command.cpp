#include "app/run_command.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "app/helper_program.h"
#include "app/interrupt.h"
#include "app/process.h"
#include "capture/run/run_line.h"
#include "capture/screen/master_devices.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/stream/stats_stream.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kPictureExpected = 10s;

/// The environment with two variables set anew.
std::vector<std::string> environmentFor(const std::string& library, const std::string& settings) {
    std::vector<std::string> variables;
    std::string preload = library;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        if (text.starts_with("LD_PRELOAD=")) {
            preload += fmt::format(":{}", text.substr(std::strlen("LD_PRELOAD=")));
        } else if (!text.starts_with(fmt::format("{}=", kRunSettingsVariable))) {
            variables.emplace_back(text);
        }
    }
    variables.push_back("LD_PRELOAD=" + preload);
    variables.push_back(fmt::format("{}={}", kRunSettingsVariable, settings));
    return variables;
}

/// A program with our library in it, and what the library tells.
class WatchedProgram {
  public:
    explicit WatchedProgram(const RunOptions& options)
        : name_(options.program.front()), line_(options.figures) {
        const std::string library = helperProgram("libverbcast-run.so");
        if (library.empty()) {
            throw Error(ErrorKind::Display,
                        "this installation cannot capture programs: libverbcast-run.so is missing",
                        "install it again, or build with -DVERBCAST_OPENGL=ON");
        }
        RunSettings settings = options.settings;
        settings.runner = line_.name();
        settings.figures = options.figures >= 0;
        if (settings.sender.allowInput) {
            settings.devices = devices_.emplace().devices();
        }
        start(options.program, environmentFor(library, toJson(settings)));
    }

    /// The status that waitpid() gives.
    int wait() {
        const auto since = std::chrono::steady_clock::now();
        bool noted = false;
        for (;;) {
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) == pid_) {
                line_.hear();
                return status;
            }
            const bool overdue =
                !line_.swapped() && std::chrono::steady_clock::now() - since >= kPictureExpected;
            if (overdue && !std::exchange(noted, true)) {
                fmt::print(stderr, "verbcast: {} has shown no OpenGL picture for {} s{}\n", name_,
                           kPictureExpected.count(), noPictureHint());
            }
            waitReadable({ended_.get(), line_.descriptor(), forwarded_ ? -1 : interruptEvent().descriptor()},
                         noted || line_.swapped() ? Deadline::never() : Deadline::in(1s));
            line_.hear();
            if (!forwarded_ && interruptEvent().isSet()) {
                forwarded_ = true;
                ::kill(pid_, SIGTERM);
            }
        }
    }

    bool swapped() const { return line_.swapped(); }
    std::string noPictureHint() const {
        return line_.loaded() ? ": it may use Vulkan, or draw without swapping buffers"
                              : ": our library was not loaded; it may be statically linked or setuid";
    }

  private:
    void start(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
        const int code = ::posix_spawnp(&pid_, words.front().c_str(), nullptr, nullptr,
                                        pointersTo(words).data(), pointersTo(environment).data());
        if (code != 0) {
            throwErrno(ErrorKind::Input, "starting", name_, code,
                       "give a program that exists: verbcast run -- PROGRAM");
        }
        ended_ = processDescriptor(pid_);
        if (devices_) {
            devices_->usedBy(pid_);
        }
    }

    std::string name_;
    std::optional<OwnMasterPair> devices_;  // for viewers; here, so that they go however the program ends
    RunLine line_;
    UniqueFd ended_;
    pid_t pid_ = -1;
    bool forwarded_ = false;
};

}  // namespace

int runProgram(const RunOptions& options) {
    installInterruptHandler();
    if (options.figures >= 0) {
        StatsStream::requireWritable(options.figures);
    }
    WatchedProgram program(options);
    const int status = program.wait();
    if (WIFSIGNALED(status)) {
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status) == 0 && !program.swapped()) {
        throw Error(ErrorKind::Input, fmt::format("{} ended without showing an OpenGL picture{}",
                                                  options.program.front(), program.noPictureHint()));
    }
    return WEXITSTATUS(status);
}

}  // namespace verbcast
