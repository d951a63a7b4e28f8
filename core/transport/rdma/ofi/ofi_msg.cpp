#include "core/transport/rdma/ofi/ofi_endpoints.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "core/transport/epoll_set.h"
#include "core/transport/rdma/ofi/ofi_queue.h"
#include "core/transport/rdma/rdma_wire.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxGreetingBytes = 256;

FidHandle<fid_eq> openEventQueue(fid_fabric* fabric, const std::string& object) {
    fi_eq_attr attributes{};
    attributes.wait_obj = FI_WAIT_FD;
    fid_eq* queue = nullptr;
    checkOfi(fi_eq_open(fabric, &attributes, &queue, nullptr), ErrorKind::Device, "fi_eq_open", object);
    return FidHandle<fid_eq>(queue);
}

int descriptorOf(fid_eq* queue, const std::string& object) {
    int descriptor = -1;
    checkOfi(fi_control(&queue->fid, FI_GETWAIT, &descriptor), ErrorKind::Device, "fi_control", object);
    return descriptor;
}

struct OfiEvent {
    std::uint32_t type = 0;  ///< FI_CONNREQ, ...; 0 for an error
    int error = 0;
    InfoHandle info;                  ///< for FI_CONNREQ
    std::vector<std::byte> greeting;  ///< what the peer sent with it
};

/// The next event, or nothing if there is none now.
std::optional<OfiEvent> nextEvent(fid_eq* queue) {
    alignas(fi_eq_cm_entry) std::array<std::byte, sizeof(fi_eq_cm_entry) + kMaxGreetingBytes> buffer{};
    OfiEvent event;
    const ssize_t count = fi_eq_read(queue, &event.type, buffer.data(), buffer.size(), 0);
    if (count == -FI_EAGAIN || count == 0) {
        return std::nullopt;
    }
    if (count == -FI_EAVAIL) {
        fi_eq_err_entry error{};
        std::array<std::byte, kMaxGreetingBytes> data{};
        error.err_data = data.data();
        error.err_data_size = data.size();
        event.error = fi_eq_readerr(queue, &error, 0) > 0 ? error.err : FI_EIO;
        const auto* given = static_cast<const std::byte*>(error.err_data);
        const std::size_t bytes = given != nullptr ? std::min(error.err_data_size, data.size()) : 0;
        event.greeting.assign(given, given + bytes);
        event.type = 0;
        return event;
    }
    if (count < 0) {
        event.error = static_cast<int>(-count);
        event.type = 0;
        return event;
    }
    const auto& entry = *reinterpret_cast<const fi_eq_cm_entry*>(buffer.data());
    if (event.type == FI_CONNREQ) {
        event.info.reset(entry.info);
    }
    const auto bytes = static_cast<std::size_t>(count);
    if (bytes > sizeof entry) {
        event.greeting.assign(buffer.begin() + sizeof entry,
                              buffer.begin() + static_cast<std::ptrdiff_t>(bytes));
    }
    return event;
}

std::string addressText(const void* raw) {
    return SocketAddress::of(static_cast<const sockaddr*>(raw)).text();
}

class OfiMsgQueue final : public OfiQueue {
  public:
    OfiMsgQueue(const SharedFabric& fabric, const fi_info& info, bool onlySends, bool accepts,
                std::vector<std::byte> peerGreeting)
        : OfiQueue(fabric, info, onlySends),
          accepts_(accepts),
          events_(openEventQueue(fabric.get(), deviceName())) {
        setGreeting(std::move(peerGreeting));
        alsoWaitFor(&events_->fid);
        enable({&events_->fid});
    }
    ~OfiMsgQueue() override { stop(); }

    void begin(std::span<const std::byte> greeting) override {
        const ssize_t result =
            accepts_ ? fi_accept(endpoint(), greeting.data(), greeting.size())
                     : fi_connect(endpoint(), info().dest_addr, greeting.data(), greeting.size());
        if (result == -FI_ECONNREFUSED) {
            throwRefused(FI_ECONNREFUSED);
        }
        checkOfi(result, ErrorKind::Network, accepts_ ? "fi_accept" : "fi_connect", peerAddress());
    }

    bool established() override {
        if (accepts_) {
            return true;  // the peer's Hello shows it
        }
        const auto event = nextEvent(events_.get());
        if (!event) {
            return false;
        }
        if (event->type != FI_CONNECTED) {
            if (const auto refusal = decodeRefusal(event->greeting)) {
                throw Error(ErrorKind::Peer,
                            fmt::format("{} refused the connection: {}", peerAddress(), *refusal),
                            "use the same version of verbcast on both machines");
            }
            throwRefused(event->error);
        }
        setGreeting(event->greeting);
        return true;
    }

    std::string localAddress() const override {
        alignas(sockaddr_storage) std::array<std::byte, 256> buffer{};
        std::size_t bytes = buffer.size();
        const bool known = endpoint() != nullptr && fi_getname(&endpoint()->fid, buffer.data(), &bytes) == 0;
        return known ? addressText(buffer.data()) : addressText(info().src_addr);
    }
    std::string peerAddress() const override { return addressText(info().dest_addr); }

    std::vector<int> descriptors() const override {
        std::vector<int> all = OfiQueue::descriptors();
        all.push_back(descriptorOf(events_.get(), deviceName()));
        return all;
    }

    void checkPeer() override {
        while (const auto event = nextEvent(events_.get())) {
            if (event->type == FI_SHUTDOWN) {
                setFailure("the peer disconnected");
            } else if (event->type == 0) {
                setFailure(fmt::format("{} ({})", ofiErrorText(event->error), event->error));
                return;
            }
        }
    }

    void stop() noexcept override {
        if (endpoint() != nullptr) {
            fi_shutdown(endpoint(), 0);
            closeEndpoint();
        }
    }

  private:
    [[noreturn]] void throwRefused(int code) const {
        const std::string why = code == FI_ECONNREFUSED ? "nobody is listening there" : ofiErrorText(code);
        throw Error(ErrorKind::Network,
                    fmt::format("cannot connect to {}: {}", ofiUrl(info(), peerAddress()), why),
                    "start the other side first, or check its address and provider");
    }

    const bool accepts_;
    FidHandle<fid_eq> events_;
};

class OfiMsgRequest final : public PortRequest {
  public:
    OfiMsgRequest(SharedFabric fabric, fid_pep* listener, OfiEvent event, bool onlySends)
        : fabric_(std::move(fabric)), listener_(listener), event_(std::move(event)), onlySends_(onlySends) {}
    ~OfiMsgRequest() override {
        if (!answered_) {
            fi_reject(listener_, event_.info->handle, nullptr, 0);
        }
    }

    std::string peer() const override { return addressText(event_.info->dest_addr); }
    std::span<const std::byte> greeting() const override { return event_.greeting; }
    void refuse(std::span<const std::byte> reason) noexcept override {
        answered_ = true;
        fi_reject(listener_, event_.info->handle, reason.data(), reason.size());
    }
    std::unique_ptr<QueuePort> open() override {
        auto queue = std::make_unique<OfiMsgQueue>(fabric_, *event_.info, onlySends_, true, event_.greeting);
        answered_ = true;
        return queue;
    }

  private:
    SharedFabric fabric_;
    fid_pep* listener_;
    OfiEvent event_;
    bool onlySends_;
    bool answered_ = false;
};

class OfiMsgListener final : public PortListener {
  public:
    OfiMsgListener(const fi_info& info, const std::string& url, bool onlySends)
        : onlySends_(onlySends), info_(fi_dupinfo(&info)), fabric_(openFabric(info)) {
        events_ = openEventQueue(fabric_.get(), url);
        fid_pep* listener = nullptr;
        check(fi_passive_ep(fabric_.get(), info_.get(), &listener, nullptr), "fi_passive_ep", url);
        listener_.reset(listener);
        checkOfi(fi_pep_bind(listener, &events_->fid, 0), ErrorKind::Device, "fi_pep_bind", url);
        check(fi_listen(listener), "fi_listen", url);
        alignas(sockaddr_storage) std::array<std::byte, 256> buffer{};
        std::size_t bytes = buffer.size();
        checkOfi(fi_getname(&listener->fid, buffer.data(), &bytes), ErrorKind::Device, "fi_getname", url);
        address_ = ofiUrl(info, addressText(buffer.data()));
    }

    std::string address() const override { return address_; }
    std::vector<int> descriptors() const override { return {descriptorOf(events_.get(), address_)}; }

    std::unique_ptr<PortRequest> next() override {
        while (auto event = nextEvent(events_.get())) {
            if (event->type == FI_CONNREQ) {
                return std::make_unique<OfiMsgRequest>(fabric_, listener_.get(), std::move(*event),
                                                       onlySends_);
            }
            if (event->type == 0) {
                checkOfi(-event->error, ErrorKind::Device, "fi_eq_read", address_);
            }
        }
        requireDescriptors();
        fid* waited = &events_->fid;
        fi_trywait(fabric_.get(), &waited, 1);  // required before sleeping on descriptors()
        return nullptr;
    }

  private:
    /// Providers differ in which call notices that an address is taken.
    static void check(int result, std::string_view call, const std::string& url) {
        if (result == -FI_EADDRINUSE) {
            throw Error(ErrorKind::Network, fmt::format("the address of {} is taken", url),
                        "choose another port, for example :7424, or end the program that has it");
        }
        checkOfi(result, ErrorKind::Network, call, url);
    }

    /// Providers do not report that there is no descriptor for a caller: tcp lets it wait, verbs refuses it.
    void requireDescriptors() const {
        const int descriptor = descriptorOf(events_.get(), address_);
        if (!UniqueFd(::dup(descriptor))) {
            throwErrno(ErrorKind::Resource, "accept", address_, errno, kRaiseFileLimit);
        }
    }

    const bool onlySends_;
    InfoHandle info_;
    SharedFabric fabric_;
    FidHandle<fid_eq> events_;
    FidHandle<fid_pep> listener_;
    std::string address_;
};

}  // namespace

std::unique_ptr<QueuePort> openOfiMsgQueue(const fi_info& info, bool onlySends) {
    return std::make_unique<OfiMsgQueue>(openFabric(info), info, onlySends, false, std::vector<std::byte>{});
}

std::unique_ptr<PortListener> listenOfiMsg(const fi_info& info, const std::string& url, bool onlySends) {
    return std::make_unique<OfiMsgListener>(info, url, onlySends);
}

}  // namespace verbcast
