// verbcast view with its frames in a GPU's memory, over the double.
#include <cstdlib>

#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

constexpr int kFrames = 20;
constexpr int kPayload = 64 * 48 * 4;

class GpuView : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        ::setenv("LD_LIBRARY_PATH", VERBCAST_DRIVERS "/double", 1);
    }
    void TearDown() override {
        for (const char* variable : {"LD_LIBRARY_PATH", "CUDA_DOUBLE_FAIL", "CUDA_DOUBLE_DEVICES"}) {
            ::unsetenv(variable);
        }
        ProgramTest::TearDown();
    }
    std::unique_ptr<Verbcast> send(const std::string& transport) const {
        return std::make_unique<Verbcast>(
            Arguments{"send", "pattern:counter", "--size", "64x48", "--format", "rgba", "--fps", "100",
                      "--frames", std::to_string(kFrames), "--once", "--policy", "lossless", "--frame-md5",
                      file("sent"), "--listen", listenAddressFor(transport)},
            home_);
    }
    std::unique_ptr<Verbcast> view(const std::string& address, const Arguments& more = {}) const {
        return std::make_unique<Verbcast>(Arguments{"view", "--headless", "--once", "--memory", "device",
                                                    "--stats-json", file("stats.json"), address} +
                                              more,
                                          home_);
    }
};

class GpuViewOver : public GpuView, public ::testing::WithParamInterface<std::string> {};

TEST_P(GpuViewOver, TheFramesAreThoseThatWereSent) {
    const auto sender = send(GetParam());
    const auto viewer =
        view(sender->listenAddress(), {"--frame-md5", file("came"), "--output", file("take.rgb")});
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_EQ(viewer->errors().find("cuda double"), std::string::npos) << viewer->errors();
    EXPECT_EQ(frameSums(file("came")), frameSums(file("sent")));
    EXPECT_EQ(frameSums(file("came")).size(), std::size_t{kFrames});
    EXPECT_EQ(std::filesystem::file_size(file("take.rgb")), std::uintmax_t{kFrames} * kPayload);
    const auto stats = readJson(file("stats.json"));
    EXPECT_EQ(stats["bytes_to_device"], kFrames * kPayload) << stats;
}

TEST_P(GpuViewOver, AGpuThatFailsEndsTheViewWithItsName) {
    const auto sender = send(GetParam());
    ::setenv("CUDA_DOUBLE_FAIL", "cuMemcpyHtoDAsync:719:5", 1);
    const auto viewer = view(sender->listenAddress(), {"--frame-md5", file("came")});
    EXPECT_TRUE(endsWith(*viewer, 7));
    EXPECT_TRUE(
        holds(viewer->errors(), "cuMemcpyHtoDAsync on Double 0 (GPU 0): CUDA_ERROR_LAUNCH_FAILED (719)"));
    EXPECT_TRUE(sender->waitForEnd());
}

INSTANTIATE_TEST_SUITE_P(Over, GpuViewOver, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

TEST_F(GpuView, WhatContradictsItIsRefused) {
    Verbcast wall({"wall", "new", "1x1", "--size", "64x48", "--sources", "2x1", "--output", file("wall")},
                  home_);
    ASSERT_TRUE(endsWith(wall, 0));
    const auto expectRefusal = [&](const Arguments& arguments, const std::string& text) {
        Verbcast viewer(Arguments{"view", "--memory", "device"} + arguments, home_);
        EXPECT_TRUE(endsWith(viewer, 2));
        EXPECT_TRUE(holds(viewer.errors(), text));
    };
    expectRefusal({"--upload", "pinned", "shm://nobody"}, "--upload pinned with --memory device");
    for (const Arguments& where : {Arguments{"--headless"}, Arguments{"--kiosk", "--drm", "DP-1"}}) {
        expectRefusal(where + Arguments{"--wall", file("wall"), "--tile", "1-1", "shm://one", "shm://two"},
                      "--memory device with --tile: the processor joins the parts");
    }
}

TEST_F(GpuView, WithoutAGpuTheReasonIsTold) {
    ::setenv("CUDA_DOUBLE_DEVICES", "0", 1);
    const auto viewer = view("shm://nobody");
    EXPECT_TRUE(endsWith(*viewer, 7));
    EXPECT_TRUE(holds(viewer->errors(), "no GPU can be used here: "));
}

}  // namespace
}  // namespace verbcast::testing
