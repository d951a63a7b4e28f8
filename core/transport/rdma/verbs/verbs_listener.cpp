// Accepting over rdma_cm: each request gets its own event channel.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/device_use.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "core/transport/rdma/verbs/verbs_errors.h"
#include "core/transport/rdma/verbs/verbs_queue.h"

namespace verbcast {
namespace {

constexpr int kBacklog = 16;

class VerbsRequest final : public PortRequest {
  public:
    VerbsRequest(CmIdHandle id, const CmEvent& event, const VerbsQueueOptions& options)
        : options_(options),
          use_(id->verbs),
          id_(std::move(id)),
          greeting_(event.privateSpan().begin(), event.privateSpan().end()),
          peer_(socketAddress(rdma_get_peer_addr(id_.get())).text()) {}

    std::string peer() const override { return peer_; }
    std::span<const std::byte> greeting() const override { return greeting_; }

    void refuse(std::span<const std::byte> reason) noexcept override {
        rdma_reject(id_.get(), reason.data(), static_cast<std::uint8_t>(reason.size()));
        id_.reset();
    }

    std::unique_ptr<QueuePort> open() override {
        auto events = std::make_unique<CmEvents>();
        checkErrno(rdma_migrate_id(id_.get(), events->get()), ErrorKind::Network, "rdma_migrate_id", peer_);
        setAckTimeout(id_.get(), options_.verbs);
        return std::make_unique<VerbsQueue>(std::move(events), std::move(id_), options_,
                                            std::move(greeting_));
    }

  private:
    const VerbsQueueOptions options_;
    const DeviceUse use_;
    CmIdHandle id_;
    std::vector<std::byte> greeting_;
    std::string peer_;
};

class VerbsListener final : public PortListener {
  public:
    VerbsListener(const Url& url, const VerbsQueueOptions& options) : options_(options) {
        bindFirst(url);
        checkErrno(rdma_listen(id_.get(), kBacklog), ErrorKind::Network, "rdma_listen", url.text());
        address_ = "verbs://" + socketAddress(rdma_get_local_addr(id_.get())).text();
    }

    std::string address() const override { return address_; }
    std::vector<int> descriptors() const override {
        std::vector<int> all{events_.descriptor()};
        if (watch_.descriptor() >= 0) {
            all.push_back(watch_.descriptor());
        }
        return all;
    }

    std::unique_ptr<PortRequest> next() override {
        std::ranges::for_each(watch_.left(), &VerbsDomain::forgetDevice);
        while (id_) {
            const auto event = events_.next();
            if (!event) {
                return nullptr;
            }
            if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
                return std::make_unique<VerbsRequest>(CmIdHandle(event->id), *event, options_);
            }
            if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL && event->id == id_.get()) {
                letDeviceGo(std::move(id_));
            } else if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
                VerbsDomain::forgetDevice(event->id->verbs);  // the device of a caller still being handled
            }
        }
        throw Error(ErrorKind::Device, fmt::format("the RDMA device of {} was removed", address_),
                    "see \"verbcast devices\" for those that are there");
    }

  private:
    void bindFirst(const Url& url) {
        int code = 0;
        for (SocketAddress address : listenAddressesFor(url, options_.verbs)) {
            rdma_cm_id* raw = nullptr;
            checkErrno(rdma_create_id(events_.get(), &raw, nullptr, RDMA_PS_TCP), ErrorKind::Resource,
                       "rdma_create_id", url.text());
            id_.reset(raw);
            if (rdma_bind_addr(id_.get(), reinterpret_cast<sockaddr*>(&address.storage)) == 0) {
                return;
            }
            code = code == 0 || code == EAFNOSUPPORT ? errno : code;
        }
        if (code == EADDRINUSE) {
            throw Error(ErrorKind::Network, fmt::format("the RDMA port {} is taken", url.port),
                        "choose another one, for example :7424, or end the program that has it");
        }
        if (code == ENODEV || code == EADDRNOTAVAIL) {
            throw Error(ErrorKind::Network,
                        fmt::format("{} is not the address of an RDMA device of this machine", url.host),
                        "see \"verbcast devices\", or leave the host out to listen on all of them");
        }
        throwErrno(ErrorKind::Network, "rdma_bind_addr", url.text(), code);
    }

    const VerbsQueueOptions options_;
    const GoneDevices watch_;
    CmEvents events_;
    CmIdHandle id_;
    std::string address_;
};

}  // namespace

std::unique_ptr<PortListener> listenOnVerbs(const Url& url, const VerbsOptions& verbs,
                                            const TransportOptions& options) {
    return std::make_unique<VerbsListener>(
        url, VerbsQueueOptions{.verbs = verbs, .sharesDomain = options.sendsFrames, .accepts = true});
}

}  // namespace verbcast
