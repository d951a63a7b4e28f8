// OpenGL for a card's outputs: EGL on GBM.
#pragma once

#include <gbm.h>

#include <cstdint>
#include <memory>

#include "render/gl/egl_context.h"

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

    int card() const { return card_; }
    gbm_device* device() const { return device_.get(); }
    EGLDisplay display() const { return egl_.display; }
    EGLConfig config() const { return config_; }
    /// Makes framebuffer 0 that of the surface, or of none if null. Throws Error{Display}.
    void makeCurrent(EGLSurface surface);

  private:
    int card_;
    std::unique_ptr<gbm_device, GbmDeviceDeleter> device_;
    EGLConfig config_ = nullptr;
    EglContext egl_;
};

/// The pictures of one output, in one size. Keeps those that the display may still read.
class GbmSurface {
  public:
    /// Throws Error{Display}.
    GbmSurface(GbmContext& context, std::uint32_t width, std::uint32_t height);
    ~GbmSurface();

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
