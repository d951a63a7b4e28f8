// Pictures that OpenGL draws, copied into a GPU's memory: by
// NVIDIA's OpenGL, or by software beside the double.
#include "core/gpu/gl_sharing.h"

#include <cstring>
#include <vector>

#include "capture/gl/gl_source.h"
#include "core/gpu/gpu_memory.h"
#include "render/gl/gl_handles.h"
#include "render/gl/plane_textures.h"
#include "tests/core/gpu/beside_gl.h"
#include "tests/core/gpu/gpu_expectations.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kWidth = 67, kHeight = 41;
constexpr std::size_t kRow = 4UL * kWidth, kBytes = kRow * kHeight;

template <typename Driver>
class GlPictureOf : public BesideGl<Driver> {
  protected:
    GlPictureOf() : BesideGl<Driver>(true) {}
    void SetUp() override {
        BesideGl<Driver>::SetUp();
        if (this->context_) {
            texture_ = makeTexture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, kWidth, kHeight);
        }
    }
    void TearDown() override {
        texture_ = {};
        BesideGl<Driver>::TearDown();
    }
    void draw(const std::vector<std::byte>& pixels) {
        glBindTexture(GL_TEXTURE_2D, texture_.get());
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    static void copy(GlPicture& picture, const DeviceLease& slot) {
        picture.begin(slot.address(), kRow);
        static_cast<void>(picture.isDone());
        picture.finish();
    }
    std::unique_ptr<GlPicture> picture() {
        return registerGlPicture(gpuOfGl(), texture_.get(), kWidth, kHeight);
    }

    GlTexture texture_;
};
using GlPictureTest = GlPictureOf<OverADriver>;
using GlPictureOverTheDouble = GlPictureOf<OverTheDouble>;

TEST_F(GlPictureTest, IsCopiedAsItWasDrawnLast) {
    const auto one = picture();
    DevicePool ring = makeGpuRing(gpuOfGl(), kBytes, 2);
    for (int seed = 0; seed < 3; ++seed) {
        auto slot = ring.tryAcquire();
        draw(noiseOf(kBytes, seed));
        const Counted driver = count();
        one->begin(slot->address(), kRow);
        if (double_) {
            EXPECT_FALSE(one->isDone()) << "the double is not ready when first asked";
        }
        draw(noiseOf(kBytes, 99));  // comes after the copy
        if (double_ && seed == 0) {
            EXPECT_TRUE(one->isDone());
        }
        one->finish();
        EXPECT_EQ(contentOf(*slot, kBytes), noiseOf(kBytes, seed)) << seed;
        if (const auto did = driver.soFar()) {
            EXPECT_EQ(did->within, kBytes);
            EXPECT_EQ(did->toHost, 0U);
            EXPECT_EQ(did->toDevice, 0U);
        }
    }
}

/// Into a pinned ring of main memory, whose rows are longer.
TEST_F(GlPictureTest, IsCopiedIntoMainMemory) {
    constexpr std::size_t kStride = kRow + 20;
    const auto one = picture();
    const auto ring = FramePool::create({.slotBytes = kStride * kHeight, .slotCount = GlPicture::kDepth});
    const auto pinned = pinForGpu(gpuOfGl(), ring->memory());
    std::vector<FrameLease> slots;
    const Counted driver = count();
    for (int seed = 0; seed < static_cast<int>(GlPicture::kDepth); ++seed) {
        slots.push_back(std::move(*ring->tryAcquire()));
        draw(noiseOf(kBytes, seed));
        one->begin(slots.back().data(), kStride);
    }
    for (int seed = 0; seed < static_cast<int>(GlPicture::kDepth); ++seed) {
        one->finish();
        const std::vector<std::byte> drawn = noiseOf(kBytes, seed);
        for (std::size_t row = 0; row < kHeight; ++row) {
            ASSERT_EQ(std::memcmp(slots[static_cast<std::size_t>(seed)].data() + row * kStride,
                                  drawn.data() + row * kRow, kRow),
                      0)
                << seed << ", row " << row;
        }
    }
    if (const auto did = driver.soFar()) {
        EXPECT_GE(did->toHost, GlPicture::kDepth * kBytes);
        EXPECT_EQ(did->pageable, 0U) << "the ring is pinned";
    }
}

TEST_F(GlPictureTest, SeveralAreUnderWay) {
    const auto one = picture();
    DevicePool ring = makeGpuRing(0, kBytes, GlPicture::kDepth);
    std::vector<DeviceLease> slots;
    for (int seed = 0; seed < static_cast<int>(GlPicture::kDepth); ++seed) {
        slots.push_back(std::move(*ring.tryAcquire()));
        draw(noiseOf(kBytes, seed));
        one->begin(slots.back().address(), kRow);
    }
    for (int seed = 0; seed < static_cast<int>(GlPicture::kDepth); ++seed) {
        one->finish();
        EXPECT_EQ(contentOf(slots[static_cast<std::size_t>(seed)], kBytes), noiseOf(kBytes, seed)) << seed;
    }
}

/// As many under way as can be, into the GPU's memory and into main memory: none torn, none stale.
class ThoroughGlPicture : public GlPictureTest {};

TEST_F(ThoroughGlPicture, NumberedPicturesArriveInOrder) {
    constexpr std::uint32_t kPictures = 10'000, kSlots = GlPicture::kDepth;
    const auto inGpu = picture(), inMain = picture();
    DevicePool gpuRing = makeGpuRing(gpuOfGl(), kBytes, kSlots);
    const auto hostRing = FramePool::create({.slotBytes = kBytes, .slotCount = kSlots});
    const auto pinned = pinForGpu(gpuOfGl(), hostRing->memory());
    std::vector<DeviceLease> gpuSlots;
    std::vector<FrameLease> hostSlots;
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        gpuSlots.push_back(std::move(*gpuRing.tryAcquire()));
        hostSlots.push_back(std::move(*hostRing->tryAcquire()));
    }
    const auto numbered = [](std::uint32_t number) {
        std::vector<std::byte> pixels(kBytes, static_cast<std::byte>(number));
        std::fill_n(pixels.begin(), kBytes / 2, static_cast<std::byte>(number >> 8U));
        return pixels;
    };
    for (std::uint32_t number = 0; number < kPictures + kSlots; ++number) {
        const std::uint32_t slot = number % kSlots;
        if (number >= kSlots) {
            inGpu->finish();
            inMain->finish();
            const std::vector<std::byte> expected = numbered(number - kSlots);
            ASSERT_EQ(contentOf(gpuSlots[slot], kBytes), expected) << number - kSlots;
            ASSERT_EQ(std::memcmp(hostSlots[slot].data(), expected.data(), kBytes), 0) << number - kSlots;
        }
        if (number < kPictures) {
            draw(numbered(number));
            inGpu->begin(gpuSlots[slot].address(), kRow);
            inMain->begin(hostSlots[slot].data(), kRow);
        }
    }
}

TEST_F(GlPictureOverTheDouble, WhatFailsIsNamedAndNothingIsLeft) {
    DevicePool ring = makeGpuRing(0, kBytes, 1);
    auto slot = ring.tryAcquire();
    for (const char* call :
         {"cuGraphicsGLRegisterImage", "cuGraphicsMapResources", "cuGraphicsSubResourceGetMappedArray",
          "cuMemcpy2DAsync", "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuEventSynchronize"}) {
        SCOPED_TRACE(call);
        fail((std::string(call) + ":999").c_str());
        const std::string text = errorOf(ErrorKind::Device, [&] { copy(*picture(), *slot); });
        EXPECT_TRUE(contains(text, std::string(call) + " on Double 0 (GPU 0)"));
        fail("");
        draw(noiseOf(kBytes, 5));
        copy(*picture(), *slot);
        EXPECT_EQ(std::memcmp(bytesAt(slot->address()), noiseOf(kBytes, 5).data(), kBytes), 0);
    }
}

TEST_F(GlPictureOverTheDouble, AGpuThatFailsIsLeftAlone) {
    DevicePool ring = makeGpuRing(0, kBytes, 1);
    auto slot = ring.tryAcquire();
    const auto one = picture();
    fail("cuMemcpy2DAsync:719");
    EXPECT_TRUE(contains(errorOf(ErrorKind::Device, [&] { copy(*one, *slot); }), "CUDA_ERROR_LAUNCH_FAILED"));
    EXPECT_TRUE(contains(errorOf(ErrorKind::Device, [&] { copy(*one, *slot); }), "CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(GlPictureOverTheDouble, OpenGlThatDrawsElsewhereIsTold) {
    fail("cuGLGetDevices:100");
    EXPECT_TRUE(contains(errorOf(ErrorKind::Device, [] { static_cast<void>(gpuOfGl()); }),
                         "OpenGL does not draw on a GPU of CUDA's: CUDA_ERROR_NO_DEVICE (100)"));
}

TEST_F(GlPictureTest, AScenesFramesStayInTheGpu) {
    context_.reset();  // a source has its own
    const GlSourceOptions options{
        .width = 64, .height = 48, .frameRate = {0, 1}, .slots = 2, .memory = PictureMemory::Device};
    GlSource source(options);
    EXPECT_EQ(source.format().pixelFormat, PixelFormat::rgba);
    ASSERT_FALSE(source.notes().empty());
    EXPECT_TRUE(contains(source.notes().front(), "in the memory of " + gpuName()));
    const Event never;
    CapturedFrame frame;
    const Counted driver = count();
    for (std::uint64_t frames = 1; frames <= 5; ++frames) {
        ASSERT_EQ(source.capture(frame, never), Status::Ok);
        ASSERT_TRUE(isInDevice(frame.lease));
        const DeviceLease slot = DeviceLease::of(frame.lease.share());
        std::vector<std::byte> pixels(source.format().payloadBytes);
        if (const auto did = driver.soFar()) {
            EXPECT_GE(did->within, frames * pixels.size());  // others are on their way
            EXPECT_EQ(did->toHost, (frames - 1) * pixels.size());
        }
        slot.read(pixels);
        EXPECT_NE(pixels, std::vector<std::byte>(pixels.size(), pixels.front()))
            << "a scene has several colours";
    }
    EXPECT_EQ(source.counters().pixelCopies, 0U);
}

/// Drawn by NVIDIA's OpenGL, or by what says that it is.
template <typename Driver>
class NvidiaSceneOf : public BesideGl<Driver> {
  protected:
    NvidiaSceneOf() : BesideGl<Driver>(true) {}
    void SetUp() override {
        BesideGl<Driver>::SetUp();
        this->context_.reset();  // a source has its own
    }
    static GlSourceOptions options(ReadbackPath readback) {
        return {.scene = "waves",
                .width = 64,
                .height = 48,
                .frameRate = {0, 1},
                .slots = 2,
                .readback = readback};
    }
    static std::vector<std::byte> firstOf(GlSource& source) {
        const Event never;
        CapturedFrame frame;
        EXPECT_EQ(source.capture(frame, never), Status::Ok);
        return {frame.lease.data(), frame.lease.data() + source.format().payloadBytes};
    }
};

using NvidiaScene = NvidiaSceneOf<OverADriver>;
using NvidiaSceneOverTheDouble = NvidiaSceneOf<OverTheDouble>;

TEST_F(NvidiaScene, IsReadBackByTheGpu) {
    std::vector<std::byte> pixels;
    {
        GlSource source(options(ReadbackPath::Measure));
        EXPECT_EQ(source.readbackReport().path, ReadbackPath::Pinned);
        EXPECT_TRUE(
            contains(source.notes().front(), "the GPU copies frames into their slots in main memory"));
        const Counted driver = count();
        pixels = firstOf(source);
        if (const auto did = driver.soFar()) {
            EXPECT_EQ(did->pageable, 0U);
            EXPECT_GE(did->toHost, pixels.size());
        }
        EXPECT_EQ(source.counters().pixelCopies, 0U);
        EXPECT_EQ(source.format().pixelFormat, PixelFormat::rgba);
    }
    GlSource read(options(ReadbackPath::Direct));
    EXPECT_EQ(read.readbackReport().path, ReadbackPath::Direct);
    std::vector<std::byte> expected = firstOf(read);  // the first picture of a scene is always the same
    ASSERT_EQ(expected.size(), pixels.size());
    if (read.format().pixelFormat == PixelFormat::bgra) {
        for (std::size_t at = 0; at < expected.size(); at += 4) {
            std::swap(expected[at], expected[at + 2]);
        }
    }
    EXPECT_TRUE(pixels == expected);
}

/// Without CUDA frames are read back as anywhere else, and the reason is told.
TEST_F(NvidiaSceneOverTheDouble, GoesOnWithoutCuda) {
    for (const char* call : {"cuGLGetDevices", "cuGraphicsGLRegisterImage", "cuMemHostRegister"}) {
        SCOPED_TRACE(call);
        fail((std::string(call) + ":801").c_str());
        GlSource source(options(ReadbackPath::Measure));
        EXPECT_NE(source.readbackReport().path, ReadbackPath::Pinned);
        EXPECT_TRUE(contains(source.notes().front(), "; not copied by the GPU: "));
        EXPECT_TRUE(contains(source.notes().front(), "801"));
        firstOf(source);
        EXPECT_TRUE(contains(
            errorOf(ErrorKind::Device, [] { const GlSource must(options(ReadbackPath::Pinned)); }), "801"));
        fail("");
    }
}

}  // namespace
}  // namespace verbcast::testing
