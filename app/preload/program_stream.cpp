#include "app/preload/program_stream.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/commands/send/sent_sound.h"
#include "app/preload/run_line.h"
#include "app/preload/sound_line.h"
#include "app/preload/stream_watch.h"
#include "capture/input_injector.h"
#include "capture/screen/screen_input.h"
#include "core/base/os/signals_blocked.h"
#include "core/base/os/standard_streams.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/device_pool.h"
#include "core/memory/numa.h"
#include "core/video/change_finder.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kLastPictures = 1s;
constexpr auto kSlotPatience = 100ms;  // then checks whether there is still a viewer
/// A stream that does not end in time must not keep the program from ending.
constexpr auto kEndPatience = 2s;

/// Gives the calling thread, and those that it starts, a descriptor table of their own that shares only
/// standard error with the program. Kernels before Linux 5.9 cannot: the table stays shared.
void leaveProgramsDescriptors() {
    constexpr unsigned kAboveStandard = 3;
    if (::close_range(kAboveStandard, ~0U, CLOSE_RANGE_UNSHARE) != 0) {
        return;
    }
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    // Keeps our sockets from getting one of these numbers.
    int filled = STDIN_FILENO;
    while (filled >= 0 && filled <= STDERR_FILENO) {
        filled = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    }
    ::close(filled);
}

/// Sends viewers' input to the program's window.
class ProgramInput final : public InputInjector {
  public:
    /// `log` must outlive this object. Throws Error{Display} if $DISPLAY cannot be opened.
    ProgramInput(std::uint32_t window, const RunSettings& settings, InputLog& log)
        : log_(log),
          input_(OneWindow{window}, injectedSerial_,
                 {.devices = settings.devices,
                  .pictureWidth = settings.options.size.value_or(PictureSize{}).width,
                  .pictureHeight = settings.options.size.value_or(PictureSize{}).height}) {}

    void apply(std::span<const ViewerInput> events) override {
        if (events.empty()) {
            return;
        }
        // Logged before sending: the program may wake up and draw before we learn that the server has them.
        log_.sent(events.back().serial, nowNs());
        input_.apply(events);
    }

  private:
    InputLog& log_;
    std::atomic<std::uint64_t> injectedSerial_{0};
    ScreenInput input_;
};

}  // namespace

struct ProgramStream::Parts {
    explicit Parts(const RunSettings& settings)
        : sender(settings.options.sender), watch(settings, sender), changes(settings.options.changes) {
        if (settings.stats && (statsDescriptor = askRunner(settings.runner, RunStatus::WantsStats))) {
            stats.emplace(std::make_shared<StatsOutput>(statsDescriptor.get()), sender,
                          settings.options.sender.trust.book);
        }
        if (settings.options.sender.hasSound) {
            if (UniqueFd line = askRunner(settings.runner, RunStatus::WantsSound)) {
                sound.emplace(std::make_unique<SourceSound>(soundOfLine(std::move(line)), SoundPart{}));
                sound->start(sender);
            }
        }
    }

    Broadcast sender;
    StreamWatch watch;
    ChangeFinder changes;
    UniqueFd statsDescriptor;
    std::optional<StatsStream> stats;  // if the runner has a descriptor for them
    Event never;
    std::vector<std::shared_ptr<FramePool>> pools;  // shared with the program's leases
    Repainter repainter{sender};
    std::optional<std::uint32_t> window;  // nothing: none was shown
    std::optional<InputThread> input;     // with a window and SenderOptions::allowInput
    std::optional<SentSound> sound;       // if the runner has some; in the time of the pictures' capture
};

ProgramStream::ProgramStream(const RunSettings& settings) : settings_(settings) {
    std::promise<void> ready;
    std::future<void> begun = ready.get_future();
    {
        const SignalsBlocked blocked;
        thread_ = std::jthread([this, ready = std::move(ready)]() mutable { run(std::move(ready)); });
    }
    begun.get();
}

ProgramStream::~ProgramStream() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_one();
}

void ProgramStream::run(std::promise<void> ready) {
    ::pthread_setname_np(::pthread_self(), "verbcast");
    if (settings_.options.memory !=
        PictureMemory::Device) {  // CUDA's descriptors are the program's: its threads set it up
        leaveProgramsDescriptors();
    }
    takePlace();
    std::optional<Parts> parts;
    try {
        parts.emplace(settings_);
        addresses_ = parts->sender.listenAddresses();
        parts_ = &*parts;
        ready.set_value();
    } catch (...) {
        ready.set_exception(std::current_exception());
        return;
    }
    work(*parts);
}

void ProgramStream::takePlace() const {
    if (!settings_.numaNode) {
        return;
    }
    const std::vector<NumaNode> nodes = numaNodes("/");
    const NumaNode* const node = findNode(nodes, *settings_.numaNode);
    if (node == nullptr) {
        return;
    }
    for (const std::string& failed : {preferMemoryOf(*node), runOnProcessorsOf(*node)}) {
        if (!failed.empty()) {
            printToStderr("verbcast: NUMA node {}: {}\n", node->number, failed);
        }
    }
}

void ProgramStream::work(Parts& parts) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto called = [this] { return stop_ || !jobs_.empty(); };
        if (!parts.watch.timed()) {
            changed_.wait(lock, called);
        } else if (!changed_.wait_for(lock, StreamWatch::kInterval, called)) {
            lock.unlock();
            guarded([&] { parts.watch.look(); });
            lock.lock();
            continue;
        }
        if (stop_) {
            return;
        }
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        if (auto* const asked = std::get_if<Call>(&job)) {
            (*asked)();
        } else {
            send(parts, std::move(std::get<Outgoing>(job)));
            waiting_.fetch_sub(1, std::memory_order_relaxed);
        }
        lock.lock();
    }
}

template <typename Work>
void ProgramStream::guarded(Work&& work) {
    try {
        work();
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
    }
}

void ProgramStream::send(Parts& parts, Outgoing&& frame) {
    if (parts.watch.over()) {
        return;
    }
    guarded([&] {
        if (parts.sender.receiverCount() == 0 && parts.sender.previewWatched()) {
            parts.sender.submitPreview(std::move(frame.lease), frame.format, frame.info);
            parts.changes.skip();
        } else {
            const bool inGpu = isInDevice(frame.lease);  // out of the reach of who compares
            parts.changes
                .look(frame.format, inGpu ? nullptr : frame.lease.data(), PictureChanges::of(frame.info),
                      !inGpu && parts.sender.framesTravel())
                .tellIn(frame.info);
            parts.watch.submitting(frame.format, frame.info, frame.lease);
            if (parts.sender.submit(std::move(frame.lease), frame.format, frame.info, parts.never) ==
                Status::Ok) {
                parts.watch.submitted();
            } else {
                parts.changes.skip();
            }
        }
        frame.lease.reset();
        while (parts.pools.size() > 1 && parts.pools.front().use_count() == 1) {
            parts.pools.erase(parts.pools.begin());  // of the previous size
        }
    });
}

void ProgramStream::push(std::variant<Outgoing, Call>&& job) {
    const std::lock_guard lock(mutex_);
    if (failure_ && std::holds_alternative<Outgoing>(job)) {
        std::rethrow_exception(failure_);
    }
    jobs_.push_back(std::move(job));
    changed_.notify_one();
}

template <typename Work>
std::future<void> ProgramStream::call(Work&& work) {
    Call task(std::forward<Work>(work));
    std::future<void> done = task.get_future();
    push(std::move(task));
    return done;
}

std::optional<FrameLease> ProgramStream::acquire(FramePool& pool) {
    std::optional<FrameLease> lease;
    // Not on the calling thread: the pool waits on a descriptor of ours.
    while (!lease && parts_->sender.receiverCount() > 0) {
        call([&] { lease = pool.acquire(kSlotPatience); }).get();
    }
    return lease;
}

Repainter& ProgramStream::repainter() const {
    return parts_->repainter;
}

void ProgramStream::begin(std::uint32_t window) {
    call([this, window] {
        tellRunner(settings_.runner, RunStatus::Swapped);
        if (parts_->window != window) {
            parts_->window = window;
            parts_->repainter.follow(window);
            if (settings_.options.sender.allowInput) {
                takeInputFor(*parts_, window);
            }
        }
    }).get();
}

void ProgramStream::takeInputFor(Parts& parts, std::uint32_t window) {
    parts.input.reset();
    if (window == 0) {
        printToStderr("verbcast: the program draws into no X window: viewers' input is not taken\n");
        return;
    }
    try {
        parts.input.emplace(parts.sender, std::make_unique<ProgramInput>(window, settings_, inputLog_));
    } catch (const Error& error) {
        printToStderr("verbcast: viewers' input is not taken: {}\n", error.what());
    }
}

std::shared_ptr<FramePool> ProgramStream::makePool(const FramePoolOptions& options) {
    std::shared_ptr<FramePool> pool;
    call([this, &pool, &options] {
        pool = FramePool::create(options);
        // Forked children do not need it, and would keep its memory as long as they live.
        const auto bytes = pool->memory()->bytes();
        ::madvise(bytes.data(), bytes.size(), MADV_DONTFORK);
        if (settings_.numaNode) {
            // Memory is placed where it is first touched; the program's thread that fills it may be
            // elsewhere.
            for (std::size_t at = 0; at < bytes.size(); at += wholePages(1)) {
                bytes[at] = std::byte{0};
            }
        }
        parts_->pools.push_back(pool);
    }).get();
    return pool;
}

std::shared_ptr<FramePool> ProgramStream::makeGpuPool(int gpu, std::uint64_t slotBytes,
                                                      std::uint32_t slotCount) {
    std::shared_ptr<FramePool> pool;
    call([&] {
        pool = makeGpuFramePool(gpu, slotBytes, slotCount);
        parts_->pools.push_back(pool);
    }).get();
    return pool;
}

void ProgramStream::submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info) {
    push(Outgoing{std::move(lease), format, info});
    waiting_.fetch_add(1, std::memory_order_relaxed);
}

void ProgramStream::giveUp(const std::string& reason) {
    call([this, reason] {
        if (!parts_->watch.over()) {
            parts_->watch.giveUp(reason);
        }
    });
}

void ProgramStream::finish() {
    call([this] {
        parts_->input.reset();
        parts_->repainter.stop();
        parts_->sound.reset();
        if (!parts_->watch.over()) {
            static_cast<void>(parts_->sender.finish("the program ended", kLastPictures, parts_->never));
        }
        parts_->watch.finish();
    }).wait_for(kEndPatience);
}

}  // namespace verbcast
