// libverbcast in a process that knows nothing of it: loaded, used and unloaded by plugins.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "core/api/verbcast.h"

namespace verbcast::testing {
namespace {

/// The library as a plugin loads it.
class Plugin {
  public:
    Plugin() : library_(::dlopen(VERBCAST_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
        EXPECT_NE(library_, nullptr) << ::dlerror();
    }
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    ~Plugin() { EXPECT_EQ(::dlclose(library_), 0); }

    template <typename Function>
    Function* find(const char* name) const {
        auto* const found = reinterpret_cast<Function*>(::dlsym(library_, name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }

  private:
    void* library_;
};
#define CALL(plugin, function) (*(plugin).find<decltype(function)>(#function))

struct Process {
    std::string locale;
    std::vector<struct sigaction> handlers;
    std::ptrdiff_t threads = 0, descriptors = 0;
};

std::ptrdiff_t entries(const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
}

Process processNow() {
    Process now{.locale = std::setlocale(LC_ALL, nullptr), .handlers = {}};
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction handler {};
        ::sigaction(number, nullptr, &handler);
        now.handlers.push_back(handler);
    }
    now.threads = entries("/proc/self/task");
    now.descriptors = entries("/proc/self/fd");
    return now;
}

/// By thread, which signals it blocks, as bits.
std::map<std::string, std::uint64_t> blockedSignals() {
    std::map<std::string, std::uint64_t> blocked;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream status(task.path() / "status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("SigBlk:")) {
                blocked[task.path().filename()] = std::stoull(line.substr(7), nullptr, 16);
            }
        }
    }
    return blocked;
}

/// Both ends, and a frame from one to the other.
void useBothEnds(const Plugin& sending, const Plugin& receiving) {
    const std::string url = "shm://plugin-" + std::to_string(::getpid());
    vc_sender_options sender = VC_INIT(vc_sender_options);
    sender.url = url.c_str();
    sender.policy = VC_LOSSLESS;
    vc_sender* const from = CALL(sending, vc_sender_open)(&sender);
    ASSERT_NE(from, nullptr) << CALL(sending, vc_error)();
    vc_video_format format = VC_INIT(vc_video_format);
    format.pixel_format = VC_PIXEL_GRAY;
    format.width = 64;
    format.height = 48;
    ASSERT_EQ(CALL(sending, vc_sender_set_format)(from, 0, &format), VC_OK);
    vc_receiver_options receiver = VC_INIT(vc_receiver_options);
    receiver.url = url.c_str();
    vc_receiver* const first = CALL(receiving, vc_receiver_open)(&receiver);
    vc_receiver* const second = CALL(sending, vc_receiver_open)(&receiver);
    ASSERT_TRUE(first != nullptr && second != nullptr) << CALL(sending, vc_error)();
    while (CALL(sending, vc_sender_viewers)(from) < 2) {
        ASSERT_EQ(CALL(sending, vc_sender_wait)(from, 10'000), VC_OK);
    }
    vc_slot slot = VC_INIT(vc_slot);
    ASSERT_EQ(CALL(sending, vc_sender_acquire)(from, 0, &slot, 10'000), VC_OK);
    std::memset(slot.planes[0], 77, slot.bytes);
    ASSERT_EQ(CALL(sending, vc_sender_submit)(from, &slot), VC_OK);
    for (vc_receiver* const to : {first, second}) {
        vc_frame frame = VC_INIT(vc_frame);
        ASSERT_EQ(CALL(receiving, vc_receiver_take)(to, 0, VC_TAKE_NEXT, &frame, 10'000), VC_OK);
        EXPECT_EQ(frame.planes[0][5], 77);
        EXPECT_EQ(CALL(receiving, vc_lease_release)(frame.lease), VC_OK);
    }
    const std::string own = std::to_string(::gettid());
    for (const auto& [thread, blocked] : blockedSignals()) {
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGUSR1, SIGPIPE}) {
            EXPECT_EQ((blocked >> (number - 1) & 1U) != 0, thread != own)
                << "thread " << thread << " " << number;
        }
    }
    CALL(receiving, vc_receiver_close)(first);
    CALL(receiving, vc_receiver_close)(second);
    CALL(sending, vc_sender_close)(from);
}

TEST(Plugin, MayBeLoadedAndUnloadedAndLeavesTheProcessAsItWas) {
    const Process first = processNow();
    Process before;
    for (int turn = 0; turn < 3; ++turn) {
        {
            const Plugin one, other;
            useBothEnds(one, other);
        }
        const Process after = processNow();
        if (turn > 0) {  // the first one may leave what the C library keeps
            EXPECT_EQ(after.descriptors, before.descriptors) << "turn " << turn;
        }
        EXPECT_EQ(after.threads, 1);
        EXPECT_EQ(after.locale, "C");
        for (std::size_t i = 0; i < after.handlers.size(); ++i) {  // a sanitizer has some of its own
            EXPECT_EQ(after.handlers[i].sa_handler, first.handlers[i].sa_handler) << i;
        }
        before = after;
    }
    const pid_t child = ::fork();  // the library's handlers of fork() are gone
    if (child == 0) {
        ::_exit(7);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

}  // namespace
}  // namespace verbcast::testing
