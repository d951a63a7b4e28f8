// Copies pictures that OpenGL draws, and copies into its textures and buffers. OpenGL must not use what CUDA
// has mapped.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/gpu/cuda/cuda_stream.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_devices.h"

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

/// Textures, or a buffer, of OpenGL's, registered with CUDA. Used by the thread that has their OpenGL
/// context.
class GlResources {
  public:
    explicit GlResources(int gpu)
        : calls_(requireGlCalls()), context_(CudaContext::of(gpu)), stream_(*context_) {}
    ~GlResources() {
        inContext(*context_, [this] {
            for (const CUgraphicsResource resource : resources_) {
                static_cast<void>(calls_.GraphicsUnregisterResource(resource));
            }
        });
    }
    GlResources(const GlResources&) = delete;
    GlResources& operator=(const GlResources&) = delete;

    void addTexture(unsigned texture, unsigned flags) {
        const CurrentCuda current(*context_);
        CUgraphicsResource resource = nullptr;
        check(calls_.GraphicsGLRegisterImage(&resource, texture, kTexture2d, flags),
              "cuGraphicsGLRegisterImage");
        resources_.push_back(resource);
    }
    void addBuffer(unsigned buffer) {
        const CurrentCuda current(*context_);
        CUgraphicsResource resource = nullptr;
        check(calls_.GraphicsGLRegisterBuffer(&resource, buffer, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD),
              "cuGraphicsGLRegisterBuffer");
        resources_.push_back(resource);
    }

    const CudaContext& context() const { return *context_; }
    const CudaStream& stream() const { return stream_; }

    /// Maps them for CUDA while this lives: after OpenGL's earlier commands, and before its later ones.
    /// Needs the current context.
    class Mapped {
      public:
        explicit Mapped(GlResources& all) : all_(all) {
            all_.check(all_.calls_.GraphicsMapResources(count(), all_.resources_.data(), all_.stream_.get()),
                       "cuGraphicsMapResources");
        }
        ~Mapped() {
            static_cast<void>(
                all_.calls_.GraphicsUnmapResources(count(), all_.resources_.data(), all_.stream_.get()));
        }
        Mapped(const Mapped&) = delete;
        Mapped& operator=(const Mapped&) = delete;

        CUarray array(std::size_t texture) const {
            CUarray array = nullptr;
            all_.check(
                all_.calls_.GraphicsSubResourceGetMappedArray(&array, all_.resources_.at(texture), 0, 0),
                "cuGraphicsSubResourceGetMappedArray");
            return array;
        }
        /// Of the buffer. Throws Error{Internal} if it has fewer bytes.
        CUdeviceptr address(std::uint64_t needed) const {
            CUdeviceptr address = 0;
            std::size_t bytes = 0;
            all_.check(
                all_.calls_.GraphicsResourceGetMappedPointer(&address, &bytes, all_.resources_.front()),
                "cuGraphicsResourceGetMappedPointer");
            if (bytes < needed) {
                throw Error(ErrorKind::Internal,
                            fmt::format("{} bytes do not fit into OpenGL's buffer of {}", needed, bytes));
            }
            return address;
        }

      private:
        unsigned count() const { return static_cast<unsigned>(all_.resources_.size()); }
        GlResources& all_;
    };

    /// Starts a copy in the stream.
    void start(const CUDA_MEMCPY2D& copy) const {
        check(calls_.Memcpy2DAsync(&copy, stream_.get()), "cuMemcpy2DAsync");
    }

  private:
    void check(CUresult result, const char* call) const { checkCuda(result, call, context_->name()); }

    const CudaCalls& calls_;
    std::shared_ptr<const CudaContext> context_;  // shared by all that use the GPU
    CudaStream stream_;
    std::vector<CUgraphicsResource> resources_;
};

class CudaGlPicture final : public GlPicture {
  public:
    CudaGlPicture(int gpu, unsigned texture, std::uint32_t width, std::uint32_t height)
        : texture_(gpu), rowBytes_(std::size_t{width} * kBytesPerPixel), rows_(height) {
        texture_.addTexture(texture, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
    }
    ~CudaGlPicture() override {
        inContext(texture_.context(), [this] { texture_.stream().settle(); });
    }
    CudaGlPicture(const CudaGlPicture&) = delete;
    CudaGlPicture& operator=(const CudaGlPicture&) = delete;

    void begin(DeviceMemoryAddress into, std::uint64_t stride) override {
        CUDA_MEMCPY2D copy{};
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = static_cast<CUdeviceptr>(into);
        begin(copy, stride);
    }
    void begin(std::byte* into, std::uint64_t stride) override {
        CUDA_MEMCPY2D copy{};
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = into;
        begin(copy, stride);
    }
    bool isDone() const override {
        const CurrentCuda current(texture_.context());
        return done_[oldest_]->isDone();
    }
    void finish() override {
        const CurrentCuda current(texture_.context());
        done_[oldest_]->wait();
        oldest_ = (oldest_ + 1) % kDepth;
        --underWay_;
    }

  private:
    void begin(CUDA_MEMCPY2D& copy, std::uint64_t stride) {
        const CurrentCuda current(texture_.context());
        std::optional<CudaEvent>& done = done_[(oldest_ + underWay_) % kDepth];
        if (!done) {
            done.emplace(texture_.context());
        }
        const GlResources::Mapped mapped(texture_);
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = mapped.array(0);
        copy.dstPitch = stride;
        copy.WidthInBytes = rowBytes_;
        copy.Height = rows_;
        texture_.start(copy);
        try {
            done->record(texture_.stream().get());
        } catch (const Error&) {
            texture_.stream().settle();  // the slot is the caller's
            throw;
        }
        ++underWay_;
    }

    GlResources texture_;
    std::size_t rowBytes_, rows_;
    std::array<std::optional<CudaEvent>, kDepth> done_;  // made when first needed
    std::size_t oldest_ = 0, underWay_ = 0;
};

class CudaGlPixels final : public GlPixels {
  public:
    CudaGlPixels(int gpu, unsigned buffer) : resources_(gpu), isBuffer_(true) {
        resources_.addBuffer(buffer);
    }
    CudaGlPixels(int gpu, std::span<const unsigned> textures) : resources_(gpu), isBuffer_(false) {
        for (const unsigned texture : textures) {
            resources_.addTexture(texture, CU_GRAPHICS_REGISTER_FLAGS_NONE);
        }
    }

    void fill(DeviceMemoryAddress payload, std::span<const PixelRows> parts) override {
        fillFrom(parts, [&](CUDA_MEMCPY2D& copy, std::uint64_t offset) {
            copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.srcDevice = static_cast<CUdeviceptr>(payload) + offset;
        });
    }
    void fill(const std::byte* payload, std::span<const PixelRows> parts) override {
        fillFrom(parts, [&](CUDA_MEMCPY2D& copy, std::uint64_t offset) {
            copy.srcMemoryType = CU_MEMORYTYPE_HOST;
            copy.srcHost = payload + offset;
        });
    }

  private:
    static std::uint64_t bytesOf(std::span<const PixelRows> parts) {
        std::uint64_t bytes = 0;
        for (const PixelRows& part : parts) {
            bytes = std::max(bytes, part.into + part.rowBytes * part.rows);
        }
        return bytes;
    }
    static void aim(CUDA_MEMCPY2D& copy, const PixelRows& part, CUdeviceptr buffer) {
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = buffer + part.into;
        // One long row is copied faster.
        if (part.stride == part.rowBytes && part.rowBytes * part.rows <= kMaxPitch) {
            copy.WidthInBytes = copy.srcPitch = part.rowBytes * part.rows;
            copy.Height = 1;
        }
        copy.dstPitch = copy.WidthInBytes;
    }
    static void aim(CUDA_MEMCPY2D& copy, const PixelRows& part, CUarray texture) {
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = texture;
        copy.dstXInBytes = part.x;
        copy.dstY = part.y;
    }

    template <typename From>
    void fillFrom(std::span<const PixelRows> parts, From&& from) {
        const CurrentCuda current(resources_.context());
        const GlResources::Mapped mapped(resources_);
        const CUdeviceptr buffer = isBuffer_ ? mapped.address(bytesOf(parts)) : 0;
        try {
            for (const PixelRows& part : parts) {
                CUDA_MEMCPY2D copy{};
                from(copy, part.from);
                copy.srcPitch = part.stride;
                copy.WidthInBytes = part.rowBytes;
                copy.Height = part.rows;
                if (isBuffer_) {
                    aim(copy, part, buffer);
                } else {
                    aim(copy, part, mapped.array(part.texture));
                }
                resources_.start(copy);
            }
        } catch (const Error&) {
            resources_.stream().settle();
            throw;
        }
        resources_.stream().finish();
    }

    GlResources resources_;
    const bool isBuffer_;  // else textures
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
            if (const int wanted = gpuIsChosen() ? chosenGpu() : gpu; wanted != gpu) {
                throw Error(ErrorKind::Device,
                            fmt::format("OpenGL draws on GPU {}, and --gpu names GPU {}", gpu, wanted),
                            "leave out --gpu");
            }
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

std::unique_ptr<GlPixels> registerGlBuffer(int gpu, unsigned buffer) {
    return std::make_unique<CudaGlPixels>(gpu, buffer);
}

std::unique_ptr<GlPixels> registerGlTextures(int gpu, std::span<const unsigned> textures) {
    return std::make_unique<CudaGlPixels>(gpu, textures);
}

}  // namespace verbcast
