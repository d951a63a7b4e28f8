#include "app/host/process_tree.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/base/os/guard_process.h"

namespace verbcast {
namespace {

struct ProcessState {
    pid_t pid = 0, parent = 0, session = 0;
    char state = 0;
    std::string name;
};

/// From /proc/PID/stat: see proc(5). The name stands in parentheses, and may hold some itself.
std::optional<ProcessState> stateOf(const std::filesystem::path& folder) {
    std::ifstream file(folder / "stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t begin = text.find('('), end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos) {
        return std::nullopt;  // it has ended meanwhile
    }
    ProcessState process;
    pid_t group = 0;
    process.name = text.substr(begin + 1, end - begin - 1);
    process.pid = static_cast<pid_t>(std::stol(text));
    std::istringstream rest(text.substr(end + 1));
    rest >> process.state >> process.parent >> group >> process.session;
    return rest ? std::optional(process) : std::nullopt;
}

std::optional<ProcessState> stateOf(pid_t process) {
    return stateOf(std::filesystem::path("/proc") / std::to_string(process));
}

std::vector<ProcessState> allProcesses() {
    std::vector<ProcessState> processes;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())) != 0) {
            if (auto process = stateOf(entry.path())) {
                processes.push_back(std::move(*process));
            }
        }
    }
    return processes;
}

Event& childEnded() {
    static Event event;
    return event;
}

}  // namespace

ProcessTree::ProcessTree() {
    for (const ProcessState& process : allProcesses()) {
        if (process.parent == ::getpid()) {
            others_.insert(process.pid);
        }
    }
    childEnded();  // constructed here, not in the handler
    struct sigaction action {};
    action.sa_handler = [](int) { childEnded().notify(); };
    action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
    ::sigaction(SIGCHLD, &action, nullptr);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::pthread_sigmask(SIG_UNBLOCK, &child, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

ProcessTree::~ProcessTree() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    ::signal(SIGCHLD, SIG_DFL);
}

int ProcessTree::start(const std::string& program, const std::vector<std::string>& words,
                       const SpawnOptions& options) {
    return spawn(root_, program, words, options);
}

int ProcessTree::descriptor() const {
    return childEnded().descriptor();
}

std::optional<int> ProcessTree::status() {
    childEnded().clear();
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (ended == root_) {
            status_ = status;
        }
    }
    return status_;
}

std::set<pid_t> ProcessTree::members() const {
    const std::vector<ProcessState> processes = allProcesses();
    const pid_t session = ::getsid(0);
    std::set<pid_t> below{::getpid()}, running;
    if (root_ > 0 && !status_ && !others_.contains(root_)) {
        running.insert(root_);  // also if its first thread has ended
    }
    for (bool found = true; found;) {
        found = false;
        for (const ProcessState& process : processes) {
            if (!below.contains(process.parent) || others_.contains(process.pid) ||
                !below.insert(process.pid).second) {
                continue;
            }
            found = true;
            // A guard ends by itself, once it has tidied up after the process that it guards.
            if ((process.session == session || process.session == root_) && process.state != 'Z' &&
                process.name != kGuardName) {
                running.insert(process.pid);
            }
        }
    }
    return running;
}

void ProcessTree::signal(const std::set<pid_t>& members, int number) {
    for (const pid_t member : members) {
        if (::kill(member, number) != 0 && errno == EPERM) {
            others_.insert(member);
        }
    }
}

bool ProcessTree::end(std::chrono::nanoseconds patience, const Event& insist) {
    constexpr std::chrono::seconds kKilled(2);  // until one that was killed is gone
    Deadline deadline = Deadline::in(patience);
    std::set<pid_t> told;
    bool insists = false;
    for (;;) {
        status();
        const std::set<pid_t> left = members();
        if (left.empty() || (insists && deadline.passed())) {
            return insists;
        }
        if (!insists && (deadline.passed() || insist.isSet())) {
            insists = true;
            deadline = Deadline::in(kKilled);
            told.clear();
        }
        std::set<pid_t> untold;
        std::ranges::set_difference(left, told, std::inserter(untold, untold.end()));
        signal(untold, insists ? SIGKILL : SIGTERM);
        told.merge(untold);
        // Of those that are not our own children one is enough: the others are looked at when it has ended.
        const UniqueFd one = processDescriptor(*left.begin());
        static_cast<void>(
            waitReadable({descriptor(), one.get(), insists ? -1 : insist.descriptor()}, deadline));
    }
}

bool isBelowThisProcess(pid_t process) {
    std::optional<ProcessState> state = stateOf(process);
    while (state && state->parent > 0 && state->parent != ::getpid()) {
        state = stateOf(state->parent);
    }
    return state && state->parent > 0;
}

}  // namespace verbcast
