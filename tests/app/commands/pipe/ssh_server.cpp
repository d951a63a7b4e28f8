#include "tests/app/commands/pipe/ssh_server.h"
#include "tests/support/required_package.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <thread>

namespace verbcast::testing {
namespace {

constexpr const char* kMark = "VERBCAST_TEST_RUN";
constexpr std::chrono::milliseconds kLook{5};

/// Processes started with NAME=VALUE in their environment.
std::vector<pid_t> processesWith(const std::string& assignment) {
    std::vector<pid_t> list;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
            continue;
        }
        const std::string environment = '\0' + contentOf(entry.path() / "environ");
        if (environment.find('\0' + assignment + '\0') != std::string::npos) {
            list.push_back(std::stoi(name));
        }
    }
    return list;
}

/// Its arguments, separated by blanks.
std::string argumentsOf(pid_t process) {
    std::string text = contentOf("/proc/" + std::to_string(process) + "/cmdline");
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
}

/// The installed sshd, or the one that scripts/test has unpacked; empty if there is neither.
std::string sshdPath() {
    for (const char* path : {"/usr/sbin/sshd", SSHD_UNPACKED "/usr/sbin/sshd"}) {
        if (::access(path, X_OK) == 0) {
            return path;
        }
    }
    return "";
}

void makeKey(const std::string& path) {
    ChildProcess maker({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path});
    if (maker.waitForEnd() != 0) {
        throw std::runtime_error("ssh-keygen: " + maker.errors());
    }
}

}  // namespace

SshServer::SshServer() {
    if (sshdPath().empty()) {
        throw std::runtime_error("there is neither /usr/sbin/sshd nor one in " SSHD_UNPACKED
                                 " (scripts/test unpacks openssh-server there)");
    }
    port_ = address_.url().substr(address_.url().rfind(':') + 1);
    command_ = commandWithPort(static_cast<std::uint16_t>(std::stoi(port_)));
    makeKey(folder_.file("host_key"));
    makeKey(folder_.file("key"));
    writeConfiguration();
    start();
}

std::string SshServer::commandWithPort(std::uint16_t port) const {
    return "ssh -F /dev/null -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null "
           "-o StrictHostKeyChecking=no -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes "
           "-o LogLevel=ERROR -o KexAlgorithms=curve25519-sha256 -i " +
           folder_.file("key") + " -p " + std::to_string(port);
}

void SshServer::writeConfiguration() {
    std::ofstream file(folder_.file("config"));
    for (const int last : {1, 2, 3}) {
        file << "ListenAddress 127.0.0." << last << ":" << port_ << "\n";
    }
    file << "HostKey " << folder_.file("host_key") << "\nAuthorizedKeysFile " << folder_.file("key.pub")
         << "\nPidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nPrintMotd no\nMaxStartups 50\n"
            // The user's shell reads no start-up file.
            "SetEnv HOME="
         << folder_.path() << "\n";
}

Arguments SshServer::withUserOfSshd() const {
    if (::geteuid() != 0 || ::getpwnam("sshd") != nullptr) {
        return {};
    }
    std::ofstream(folder_.file("passwd"))
        << contentOf("/etc/passwd") << "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n";
    return {"env", "LD_PRELOAD=libnss_wrapper.so", "NSS_WRAPPER_PASSWD=" + folder_.file("passwd"),
            "NSS_WRAPPER_GROUP=/etc/group"};
}

void SshServer::start() {
    if (::geteuid() == 0) {
        ::mkdir("/run/sshd", 0755);  // its init script creates it, but a container does not run that
    }
    server_ = std::make_unique<ChildProcess>(withUserOfSshd() +
                                             Arguments{sshdPath(), "-D", "-e", "-f", folder_.file("config")});
    for (const int last : {1, 2, 3}) {
        const std::string line = "Server listening on 127.0.0." + std::to_string(last);
        if (!server_->waitForError(line)) {
            throw std::runtime_error("sshd does not start: " + server_->errors());
        }
    }
}

std::unique_ptr<SshServer> OverSsh::server_;
std::string OverSsh::missing_;

void OverSsh::SetUpTestSuite() {
    try {
        server_ = std::make_unique<SshServer>();
    } catch (const std::exception& error) {
        missing_ = error.what();
    }
}

void OverSsh::TearDownTestSuite() {
    server_.reset();
}

std::string OverSsh::assignment() const {
    return kMark + ("=" + mark_);
}

std::string OverSsh::newMark() {
    return std::to_string(::getpid()) + "-" + std::to_string(std::random_device()());
}

void OverSsh::SetUp() {
    ProgramTest::SetUp();
    if (!server_) {
        SKIP_FOR_WANT_OF_A_PACKAGE() << "no ssh server to test with: " << missing_;
    }
    ::setenv(kMark, mark_.c_str(), 1);
}

void OverSsh::TearDown() {
    if (server_) {
        expectNothingRuns();
    }
    ::unsetenv(kMark);
    ProgramTest::TearDown();
}

pid_t OverSsh::waitForProcess(const std::string& text) const {
    const auto deadline = TestClock::now() + kPatience;
    while (TestClock::now() < deadline) {
        for (const pid_t process : processesWith(assignment())) {
            if (argumentsOf(process).starts_with(text)) {
                return process;
            }
        }
        std::this_thread::sleep_for(kLook);
    }
    throw std::runtime_error("nothing runs with " + text);
}

void OverSsh::expectNothingRuns() const {
    const auto deadline = TestClock::now() + kPatience;
    std::vector<pid_t> left = processesWith(assignment());
    while (!left.empty() && TestClock::now() < deadline) {
        std::this_thread::sleep_for(kLook);
        left = processesWith(assignment());
    }
    for (const pid_t process : left) {
        ADD_FAILURE() << "still running: " << process << " " << argumentsOf(process);
    }
}

}  // namespace verbcast::testing
