#include "core/base/os/device_watch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

constexpr auto kForEver = std::chrono::nanoseconds::max();

TEST(DeviceWatch, SeesANodeComeAndGo) {
    TemporaryFolder folder;
    const std::string node = folder.file("video0");
    const Event never;
    DeviceWatch watch(node);
    EXPECT_EQ(watch.wait(std::chrono::nanoseconds(0), never), Status::TimedOut);
    std::jthread helper([&] { std::ofstream(node) << "camera"; });
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
    helper.join();
    EXPECT_TRUE(std::filesystem::exists(node));
    std::filesystem::permissions(node, std::filesystem::perms::owner_read);
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
    std::filesystem::remove(node);
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
}

TEST(DeviceWatch, FollowsFoldersThatAreMadeLater) {
    TemporaryFolder folder;
    const std::string node = folder.file("v4l/by-id/camera");
    const Event never;
    DeviceWatch watch(node);
    std::filesystem::create_directory(folder.file("v4l"));
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
    std::filesystem::create_directory(folder.file("v4l/by-id"));
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
    std::ofstream(node) << "camera";
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
}

TEST(DeviceWatch, APathMayBeRelative) {
    TemporaryFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const Event never;
    DeviceWatch watch("video0");
    std::filesystem::current_path(before);
    std::ofstream(folder.file("video0")) << "camera";
    EXPECT_EQ(watch.wait(kForEver, never), Status::Ok);
}

TEST(DeviceWatch, CancelEndsTheWait) {
    TemporaryFolder folder;
    Event cancel;
    DeviceWatch watch(folder.file("video0"));
    std::jthread helper([&] { cancel.notify(); });
    EXPECT_EQ(watch.wait(kForEver, cancel), Status::Cancelled);
}

}  // namespace
}  // namespace verbcast::testing
