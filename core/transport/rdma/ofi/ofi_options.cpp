#include "core/transport/rdma/ofi/ofi_options.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace verbcast {
namespace {

constexpr const char* kRemedy = "options of ofi:// are provider=NAME, domain=NAME, immediate=on|off";

// What is tried if no provider is named. Utility layers ("verbs;ofi_rxm") cost a copy.
constexpr std::array<const char*, 2> kBest = {"verbs", "tcp"};

// The memory modes that we support; a provider that requires others is not used.
constexpr int kMemoryModes =
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
// Each request brings its own fi_context2; a write's data may use up a receive.
constexpr std::uint64_t kModes = FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA;
// The notice of a frame must not overtake its writes.
constexpr std::uint64_t kOrder = FI_ORDER_WAW | FI_ORDER_SAW | FI_ORDER_SAS;

InfoHandle makeHints(const std::string& provider, const std::string& domain, fi_ep_type type,
                     std::uint64_t order) {
    InfoHandle hints(fi_allocinfo());
    if (!hints) {
        throwErrno(ErrorKind::Resource, "fi_allocinfo", "hints", ENOMEM);
    }
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = kModes;
    hints->ep_attr->type = type;
    hints->domain_attr->mr_mode = kMemoryModes;
    hints->domain_attr->threading = FI_THREAD_SAFE;  // memory is registered on separate threads
    // We poll ourselves: a provider's thread would only cost a context switch.
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->tx_attr->msg_order = order;
    hints->rx_attr->msg_order = order;
    if (!provider.empty()) {
        hints->fabric_attr->prov_name = ::strdup(provider.c_str());  // freed with the hints
    }
    if (!domain.empty()) {
        hints->domain_attr->name = ::strdup(domain.c_str());
    }
    return hints;
}

/// Keeps libfabric from caching registrations: a cached one outlives its fi_close(), and with it the peer's
/// right to write into a retired ring. (Seen with the verbs provider of 1.17: the write went through.) There
/// is no call for it, so this must come before the library reads its environment, at its first use.
void forbidRegistrationCache() {
    static const bool once = ::setenv("FI_MR_CACHE_MAX_COUNT", "0", 1) == 0;
    if (!once) {
        throw Error(ErrorKind::Resource, "no memory for FI_MR_CACHE_MAX_COUNT=0 in the environment");
    }
}

InfoHandle query(const char* node, const char* service, std::uint64_t flags, const fi_info& hints) {
    forbidRegistrationCache();
    fi_info* found = nullptr;
    const int code = fi_getinfo(FI_VERSION(1, 14), node, service, flags, &hints, &found);
    return InfoHandle(code == 0 ? found : nullptr);
}

std::string providerOf(const fi_info& info) {
    return info.fabric_attr->prov_name != nullptr ? info.fabric_attr->prov_name : "";
}

/// Asks for ordering first: what a provider cannot guarantee, our own protocol must.
InfoHandle queryOrdered(const std::string& provider, const std::string& domain, fi_ep_type type,
                        const char* node, const char* service, std::uint64_t flags, std::uint32_t format) {
    for (const std::uint64_t order : {kOrder, std::uint64_t{0}}) {
        const InfoHandle hints = makeHints(provider, domain, type, order);
        hints->addr_format = format;
        if (InfoHandle info = query(node, service, flags, *hints)) {
            return info;
        }
    }
    return nullptr;
}

std::string hostOf(const SocketAddress& address) {
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    const void* raw = &address.v6().sin6_addr;
    if (address.family() == AF_INET) {
        raw = &address.v4().sin_addr;
    }
    ::inet_ntop(address.family(), raw, buffer.data(), buffer.size());
    return buffer.data();
}

OfiWay tryProvider(const std::string& provider, const OfiOptions& options,
                   const std::optional<SocketAddress>& address, std::uint16_t port, bool passive) {
    const std::string service = std::to_string(port);
    const std::string host = address ? hostOf(*address) : "";
    const std::uint32_t format = address && address->family() == AF_INET6 ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
    if (auto info = queryOrdered(provider, options.domain, FI_EP_MSG, address ? host.c_str() : nullptr,
                                 service.c_str(), passive ? FI_SOURCE : 0, format)) {
        return {std::move(info), false};
    }
    auto info = queryOrdered(provider, options.domain, FI_EP_RDM, nullptr, nullptr, 0, FI_FORMAT_UNSPEC);
    // A user who asks for "verbs" does not mean "verbs;ofi_rxm".
    return {info && providerOf(*info) == provider ? std::move(info) : nullptr, true};
}

/// Providers may find no way from an address merely because its port is taken.
bool isTaken(const std::string& provider, const OfiOptions& options,
             const std::optional<SocketAddress>& address, std::uint16_t port) {
    return port != 0 && tryProvider(provider, options, address, 0, true).info != nullptr;
}

}  // namespace

std::string ofiErrorText(int code) {
    return fi_strerror(code);
}

void checkOfi(ssize_t result, ErrorKind kind, std::string_view call, std::string_view object) {
    if (result >= 0) {
        return;
    }
    const int code = static_cast<int>(-result);
    const bool isShort = code == FI_ENOMEM || code == FI_EMFILE || code == ENFILE || code == FI_ENOSPC;
    throw Error(isShort ? ErrorKind::Resource : kind,
                fmt::format("{} on {}: {} ({})", call, object, ofiErrorText(code), code),
                isShort ? "raise the limits of open files and of locked memory (ulimit -n, ulimit -l), or "
                          "close other connections"
                        : "");
}

OfiOptions parseOfiOptions(const Url& url) {
    OfiOptions options;
    for (const auto& [key, value] : url.options) {
        if (key == "provider" && !value.empty()) {
            options.provider = value;
        } else if (key == "domain" && !value.empty()) {
            options.domain = value;
        } else if (key == "immediate" && (value == "on" || value == "off")) {
            options.immediate = value == "on";
        } else {
            throw Error(ErrorKind::Usage,
                        fmt::format("unknown option \"{}={}\" in {}", key, value, url.text()), kRemedy);
        }
    }
    return options;
}

OfiWay findOfiWay(const OfiOptions& options, const std::optional<SocketAddress>& address, std::uint16_t port,
                  bool passive) {
    const std::vector<std::string> candidates = options.provider.empty()
                                                    ? std::vector<std::string>(kBest.begin(), kBest.end())
                                                    : std::vector<std::string>{options.provider};
    for (const std::string& provider : candidates) {
        if (OfiWay way = tryProvider(provider, options, address, port, passive); way.info) {
            return way;
        }
        if (passive && isTaken(provider, options, address, port)) {
            throw Error(ErrorKind::Network,
                        fmt::format("port {} is taken for the provider {}", port, provider),
                        "choose another port, for example :7424, or end the program that has it");
        }
    }
    std::string names;
    for (const std::string& name : ofiProviders()) {
        names += (names.empty() ? "" : ", ") + name;
    }
    throw Error(ErrorKind::Device,
                fmt::format("no libfabric provider{} reaches {} {}",
                            options.provider.empty() ? "" : " named \"" + options.provider + "\"",
                            passive ? "from" : "to", address ? address->text() : "this machine"),
                names.empty() ? "see fi_info, or use tcp://" : "usable here: " + names);
}

std::string ofiUrl(const fi_info& info, const std::string& address) {
    return fmt::format("ofi://{}?provider={}", address, providerOf(info));
}

std::vector<std::string> ofiProviders() {
    std::vector<std::string> names;
    for (const fi_ep_type type : {FI_EP_MSG, FI_EP_RDM}) {
        const InfoHandle hints = makeHints("", "", type, 0);
        const InfoHandle list = query(nullptr, nullptr, 0, *hints);
        for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
            const std::string name = providerOf(*info);
            if (name.find(';') == std::string::npos && std::ranges::find(names, name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    const auto rank = [](const std::string& name) { return std::ranges::find(kBest, name) - kBest.begin(); };
    std::ranges::stable_sort(names, {}, rank);
    return names;
}

}  // namespace verbcast
