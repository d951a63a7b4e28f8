// Registration of device memory for sending: what the port is asked for, and that the registration ends
// before the memory does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/memory/memory.h"
#include "core/transport/rdma/source_cache.h"

namespace verbcast::testing {
namespace {

using Events = std::vector<std::string>;

class RecordedDevice final : public DeviceMemory {
  public:
    explicit RecordedDevice(Events& events) : events_(events) {}
    ~RecordedDevice() override { events_.emplace_back("memory freed"); }
    DeviceMemoryAddress address() const override { return DeviceMemoryAddress{0x7000'0000'0000}; }
    std::uint64_t size() const override { return 2U << 20; }
    const std::string& deviceName() const override { return name_; }
    ExportedMemory exportDmaBuf() const override { return {{}, "none"}; }
    void read(std::uint64_t, std::span<std::byte>) const override {}
    void write(std::uint64_t, std::span<const std::byte>) const override {}
    std::unique_ptr<PinnedMemory> pin(std::shared_ptr<const Memory>) const override { return nullptr; }

  private:
    Events& events_;
    std::string name_ = "a device";
};

class RecordedRegistration final : public RegisteredMemory {
  public:
    explicit RecordedRegistration(Events& events) : events_(events) {}
    ~RecordedRegistration() override { release(); }
    void release() noexcept override {
        if (!released_) {
            released_ = true;
            events_.emplace_back("deregistered");
        }
    }

  private:
    Events& events_;
    bool released_ = false;
};

class RecordingDomain final : public PortDomain {
  public:
    explicit RecordingDomain(Events& events) : events_(events) {}
    ~RecordingDomain() override {
        dropSources();
        events_.emplace_back("domain gone");
    }
    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte>, MemoryUse) override {
        events_.emplace_back("host memory registered");
        return std::make_unique<RecordedRegistration>(events_);
    }
    std::unique_ptr<RegisteredMemory> registerDevice(const DeviceMemory&, MemoryUse) override {
        events_.emplace_back("device memory registered");
        return std::make_unique<RecordedRegistration>(events_);
    }
    std::string cannotSendFrom(const Memory&) const override { return ""; }

  private:
    Events& events_;
};

TEST(DeviceRegistration, NamesPlacesByTheDevicesAddresses) {
    Events events;
    RecordingDomain domain(events);
    const auto device = Memory::ofDevice(std::make_unique<RecordedDevice>(events));
    EXPECT_EQ(domain.sources().registerSource(device)->localAddress, 0x7000'0000'0000U);
    EXPECT_EQ(domain.sources().registerSource(device), domain.sources().find(*device)) << "once";
    const auto host = Memory::allocate({.bytes = 4096, .hugePages = false});
    EXPECT_EQ(domain.sources().registerSource(host)->localAddress,
              reinterpret_cast<std::uint64_t>(host->bytes().data()));
    EXPECT_EQ(events, (Events{"device memory registered", "host memory registered"}));
}

TEST(DeviceRegistration, EndsBeforeTheMemory) {
    Events events;
    RecordingDomain domain(events);
    auto memory = Memory::ofDevice(std::make_unique<RecordedDevice>(events));
    const SourceRegistration kept = domain.sources().registerSource(memory);  // like a connection
    events.clear();
    memory.reset();
    EXPECT_EQ(events, (Events{"deregistered", "memory freed"}));
}

TEST(DeviceRegistration, EndsWithItsDomain) {
    Events events;
    auto memory = Memory::ofDevice(std::make_unique<RecordedDevice>(events));
    {
        RecordingDomain domain(events);
        domain.sources().registerSource(memory);
        events.clear();
    }
    EXPECT_EQ(events, (Events{"deregistered", "domain gone"}));
    events.clear();
    memory.reset();
    EXPECT_EQ(events, Events{"memory freed"});
}

class BareDomain final : public PortDomain {
  public:
    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte>, MemoryUse) override {
        return nullptr;
    }
    std::string cannotSendFrom(const Memory&) const override { return ""; }
};

TEST(DeviceRegistration, OfAPortThatKnowsNoDevicesIsRefused) {
    Events events;
    BareDomain domain;
    const auto memory = Memory::ofDevice(std::make_unique<RecordedDevice>(events));
    EXPECT_THROW(domain.sources().registerSource(memory), Error);
    EXPECT_FALSE(domain.sources().find(*memory));
}

}  // namespace
}  // namespace verbcast::testing
