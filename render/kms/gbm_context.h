// OpenGL for a card's outputs: EGL on GBM.
#pragma once

#include <gbm.h>

#include <cstdint>
#include <memory>
#include <string>

using EGLDisplay = void*;
using EGLConfig = void*;
using EGLContext = void*;
using EGLSurface = void*;

namespace verbcast {

struct GbmDeviceDeleter {
    void operator()(gbm_device* device) const { gbm_device_destroy(device); }
};
struct GbmSurfaceDeleter {
    void operator()(gbm_surface* surface) const { gbm_surface_destroy(surface); }
};

/// An OpenGL 3.3 core context, current on the constructing thread, which must also destroy it.
class GbmContext {
  public:
    /// On a card, which must outlive this. Throws Error{Display} with EGL's error.
    explicit GbmContext(int card);
    ~GbmContext();
    GbmContext(const GbmContext&) = delete;
    GbmContext& operator=(const GbmContext&) = delete;

    int card() const { return card_; }
    gbm_device* device() const { return device_.get(); }
    EGLDisplay display() const { return display_; }
    EGLConfig config() const { return config_; }
    /// Makes framebuffer 0 that of the surface, or of none if null. Throws Error{Display}.
    void makeCurrent(EGLSurface surface);
    /// Waits until all drawing is finished.
    void finish();

  private:
    int card_;
    std::unique_ptr<gbm_device, GbmDeviceDeleter> device_;
    EGLDisplay display_ = nullptr;
    EGLConfig config_ = nullptr;
    EGLContext context_ = nullptr;
};

/// The pictures of one output, in one size. Keeps those that the display may still read.
class GbmSurface {
  public:
    /// Throws Error{Display}.
    GbmSurface(GbmContext& context, std::uint32_t width, std::uint32_t height);
    ~GbmSurface();
    GbmSurface(const GbmSurface&) = delete;
    GbmSurface& operator=(const GbmSurface&) = delete;

    void makeCurrent();
    /// Finishes the picture and returns its framebuffer for the display. Throws Error{Display}.
    std::uint32_t finish();
    /// Call when the display shows the last finished picture, and no earlier one.
    void shown();
    /// Call if it was not shown and will not be.
    void discard();

  private:
    void release(gbm_bo*& buffer);

    GbmContext& context_;
    std::unique_ptr<gbm_surface, GbmSurfaceDeleter> surface_;
    EGLSurface window_ = nullptr;
    gbm_bo* onScreen_ = nullptr;
    gbm_bo* next_ = nullptr;
};

}  // namespace verbcast
