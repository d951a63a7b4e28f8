#include "core/transport/rdma/rdma_devices.h"

#include <fmt/format.h>

#include "core/base/os/clock.h"
#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {
namespace {

constexpr auto kUse = MemoryUse::RemoteWrite;

class VerbsRegistrationProbe final : public RegistrationProbe {
  public:
    VerbsRegistrationProbe(ContextHandle context, std::string name)
        : name_(std::move(name)), context_(std::move(context)), domain_(context_.get()) {}

    const std::string& device() const override { return name_; }

    RegistrationTimes measure(std::span<std::byte> memory) override {
        return measured([&] { return domain_.registerMemory(memory, kUse); }).times;
    }

    DeviceRegistration measure(const DeviceMemory& memory) override {
        return measured([&] { return domain_.registerDevice(memory, kUse); });
    }

    std::shared_ptr<void> keepRegistered(std::span<std::byte> memory) override {
        return std::shared_ptr<RegisteredMemory>(domain_.registerMemory(memory, kUse));
    }

  private:
    template <typename Register>
    static DeviceRegistration measured(Register&& registerNow) {
        const TimestampNs begin = nowNs();
        auto registration = registerNow();
        const TimestampNs registered = nowNs();
        std::string way(registration->way);
        registration.reset();
        return {.times = {std::chrono::nanoseconds(registered - begin),
                          std::chrono::nanoseconds(nowNs() - registered)},
                .way = std::move(way)};
    }

    std::string name_;
    ContextHandle context_;
    VerbsDomain domain_;
};

}  // namespace

std::unique_ptr<RegistrationProbe> openRegistrationProbe(const std::string& device) {
    int count = 0;
    const DeviceListHandle list(ibv_get_device_list(&count));
    std::string names;
    for (int index = 0; list && index < count; ++index) {
        ibv_device* candidate = list[static_cast<std::size_t>(index)];
        const std::string name = ibv_get_device_name(candidate);
        if (device.empty() || name == device) {
            ContextHandle context(
                checkPointer(ibv_open_device(candidate), ErrorKind::Device, "ibv_open_device", name));
            return std::make_unique<VerbsRegistrationProbe>(std::move(context), name);
        }
        names += (names.empty() ? "" : ", ") + name;
    }
    throw Error(ErrorKind::Device,
                device.empty() || names.empty() ? "no RDMA device: there is nothing to register memory with"
                                                : fmt::format("RDMA device \"{}\" does not exist", device),
                names.empty() ? "see verbcast doctor; software RDMA will do: rdma link add rxe0 type rxe "
                                "netdev eth0"
                              : "this machine has " + names);
}

}  // namespace verbcast
