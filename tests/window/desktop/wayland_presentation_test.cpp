// How presentation feedback from a compositor is interpreted, with a test compositor that can report
// anything.
#include "app/window/desktop/wayland_presentation.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <wayland-client.h>
#include <wayland-server.h>

#include <cstring>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/base/os/event.h"
#include "presentation-time-server-protocol.h"
#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kOneMs = 1'000'000;
constexpr TimestampNs kOneSecond = 1'000 * kOneMs;

TimestampNs read(clockid_t clock) {
    timespec time{};
    EXPECT_EQ(::clock_gettime(clock, &time), 0);
    return time.tv_sec * kOneSecond + time.tv_nsec;
}

/// Answers each commit with the given function and does nothing else. Its own thread serves the only client.
class Compositor {
  public:
    using Answer = std::function<void(wl_resource* feedback)>;

    /// `clock` is what its wp_presentation announces; nullopt: no wp_presentation.
    explicit Compositor(std::optional<std::uint32_t> clock, Answer answer = {})
        : clock_(clock), answer_(std::move(answer)), display_(wl_display_create()) {
        int sockets[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
        wl_global_create(display_, &wl_compositor_interface, 1, this, bindCompositor);
        if (clock_) {
            wl_global_create(display_, &wp_presentation_interface, 1, this, bindPresentation);
        }
        wl_client_create(display_, sockets[0]);
        ending_ = wl_event_loop_add_fd(wl_display_get_event_loop(display_), end_.descriptor(),
                                       WL_EVENT_READABLE, onEnd, display_);
        thread_ = std::jthread([this] { wl_display_run(display_); });
        client_ = wl_display_connect_to_fd(sockets[1]);
        wl_registry* registry = wl_display_get_registry(client_);
        static constexpr wl_registry_listener kListener{onGlobal, onGlobalGone};
        wl_registry_add_listener(registry, &kListener, this);
        wl_display_roundtrip(client_);
        surface_ = wl_compositor_create_surface(compositor_);
        wl_registry_destroy(registry);
    }
    ~Compositor() {
        wl_surface_destroy(surface_);
        wl_compositor_destroy(compositor_);
        wl_display_disconnect(client_);
        end_.notify();
        thread_.join();
        wl_event_source_remove(ending_);
        wl_display_destroy_clients(display_);
        wl_display_destroy(display_);
    }
    Compositor(const Compositor&) = delete;
    Compositor& operator=(const Compositor&) = delete;

    wl_display* client() const { return client_; }

    std::uint64_t commit(WaylandPresentation& presentation) {
        const std::uint64_t number = presentation.ask(surface_);
        wl_surface_commit(surface_);
        wl_display_flush(client_);
        return number;
    }
    /// Commits once and returns the resulting news.
    WaylandPresentation::News newsOf(WaylandPresentation& presentation) {
        const std::uint64_t number = commit(presentation);
        EXPECT_TRUE(waitReadable({presentation.descriptor()}, kPatience)) << "nothing was told";
        const auto news = presentation.news();
        EXPECT_EQ(news.size(), 1U);
        EXPECT_EQ(news.at(0).commit, number);
        EXPECT_FALSE(waitReadable({presentation.descriptor()}, std::chrono::nanoseconds(0)));
        return news.at(0);
    }

  private:
    static Compositor& of(wl_resource* resource) {
        return *static_cast<Compositor*>(wl_resource_get_user_data(resource));
    }

    static int onEnd(int /*descriptor*/, std::uint32_t /*mask*/, void* display) {
        wl_display_terminate(static_cast<wl_display*>(display));
        return 0;
    }
    static void destroy(wl_client* /*client*/, wl_resource* resource) { wl_resource_destroy(resource); }

    static void bindCompositor(wl_client* client, void* self, std::uint32_t version, std::uint32_t id) {
        static const struct wl_compositor_interface kRequests {
            .create_surface = createSurface, .create_region = nullptr
        };
        wl_resource* resource =
            wl_resource_create(client, &wl_compositor_interface, static_cast<int>(version), id);
        wl_resource_set_implementation(resource, &kRequests, self, nullptr);
    }
    static void createSurface(wl_client* client, wl_resource* compositor, std::uint32_t id) {
        static const struct wl_surface_interface kRequests = [] {
            struct wl_surface_interface requests {};
            requests.destroy = destroy;
            requests.commit = onCommit;
            return requests;
        }();
        wl_resource* resource = wl_resource_create(client, &wl_surface_interface, 1, id);
        wl_resource_set_implementation(resource, &kRequests, &of(compositor), nullptr);
    }
    static void bindPresentation(wl_client* client, void* self, std::uint32_t version, std::uint32_t id) {
        static const struct wp_presentation_interface kRequests {
            .destroy = destroy, .feedback = onFeedback
        };
        wl_resource* resource =
            wl_resource_create(client, &wp_presentation_interface, static_cast<int>(version), id);
        wl_resource_set_implementation(resource, &kRequests, self, nullptr);
        wp_presentation_send_clock_id(resource, *of(resource).clock_);
    }
    static void onFeedback(wl_client* client, wl_resource* presentation, wl_resource* /*surface*/,
                           std::uint32_t id) {
        of(presentation).asked_ = wl_resource_create(client, &wp_presentation_feedback_interface, 1, id);
    }
    static void onCommit(wl_client* /*client*/, wl_resource* surface) {
        Compositor& self = of(surface);
        if (wl_resource* feedback = std::exchange(self.asked_, nullptr);
            feedback != nullptr && self.answer_) {
            self.answer_(feedback);
            wl_resource_destroy(feedback);
        }
    }

    static void onGlobal(void* self, wl_registry* registry, std::uint32_t name, const char* interface,
                         std::uint32_t /*version*/) {
        if (std::strcmp(interface, wl_compositor_interface.name) == 0) {
            static_cast<Compositor*>(self)->compositor_ =
                static_cast<wl_compositor*>(wl_registry_bind(registry, name, &wl_compositor_interface, 1));
        }
    }
    static void onGlobalGone(void* /*self*/, wl_registry* /*registry*/, std::uint32_t /*name*/) {}

    const std::optional<std::uint32_t> clock_;
    const Answer answer_;
    Event end_;
    wl_display* display_;
    wl_event_source* ending_ = nullptr;
    wl_resource* asked_ = nullptr;  // used by the thread, like answer_
    wl_display* client_ = nullptr;
    wl_compositor* compositor_ = nullptr;
    wl_surface* surface_ = nullptr;
    std::jthread thread_;
};

void present(wl_resource* feedback, TimestampNs at, std::uint32_t refresh = 0, std::uint64_t counter = 0,
             std::uint32_t flags = 0) {
    const auto seconds = static_cast<std::uint64_t>(at / kOneSecond);
    wp_presentation_feedback_send_presented(
        feedback, static_cast<std::uint32_t>(seconds >> 32), static_cast<std::uint32_t>(seconds),
        static_cast<std::uint32_t>(at % kOneSecond), refresh, static_cast<std::uint32_t>(counter >> 32),
        static_cast<std::uint32_t>(counter), flags);
}

std::string refusal(Compositor& compositor) {
    try {
        const auto presentation = makeWaylandPresentation(compositor.client());
        return "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Display);
        return error.what();
    }
}

TEST(WaylandPresentationTest, TellsWhatTheCompositorHasTold) {
    constexpr TimestampNs kAt = 0x1'2345'6789LL * kOneSecond + 987'654'321;
    Compositor compositor(CLOCK_MONOTONIC, [](wl_resource* feedback) {
        present(feedback, kAt, 16'666'666, 0x1'0000'0002,
                WP_PRESENTATION_FEEDBACK_KIND_VSYNC | WP_PRESENTATION_FEEDBACK_KIND_ZERO_COPY);
    });
    const auto presentation = makeWaylandPresentation(compositor.client());
    for (int commit = 0; commit < 3; ++commit) {
        const auto news = compositor.newsOf(*presentation);
        EXPECT_EQ(news.shownAt, kAt);
        EXPECT_EQ(news.refresh, 16'666'666);
        EXPECT_EQ(news.refreshes, 0x1'0000'0002U);
        EXPECT_TRUE(news.vsync);
        EXPECT_FALSE(news.byHardware);
    }
}

TEST(WaylandPresentationTest, WhatWasDiscardedHasNoTime) {
    Compositor compositor(CLOCK_MONOTONIC, wp_presentation_feedback_send_discarded);
    const auto presentation = makeWaylandPresentation(compositor.client());
    EXPECT_FALSE(compositor.newsOf(*presentation).shownAt);
}

TEST(WaylandPresentationTest, TimesOfOtherClocksBecomeOurs) {
    for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_TAI}) {
        Compositor compositor(clock, [clock](wl_resource* feedback) { present(feedback, read(clock)); });
        const auto presentation = makeWaylandPresentation(compositor.client());
        const TimestampNs before = nowNs();
        const auto news = compositor.newsOf(*presentation);
        ASSERT_TRUE(news.shownAt) << "clock " << clock;
        EXPECT_GT(*news.shownAt, before - kOneMs) << "clock " << clock;
        EXPECT_LT(*news.shownAt, nowNs() + kOneMs) << "clock " << clock;
    }
}

TEST(WaylandPresentationTest, ACoarseClockIsReadAsTheOneBehindIt) {
    EXPECT_EQ(fromClock(CLOCK_MONOTONIC_COARSE, 12'345), 12'345);
    const TimestampNs at = read(CLOCK_REALTIME);
    EXPECT_NEAR(static_cast<double>(*fromClock(CLOCK_REALTIME_COARSE, at)),
                static_cast<double>(*fromClock(CLOCK_REALTIME, at)), kOneMs);
}

TEST(WaylandPresentationTest, WhatIsNoTimeIsFarFromAny) {
    Compositor compositor(CLOCK_REALTIME, [](wl_resource* feedback) {
        wp_presentation_feedback_send_presented(feedback, ~0U, ~0U, ~0U, 0, 0, 0, 0);
    });
    const auto presentation = makeWaylandPresentation(compositor.client());
    EXPECT_LT(compositor.newsOf(*presentation).shownAt, 0);
}

TEST(WaylandPresentationTest, SaysWhyACompositorDoesNotTell) {
    Compositor without(std::nullopt);
    EXPECT_EQ(refusal(without), "the compositor offers no wp_presentation");
    Compositor strange(4711);
    EXPECT_EQ(refusal(strange), "the compositor's clock 4711 cannot be read");
}

TEST(WaylandPresentationTest, EndsWhileItIsOwedAnswers) {
    Compositor compositor(CLOCK_MONOTONIC);
    const auto presentation = makeWaylandPresentation(compositor.client());
    EXPECT_EQ(compositor.commit(*presentation), 1U);
    EXPECT_EQ(compositor.commit(*presentation), 2U);
    EXPECT_TRUE(presentation->news().empty());
}

}  // namespace
}  // namespace verbcast::testing
