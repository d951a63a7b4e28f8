#include "app/view/recording/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/log/peer_log.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr TimestampNs kBetweenLooks = 1'000'000'000;  // at the room on the disk
constexpr std::size_t kMaxSoundBlocks = 500;          // that wait to be written; mostly of 5 ms

}  // namespace

Recorder::Recorder(const RecorderOptions& options)
    : options_(options),
      file_(options.file, cancel_, options.soundMayBeAlone, options.patience),
      thread_([this] { run(); }) {}

Recorder::~Recorder() {
    cancel_.notify();
    {
        const std::lock_guard lock(mutex_);
        finishing_ = true;
        waiting_.clear();
        sound_.clear();
    }
    changed_.notify_all();
}

bool Recorder::takesMore() const {
    return !failure_ && !finishing_ && (!options_.frames || accepted_ < *options_.frames);
}

void Recorder::put(const ReceivedFrame& frame, bool withSound, const std::stop_token& stop) {
    const std::size_t room = std::max<std::size_t>(1, options_.slots / 4);
    std::unique_lock lock(mutex_);
    if (frame.lossless) {
        changed_.wait(lock, stop, [&] { return waiting_.size() < room || !takesMore(); });
    }
    if (takesMore() && waiting_.size() < room) {
        ++accepted_;
        waiting_.push_back({frame.lease.share(), frame.format, frame.info, withSound});
        if (!frame.lossless && waiting_.size() == room) {
            crowded_.request_stop();
        }
        changed_.notify_all();
    } else if (!finishing_ && (!options_.frames || accepted_ < *options_.frames)) {
        ++status_.leftOut;
    }
}

void Recorder::put(const ArrivedSound& sound) {
    const std::lock_guard lock(mutex_);
    if (failure_ || finishing_ || sound_.size() >= kMaxSoundBlocks) {
        return;
    }
    sound_.push_back(
        {sound.frame.sound, sound.frame.info, {sound.planar.begin(), sound.planar.end()}, sound.follows});
    if (!soundThread_.joinable()) {
        soundThread_ = std::jthread([this] { runSound(); });
    }
    changed_.notify_all();
}

void Recorder::runSound() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return !sound_.empty() || finishing_ || failure_; });
        if (sound_.empty() || failure_) {
            return;
        }
        const SoundItem item = std::move(sound_.front());
        sound_.pop_front();
        lock.unlock();
        ReceivedFrame frame;
        frame.info = item.info;
        const std::exception_ptr failure = failureOf([&] {
            file_.write({frame, *item.format, item.planar, item.follows});
            return file_.status();
        });
        lock.lock();
        status_.bytes = file_.bytesWritten();
        if (failure && !failure_) {
            fail(failure);
            ended_.notify();
        }
    }
}

/// Call once no more sound is taken.
void Recorder::endSound() {
    std::jthread ending;
    {
        const std::lock_guard lock(mutex_);
        ending = std::move(soundThread_);
    }
    changed_.notify_all();
    if (ending.joinable()) {
        ending.join();
    }
    file_.endSound();
}

void Recorder::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return !waiting_.empty() || finishing_; });
        if (waiting_.empty()) {
            break;
        }
        const Item item = std::move(waiting_.front());
        waiting_.pop_front();
        crowded_ = std::stop_source();
        const std::stop_token crowded = crowded_.get_token();
        lock.unlock();
        changed_.notify_all();
        const bool written = writeOne(item, crowded);
        lookForRoom();
        lock.lock();
        if (!written) {
            status_.leftOut += 1 + waiting_.size();
            waiting_.clear();
            break;
        }
    }
    lock.unlock();
    endSound();
    finishFile();
    lock.lock();
    finished_ = true;
    changed_.notify_all();
}

/// Once a second, here: a network's disk may not answer for a while.
void Recorder::lookForRoom() {
    const TimestampNs now = nowNs();
    if (now - lookedForRoomAt_ < kBetweenLooks) {
        return;
    }
    lookedForRoomAt_ = now;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(options_.file.path, failed)) {
        return;
    }
    const std::filesystem::space_info space = std::filesystem::space(options_.file.path, failed);
    if (!failed) {
        const std::lock_guard lock(mutex_);
        status_.room = space.available;
    }
}

Error Recorder::readerLeft() const {
    return Error(ErrorKind::Resource,
                 fmt::format("nobody reads {} any more; {} written until then",
                             options_.file.path == "-" ? "standard output" : options_.file.path,
                             counted(status_.frames, "frame was", "frames were")));
}

void Recorder::fail(const std::exception_ptr& failure) {
    failure_ = failure;
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        status_.problem = error.what();
    }
}

/// Call without the lock: a pipe's reader may block the writer.
template <typename Writing>
std::exception_ptr Recorder::failureOf(Writing&& writing) const {
    try {
        if (writing() == Status::Closed) {
            throw readerLeft();
        }
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

/// Drops a frame that its sender has taken back since: it may be torn.
bool Recorder::writeOne(const Item& item, const std::stop_token& crowded) {
    if (item.lease.takenBack()) {
        const std::lock_guard lock(mutex_);
        ++status_.leftOut;
        --accepted_;  // another one takes its place
        return true;
    }
    Status status = Status::Closed;
    const std::exception_ptr failure = failureOf([&] {
        if (status_.frames == 0) {
            file_.expectSound(item.withSound);
        }
        return status = file_.write(*item.format, item.info,
                                    payload_.of(item.lease, item.format->payloadBytes), crowded);
    });
    if (status == Status::Ok && item.lease.takenBack()) {
        warnOfPeer(LogCategory::Window, "torn frame", "",
                   "frame {} may be torn in {}: the sender reused its slot meanwhile", item.info.sequence,
                   options_.file.path);
    }
    const std::lock_guard lock(mutex_);
    status_.bytes = file_.bytesWritten();
    if (failure) {
        fail(failure);
    } else if (status == Status::Ok) {  // not cancelled by us
        ++status_.frames;
        status_.complete = options_.frames && status_.frames >= *options_.frames;
    }
    if (failure_ || status_.complete) {
        ended_.notify();
    }
    return status == Status::Ok;
}

void Recorder::finishFile() {
    if (failure_) {
        file_.finishAfterFailure();
        return;
    }
    const std::exception_ptr failure = failureOf([&] { return file_.finish(); });
    const std::lock_guard lock(mutex_);
    status_.bytes = file_.bytesWritten();
    if (failure) {
        fail(failure);
    }
}

void Recorder::finish(std::chrono::milliseconds patience) {
    {
        std::unique_lock lock(mutex_);
        finishing_ = true;
        changed_.notify_all();
        if (!changed_.wait_for(lock, patience, [&] { return finished_; })) {
            cancel_.notify();  // does not cut a file
        }
    }
    thread_.join();
    notes_ = file_.takeNotes();
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

RecordingStatus Recorder::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

}  // namespace verbcast
