// Files decoded by NVIDIA's decoder: FFmpeg's own code over a double of libnvcuvid.so.1, which decodes MPEG-2
// in "the GPU". The reference is the ffmpeg program, which decodes in software.
#include <dlfcn.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/device_pool.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/core/gpu/driver/cuda_double.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kFrames = 30;
constexpr std::size_t kPictureBytes = std::size_t{192} * 128 * 3 / 2;

class Nvdec : public FfmpegTest {
  protected:
    void SetUp() override {
        FfmpegTest::SetUp();
        library_ = ::dlopen("libcuda.so.1", RTLD_NOW);
        ASSERT_NE(library_, nullptr) << ::dlerror();
        fail("");
        clip_ = file("clip.mkv");
        ffmpeg("-f lavfi -i testsrc2=s=192x128:r=25 -frames:v " + std::to_string(kFrames) +
               " -c:v mpeg2video -b:v 1M -g 12 -bf 2 " + clip_);
    }
    void TearDown() override {
        fail("");
        EXPECT_EQ(counts().alive, 0U) << "left behind in the driver";
    }

    void fail(const char* spec) { call<void(const char*)>("cudaDoubleFail")(spec); }
    CudaDoubleCounts counts() { return call<CudaDoubleCounts()>("cudaDoubleCounts")(); }

    std::unique_ptr<FrameSource> open(bool inGpuMemory, std::optional<PixelFormat> format = {}) const {
        return openSource({.source = clip_,
                           .pixelFormat = format,
                           .decoder = Decoder::Cuda,
                           .memory = inGpuMemory ? PictureMemory::Device : PictureMemory::Host});
    }
    std::vector<FrameSum> expected(const std::string& format = "nv12") const {
        return ffmpegFrameSums("-i " + clip_ + " -pix_fmt " + format);
    }
    static bool hasNote(const FrameSource& source, const std::string& part) {
        return std::ranges::any_of(
            source.notes(), [&](const std::string& note) { return note.find(part) != std::string::npos; });
    }

    std::string clip_;

  private:
    template <typename Function>
    Function* call(const char* name) {
        return reinterpret_cast<Function*>(::dlsym(library_, name));
    }
    void* library_ = nullptr;
};

TEST_F(Nvdec, IsExactAndCopiesNothing) {
    const auto source = open(false);
    EXPECT_EQ(takeSums(*source), expected());
    EXPECT_EQ(source->counters().pixelCopies, 0U) << "the transfer goes into the slot";
    EXPECT_EQ(*source->decoding(),
              (DecodingStats{"cuda", "mpeg2video", "as --decoder says", std::uint64_t{kFrames}, 0}));
    EXPECT_TRUE(source->notes().empty());
}

TEST_F(Nvdec, LeavesPicturesInTheGpu) {
    const CudaDoubleCounts before = counts();
    const auto source = open(true);
    std::vector<FrameSum> sums;
    CapturedFrame frame;
    const Event never;
    while (source->capture(frame, never) == Status::Ok) {
        EXPECT_TRUE(isInDevice(frame.lease));
        sums.push_back(sumOf(frame));
    }
    EXPECT_EQ(sums, expected());
    const Colour colour = openSource({.source = clip_})->format().colour;  // of software
    EXPECT_NE(colour.chromaLocation, 0);
    EXPECT_EQ(source->format().colour, colour);
    EXPECT_EQ(source->counters().pixelCopies, 0U);
    EXPECT_EQ(*source->decoding(),
              (DecodingStats{"cuda", "mpeg2video", "as --decoder says", 0, std::uint64_t{kFrames}}));
    EXPECT_TRUE(source->notes().empty());
    EXPECT_EQ(counts().within - before.within, kFrames * kPictureBytes) << "one copy each, in the GPU";
}

TEST_F(Nvdec, ConsumersHoldUpTheDecoderAndLoseNothing) {
    const auto source =
        openSource({.source = clip_, .slots = 2, .decoder = Decoder::Cuda, .memory = PictureMemory::Device});
    const Event cancel;
    std::vector<CapturedFrame> held(2);
    ASSERT_EQ(source->capture(held[0], cancel), Status::Ok);
    ASSERT_EQ(source->capture(held[1], cancel), Status::Ok);
    CapturedFrame third;
    ASSERT_EQ(source->capture(third, cancel), Status::Ok) << "one more than promised is there to fill";
    CapturedFrame none;
    cancel.notify();
    EXPECT_EQ(source->capture(none, cancel), Status::Cancelled) << "all slots are in use";
    cancel.clear();
    const auto all = expected();
    EXPECT_EQ(std::vector({sumOf(held[0]), sumOf(held[1]), sumOf(third)}),
              std::vector(all.begin(), all.begin() + 3));
}

TEST_F(Nvdec, TwoFilesShareTheGpu) {
    const auto one = open(true), other = open(true);
    EXPECT_EQ(takeSums(*other), expected());
    EXPECT_EQ(takeSums(*one), expected());
}

TEST_F(Nvdec, PicturesToConvertComeToMainMemory) {
    const auto source = open(true, PixelFormat::yuv420p);
    EXPECT_EQ(takeSums(*source), expected("yuv420p"));
    EXPECT_EQ(source->decoding()->onDevice, 0U);
    EXPECT_EQ(source->decoding()->fromDevice, kFrames);
    EXPECT_TRUE(hasNote(*source, "from the GPU to main memory: the processor converts"));
}

TEST_F(Nvdec, AFullGpuLeavesPicturesToMainMemory) {
    const auto first = open(true);
    const auto free = [] { return gpuAllocator(0)->freeBytes().value(); };
    const std::uint64_t before = free();
    std::uint64_t forDecoder = 0;
    {
        const auto decoding = open(false);
        forDecoder = before - free();
    }
    ASSERT_GT(forDecoder, 0U);
    const auto held = gpuAllocator(0)->allocate(before - forDecoder);
    const auto source = open(true);
    EXPECT_EQ(takeSums(*source), expected());
    EXPECT_EQ(source->decoding()->onDevice, 0U);
    EXPECT_TRUE(hasNote(*source, "from the GPU to main memory: "));
    EXPECT_TRUE(hasNote(*source, "CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_F(Nvdec, AGpuThatCopiesNothingIsNoReasonToEnd) {
    fail("cuStreamCreateWithPriority:801");
    const auto source =
        openSource({.source = clip_, .decoder = Decoder::Cuda, .memory = PictureMemory::Auto});
    EXPECT_EQ(takeSums(*source), expected());
    EXPECT_EQ(source->decoding()->onDevice, 0U);
    EXPECT_TRUE(hasNote(*source, "from the GPU to main memory: "));
    EXPECT_TRUE(hasNote(*source, "801"));
}

TEST_F(Nvdec, SoftwareTakesOverInMainMemory) {
    fail("cuvidDecodePicture:719:17");
    const auto source = open(true);
    std::vector<FrameSum> sums;
    std::size_t inDevice = 0;
    CapturedFrame frame;
    const Event never;
    try {
        while (source->capture(frame, never) == Status::Ok) {
            inDevice += isInDevice(frame.lease) ? 1 : 0;
            sums.push_back(sumOf(frame));
        }
    } catch (const Error& error) {
        FAIL() << error.what();
    }
    EXPECT_EQ(sums, expected());
    EXPECT_GT(inDevice, 0U);
    EXPECT_LT(inDevice, kFrames);
    EXPECT_TRUE(hasNote(*source, "the decoder cuda failed ("));
}

TEST_F(Nvdec, AGpuThatFailsEndsTheStreamWithItsName) {
    const auto source = open(true);
    fail("cuMemcpy2DAsync:719:4");
    CapturedFrame frame;
    const Event never;
    std::size_t got = 0;
    try {
        while (source->capture(frame, never) == Status::Ok) {
            ++got;
        }
        FAIL() << "ended without an error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_EQ(std::string(error.what()),
                  "cuMemcpy2DAsync on Double 0 (GPU 0): CUDA_ERROR_LAUNCH_FAILED (719): as the test wanted");
    }
    EXPECT_EQ(got, 3U) << "the first was decoded when the source opened, and each has two planes";
}

TEST_F(Nvdec, WhatItRefusesIsAnError) {
    fail("cuvidCreateDecoder:801");
    try {
        open(true);
        FAIL() << "opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_NE(std::string(error.what()).find("--decoder cuda cannot decode the video in " + clip_),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace verbcast::testing
