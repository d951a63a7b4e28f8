// Pictures that the GPU itself brings to OpenGL, from its own memory and from pinned rings: by
// NVIDIA's OpenGL, or by software beside the double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"
#include "render/gl/gl_handles.h"
#include "render/stream_renderer.h"
#include "render/upload/texture_upload.h"
#include "tests/core/gpu/beside_gl.h"
#include "tests/core/gpu/gpu_expectations.h"
#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"
#include "tests/support/changes_mirror.h"

namespace verbcast::testing {
namespace {

/// In textures as software has them, and as NVIDIA's.
template <typename Driver>
class GpuUploadOf : public BesideGl<Driver>, public ::testing::WithParamInterface<bool> {
  protected:
    GpuUploadOf() : BesideGl<Driver>(GetParam()) {}
    void TearDown() override {
        EXPECT_TRUE(!this->context_ || glGetError() == GL_NO_ERROR);
        BesideGl<Driver>::TearDown();
    }

    static bool always() { return true; }
    static RgbaImage expected(const VideoFormat& format, const std::vector<std::byte>& payload) {
        StreamRenderer renderer(UploadPath::Direct);
        renderer.upload(format, payload.data());
        return renderer.readPicture();
    }
    static std::vector<std::byte> noise(const VideoFormat& format, std::uint32_t seed) {
        return packPicture(format, noisePicture(format, seed));
    }
    /// Of each pixel format, tight and padded.
    static std::vector<VideoFormat> formats() {
        std::vector<VideoFormat> all;
        for (const PixelFormatInfo& info : allPixelFormats()) {
            all.push_back(namedFormat(127, 95, info.format));
            all.push_back(all.back());
            layOutPlanes(all.back(), 256, 64);
        }
        return all;
    }
    /// What textures take of a picture: v210's rows end later.
    static std::uint64_t textureBytes(const VideoFormat& format) {
        std::uint64_t bytes = 0;
        for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
            bytes += std::uint64_t{textureLayout(format.pixelFormat).planes[plane].bytesPerTexel} *
                     static_cast<std::uint64_t>(texelsAcross(format, plane)) * planeRows(format, plane);
        }
        return bytes;
    }
    /// Pictures that count, from the GPU's memory and from main memory at once.
    void showNumbered(std::uint32_t pictures) {
        const VideoFormat format = namedFormat(16, 16, PixelFormat::nv12);
        DevicePool gpuRing = makeGpuRing(0, format.payloadBytes, 3);
        const auto hostRing = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 3});
        StreamRenderer fromGpu, fromHost(UploadPath::Pinned), shown(UploadPath::Direct);
        for (std::uint32_t number = 0; number < pictures; ++number) {
            std::vector<std::byte> payload(format.payloadBytes, static_cast<std::byte>(number));
            std::fill_n(payload.begin(), 128, static_cast<std::byte>(number >> 8U));  // half of the luma
            ASSERT_TRUE(fromGpu.take(format, inGpu(gpuRing, payload), PictureChanges::all(), always));
            ASSERT_TRUE(fromHost.take(format, inHost(*hostRing, payload), PictureChanges::all(), always));
            shown.upload(format, payload.data());
            const RgbaImage expected = shown.readPicture();
            ASSERT_TRUE(fromGpu.readPicture().pixels == expected.pixels) << number;
            ASSERT_TRUE(fromHost.readPicture().pixels == expected.pixels) << number;
        }
    }
    /// A frame in the GPU's memory.
    static FrameLease inGpu(DevicePool& ring, const std::vector<std::byte>& payload) {
        auto slot = ring.tryAcquire();
        slot->write(payload);
        return std::move(*slot).release();
    }
    static FrameLease inHost(FramePool& ring, const std::vector<std::byte>& payload) {
        auto slot = ring.tryAcquire();
        std::memcpy(slot->data(), payload.data(), payload.size());
        return std::move(*slot);
    }
};

using GpuUpload = GpuUploadOf<OverADriver>;
using GpuUploadOverTheDouble = GpuUploadOf<OverTheDouble>;

TEST_P(GpuUpload, FramesInTheGpuAreShownWithoutLeavingIt) {
    StreamRenderer renderer;
    std::uint64_t frames = 0;
    for (const VideoFormat& format : formats()) {
        SCOPED_TRACE(describe(format));
        DevicePool ring = makeGpuRing(0, format.payloadBytes, 2);
        for (std::uint32_t seed = 1; seed <= 2; ++seed) {
            const auto payload = noise(format, seed);
            FrameLease frame = inGpu(ring, payload);
            const Counted driver = count();
            ASSERT_TRUE(renderer.take(format, frame, PictureChanges::all(), always));
            frame.reset();
            if (const auto did = driver.soFar()) {
                EXPECT_EQ(did->toHost, 0U);
                EXPECT_EQ(did->toDevice, 0U);
                EXPECT_EQ(did->within, textureBytes(format));
            }
            EXPECT_TRUE(renderer.readPicture().pixels == expected(format, payload).pixels) << seed;
            EXPECT_EQ(renderer.uploadReport().withinGpu, ++frames);
        }
    }
    EXPECT_EQ(renderer.uploadReport().reason, "copied within the GPU");
    EXPECT_EQ(renderer.uploadReport().uploaded, 0U);
}

TEST_P(GpuUpload, PinnedRingsAreFetchedByTheGpu) {
    StreamRenderer renderer(UploadPath::Pinned);
    for (const VideoFormat& format : formats()) {
        SCOPED_TRACE(describe(format));
        const auto ring = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 2});
        for (std::uint32_t seed = 1; seed <= 2; ++seed) {
            const auto payload = noise(format, seed);
            FrameLease frame = inHost(*ring, payload);
            const Counted driver = count();
            ASSERT_TRUE(renderer.take(format, frame, PictureChanges::all(), always));
            std::memset(frame.data(), 0, payload.size());  // it is no longer read
            if (const auto did = driver.soFar()) {
                EXPECT_GT(did->toDevice, 0U);
                EXPECT_EQ(did->toHost, 0U);
                EXPECT_EQ(did->pageable, 0U) << "the ring is pinned";
            }
            EXPECT_TRUE(renderer.readPicture().pixels == expected(format, payload).pixels) << seed;
        }
    }
    EXPECT_EQ(renderer.uploadReport().reason, "asked for");
    EXPECT_EQ(renderer.uploadReport().path, UploadPath::Pinned);
}

TEST_P(GpuUpload, OnlyWhatHasChangedIsCopied) {
    const VideoFormat format = namedFormat(127, 95, PixelFormat::yuv420p);
    DevicePool gpuRing = makeGpuRing(0, format.payloadBytes, 2);
    const auto hostRing = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 2});
    StreamRenderer fromGpu, fromHost(UploadPath::Pinned);
    auto shown = noise(format, 1);
    fromGpu.take(format, inGpu(gpuRing, shown), PictureChanges::all(), always);
    fromHost.take(format, inHost(*hostRing, shown), PictureChanges::all(), always);
    const FrameRect rect{32, 20, 16, 8};
    const auto next = noise(format, 2);
    eachRow(format, rect,
            [&](std::uint64_t at, std::uint64_t bytes) { std::memcpy(&shown[at], &next[at], bytes); });
    PictureChanges changes = PictureChanges::none();
    changes.add(rect);
    const FrameLease gpuFrame = inGpu(gpuRing, shown), hostFrame = inHost(*hostRing, shown);
    const Counted driver = count();
    fromGpu.take(format, gpuFrame, changes, always);
    if (const auto did = driver.soFar()) {
        EXPECT_EQ(did->within, 16 * 8 * 3 / 2);
    }
    fromHost.take(format, hostFrame, changes, always);
    EXPECT_TRUE(fromGpu.readPicture().pixels == expected(format, shown).pixels);
    EXPECT_TRUE(fromHost.readPicture().pixels == expected(format, shown).pixels);
    fromGpu.take(format, gpuFrame, PictureChanges::none(), always);
    fromHost.take(format, hostFrame, PictureChanges::none(), always);
    EXPECT_TRUE(fromGpu.readPicture().pixels == expected(format, shown).pixels);
}

/// What OpenGL cannot have within the GPU is copied out, and the reason is told.
TEST_P(GpuUploadOverTheDouble, FramesThatOpenGlDoesNotReachAreCopiedOut) {
    const VideoFormat format = namedFormat(64, 48, PixelFormat::nv12);
    DevicePool ring = makeGpuRing(0, format.payloadBytes, 1);
    for (const char* call : {"cuGLGetDevices", "cuGraphicsMapResources", "cuMemcpy2DAsync"}) {
        SCOPED_TRACE(call);
        StreamRenderer renderer(UploadPath::Direct);
        fail((std::string(call) + ":801").c_str());
        for (std::uint32_t seed = 1; seed <= 2; ++seed) {
            const auto payload = noise(format, seed);
            ASSERT_TRUE(renderer.take(format, inGpu(ring, payload), PictureChanges::all(), always));
            EXPECT_TRUE(renderer.readPicture().pixels == expected(format, payload).pixels);
        }
        EXPECT_EQ(renderer.uploadReport().withinGpu, 0U);
        EXPECT_EQ(renderer.uploadReport().uploaded, 2U);
        EXPECT_TRUE(contains(renderer.uploadReport().reason, "asked for; copied out of the GPU before: "));
        EXPECT_TRUE(contains(renderer.uploadReport().reason, "801"));
        fail("");
    }
}

/// Where CUDA does not have the textures, it has a buffer.
TEST_P(GpuUploadOverTheDouble, TexturesThatCudaRefusesAreLoadedFromABuffer) {
    const VideoFormat format = namedFormat(64, 48, PixelFormat::nv12);
    DevicePool ring = makeGpuRing(0, format.payloadBytes, 1);
    for (const char* call : {"cuGraphicsGLRegisterImage", "cuGraphicsSubResourceGetMappedArray"}) {
        SCOPED_TRACE(call);
        StreamRenderer renderer;
        fail((std::string(call) + ":801").c_str());
        for (std::uint32_t seed = 1; seed <= 2; ++seed) {
            const auto payload = noise(format, seed);
            ASSERT_TRUE(renderer.take(format, inGpu(ring, payload), PictureChanges::all(), always));
            EXPECT_TRUE(renderer.readPicture().pixels == expected(format, payload).pixels);
        }
        EXPECT_EQ(renderer.uploadReport().withinGpu, 2U);
        EXPECT_TRUE(contains(renderer.uploadReport().reason, "copied within the GPU, by way of a buffer: "));
        fail("");
    }
}

/// Formats whose texels are the payload's bytes need none.
TEST_P(GpuUploadOverTheDouble, MostFormatsNeedNoBuffer) {
    fail("cuGraphicsGLRegisterBuffer:801");
    std::vector<std::string> needing;
    for (const PixelFormatInfo& info : allPixelFormats()) {
        const VideoFormat format = namedFormat(64, 48, info.format);
        DevicePool ring = makeGpuRing(0, format.payloadBytes, 1);
        const auto payload = noise(format, 1);
        StreamRenderer renderer(UploadPath::Direct);
        ASSERT_TRUE(renderer.take(format, inGpu(ring, payload), PictureChanges::all(), always));
        EXPECT_TRUE(renderer.readPicture().pixels == expected(format, payload).pixels) << describe(format);
        if (renderer.uploadReport().withinGpu == 0) {
            needing.emplace_back(info.name);
        }
    }
    std::vector<std::string> few{"rgb24", "v210", "x2rgb10le"};
    if (!GetParam()) {  // software stores these as screens have them
        few.insert(few.end(), {"bgra", "rgba"});
    }
    std::ranges::sort(needing);
    std::ranges::sort(few);
    EXPECT_EQ(needing, few);
}

/// Each drawn while the next is on its way: none torn, none stale.
TEST_P(GpuUpload, NumberedPicturesArriveInOrder) {
    showNumbered(250);
}

TEST_P(GpuUploadOverTheDouble, AGpuThatFailsIsTold) {
    const VideoFormat format = namedFormat(64, 48, PixelFormat::rgba);
    DevicePool ring = makeGpuRing(0, format.payloadBytes, 1);
    StreamRenderer renderer;
    FrameLease frame = inGpu(ring, noise(format, 1));
    ASSERT_TRUE(renderer.take(format, frame, PictureChanges::all(), always));
    const auto before = renderer.readPicture();
    fail("cuMemcpy2DAsync:719");
    EXPECT_TRUE(contains(
        errorOf(ErrorKind::Device, [&] { renderer.take(format, frame, PictureChanges::all(), always); }),
        "CUDA_ERROR_LAUNCH_FAILED"));
    EXPECT_TRUE(renderer.readPicture().pixels == before.pixels) << "OpenGL goes on";
}

TEST_P(GpuUploadOverTheDouble, PinningThatIsAskedForAndFailsIsAnError) {
    fail("cuGLGetDevices:100");
    EXPECT_TRUE(
        contains(errorOf(ErrorKind::Device, [] { const StreamRenderer renderer(UploadPath::Pinned); }),
                 "OpenGL does not draw on a GPU of CUDA's"));
    fail("");
    const VideoFormat format = namedFormat(64, 48, PixelFormat::rgba);
    const auto ring = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 1});
    const FrameLease frame = inHost(*ring, noise(format, 1));
    StreamRenderer renderer(UploadPath::Pinned);
    fail("cuMemHostRegister:1");
    EXPECT_TRUE(contains(
        errorOf(ErrorKind::Device, [&] { renderer.take(format, frame, PictureChanges::all(), always); }),
        "cuMemHostRegister"));
}

/// Another ring is pinned, and the one before no longer.
TEST_P(GpuUploadOverTheDouble, OneRingIsPinnedAtATime) {
    const VideoFormat format = namedFormat(64, 48, PixelFormat::rgba);
    StreamRenderer renderer(UploadPath::Pinned);
    std::optional<std::uint64_t> alive;
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        const auto payload = noise(format, seed);
        const auto ring = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 1});
        ASSERT_TRUE(renderer.take(format, inHost(*ring, payload), PictureChanges::all(), always));
        EXPECT_TRUE(renderer.readPicture().pixels == expected(format, payload).pixels);
        EXPECT_EQ(counts().alive, alive.value_or(counts().alive)) << seed;
        alive = counts().alive;
    }
}

class ThoroughGpuUpload : public GpuUpload {};

TEST_P(ThoroughGpuUpload, NumberedPicturesArriveInOrder) {
    showNumbered(10'000);
}

std::string drawnBy(const ::testing::TestParamInfo<bool>& asNvidia) {
    return asNvidia.param ? "nvidia" : "software";
}
INSTANTIATE_TEST_SUITE_P(In, GpuUpload, ::testing::Bool(), drawnBy);
INSTANTIATE_TEST_SUITE_P(In, GpuUploadOverTheDouble, ::testing::Bool(), drawnBy);
INSTANTIATE_TEST_SUITE_P(Thorough, ThoroughGpuUpload, ::testing::Bool(), drawnBy);

}  // namespace
}  // namespace verbcast::testing
