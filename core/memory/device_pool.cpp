#include "core/memory/device_pool.h"

#include <fmt/format.h>

namespace verbcast {

std::uint64_t DeviceLease::placeOf(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > capacity() || bytes > capacity() - offset) {
        throw Error(ErrorKind::Internal,
                    fmt::format("{} bytes at {} lie outside a slot of {}", bytes, offset, capacity()));
    }
    return slot() * capacity() + offset;
}

bool isInDevice(const FrameLease& lease) {
    return lease && lease.pool()->memory()->device() != nullptr;
}

DeviceLease DeviceLease::of(FrameLease lease) {
    if (!isInDevice(lease)) {
        throw Error(ErrorKind::Internal, "a slot of a device is wanted, and this one is not");
    }
    return DeviceLease(std::move(lease));
}

DeviceMemoryAddress DeviceLease::address() const {
    return lease_.pool()->memory()->device()->address() + placeOf(0, 0);
}

void DeviceLease::write(std::span<const std::byte> from, std::uint64_t offset) {
    lease_.pool()->memory()->device()->write(placeOf(offset, from.size()), from);
}

void DeviceLease::read(std::span<std::byte> into, std::uint64_t offset) const {
    lease_.pool()->memory()->device()->read(placeOf(offset, into.size()), into);
}

const std::byte* HostPayload::of(const FrameLease& lease, std::uint64_t bytes) {
    if (!isInDevice(lease)) {
        return lease.data();
    }
    copied_.resize(bytes);
    DeviceLease::of(lease.share()).read(copied_);
    return copied_.data();
}

std::optional<DeviceLease> DevicePool::tryAcquire() noexcept {
    auto lease = pool_->tryAcquire();
    return lease ? std::optional(DeviceLease(std::move(*lease))) : std::nullopt;
}

std::optional<DeviceLease> DevicePool::acquire(std::chrono::nanoseconds timeout, const Event* cancel) {
    auto lease = pool_->acquire(timeout, cancel);
    return lease ? std::optional(DeviceLease(std::move(*lease))) : std::nullopt;
}

}  // namespace verbcast
