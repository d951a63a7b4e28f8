#include "tests/rdma/child_process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>
#include <iostream>
#include <stdexcept>

#include "tests/rdma/verbs_device.h"

namespace verbcast::testing {

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("pipe2");
    }
    std::vector<char*> argv{const_cast<char*>("/proc/self/exe")};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(ends[1], STDOUT_FILENO);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    out_ = ends[0];
}

ChildProcess::~ChildProcess() {
    kill();
    ::close(out_);
}

void ChildProcess::kill() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

std::string ChildProcess::line() {
    std::string text;
    for (char c = 0; ::read(out_, &c, 1) == 1 && c != '\n';) {
        text += c;
    }
    return text;
}

std::string ChildProcess::output() {
    std::string text;
    std::array<char, 512> buffer{};
    for (ssize_t got = 0; (got = ::read(out_, buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    return text;
}

int streamForEver(const std::string& url) {
    const Event cancel;
    End end(connectVerbs(parseUrl(url), {.sendsFrames = true}, kPatience, cancel));
    const auto pool = makePool(1 << 20, 2);
    end.frames()->prepare(pool);
    FrameInfo info;
    info.payloadBytes = 1 << 20;
    drive({&end}, [&] {
        // Slots are taken in turn: the parent keeps no frames.
        const auto slot = [&] { return static_cast<std::uint32_t>(info.sequence % 2); };
        while (!end.seen.rings.empty() && end.frames()->send({pool, slot(), 1, slot(), info}) == Status::Ok) {
            ++info.sequence;
        }
        return end.closed;
    });
    return 0;
}

namespace {

void connectUntilRemoved(const std::string& url) {
    const auto listener = listenVerbs(parseUrl(url));
    const auto pair = connectPair(parseUrl(url));
    std::cout << "connected" << std::endl;
    drive({&pair->source, &pair->sink}, [&] { return pair->source.closed && pair->sink.closed; });
    std::cout << pair->source.closeReason() << std::endl;
    for (int time = 0; time < 2; ++time) {  // it says so for as long as it is asked
        try {
            while (!listener->accept() && waitReadable({listener->waitDescriptor()}, kPatience)) {
            }
        } catch (const Error& error) {
            std::cout << "listener: " << errorKindName(error.kind()) << std::endl;
        }
    }
}

}  // namespace

int connectOverARemoval(const std::string& url) {
    connectUntilRemoved(url);
    for (const Deadline deadline = Deadline::in(kPatience); !deadline.passed();) {
        try {
            connectPair(parseUrl(url));
            std::cout << "connected again" << std::endl;
            return 0;
        } catch (const Error&) {
            waitReadable({}, std::chrono::milliseconds(100));  // nothing tells of a device that comes
        }
    }
    return 1;
}

int registerWithLittleMemory() {
    // The kernel does not count for processes with CAP_IPC_LOCK.
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> data{};
    if (::syscall(SYS_capget, &header, data.data()) != 0) {
        return 1;
    }
    data[0].effective &= ~(1U << CAP_IPC_LOCK);
    if (::syscall(SYS_capset, &header, data.data()) != 0) {
        return 1;
    }
    const rlimit limit{8 << 20, 8 << 20};
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    try {
        const auto device = testDevice();
        auto pair = connectPair(parseUrl("verbs://" + device.value().host + ":0?device=" + device->name));
        pair->source.frames()->prepare(makePool(16 << 20, 2));
        drive({&pair->source}, [&] { return pair->source.closed; });
        std::cout << "registered" << std::endl;
    } catch (const Error& error) {
        std::cout << errorKindName(error.kind()) << ": " << error.what() << " / " << error.remedy()
                  << std::endl;
    }
    return 0;
}

}  // namespace verbcast::testing
