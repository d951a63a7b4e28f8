#include "tests/core/pipe/running_pipe.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace verbcast::testing {

RunningPipe::RunningPipe(std::unique_ptr<PipeRun> run) : run_(std::move(run)) {
    ::signal(SIGPIPE, SIG_IGN);
    thread_ = std::jthread([this] {
        try {
            run_->run();
        } catch (const PipeStopped& stopped) {
            exitCode_ = stopped.exitCode();
            error_ = stopped.what();
        } catch (const Error& error) {
            exitCode_ = error.exitCode();
            error_ = error.what();
        }
        ended_ = true;
        endedEvent_.notify();
    });
}

RunningPipe::~RunningPipe() {
    run_->cancel();
}

template <typename Condition>
void RunningPipe::waitUntil(Condition&& condition, const char* what) const {
    const auto deadline = std::chrono::steady_clock::now() + kPipePatience;
    while (!condition()) {
        const bool over = ended_;
        if (std::chrono::steady_clock::now() > deadline || (over && !condition())) {
            throw std::runtime_error(std::string("it never ") + what + ": " + run_->status().text +
                                     (over ? "; it ended: " + error_ : ""));
        }
        waitReadable({run_->changed().descriptor(), endedEvent_.descriptor()},
                     std::chrono::milliseconds(100));
        run_->changed().clear();
    }
}

std::string RunningPipe::address() const {
    std::string text;
    waitUntil([&] { return (text = run_->status().text).find(" on ") != std::string::npos; }, "listens");
    const std::size_t begin = text.find(" on ") + 4;
    return text.substr(begin, text.find(',', begin) - begin);
}

void RunningPipe::waitUntilFlowing() const {
    waitUntil([this] { return run_->status().flowing; }, "begins");
}

void RunningPipe::waitUntilMoved(std::uint64_t bytes) const {
    waitUntil([&] { return run_->status().bytes >= bytes; }, "moves that much");
}

int RunningPipe::exitCode() {
    waitUntil([this] { return ended_.load(); }, "ends");
    thread_.join();
    return exitCode_;
}

UniqueFd fileWith(const std::string& content) {
    UniqueFd file(::memfd_create("pipe-test", MFD_CLOEXEC));
    writeAll(file.get(), content);
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

std::string contentOf(int file) {
    ::lseek(file, 0, SEEK_SET);
    return readSome(file, std::string::npos);
}

std::string readSome(int descriptor, std::size_t bytes) {
    std::string text;
    std::array<char, 65536> piece;
    while (text.size() < bytes) {
        const auto got = ::read(descriptor, piece.data(), std::min(piece.size(), bytes - text.size()));
        if (got <= 0) {
            break;
        }
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
}

void writeAll(int descriptor, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const auto put = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (put <= 0) {
            return;
        }
        done += static_cast<std::size_t>(put);
    }
}

PipeSettings settingsOf(std::uint64_t blockBytes, std::uint32_t depth, bool checksum) {
    PipeSettings settings;
    settings.blockBytes = blockBytes;
    settings.depth = depth;
    settings.checksum = checksum;
    return settings;
}

PipeAddress listeningOn(const std::string& transport) {
    return {parseUrl(listenAddressFor(transport)), true};
}

PipeAddress connectingTo(const std::string& address) {
    return {parseUrl(address), false};
}

Chain::Chain(const std::vector<std::string>& transports, const PipeSettings& settings, PipeInput input,
             int output)
    : output_(std::make_unique<PipeOutput>(output, "the test's output")) {
    receiver_ = std::make_unique<RunningPipe>(
        std::make_unique<PipeReceiver>(settings, listeningOn(transports.back()), *output_));
    std::string next = receiver_->address();
    for (std::size_t hop = transports.size() - 1; hop > 0; --hop) {
        relays_.push_back(std::make_unique<RunningPipe>(
            std::make_unique<PipeRelay>(settings, listeningOn(transports[hop - 1]), connectingTo(next))));
        next = relays_.back()->address();
    }
    sender_ = std::make_unique<RunningPipe>(std::make_unique<PipeSender>(
        settings, std::vector<PipeAddress>{connectingTo(next)}, std::move(input)));
}

std::vector<int> Chain::exitCodes() {
    std::vector<int> codes{sender_->exitCode()};
    for (const auto& relay : relays_) {
        codes.push_back(relay->exitCode());
    }
    codes.push_back(receiver_->exitCode());
    return codes;
}

}  // namespace verbcast::testing
