// Where OpenGL draws on the processors, its swap hands the picture to the X server: by these functions, which
// are called within the swap.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "capture/run/hooks.h"

namespace {

// As Xlib's headers have them; those would declare the functions that are defined here.
using Display = void;
using XDrawable = unsigned long;
using GraphicsContext = void*;
struct XImage {
    int width, height, xoffset, format;
    char* data;
    int byteOrder, bitmapUnit, bitmapBitOrder, bitmapPad, depth, bytesPerLine, bitsPerPixel;
    // More follows.
};
constexpr int kZPixmap = 2;
constexpr int kBytesPerPixel = 4;

/// Shows the capture what has just been put into a window from its top left corner on. The server copies the
/// picture meanwhile; its memory stays as it is until the swap is over.
void offer(Display* display, XDrawable window, const XImage* image, int fromX, int fromY, int toX, int toY,
           unsigned width, unsigned height) {
    if (verbcast::swapping == nullptr || image->format != kZPixmap ||
        image->bitsPerPixel != 8 * kBytesPerPixel || image->data == nullptr || fromX < 0 || fromY < 0 ||
        fromX > image->width || fromY > image->height || toX != 0 || toY != 0 ||
        image->bytesPerLine < kBytesPerPixel * image->width) {
        return;
    }
    // Xlib clips likewise.
    width = std::min(width, static_cast<unsigned>(image->width - fromX));
    height = std::min(height, static_cast<unsigned>(image->height - fromY));
    static const auto flush =
        reinterpret_cast<int (*)(Display*)>(verbcast::realFunction("libX11.so.6", "XFlush"));
    if (flush != nullptr) {
        flush(display);
    }
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
    using Signature =
        int(Display*, XDrawable, GraphicsContext, XImage*, int, int, int, int, unsigned, unsigned, int);
    static const auto real =
        reinterpret_cast<Signature*>(verbcast::realFunction("libXext.so.6", "XShmPutImage"));
    if (real == nullptr) {
        return 0;
    }
    const int result = real(display, drawable, gc, image, fromX, fromY, toX, toY, width, height, sendEvent);
    offer(display, drawable, image, fromX, fromY, toX, toY, width, height);
    return result;
}

VERBCAST_HOOK int XPutImage(Display* display, XDrawable drawable, GraphicsContext gc, XImage* image,
                            int fromX, int fromY, int toX, int toY, unsigned width, unsigned height) {
    using Signature =
        int(Display*, XDrawable, GraphicsContext, XImage*, int, int, int, int, unsigned, unsigned);
    static const auto real = reinterpret_cast<Signature*>(verbcast::realFunction("libX11.so.6", "XPutImage"));
    if (real == nullptr) {
        return 0;
    }
    const int result = real(display, drawable, gc, image, fromX, fromY, toX, toY, width, height);
    offer(display, drawable, image, fromX, fromY, toX, toY, width, height);
    return result;
}
