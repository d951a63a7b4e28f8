// Callers from several hosts that a tcp listener must pair with their other half.
//
// A script of acts: 0 call (a host, a byte); 1 preamble (which caller, a kind, a token: a byte each); 2 bytes
// (which caller, a byte, and a length, 8 bits, with bytes); 3 hang up (which); 4 listen.
#include <sys/socket.h>

#include <netinet/in.h>

#include <array>

#include "core/transport/tcp/half_open.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {
namespace {

class Callers {
  public:
    explicit Callers(Script& script) : script_(script) {}

    void act() {
        switch (script_.byte() % 5) {
            case 0:
                call(script_.byte());
                return;
            case 1: {
                tcp::Preamble preamble{tcp::kMagic, {}, 0, {}};
                UniqueFd& caller = peer(script_.byte());
                preamble.kind = static_cast<tcp::StreamKind>(script_.byte());
                preamble.token[0] = script_.byte();
                write(caller, std::as_bytes(std::span(&preamble, 1)));
                return;
            }
            case 2: {
                UniqueFd& caller = peer(script_.byte());
                write(caller, script_.takeBytes(script_.byte()));
                return;
            }
            case 3:
                peer(script_.byte()).reset();
                return;
            default:
                listen();
        }
    }

    /// Like TcpListener::accept().
    void listen() {
        std::array<epoll_event, 32> ready;
        const int count = ::epoll_wait(epoll_.descriptor(), ready.data(), static_cast<int>(ready.size()), 0);
        for (const epoll_event& event :
             std::span(ready).first(static_cast<std::size_t>(std::max(count, 0)))) {
            if (event.data.fd == callers_.timer()) {
                callers_.expire();
            } else {
                check(callers_.ready(event.data.fd));
            }
        }
    }

  private:
    void call(std::uint8_t host) {
        std::array<int, 2> ends{};
        require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0,
                "socketpair");
        peers_.emplace_back(ends[1]);
        SocketAddress from;
        auto& address = reinterpret_cast<sockaddr_in&>(from.storage);
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + host % 8U);
        from.length = sizeof address;
        check(callers_.add(UniqueFd(ends[0]), from));
        // The listener's ends of waiting connections; each must be dropped or paired in time.
        require(openEnds() <= tcp::kHalfOpenLimits.total, "more callers wait than may");
    }
    std::size_t openEnds() const {
        std::size_t open = 0;
        for (const UniqueFd& peer : peers_) {
            char byte = 0;
            open += peer && ::recv(peer.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 ? 1 : 0;
        }
        return open;
    }
    UniqueFd& peer(std::size_t which) {
        if (peers_.empty()) {
            call(0);
        }
        return peers_[which % peers_.size()];
    }
    static void write(const UniqueFd& caller, Bytes bytes) {
        static_cast<void>(::send(caller.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    }
    static void check(const std::optional<tcp::HalfOpenCallers::Pair>& pair) {
        require(!pair || (pair->control && pair->data && pair->control.get() != pair->data.get()),
                "a pair of one connection");
    }

    Script& script_;
    EpollSet epoll_{"the callers"};
    tcp::HalfOpenCallers callers_{epoll_};
    std::vector<UniqueFd> peers_;
};

}  // namespace

FUZZ_TARGET(tcp_callers) {
    Script script(input);
    Callers callers(script);
    while (!script.done()) {
        callers.act();
    }
    callers.listen();
}

}  // namespace verbcast::fuzz
