// Somebody on the way between two programs that talk over tcp, who can read and change what passes.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"
#include "core/transport/url.h"
#include "tests/support/loopback_listener.h"

namespace verbcast::testing {

/// Forwards connections to a listener.
class Meddler {
  public:
    explicit Meddler(const std::string& address) : target_(parseUrl(address)) {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    ~Meddler() {
        thread_.request_stop();
        wake_.notify();
    }
    std::string address() const { return "tcp://" + localAddressOf(listening_.get()).text(); }

    /// Flips one bit after this many bytes to the one who connects, over one connection.
    std::atomic<std::uint64_t> flipAt{0};
    /// Where one bit is flipped next. Messages go over the older of two connections, frames over the other.
    enum class Flip {
        None,
        Message,      ///< the end of what passes next: within TLS, if there is a key
        MessageHead,  ///< the beginning of that: outside TLS
        FrameHead,    ///< the beginning of whatever passes of frames, until it is None again
        Opening,      ///< the beginning of the next connection
        Greeting,     ///< behind that
    };
    std::atomic<Flip> toConnecting{Flip::None}, toListener{Flip::None};
    std::atomic<int> flips{0};
    std::atomic<int> connections{0};      ///< so far
    std::atomic<std::uint64_t> bytes{0};  ///< both ways, of all connections
    std::atomic<bool> sawWord{false};     ///< of an unencrypted frame

  private:
    struct Pair {
        UniqueFd connecting, listener;
        std::uint64_t toConnecting = 0;
        bool opened[2] = {}, greeted[2] = {};  // both ways
    };
    void run(const std::stop_token& stop) {
        std::vector<Pair> pairs;
        std::vector<std::byte> buffer(1U << 18);
        while (!stop.stop_requested()) {
            std::vector<pollfd> waits{{listening_.get(), POLLIN, 0}, {wake_.descriptor(), POLLIN, 0}};
            for (const Pair& pair : pairs) {
                waits.push_back({pair.connecting.get(), POLLIN, 0});
                waits.push_back({pair.listener.get(), POLLIN, 0});
            }
            ::poll(waits.data(), waits.size(), -1);
            for (std::size_t i = pairs.size(); i-- > 0;) {
                const bool oldest = i == 0;
                const bool alive = carry(pairs[i], oldest, waits[2 + 2 * i].revents != 0, true, buffer) &&
                                   carry(pairs[i], oldest, waits[3 + 2 * i].revents != 0, false, buffer);
                if (!alive) {
                    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
                }
            }
            if (waits[0].revents != 0) {
                Pair pair{UniqueFd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
                          UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
                const SocketAddress there =
                    resolve(target_, false, Deadline::in(std::chrono::seconds(20))).front();
                if (::connect(pair.listener.get(), there.get(), there.length) == 0) {
                    pairs.push_back(std::move(pair));
                    ++connections;
                }
            }
        }
    }
    bool carry(Pair& pair, bool oldest, bool ready, bool fromConnecting, std::vector<std::byte>& buffer) {
        if (!ready) {
            return true;
        }
        const int from = fromConnecting ? pair.connecting.get() : pair.listener.get();
        const int to = fromConnecting ? pair.listener.get() : pair.connecting.get();
        const auto got = ::recv(from, buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            return false;
        }
        const auto length = static_cast<std::uint64_t>(got);
        if (const auto where = placeOfFlip(pair, oldest, fromConnecting, length)) {
            buffer[*where] ^= std::byte{4};
            ++flips;
        }
        if (!fromConnecting) {
            look(std::span(buffer).first(length));
            if (flipAt >= pair.toConnecting && flipAt < pair.toConnecting + length && flipAt != 0) {
                buffer[flipAt - pair.toConnecting] ^= std::byte{4};
                flipAt = 0;
                ++flips;
            }
            pair.toConnecting += length;
        }
        for (std::uint64_t sent = 0; sent < length;) {
            const auto more = ::send(to, buffer.data() + sent, length - sent, MSG_NOSIGNAL);
            if (more <= 0) {
                return false;
            }
            sent += static_cast<std::uint64_t>(more);
        }
        bytes += length;
        return true;
    }
    std::optional<std::uint64_t> placeOfFlip(Pair& pair, bool oldest, bool fromConnecting,
                                             std::uint64_t length) {
        constexpr std::uint64_t kPreamble = 32;
        std::atomic<Flip>& wanted = fromConnecting ? toListener : toConnecting;
        const bool opens = !std::exchange(pair.opened[fromConnecting], true);
        const bool greets = length > kPreamble && !std::exchange(pair.greeted[fromConnecting], true);
        const auto once = [&](bool now, std::uint64_t at) {
            Flip expected = wanted;
            return now && wanted.compare_exchange_strong(expected, Flip::None) ? std::optional(at)
                                                                               : std::nullopt;
        };
        switch (wanted) {
            case Flip::Message:
                return once(oldest, length - 1);
            case Flip::MessageHead:
                return once(oldest, 0);
            case Flip::FrameHead:
                return oldest ? std::nullopt : std::optional<std::uint64_t>(0);
            case Flip::Opening:
                return once(oldest && opens, 0);
            case Flip::Greeting:
                return once(oldest && greets, length - 1);
            case Flip::None:
                break;
        }
        return std::nullopt;
    }
    /// A frame consists of its number, repeated.
    void look(std::span<const std::byte> passing) {
        std::array<std::uint64_t, 3> word{3, 3, 3};
        const auto looked = std::as_bytes(std::span(word));
        if (std::search(passing.begin(), passing.end(), looked.begin(), looked.end()) != passing.end()) {
            sawWord = true;
        }
    }

    const Url target_;
    const UniqueFd listening_ = loopbackListener();
    Event wake_;
    std::jthread thread_;
};

}  // namespace verbcast::testing
