#include "tests/hostile/victim.h"

#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "core/session/greeting/handshake.h"
#include "tests/support/kernel_pipe.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kFrameBytes = std::size_t{64} * 48 * 4;
// Latest: an unknown peer that reads nothing blocks nobody, and frames that are awaited one by one are never
// late.
const Arguments kSource{"--size", "64x48", "--format", "rgba", "--fps", "max", "--policy", "latest"};

}  // namespace

Role roleOfStrangersAt(VictimKind kind) {
    switch (kind) {
        case VictimKind::Viewer:
            return Role::Sender;
        case VictimKind::Pipe:
            return Role::PipeSender;
        default:
            return Role::Receiver;
    }
}

std::string victimName(VictimKind kind) {
    switch (kind) {
        case VictimKind::Sender:
            return "sender";
        case VictimKind::Viewer:
            return "viewer";
        case VictimKind::Relay:
            return "relay";
        case VictimKind::Pipe:
            return "pipe";
    }
    return "";
}

std::unique_ptr<Verbcast> Victim::start(const Arguments& arguments, int input) const {
    return std::make_unique<Verbcast>(arguments + more_, home_, input);
}

Victim::Victim(VictimKind kind, const TransportUnderTest& transport, const TemporaryFolder& home,
               const Arguments& more)
    : kind_(kind), home_(home), more_(more) {
    KernelPipe pipe;
    reading_ = std::move(pipe.reading);
    writing_ = std::move(pipe.writing);
    if (kind_ == VictimKind::Sender || kind_ == VictimKind::Relay) {
        write(0);  // a sender inspects its source before it listens; the first viewer may receive this frame
    }
    const std::string listen = listenAddressFor(transport);
    switch (kind_) {
        case VictimKind::Sender:
            victim_ = start(Arguments{"send", "-", "--listen", listen, "-v"} + kSource, reading_.get());
            break;
        case VictimKind::Viewer:
            victim_ = start(
                {"view", "--headless", "--frame-md5", "-", "--max-memory", "64M", "--listen", listen, "-v"});
            break;
        case VictimKind::Relay:
            source_ = start(Arguments{"send", "-", "--listen", listenAddressFor(transport)} + kSource,
                            reading_.get());
            // So that no frame is gone before its viewer comes.
            victim_ = start({"relay", source_->listenAddress(), "--policy", "lossless", "--max-memory", "64M",
                             "--listen", listen, "-v"});
            break;
        case VictimKind::Pipe:
            victim_ = start({"pipe", "recv", "--listen", listen, "-v"});
            break;
    }
    address_ = victim_->listenAddress();
}

void Victim::meet() {
    switch (kind_) {
        case VictimKind::Sender:
        case VictimKind::Relay:
            good_ = start({"view", "--headless", "--frame-md5", "-", address_});
            break;
        case VictimKind::Viewer:
            source_ = start(Arguments{"send", "-", "--to", address_} + kSource, reading_.get());
            break;
        case VictimKind::Pipe:
            source_ = start({"pipe", "send", address_, "--block", std::to_string(kFrameBytes), "-q"},
                            reading_.get());
            break;
    }
    reading_.reset();
    if (kind_ != VictimKind::Pipe && lastProgram().line() != "#sequence,pts,bytes,md5") {
        throw std::runtime_error("no list of frames: " + lastProgram().errors());
    }
    // The good peer knows that it is connected before its sender does, and a sender sends nobody an earlier
    // frame.
    if (good_ && !victim_->waitForError(hostName() + " joined over ")) {
        throw std::runtime_error("the good peer is not served: " + victim_->errors());
    }
}

void Victim::write(unsigned number) const {
    const std::string frame(kFrameBytes, static_cast<char>(number));
    for (std::size_t done = 0; done < frame.size();) {
        const ssize_t put = ::write(writing_.get(), frame.data() + done, frame.size() - done);
        if (put <= 0) {
            throw std::runtime_error("the stream's source has ended");
        }
        done += static_cast<std::size_t>(put);
    }
}

void Victim::feed() {
    write(++fed_);
    if (kind_ == VictimKind::Pipe) {
        return;
    }
    const bool first = arrived_.empty();
    std::string line = lastProgram().line();
    if (first && (kind_ == VictimKind::Sender || kind_ == VictimKind::Relay) && line.starts_with("0,")) {
        line = lastProgram().line();
    }
    arrived_.push_back(line);
}

std::vector<std::string> Victim::finish() {
    writing_.reset();
    if (kind_ == VictimKind::Pipe) {
        EXPECT_TRUE(endsWith(*victim_, 0));
        const std::string all = victim_->output();
        for (std::size_t at = 0; at < all.size(); at += kFrameBytes) {
            arrived_.push_back(std::to_string(std::hash<std::string>()(all.substr(at, kFrameBytes))));
        }
    } else {
        EXPECT_TRUE(endsWith(lastProgram(), 0));
    }
    return arrived_;
}

std::uint64_t Victim::peakMemory() const {
    std::ifstream status("/proc/" + std::to_string(victim_->pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stoull(line.substr(6)) << 10U;
        }
    }
    throw std::runtime_error("the victim is gone: " + victim_->errors());
}

}  // namespace verbcast::testing
