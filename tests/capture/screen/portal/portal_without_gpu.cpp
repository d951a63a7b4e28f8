// The tests load this into xdg-desktop-portal-wlr 0.7.0, which refuses compositors without graphics hardware:
// it requires a DMA-BUF format of wlr-screencopy although it works without one (later versions do not check).
// Given a format, it continues and shares memory as it should.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

// From libwayland-client.
struct wl_proxy;
extern "C" const char* wl_proxy_get_class(wl_proxy* proxy);

namespace {

using Listener = void (**)(void);

/// The events of zwlr_screencopy_frame_v1, in the protocol's order.
struct FrameListener {
    void (*buffer)(void* data, wl_proxy* frame, std::uint32_t format, std::uint32_t width,
                   std::uint32_t height, std::uint32_t stride);
    void (*between[4])(void);
    void (*dmaBuf)(void* data, wl_proxy* frame, std::uint32_t format, std::uint32_t width,
                   std::uint32_t height);
    void (*bufferDone)(void);
};

constexpr std::uint32_t kXrgb8888 = 'X' | 'R' << 8 | '2' << 16 | '4' << 24;

FrameListener original;

void buffer(void* data, wl_proxy* frame, std::uint32_t format, std::uint32_t width, std::uint32_t height,
            std::uint32_t stride) {
    original.dmaBuf(data, frame, kXrgb8888, width, height);
    original.buffer(data, frame, format, width, height, stride);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int wl_proxy_add_listener(wl_proxy* proxy,
                                                                            Listener listener, void* data) {
    using AddListener = int (*)(wl_proxy*, Listener, void*);
    static const auto next = reinterpret_cast<AddListener>(::dlsym(RTLD_NEXT, "wl_proxy_add_listener"));
    if (std::strcmp(wl_proxy_get_class(proxy), "zwlr_screencopy_frame_v1") != 0) {
        return next(proxy, listener, data);
    }
    static FrameListener ours;
    std::memcpy(&original, listener, sizeof original);
    ours = original;
    ours.buffer = &buffer;
    return next(proxy, reinterpret_cast<Listener>(&ours), data);
}
