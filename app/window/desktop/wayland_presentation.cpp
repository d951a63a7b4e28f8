#include "app/window/desktop/wayland_presentation.h"

#include <fmt/format.h>
#include <wayland-client.h>

#include <ctime>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/event.h"
#include "presentation-time-client-protocol.h"

namespace verbcast {
namespace {

using Feedback = struct wp_presentation_feedback;  // a function has the same name

constexpr TimestampNs kNsPerSecond = 1'000'000'000;
constexpr int kReadings = 3;  // of two clocks at once; the fastest counts

template <auto destroy>
struct Destroy {
    template <typename Object>
    void operator()(Object* object) const {
        destroy(object);
    }
};
template <typename Object, auto destroy>
using Owned = std::unique_ptr<Object, Destroy<destroy>>;

std::optional<TimestampNs> readClock(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0) {
        return std::nullopt;
    }
    return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

/// A coarse clock lags up to a tick behind the clock it is derived from; both count the same time.
clockid_t fineClock(std::uint32_t clock) {
    switch (static_cast<clockid_t>(clock)) {
        case CLOCK_MONOTONIC_COARSE:
            return CLOCK_MONOTONIC;
        case CLOCK_REALTIME_COARSE:
            return CLOCK_REALTIME;
        default:
            return static_cast<clockid_t>(clock);
    }
}

/// For invalid times returns the minimum, which callers reject as implausible.
TimestampNs timeOf(std::uint32_t secondsHigh, std::uint32_t secondsLow, std::uint32_t nanoseconds) {
    const std::uint64_t seconds = std::uint64_t{secondsHigh} << 32 | secondsLow;
    constexpr auto kMaxSeconds = std::numeric_limits<TimestampNs>::max() / kNsPerSecond - 1;
    if (seconds > kMaxSeconds || nanoseconds >= kNsPerSecond) {
        return std::numeric_limits<TimestampNs>::min();
    }
    return static_cast<TimestampNs>(seconds) * kNsPerSecond + nanoseconds;
}

}  // namespace

std::string waylandPresentationMissing() {
    return {};
}

std::optional<TimestampNs> fromClock(std::uint32_t clock, TimestampNs at) {
    const clockid_t fine = fineClock(clock);
    if (fine == CLOCK_MONOTONIC) {
        return at;
    }
    std::optional<TimestampNs> ours;
    TimestampNs shortest = std::numeric_limits<TimestampNs>::max();
    for (int reading = 0; reading < kReadings; ++reading) {
        const TimestampNs before = nowNs();
        const auto theirs = readClock(fine);
        const TimestampNs after = nowNs();
        if (!theirs) {
            return std::nullopt;
        }
        if (after - before < shortest) {
            shortest = after - before;
            ours = before + shortest / 2 - elapsedNs(at, *theirs);
        }
    }
    return ours;
}

namespace {

class WaylandPresentationImpl final : public WaylandPresentation {
  public:
    explicit WaylandPresentationImpl(wl_display* display)
        : display_(display),
          queue_(wl_display_create_queue(display)),
          wrapper_(static_cast<wl_display*>(wl_proxy_create_wrapper(display))) {
        if (!queue_ || !wrapper_) {
            throw Error(ErrorKind::Display, "libwayland has no memory for a queue of events");
        }
        wl_proxy_set_queue(reinterpret_cast<wl_proxy*>(wrapper_.get()), queue_.get());
        registry_.reset(wl_display_get_registry(wrapper_.get()));
        wl_registry_add_listener(registry_.get(), &kRegistryListener, this);
        roundTrip();
        if (!presentation_) {
            throw Error(ErrorKind::Display, "the compositor offers no wp_presentation");
        }
        roundTrip();  // receives the clock
        if (!clock_ || !fromClock(*clock_, 0)) {
            throw Error(ErrorKind::Display,
                        clock_ ? fmt::format("the compositor's clock {} cannot be read", *clock_)
                               : "the compositor does not say which clock its times are of");
        }
        reader_ = std::jthread([this] { read(); });
    }

    ~WaylandPresentationImpl() override {
        end_.notify();
        reader_.join();
        for (const auto& [commit, asked] : asked_) {
            wp_presentation_feedback_destroy(asked.feedback);
        }
    }

    std::uint64_t ask(wl_surface* surface) override {
        const std::lock_guard lock(mutex_);
        const std::uint64_t commit = ++commits_;
        Asked& asked = asked_[commit];
        asked = {this, commit, wp_presentation_feedback(presentation_.get(), surface)};
        wp_presentation_feedback_add_listener(asked.feedback, &kFeedbackListener, &asked);
        return commit;
    }

    std::vector<News> news() override {
        const std::lock_guard lock(mutex_);
        came_.clear();
        return std::exchange(news_, {});
    }

    int descriptor() const override { return came_.descriptor(); }

  private:
    struct Asked {
        WaylandPresentationImpl* impl = nullptr;
        std::uint64_t commit = 0;
        Feedback* feedback = nullptr;
    };

    void roundTrip() {
        if (wl_display_roundtrip_queue(display_, queue_.get()) < 0) {
            throw Error(ErrorKind::Display, "the connection to the compositor is lost");
        }
    }

    /// Like wl_display_dispatch_queue(), but can be stopped. Other threads read the same connection; the last
    /// one to prepare reads for all. Also returns if the connection is lost, which Qt reports.
    void read() {
        for (;;) {
            while (wl_display_prepare_read_queue(display_, queue_.get()) != 0) {
                if (wl_display_dispatch_queue_pending(display_, queue_.get()) < 0) {
                    return;
                }
            }
            const int descriptors[] = {wl_display_get_fd(display_), end_.descriptor()};
            std::uint32_t readable = 0;
            waitReadable(descriptors, Deadline::never(), &readable);
            if ((readable & 1U) == 0) {
                wl_display_cancel_read(display_);
            } else if (wl_display_read_events(display_) < 0) {
                return;
            }
            if (end_.isSet() || wl_display_dispatch_queue_pending(display_, queue_.get()) < 0) {
                return;
            }
        }
    }

    void tell(const Asked& asked, News news) {
        news.commit = asked.commit;
        wp_presentation_feedback_destroy(asked.feedback);
        const std::lock_guard lock(mutex_);
        news_.push_back(news);
        asked_.erase(asked_.find(news.commit));
        came_.notify();
    }

    static void onGlobal(void* self, wl_registry* registry, std::uint32_t name, const char* interface,
                         std::uint32_t /*version*/) {
        WaylandPresentationImpl& impl = *static_cast<WaylandPresentationImpl*>(self);
        if (std::string_view(interface) == wp_presentation_interface.name && !impl.presentation_) {
            impl.presentation_.reset(static_cast<wp_presentation*>(
                wl_registry_bind(registry, name, &wp_presentation_interface, 1)));
            wp_presentation_add_listener(impl.presentation_.get(), &kPresentationListener, self);
        }
    }
    static void onGlobalGone(void* /*self*/, wl_registry* /*registry*/, std::uint32_t /*name*/) {}

    static void onClock(void* self, wp_presentation* /*presentation*/, std::uint32_t clock) {
        static_cast<WaylandPresentationImpl*>(self)->clock_ = clock;
    }

    static void onOutput(void* /*asked*/, Feedback* /*feedback*/, wl_output* /*output*/) {}
    static void onPresented(void* data, Feedback* /*feedback*/, std::uint32_t secondsHigh,
                            std::uint32_t secondsLow, std::uint32_t nanoseconds, std::uint32_t refresh,
                            std::uint32_t counterHigh, std::uint32_t counterLow, std::uint32_t flags) {
        const Asked& asked = *static_cast<Asked*>(data);
        const TimestampNs at = timeOf(secondsHigh, secondsLow, nanoseconds);
        asked.impl->tell(asked, {.shownAt = fromClock(*asked.impl->clock_, at).value_or(at),
                                 .refresh = refresh,
                                 .refreshes = std::uint64_t{counterHigh} << 32 | counterLow,
                                 .vsync = (flags & WP_PRESENTATION_FEEDBACK_KIND_VSYNC) != 0,
                                 .byHardware = (flags & WP_PRESENTATION_FEEDBACK_KIND_HW_CLOCK) != 0});
    }
    static void onDiscarded(void* data, Feedback* /*feedback*/) {
        const Asked& asked = *static_cast<Asked*>(data);
        asked.impl->tell(asked, {});
    }

    static constexpr wl_registry_listener kRegistryListener{onGlobal, onGlobalGone};
    static constexpr wp_presentation_listener kPresentationListener{onClock};
    static constexpr wp_presentation_feedback_listener kFeedbackListener{onOutput, onPresented, onDiscarded};

    wl_display* display_;
    Owned<wl_event_queue, wl_event_queue_destroy> queue_;
    Owned<wl_display, wl_proxy_wrapper_destroy> wrapper_;
    Owned<wl_registry, wl_registry_destroy> registry_;
    Owned<wp_presentation, wp_presentation_destroy> presentation_;
    std::optional<std::uint32_t> clock_;
    Event end_, came_;
    std::mutex mutex_;  // guards the members below
    std::uint64_t commits_ = 0;
    std::map<std::uint64_t, Asked> asked_;  // std::map, since listeners keep the addresses of their entries
    std::vector<News> news_;
    std::jthread reader_;
};

}  // namespace

std::unique_ptr<WaylandPresentation> makeWaylandPresentation(wl_display* display) {
    return std::make_unique<WaylandPresentationImpl>(display);
}

}  // namespace verbcast
