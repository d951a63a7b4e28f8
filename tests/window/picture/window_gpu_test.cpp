// Windows that take their pictures from a GPU's memory, or have the GPU fetch them: software OpenGL, over the
// driver double.
#include <QJsonValue>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

class GpuWindow : public WindowTest {
  protected:
    void SetUp() override {
        qputenv("LD_LIBRARY_PATH", VERBCAST_CUDA_DOUBLE);
        qputenv("QT_XCB_GL_INTEGRATION", "xcb_egl");  // by which the double finds OpenGL
    }
    void TearDown() override {
        WindowTest::TearDown();
        for (const char* variable : {"LD_LIBRARY_PATH", "QT_XCB_GL_INTEGRATION", "CUDA_DOUBLE_FAIL"}) {
            qunsetenv(variable);
        }
    }
    /// Of the last picture, and how it came onto the screen.
    QJsonObject shown(const QImage& picture, const QStringList& more) {
        openWithPicture(
            picture,
            QStringList{"--stats-json", file("stats.json"), "--snapshot", file("last.png"), "--once"} + more);
        sender_->finish();
        EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
        EXPECT_EQ(window_->errors().find("cuda double"), std::string::npos) << window_->errors();
        EXPECT_EQ(QImage(file("last.png")).convertToFormat(QImage::Format_RGB32), picture);
        return readJson(file("stats.json"))["upload"].toObject();
    }
};

TEST_F(GpuWindow, ShowsWhatIsInTheMemoryOfTheGpuThatDraws) {
    const QJsonObject upload = shown(testPicture(kPictureSize, 3), {"--memory", "device"});
    EXPECT_GE(upload["frames_within_gpu"].toInt(), 1);
    EXPECT_EQ(upload["frames_uploaded"].toInt(), 0);
    EXPECT_EQ(upload["reason"].toString(), "copied within the GPU");
}

TEST_F(GpuWindow, HasTheGpuFetchPicturesFromTheSendersRing) {
    const QJsonObject upload = shown(testPicture(kPictureSize, 4), {"--upload", "pinned"});
    EXPECT_GE(upload["frames_uploaded"].toInt(), 1);
    EXPECT_EQ(upload["reason"].toString(), "asked for");
}

/// By default, where nothing has to copy them there.
TEST_F(GpuWindow, TakesFramesFromARingInTheGpuThatDraws) {
    for (const char* variable : {"force_gl_vendor", "force_gl_renderer"}) {
        qputenv(variable, "NVIDIA Corporation");
    }
    qputenv("CUDA_DOUBLE_SHARES", "2");
    const auto uploadOf = [&](const QStringList& from) {
        Verbcast sender(from + QStringList{"--size", "200x150", "--fps", "10", "--frames", "5", "--once",
                                           "--policy", "lossless", "--listen", url()},
                        folder(), x_.display());
        openWindow({"--stats-json", file("stats.json"), "--once"});
        EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
        EXPECT_EQ(sender.exitCode(), 0) << sender.errors();
        const QJsonObject stats = readJson(file("stats.json"));
        EXPECT_EQ(stats["bytes_to_device"].toInt(), 0) << window_->errors();
        return stats["upload"].toObject();
    };
    const QJsonObject inGpu = uploadOf({"render"});
    EXPECT_GE(inGpu["frames_within_gpu"].toInt(), 1);
    EXPECT_EQ(inGpu["frames_uploaded"].toInt(), 0);
    const QJsonObject inMain = uploadOf({"send", "pattern"});
    EXPECT_EQ(inMain["frames_within_gpu"].toInt(), 0);
    EXPECT_GE(inMain["frames_uploaded"].toInt(), 1);
    for (const char* variable : {"force_gl_vendor", "force_gl_renderer", "CUDA_DOUBLE_SHARES"}) {
        qunsetenv(variable);
    }
}

TEST_F(GpuWindow, SaysThatAnotherDeviceDraws) {
    qputenv("CUDA_DOUBLE_FAIL", "cuGLGetDevices:100");
    openWindow({"--memory", "device"});
    EXPECT_EQ(window_->exitCode(), 7);
    EXPECT_NE(window_->errors().find("OpenGL does not draw on a GPU of CUDA's"), std::string::npos)
        << window_->errors();
}

TEST_F(GpuWindow, AGpuThatFailsEndsTheStreamAndTellsWhy) {
    qputenv("CUDA_DOUBLE_FAIL", "cuMemcpyHtoDAsync:719:2");
    sender_ = std::make_unique<PictureSender>(kPictureSize, url(), folder());
    openWindow({"--memory", "device", "--once"});
    for (int seed = 1; seed <= 8 && window_->running(); ++seed) {
        sender_->show(testPicture(kPictureSize, seed));
    }
    EXPECT_EQ(window_->exitCode(), 7) << window_->errors();
    EXPECT_NE(window_->errors().find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos) << window_->errors();
}

}  // namespace
}  // namespace verbcast::testing
