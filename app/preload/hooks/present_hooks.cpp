// During a swap, software OpenGL hands its picture to the X server by calling these functions.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "app/preload/hooks/hooks.h"
#include "app/preload/process_capture.h"

namespace {

// Copied from Xlib's headers, which would declare the functions that are defined here.
using Display = void;
using XDrawable = unsigned long;
using GraphicsContext = void*;
struct XImage {
    int width, height, xoffset, format;
    char* data;
    int byteOrder, bitmapUnit, bitmapBitOrder, bitmapPad, depth, bytesPerLine, bitsPerPixel;
    // More members follow.
};
using verbcast::Api;
using verbcast::RealFunction;

constinit RealFunction<int(Display*)> realFlush(Api::X11, "XFlush");
constinit RealFunction<int(Display*, XDrawable, GraphicsContext, XImage*, int, int, int, int, unsigned,
                           unsigned)>
    realPut(Api::X11, "XPutImage");
constinit RealFunction<int(Display*, XDrawable, GraphicsContext, XImage*, int, int, int, int, unsigned,
                           unsigned, int)>
    realShmPut(Api::Xext, "XShmPutImage");

constexpr int kZPixmap = 2;
constexpr int kBytesPerPixel = 4;

/// Passes the capture a picture that was put at a window's top left corner. The server copies it meanwhile;
/// its memory stays unchanged until the swap returns.
void offer(Display* display, XDrawable window, const XImage* image, int fromX, int fromY, int toX, int toY,
           unsigned width, unsigned height) {
    if (verbcast::swapping == nullptr || image->format != kZPixmap ||
        image->bitsPerPixel != 8 * kBytesPerPixel || image->data == nullptr || fromX < 0 || fromY < 0 ||
        fromX > image->width || fromY > image->height || toX != 0 || toY != 0 ||
        image->bytesPerLine < kBytesPerPixel * image->width) {
        return;
    }
    // Xlib clips in the same way.
    width = std::min(width, static_cast<unsigned>(image->width - fromX));
    height = std::min(height, static_cast<unsigned>(image->height - fromY));
    realFlush(display);
    const auto stride = static_cast<std::size_t>(image->bytesPerLine);
    verbcast::swapping->presents({.window = window,
                                  .pixels = reinterpret_cast<const std::byte*>(image->data) +
                                            static_cast<std::size_t>(fromY) * stride +
                                            static_cast<std::size_t>(fromX) * kBytesPerPixel,
                                  .stride = stride,
                                  .width = width,
                                  .height = height});
}

}  // namespace

VERBCAST_HOOK int XShmPutImage(Display* display, XDrawable drawable, GraphicsContext gc, XImage* image,
                               int fromX, int fromY, int toX, int toY, unsigned width, unsigned height,
                               int sendEvent) {
    const int result =
        realShmPut(display, drawable, gc, image, fromX, fromY, toX, toY, width, height, sendEvent);
    offer(display, drawable, image, fromX, fromY, toX, toY, width, height);
    return result;
}

VERBCAST_HOOK int XPutImage(Display* display, XDrawable drawable, GraphicsContext gc, XImage* image,
                            int fromX, int fromY, int toX, int toY, unsigned width, unsigned height) {
    const int result = realPut(display, drawable, gc, image, fromX, fromY, toX, toY, width, height);
    offer(display, drawable, image, fromX, fromY, toX, toY, width, height);
    return result;
}

namespace verbcast {

std::span<const Hook> presentHooks() {
    static const Hook hooks[] = {
        {Api::Xext, "XShmPutImage", reinterpret_cast<Function>(&XShmPutImage)},
        {Api::X11, "XPutImage", reinterpret_cast<Function>(&XPutImage)},
    };
    return hooks;
}

}  // namespace verbcast
