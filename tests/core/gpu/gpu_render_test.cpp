// verbcast render with its frames in the memory of the GPU that draws them: software OpenGL, over the double.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class GpuRender : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        ::setenv("LD_LIBRARY_PATH", VERBCAST_DRIVERS "/double", 1);
        Verbcast wall({"wall", "new", "1x1", "--size", "64x48", "--sources", "1x1", "--output", file("wall")},
                      home_);
        ASSERT_TRUE(endsWith(wall, 0));
    }
    void TearDown() override {
        ::unsetenv("LD_LIBRARY_PATH");
        ::unsetenv("CUDA_DOUBLE_FAIL");
        ::unsetenv("CUDA_DOUBLE_GL");
        ProgramTest::TearDown();
    }
    /// Renders by the host's clock, so that two of these draw the same pictures.
    std::unique_ptr<Verbcast> render(const std::string& transport, const std::string& memory) const {
        return std::make_unique<Verbcast>(Arguments{"render",       "--wall",
                                                    file("wall"),   "--source",
                                                    "part-1-1",     "--fps",
                                                    "10",           "--frames",
                                                    "20",           "--once",
                                                    "--policy",     "lossless",
                                                    "--memory",     memory,
                                                    "--frame-md5",  file(memory),
                                                    "--stats-json", file(memory + ".json"),
                                                    "--listen",     listenAddressFor(transport)},
                                          home_);
    }
    std::unique_ptr<Verbcast> view(Verbcast& sender, const std::string& md5) const {
        return std::make_unique<Verbcast>(
            Arguments{"view", "--headless", "--once", "--frame-md5", file(md5), sender.listenAddress()},
            home_);
    }
    std::map<std::int64_t, std::string> sumsByTime(const std::string& name) const {
        std::map<std::int64_t, std::string> sums;
        for (const FrameSum& sum : frameSums(file(name))) {
            sums[sum.pts] = sum.md5;
        }
        return sums;
    }
};

/// In the GPU by default, unless something needs the processor: a note says what.
TEST_F(GpuRender, SaysWhereFramesAreAndWhy) {
    ::setenv("force_gl_vendor", "NVIDIA Corporation", 1);
    ::setenv("force_gl_renderer", "Double", 1);
    const auto note = [&](const std::string& transport, const Arguments& arguments) {
        Verbcast sender(Arguments{"render", "--size", "64x48", "--frames", "2", "--once", "--listen",
                                  listenAddressFor(transport)} +
                            arguments,
                        home_);
        Verbcast viewer({"view", "--headless", "--once", sender.listenAddress()}, home_);
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_TRUE(endsWith(viewer, 0));
        return sender.errors();
    };
    EXPECT_TRUE(holds(note("shm", {}), "into their slots, in the memory of Double 0 (GPU 0)"));
    const std::string host = "into their slots in main memory";
    EXPECT_TRUE(holds(note("shm", {"--memory", "host"}), host));
    EXPECT_TRUE(holds(note("tcp", {}), host + ", since they are sent from there"));
    EXPECT_TRUE(holds(note("shm", {"--frame-md5", file("md5")}), host + ", since --frame-md5 reads them"));
    EXPECT_TRUE(holds(note("shm", {"--changes", "compare"}), host + ", since the processor compares"));
    ::setenv("CUDA_DOUBLE_FAIL", "cuMemAlloc:2,cuMemCreate:2", 1);
    EXPECT_TRUE(holds(note("shm", {}), host + ", since cuMem"));
    ::unsetenv("CUDA_DOUBLE_FAIL");
    ::unsetenv("force_gl_vendor");
    ::unsetenv("force_gl_renderer");
}

class GpuRenderOver : public GpuRender, public ::testing::WithParamInterface<std::string> {};

/// Of EGL's devices, the one that is that GPU.
TEST_F(GpuRender, DrawsOnTheGpuThatIsChosen) {
    Verbcast sender({"render", "--gpu", "GPU-d0d0d0d0-d0d0-d0d0-d0d0-d0d0d0d0d0d0", "--memory", "device",
                     "--size", "64x48", "--frames", "3", "--once", "--listen", listenAddressFor("shm")},
                    home_);
    Verbcast viewer({"view", "--headless", "--once", sender.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(holds(sender.errors(), "in the memory of Double 0 (GPU 0)"));
}

TEST_P(GpuRenderOver, TheFramesAreThoseOfMainMemory) {
    const auto host = render(GetParam(), "host"), device = render(GetParam(), "device");
    const auto one = view(*host, "host-came"), other = view(*device, "device-came");
    for (Verbcast* program : {host.get(), device.get(), one.get(), other.get()}) {
        EXPECT_TRUE(endsWith(*program, 0));
    }
    EXPECT_TRUE(holds(device->errors(), "in the memory of Double 0 (GPU 0)"));
    EXPECT_EQ(device->errors().find("cuda double"), std::string::npos) << device->errors();
    const auto hosts = sumsByTime("host"), devices = sumsByTime("device");
    EXPECT_EQ(devices.size(), 20U);
    EXPECT_EQ(sumsByTime("device-came"), devices);
    std::size_t common = 0;
    for (const auto& [pts, sum] : devices) {
        if (const auto same = hosts.find(pts); same != hosts.end()) {
            EXPECT_EQ(sum, same->second) << pts;
            ++common;
        }
    }
    EXPECT_GT(common, 0U);
    const auto stats = readJson(file("device.json"));
    EXPECT_EQ(stats["bytes_from_device"], 20 * 64 * 48 * 4) << stats;
    EXPECT_EQ(readJson(file("host.json"))["bytes_from_device"], 0);
}

TEST_P(GpuRenderOver, AGpuThatFailsEndsTheStreamWithItsName) {
    ::setenv("CUDA_DOUBLE_FAIL", "cuMemcpy2DAsync:719:5", 1);
    const auto sender = render(GetParam(), "device");
    const auto viewer = view(*sender, "came");
    EXPECT_TRUE(endsWith(*sender, 7));
    EXPECT_TRUE(
        holds(sender->errors(), "cuMemcpy2DAsync on Double 0 (GPU 0): CUDA_ERROR_LAUNCH_FAILED (719)"));
    EXPECT_TRUE(viewer->waitForEnd());
    EXPECT_EQ(sumsByTime("came").size(), 5U);
}

INSTANTIATE_TEST_SUITE_P(Over, GpuRenderOver, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

TEST_F(GpuRender, WhatCannotBeIsRefused) {
    const auto expectError = [&](const Arguments& arguments, int code, const std::string& text) {
        Verbcast program(Arguments{"render", "--memory", "device", "--listen", "shm://nobody"} + arguments,
                         home_);
        EXPECT_TRUE(endsWith(program, code));
        EXPECT_TRUE(holds(program.errors(), text));
    };
    expectError({"--part", "1/2"}, 2, "--part with --memory device: depths are read back");
    expectError({"--changes", "compare"}, 2,
                "--changes compare with --memory device: the processor compares");
    ::setenv("CUDA_DOUBLE_GL", "0", 1);
    expectError({}, 7, "NVIDIA's driver has no cuGLGetDevices");
    ::unsetenv("CUDA_DOUBLE_GL");
    ::setenv("CUDA_DOUBLE_FAIL", "cuGLGetDevices:100", 1);
    expectError({}, 7, "OpenGL does not draw on a GPU of CUDA's: CUDA_ERROR_NO_DEVICE (100)");
}

}  // namespace
}  // namespace verbcast::testing
