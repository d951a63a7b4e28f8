#include "tests/core/transport/rdma/child_roles.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <future>
#include <iostream>

#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "tests/core/transport/rdma/verbs_device.h"

namespace verbcast::testing {

int streamForEver(const std::string& url) {
    const Event cancel;
    End end(connectVerbs(parseUrl(url), {.sendsFrames = true}, kPatience, cancel));
    const auto pool = makePool(1 << 20, 2);
    end.frames()->prepare(pool);
    FrameInfo info;
    info.payloadBytes = 1 << 20;
    drive({&end}, [&] {
        // Alternates between the slots: the parent keeps no frames.
        const auto slot = [&] { return static_cast<std::uint32_t>(info.sequence % 2); };
        while (!end.seen.rings.empty() && end.frames()->send({pool, slot(), 1, slot(), info}) == Status::Ok) {
            ++info.sequence;
        }
        return end.closed;
    });
    return 0;
}

namespace {

Url ownAddress(std::uint16_t port) {
    return parseUrl("verbs://" + testDevice().value().host + ":" + std::to_string(port));
}

void connectUntilRemoved(const std::string& url) {
    const auto listener = listenVerbs(parseUrl(url));
    const auto pair = connectPair(parseUrl(url));
    std::cout << "connected" << std::endl;
    drive({&pair->source, &pair->sink}, [&] { return pair->source.closed && pair->sink.closed; });
    std::cout << pair->source.closeReason() << std::endl;
    for (int time = 0; time < 2; ++time) {  // it reports this on every call
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
            waitReadable({}, std::chrono::milliseconds(100));  // nothing announces a new device
        }
    }
    return 1;
}

int waitIdly() {
    const auto listener = listenVerbs(parseUrl("verbs://:0"));
    const Url url = ownAddress(parseUrl(listener->address()).port);
    const Event cancel;
    auto calling = std::async(std::launch::async,
                              [&] { return connectVerbs(url, {.sendsFrames = true}, kPatience, cancel); });
    const auto accept = [&] {
        waitReadable({listener->waitDescriptor()}, Deadline::never());
        return listener->accept();
    };
    for (Connection called; !called;) {
        called = accept();
    }
    calling.get();
    std::cout << "idle" << std::endl;
    for (;;) {
        accept();
    }
}

int callWithoutAnAnswer() {
    const auto listener = listenOnVerbs(parseUrl("verbs://:0"), {}, {});
    const Url url = ownAddress(parseUrl(listener->address()).port);
    const Deadline deadline = Deadline::in(kPatience);
    const Event cancel;
    auto queue = openVerbsQueue(peerAddressesFor(url, {}, deadline, cancel).at(0), {}, {}, deadline, cancel);
    queue->begin(std::array<std::byte, 16>{});
    std::unique_ptr<PortRequest> request;
    while (!request) {
        waitReadable(listener->descriptors(), deadline);
        request = listener->next();
    }
    std::cout << "calling" << std::endl;
    try {
        while (!queue->established()) {
            waitReadable(queue->descriptors(), Deadline::never());
        }
    } catch (const Error& error) {
        std::cout << error.what() << std::endl;
    }
    request.reset();
    queue.reset();
    for (;;) {
        waitReadable(listener->descriptors(), Deadline::never());
        static_cast<void>(listener->next());
    }
}

int callAgainAndAgain(const std::string& url) {
    const Event cancel;
    std::chrono::nanoseconds time = std::chrono::seconds(2);
    for (;;) {
        try {
            connectVerbs(parseUrl(url), {.sendsFrames = true}, time, cancel);
        } catch (const Error& error) {
            std::cout << error.what() << std::endl;
            waitReadable({}, std::chrono::milliseconds(50));  // like a session's first pauses
        }
        time = std::chrono::hours(1);
    }
}

int registerWithLittleMemory() {
    // The kernel does not account locked memory for processes with CAP_IPC_LOCK.
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
