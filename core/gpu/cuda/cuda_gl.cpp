// Copies of pictures that OpenGL draws, and into buffers from which it makes pictures. What CUDA has mapped,
// OpenGL does not use meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/gpu/cuda/cuda_stream.h"
#include "core/gpu/gl_picture.h"
#include "core/gpu/gl_pixels.h"

namespace verbcast {
namespace {

constexpr unsigned kTexture2d = 0x0DE1;  // GL_TEXTURE_2D of GL/gl.h
constexpr int kAllDevices = 1;           // CU_GL_DEVICE_LIST_ALL of cudaGL.h
constexpr std::uint32_t kBytesPerPixel = 4;
constexpr std::uint64_t kMaxPitch = INT32_MAX;  // CU_DEVICE_ATTRIBUTE_MAX_PITCH of all devices

const CudaCalls& requireGlCalls() {
    const CudaDriver& driver = cudaDriver();
    if (driver.state != GpuState::Ready) {
        throwUnusable(gpuReport());
    }
#define VERBCAST_CUDA_REQUIRE(name, version)                             \
    if (driver.calls.name == nullptr) {                                  \
        throw Error(ErrorKind::Device, "NVIDIA's driver has no cu" #name \
                                       ", so CUDA and OpenGL share "     \
                                       "no pictures");                   \
    }
    VERBCAST_CUDA_GL_CALLS(VERBCAST_CUDA_REQUIRE)
#undef VERBCAST_CUDA_REQUIRE
    return driver.calls;
}

/// A texture or buffer of OpenGL's, registered with CUDA. Used by the thread that has its OpenGL context.
class GlResource {
  public:
    /// `registerIt` sets the resource; `call` is the name of the call that it makes.
    template <typename Register>
    GlResource(int gpu, const char* call, Register&& registerIt)
        : context_(CudaContext::of(gpu)), stream_(*context_) {
        const CudaCalls& calls = requireGlCalls();
        const CurrentCuda current(*context_);
        checkCuda(registerIt(calls, &resource_), call, context_->name());
    }
    ~GlResource() {
        try {
            const CurrentCuda current(*context_);
            static_cast<void>(context_->calls().GraphicsUnregisterResource(resource_));
        } catch (const Error&) {  // the GPU has failed
        }
    }
    GlResource(const GlResource&) = delete;
    GlResource& operator=(const GlResource&) = delete;

    const CudaContext& context() const { return *context_; }
    const CudaStream& stream() const { return stream_; }
    void check(CUresult result, const char* call) const { checkCuda(result, call, context_->name()); }

    /// It is CUDA's while this lives: OpenGL's commands before come first, and those after come later. Needs
    /// the current context.
    class Mapped {
      public:
        explicit Mapped(GlResource& resource) : resource_(resource) {
            resource_.check(calls().GraphicsMapResources(1, &resource_.resource_, resource_.stream_.get()),
                            "cuGraphicsMapResources");
        }
        ~Mapped() {
            static_cast<void>(
                calls().GraphicsUnmapResources(1, &resource_.resource_, resource_.stream_.get()));
        }
        Mapped(const Mapped&) = delete;
        Mapped& operator=(const Mapped&) = delete;

        CUarray array() const {
            CUarray array = nullptr;
            resource_.check(calls().GraphicsSubResourceGetMappedArray(&array, resource_.resource_, 0, 0),
                            "cuGraphicsSubResourceGetMappedArray");
            return array;
        }
        /// Throws Error{Internal} if it has fewer bytes.
        CUdeviceptr address(std::uint64_t needed) const {
            CUdeviceptr address = 0;
            std::size_t bytes = 0;
            resource_.check(calls().GraphicsResourceGetMappedPointer(&address, &bytes, resource_.resource_),
                            "cuGraphicsResourceGetMappedPointer");
            if (bytes < needed) {
                throw Error(ErrorKind::Internal,
                            fmt::format("{} bytes do not fit into OpenGL's buffer of {}", needed, bytes));
            }
            return address;
        }

      private:
        const CudaCalls& calls() const { return resource_.context_->calls(); }
        GlResource& resource_;
    };

    /// Starts a copy in the stream.
    void start(const CUDA_MEMCPY2D& copy) const {
        check(context_->calls().Memcpy2DAsync(&copy, stream_.get()), "cuMemcpy2DAsync");
    }

  private:
    std::shared_ptr<const CudaContext> context_;  // shared by all that use the GPU
    CudaStream stream_;
    CUgraphicsResource resource_ = nullptr;
};

class CudaGlPicture final : public GlPicture {
  public:
    CudaGlPicture(int gpu, unsigned texture, std::uint32_t width, std::uint32_t height)
        : texture_(gpu, "cuGraphicsGLRegisterImage",
                   [&](const CudaCalls& calls, CUgraphicsResource* resource) {
                       return calls.GraphicsGLRegisterImage(resource, texture, kTexture2d,
                                                            CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
                   }),
          rowBytes_(std::size_t{width} * kBytesPerPixel),
          rows_(height) {}

    ~CudaGlPicture() override {
        try {
            const CurrentCuda current(texture_.context());
            static_cast<void>(calls().StreamSynchronize(texture_.stream().get()));
            for (const CUevent event : done_) {
                static_cast<void>(event != nullptr ? calls().EventDestroy(event) : CUDA_SUCCESS);
            }
        } catch (const Error&) {  // the GPU has failed
        }
    }
    CudaGlPicture(const CudaGlPicture&) = delete;
    CudaGlPicture& operator=(const CudaGlPicture&) = delete;

    void begin(DeviceMemoryAddress into) override {
        const CurrentCuda current(texture_.context());
        CUevent& done = done_[(oldest_ + underWay_) % kDepth];
        if (done == nullptr) {
            texture_.check(calls().EventCreate(&done, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
        }
        const GlResource::Mapped mapped(texture_);
        CUDA_MEMCPY2D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = mapped.array();
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = static_cast<CUdeviceptr>(into);
        copy.dstPitch = rowBytes_;
        copy.WidthInBytes = rowBytes_;
        copy.Height = rows_;
        texture_.start(copy);
        if (const CUresult recorded = calls().EventRecord(done, texture_.stream().get());
            recorded != CUDA_SUCCESS) {
            static_cast<void>(
                calls().StreamSynchronize(texture_.stream().get()));  // the slot is the caller's
            texture_.check(recorded, "cuEventRecord");
        }
        ++underWay_;
    }

    bool finish() override {
        const CurrentCuda current(texture_.context());
        const CUresult result = calls().EventQuery(done_[oldest_]);
        if (result == CUDA_ERROR_NOT_READY) {
            return false;
        }
        texture_.check(result, "cuEventQuery");
        oldest_ = (oldest_ + 1) % kDepth;
        --underWay_;
        return true;
    }

  private:
    const CudaCalls& calls() const { return texture_.context().calls(); }

    GlResource texture_;
    std::size_t rowBytes_, rows_;
    std::array<CUevent, kDepth> done_{};  // made when first needed
    std::size_t oldest_ = 0, underWay_ = 0;
};

/// Tells the copy where the payload lies.
void copyFrom(CUDA_MEMCPY2D& copy, DeviceMemoryAddress payload, std::uint64_t offset) {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = static_cast<CUdeviceptr>(payload) + offset;
}
void copyFrom(CUDA_MEMCPY2D& copy, const std::byte* payload, std::uint64_t offset) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = payload + offset;
}

class CudaGlPixels final : public GlPixels {
  public:
    CudaGlPixels(int gpu, unsigned buffer)
        : buffer_(gpu, "cuGraphicsGLRegisterBuffer",
                  [&](const CudaCalls& calls, CUgraphicsResource* resource) {
                      return calls.GraphicsGLRegisterBuffer(resource, buffer,
                                                            CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
                  }) {}

    void fill(DeviceMemoryAddress payload, std::span<const PixelRows> parts) override {
        fillFrom(payload, parts);
    }
    void fill(const std::byte* payload, std::span<const PixelRows> parts) override {
        fillFrom(payload, parts);
    }

  private:
    template <typename Payload>
    void fillFrom(Payload payload, std::span<const PixelRows> parts) {
        const CurrentCuda current(buffer_.context());
        const GlResource::Mapped mapped(buffer_);
        std::uint64_t needed = 0;
        for (const PixelRows& part : parts) {
            needed = std::max(needed, part.into + part.rowBytes * part.rows);
        }
        const CUdeviceptr address = mapped.address(needed);
        try {
            for (const PixelRows& part : parts) {
                const bool whole = part.stride == part.rowBytes && part.rowBytes * part.rows <= kMaxPitch;
                CUDA_MEMCPY2D copy{};
                copyFrom(copy, payload, part.from);
                copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
                copy.dstDevice = address + part.into;
                // One long row is copied faster.
                copy.WidthInBytes = whole ? part.rowBytes * part.rows : part.rowBytes;
                copy.Height = whole ? 1 : part.rows;
                copy.srcPitch = whole ? copy.WidthInBytes : part.stride;
                copy.dstPitch = copy.WidthInBytes;
                buffer_.start(copy);
            }
        } catch (const Error&) {
            buffer_.stream().settle();
            throw;
        }
        buffer_.stream().finish();
    }

    GlResource buffer_;
};

}  // namespace

int gpuOfGl() {
    const CudaCalls& calls = requireGlCalls();
    unsigned count = 0;
    CUdevice device = 0;
    const CUresult result = calls.GLGetDevices(&count, &device, 1, kAllDevices);
    if (result != CUDA_SUCCESS || count == 0) {
        throw Error(ErrorKind::Device,
                    fmt::format("OpenGL does not draw on a GPU of CUDA's: {}",
                                result != CUDA_SUCCESS ? cudaErrorText(calls, result) : "it names none"),
                    "verbcast doctor tells which OpenGL driver draws");
    }
    int gpus = 0;
    checkCuda(calls.DeviceGetCount(&gpus), "cuDeviceGetCount", "the driver");
    for (int gpu = 0; gpu < gpus; ++gpu) {
        CUdevice one = 0;
        if (calls.DeviceGet(&one, gpu) == CUDA_SUCCESS && one == device) {
            return gpu;
        }
    }
    throw Error(ErrorKind::Device, "OpenGL draws on a GPU that CUDA does not list",
                "CUDA_VISIBLE_DEVICES may hide it");
}

std::unique_ptr<GlPicture> registerGlPicture(int gpu, unsigned texture, std::uint32_t width,
                                             std::uint32_t height) {
    return std::make_unique<CudaGlPicture>(gpu, texture, width, height);
}

std::unique_ptr<GlPixels> registerGlPixels(int gpu, unsigned buffer) {
    return std::make_unique<CudaGlPixels>(gpu, buffer);
}

}  // namespace verbcast
