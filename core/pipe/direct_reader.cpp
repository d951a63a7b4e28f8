#include "core/pipe/direct_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace verbcast {
namespace {

// Enough blocks to keep a network or cloud disk busy while it answers; local ones need fewer.
constexpr std::size_t kReaders = 4;

}  // namespace

std::unique_ptr<DirectReader> DirectReader::open(int descriptor, ArmedEvent& done) {
    // Our own open file description: O_DIRECT would also change the shared one.
    UniqueFd file(
        ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
    const off_t size = file ? ::lseek(file.get(), 0, SEEK_END) : 0;
    if (size <= 0) {
        return nullptr;
    }
    const auto bytes = static_cast<std::uint64_t>(size);
    void* mapping = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
    if (mapping == MAP_FAILED) {
        return nullptr;
    }
    std::unique_ptr<DirectReader> reader(new DirectReader(std::move(file), mapping, bytes, done));
    reader->addReader();
    return reader->readers_.empty() ? nullptr : std::move(reader);
}

DirectReader::DirectReader(UniqueFd file, void* mapping, std::uint64_t size, ArmedEvent& done)
    : file_(std::move(file)), mapping_(static_cast<std::byte*>(mapping)), size_(size), done_(done) {}

DirectReader::~DirectReader() {
    for (std::jthread& reader : readers_) {
        reader.request_stop();
    }
    readers_.clear();
    ::munmap(mapping_, size_);
}

bool DirectReader::isCached(std::uint64_t offset, std::uint64_t bytes) const {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto isThere = [this](std::uint64_t place) {
        unsigned char resident = 0;
        return place >= size_ || ::mincore(mapping_ + place / page * page, 1, &resident) != 0 ||
               (resident & 1U) != 0;
    };
    return isThere(offset) && isThere(offset + bytes / 2);
}

void DirectReader::begin(FrameLease lease, std::size_t wanted, std::uint64_t offset) {
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back({{std::move(lease), 0}, wanted, offset, Request::State::Waiting});
    }
    changed_.notify_one();
    if (readers_.size() < std::min(pending(), kReaders)) {
        addReader();
    }
}

void DirectReader::addReader() {
    try {
        readers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    } catch (const std::system_error&) {
        // Make do with the threads we got.
    }
}

std::size_t DirectReader::pending() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
}

std::optional<DirectReader::Block> DirectReader::take() {
    const std::lock_guard lock(mutex_);
    if (requests_.empty() || requests_.front().state != Request::State::Done) {
        return std::nullopt;
    }
    Block block = std::move(requests_.front().block);
    requests_.pop_front();
    return block;
}

DirectReader::Request* DirectReader::nextWaiting() {
    const auto next = std::find_if(requests_.begin(), requests_.end(), [](const Request& request) {
        return request.state == Request::State::Waiting;
    });
    return next == requests_.end() ? nullptr : &*next;
}

void DirectReader::work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    Request* request = nullptr;
    while (changed_.wait(lock, stop, [&] { return (request = nextWaiting()) != nullptr; })) {
        if (stop.stop_requested()) {
            return;
        }
        request->state = Request::State::Reading;
        lock.unlock();
        read(*request);  // it stays in place: others are added behind it, and only finished ones are taken
        lock.lock();
        request->state = Request::State::Done;
        done_.notify();
    }
}

void DirectReader::read(Request& request) const {
    Block& block = request.block;
    while (block.bytes < request.wanted) {
        const ssize_t got =
            ::pread(file_.get(), block.lease.data() + block.bytes, request.wanted - block.bytes,
                    static_cast<off_t>(request.offset + block.bytes));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        // After a partial sector comes the end of the file.
        if (got <= 0 || static_cast<std::uint64_t>(got) % kAlignment != 0) {
            block.bytes += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
            return;
        }
        block.bytes += static_cast<std::size_t>(got);
    }
}

}  // namespace verbcast
