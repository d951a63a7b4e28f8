#include "capture/screen/screen_reader.h"

#include <fcntl.h>
#include <sys/ipc.h>

#include <cstring>
#include <limits>

namespace verbcast {
namespace {

constexpr std::uint64_t kPixelBytes = 4;
constexpr std::uint32_t kAllPlanes = std::numeric_limits<std::uint32_t>::max();

std::uint64_t bytesOf(const Rectangle& part) {
    return static_cast<std::uint64_t>(part.width) * static_cast<std::uint64_t>(part.height) * kPixelBytes;
}

}  // namespace

ScreenReader::ScreenReader(const XDisplay& display, ReadPath best, std::uint32_t slots)
    : display_(display), slots_(slots), path_(best) {
    if (path_ == ReadPath::Slots && !canShareMemory(2)) {
        path_ = ReadPath::Segment;
    }
    if (path_ == ReadPath::Segment && !canShareMemory(0)) {
        path_ = ReadPath::Wire;
    }
}

ScreenReader::~ScreenReader() {
    detach();
    xcb_flush(display_.get());
}

bool ScreenReader::canShareMemory(std::uint16_t minorVersion) const {
    if (!display_.isLocal() || !display_.has(xcb_shm_id)) {
        return false;
    }
    const auto version = display_.ask(xcb_shm_query_version, xcb_shm_query_version_reply);
    return version && (version->major_version > 1 || version->minor_version >= minorVersion);
}

void ScreenReader::detach() {
    if (segment_ != XCB_NONE) {
        xcb_shm_detach(display_.get(), segment_);
        segment_ = XCB_NONE;
    }
    memory_.reset();
}

bool ScreenReader::attachPool(int descriptor) {
    const int handedOver = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);  // libxcb closes it
    if (handedOver < 0) {
        return false;
    }
    const xcb_shm_seg_t segment = display_.newId();
    if (display_.carriesOut(xcb_shm_attach_fd_checked(display_.get(), segment, handedOver, 0))) {
        segment_ = segment;
    }
    return segment_ != XCB_NONE;
}

bool ScreenReader::attachSegment(std::uint64_t bytes) {
    const int id = ::shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0) {
        return false;
    }
    void* memory = ::shmat(id, nullptr, 0);
    if (memory != reinterpret_cast<void*>(-1)) {
        memory_.reset(memory);
    }
    const xcb_shm_seg_t segment = display_.newId();
    if (memory_ && display_.carriesOut(
                       xcb_shm_attach_checked(display_.get(), segment, static_cast<std::uint32_t>(id), 0))) {
        segment_ = segment;
    } else {
        memory_.reset();
    }
    ::shmctl(id, IPC_RMID, nullptr);  // it lives while anybody has it attached
    return segment_ != XCB_NONE;
}

void ScreenReader::prepare(std::uint64_t payloadBytes) {
    if (pool_ && pool_->slotBytes() >= payloadBytes) {
        return;
    }
    detach();
    // The server addresses shared memory with 32 bits.
    if (path_ == ReadPath::Slots &&
        slotBytesFor(payloadBytes) * slots_ > std::numeric_limits<std::uint32_t>::max()) {
        path_ = ReadPath::Segment;
    }
    FramePoolOptions options{.slotBytes = payloadBytes, .slotCount = slots_};
    if (path_ == ReadPath::Slots) {
        options.beforeSealing = [this](int descriptor) {
            if (!attachPool(descriptor)) {
                path_ = ReadPath::Segment;
            }
        };
    }
    pool_ = FramePool::create(options);
    if (path_ == ReadPath::Segment && !attachSegment(pool_->slotBytes())) {  // it is kept as long as the pool
        path_ = ReadPath::Wire;
    }
    display_.requireAlive();
}

bool ScreenReader::read(xcb_drawable_t drawable, const Rectangle& part, const FrameLease& slot) {
    bool done = false;
    switch (path_) {
        case ReadPath::Slots:
            done = readShared(drawable, part, static_cast<std::uint32_t>(slot.slot() * pool_->slotBytes()));
            break;
        case ReadPath::Segment:
            done = readShared(drawable, part, 0);
            if (done) {
                std::memcpy(slot.data(), memory_.get(), bytesOf(part));
            }
            break;
        case ReadPath::Wire:
            done = readOverWire(drawable, part, slot);
            break;
    }
    if (!done) {
        display_.requireAlive();
    }
    return done;
}

bool ScreenReader::readShared(xcb_drawable_t drawable, const Rectangle& part, std::uint32_t offset) {
    const auto reply = display_.ask(
        xcb_shm_get_image, xcb_shm_get_image_reply, drawable, static_cast<std::int16_t>(part.x),
        static_cast<std::int16_t>(part.y), static_cast<std::uint16_t>(part.width),
        static_cast<std::uint16_t>(part.height), kAllPlanes, XCB_IMAGE_FORMAT_Z_PIXMAP, segment_, offset);
    return reply && reply->size == bytesOf(part);
}

bool ScreenReader::readOverWire(xcb_drawable_t drawable, const Rectangle& part, const FrameLease& slot) {
    const auto reply = display_.ask(xcb_get_image, xcb_get_image_reply, XCB_IMAGE_FORMAT_Z_PIXMAP, drawable,
                                    static_cast<std::int16_t>(part.x), static_cast<std::int16_t>(part.y),
                                    static_cast<std::uint16_t>(part.width),
                                    static_cast<std::uint16_t>(part.height), kAllPlanes);
    if (!reply || static_cast<std::uint64_t>(xcb_get_image_data_length(reply.get())) < bytesOf(part)) {
        return false;
    }
    std::memcpy(slot.data(), xcb_get_image_data(reply.get()), bytesOf(part));
    return true;
}

}  // namespace verbcast
