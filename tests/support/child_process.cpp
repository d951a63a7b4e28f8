#include "tests/support/child_process.h"
#include "tests/support/kernel_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace verbcast::testing {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (const std::string& text : texts) {
        list.push_back(const_cast<char*>(text.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> environmentFor(const std::string& folder) {
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (folder.empty() || std::strncmp(*entry, "TMPDIR=", 7) != 0) {
            list.emplace_back(*entry);
        }
    }
    if (!folder.empty()) {
        list.push_back("TMPDIR=" + folder);
    }
    // Machines that run tests are busy: a peer that does not run for a second is not lost.
    if (::getenv("VERBCAST_TIMEOUT") == nullptr) {
        list.emplace_back("VERBCAST_TIMEOUT=5");
    }
    return list;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const ChildOptions& options) {
    KernelPipe output, errors;
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const std::array<int, 3> standard{options.input >= 0 ? options.input : nothing.get(),
                                      options.output >= 0 ? options.output : output.writing.get(),
                                      errors.writing.get()};
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<std::string> environment = environmentFor(options.folder);
    const std::vector<char*> envp = pointers(environment);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
        // Only calls that are safe after fork() in a multi-threaded program.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            ::signal(signal, SIG_DFL);  // this test may run in a script's background, or under nohup
        }
        for (int i = 0; i < 3; ++i) {
            ::dup2(standard[static_cast<std::size_t>(i)], i);
        }
        if (::getppid() == parent && (options.folder.empty() || ::chdir(options.folder.c_str()) == 0)) {
            ::execvpe(argv[0], argv.data(), envp.data());
        }
        ::_exit(127);
    }
    if (pid_ < 0) {
        throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    }
    process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    outputPipe_ = std::move(output.reading);
    errorPipe_ = std::move(errors.reading);
    outputReader_ = std::jthread([this] { read(outputPipe_.get(), output_); });
    errorReader_ = std::jthread([this] { read(errorPipe_.get(), errors_); });
}

ChildProcess::~ChildProcess() {
    if (!exitCode_) {
        ::kill(pid_, SIGKILL);
        int status = 0;
        ::waitpid(pid_, &status, 0);
    }
}

void ChildProcess::read(int descriptor, Stream& stream) {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        const std::lock_guard lock(mutex_);
        if (got > 0) {
            stream.text.append(buffer.data(), static_cast<std::size_t>(got));
            stream.pieces.push_back({stream.text.size(), TestClock::now()});
        } else {
            stream.ended = true;
        }
        changed_.notify_all();
        if (got <= 0) {
            return;
        }
    }
}

void ChildProcess::signal(int number) const {
    if (!exitCode_) {
        ::kill(pid_, number);
    }
}

bool ChildProcess::waitUntilItHandles(int number) {
    const auto deadline = TestClock::now() + kPatience;
    while (running() && TestClock::now() < deadline) {
        std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.rfind("SigCgt:", 0) == 0 &&
                (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0) {
                return true;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

std::optional<int> ChildProcess::waitForEnd(std::chrono::milliseconds timeout) {
    if (exitCode_) {
        return exitCode_;
    }
    const auto deadline = TestClock::now() + timeout;
    pollfd ended{process_.get(), POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - TestClock::now()).count();
        const int ready = ::poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
        if (ready > 0) {
            break;
        }
        if (ready == 0) {
            return std::nullopt;
        }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reap(status);
    return exitCode_;
}

void ChildProcess::reap(int status) {
    exitCode_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outputReader_.join();
    errorReader_.join();
}

std::string ChildProcess::output() const {
    const std::lock_guard lock(mutex_);
    return output_.text;
}

std::string ChildProcess::errors() const {
    const std::lock_guard lock(mutex_);
    return errors_.text;
}

std::size_t ChildProcess::errorMark() const {
    const std::lock_guard lock(mutex_);
    return errors_.text.size();
}

std::optional<TestClock::time_point> ChildProcess::waitForError(const std::string& text, std::size_t from,
                                                                std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    std::size_t at = std::string::npos;
    changed_.wait_for(lock, timeout, [&] {
        at = errors_.text.find(text, from);
        return at != std::string::npos || errors_.ended;
    });
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const auto piece = std::find_if(errors_.pieces.begin(), errors_.pieces.end(),
                                    [&](const Stream::Piece& p) { return p.end >= at + text.size(); });
    return piece->at;
}

void ChildProcess::kill() {
    signal(SIGKILL);
    waitForEnd();
}

std::string ChildProcess::line() {
    std::unique_lock lock(mutex_);
    const auto end = [this] { return output_.text.find('\n', linesRead_); };
    changed_.wait_for(lock, kPatience, [&] { return end() != std::string::npos || output_.ended; });
    if (end() == std::string::npos) {
        return "";
    }
    const std::string text = output_.text.substr(linesRead_, end() - linesRead_);
    linesRead_ += text.size() + 1;
    return text;
}

}  // namespace verbcast::testing
