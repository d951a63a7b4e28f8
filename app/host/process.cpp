#include "app/host/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

/// Pointers as in argv and environ, null at the end; valid as long as `words`.
std::vector<char*> pointersTo(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str()));  // posix_spawn() only reads them
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// Those of ignoreHere() that programs do not ignore.
sigset_t& ignoredHere() {
    static sigset_t signals{};  // zeros are an empty set
    return signals;
}

/// What posix_spawn() does before the program starts.
class SpawnSteps {
  public:
    explicit SpawnSteps(const SpawnOptions& options) {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        lead(STDIN_FILENO, options.input, O_RDONLY);
        lead(STDOUT_FILENO, options.output, O_WRONLY);
        lead(STDERR_FILENO, options.errors, O_WRONLY);
        posix_spawnattr_setsigdefault(&attributes, &ignoredHere());
        int flags = POSIX_SPAWN_SETSIGDEF;
        if (options.group) {
            posix_spawnattr_setpgroup(&attributes, *options.group);
            flags |= POSIX_SPAWN_SETPGROUP;
        }
        if (options.usualSignals) {
            unblockSignals(options.shielded);
            flags |= POSIX_SPAWN_SETSIGMASK;
        }
        posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
    }
    ~SpawnSteps() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    SpawnSteps(const SpawnSteps&) = delete;
    SpawnSteps& operator=(const SpawnSteps&) = delete;

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};

  private:
    void lead(int descriptor, int where, int mode) {
        if (where == kNothing) {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0);
        } else if (where != kInherited) {
            posix_spawn_file_actions_adddup2(&actions, where, descriptor);
        }
    }
    void unblockSignals(bool shielded) {
        sigset_t blocked;
        sigemptyset(&blocked);
        if (shielded) {
            sigaddset(&blocked, SIGINT);
        }
        posix_spawnattr_setsigmask(&attributes, &blocked);
    }
};

constexpr std::size_t kMaxOutput = 1U << 20;

/// Reads until the end of the file, the deadline, or kMaxOutput.
std::string readAll(int descriptor, Deadline deadline) {
    std::string text;
    std::array<char, 4096> buffer;
    while (text.size() < kMaxOutput && !deadline.passed() && waitReadable({descriptor}, deadline)) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got <= 0) {
            break;
        }
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

}  // namespace

void ignoreHere(int signal) {
    struct sigaction before {};
    struct sigaction ignoring {};
    ignoring.sa_handler = SIG_IGN;
    if (::sigaction(signal, &ignoring, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaddset(&ignoredHere(), signal);
    }
}

void ignoreNoMore() {
    for (int signal = 1; signal < NSIG; ++signal) {
        if (sigismember(&ignoredHere(), signal) == 1) {
            ::signal(signal, SIG_DFL);
            sigdelset(&ignoredHere(), signal);
        }
    }
}

int spawn(pid_t& pid, const std::string& program, const std::vector<std::string>& words,
          const SpawnOptions& options) {
    const SpawnSteps steps(options);
    std::vector<char*> variables;
    if (options.environment != nullptr) {
        variables = pointersTo(*options.environment);
    }
    return ::posix_spawnp(&pid, program.c_str(), &steps.actions, &steps.attributes, pointersTo(words).data(),
                          options.environment != nullptr ? variables.data() : environ);
}

UniqueFd processDescriptor(pid_t child) {
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
}

Pipe makePipe(const std::string& purpose) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throwErrno(ErrorKind::Resource, "pipe2", purpose, errno);
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::optional<std::string> childOutput(const std::vector<std::string>& command,
                                       std::chrono::milliseconds patience) {
    Pipe output;
    try {
        output = makePipe(command.front());
    } catch (const Error&) {
        return std::nullopt;
    }
    pid_t child = -1;
    const int code = spawn(child, command.front(), command,
                           {.input = kNothing, .output = output.writing.get(), .errors = kNothing});
    output.writing.reset();
    if (code != 0) {
        return std::nullopt;
    }
    const Deadline deadline = Deadline::in(patience);
    const UniqueFd process = processDescriptor(child);
    std::string text = readAll(output.reading.get(), deadline);
    if (!process || !waitReadable({process.get()}, deadline)) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace verbcast
