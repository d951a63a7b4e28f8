// Keys of streams: only peers that have the key are accepted.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

std::string contentOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class KeyTest : public ProgramTest {
  protected:
    std::string newKey(const std::string& name) {
        Verbcast program({"key", "new", file(name)}, home_);
        EXPECT_TRUE(endsWith(program, 0));
        return file(name);
    }
    static Arguments with(Arguments words, const Arguments& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// A sender of a few frames that ends with its first viewer.
    static Arguments sending(const std::string& address) {
        return {"send", "pattern", "--size",   "320x240", "--frames", "20",      "--fps",
                "max",  "--once",  "--listen", address,   "--policy", "lossless"};
    }
};

TEST_F(KeyTest, ANewKeyIsTheOwnersAlone) {
    const std::string path = newKey("key");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
    const std::string secret = contentOf(path);
    EXPECT_EQ(secret.size(), 65U);
    EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), 64U);
    EXPECT_NE(contentOf(newKey("another")), secret);
    Verbcast again({"key", "new", path}, home_);
    EXPECT_TRUE(endsWith(again, kUsage));
    EXPECT_TRUE(holds(again.errors(), "exists"));
    EXPECT_EQ(contentOf(path), secret) << "it is in use, perhaps";
    Verbcast printed({"key", "new", "-"}, home_);
    EXPECT_TRUE(endsWith(printed, 0));
    EXPECT_EQ(printed.output().size(), 65U);
    Verbcast nowhere({"key", "new", file("no/key")}, home_);
    EXPECT_TRUE(endsWith(nowhere, kUsage));
    EXPECT_TRUE(holds(nowhere.errors(), "No such file or directory"));
}

TEST_F(KeyTest, AListenerSaysAtOnceThatItCannotReadItsPairedHosts) {
    const std::string folder = file("config/verbcast");
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/hosts") << "{\"hosts\": []}";
    ASSERT_EQ(::chmod((folder + "/hosts").c_str(), 0644), 0);
    ::setenv("XDG_CONFIG_HOME", file("config").c_str(), 1);
    Verbcast program({"send", "pattern", "--listen", listenAddressFor("tcp")}, home_);
    ::unsetenv("XDG_CONFIG_HOME");
    EXPECT_TRUE(endsWith(program, kUsage));
    EXPECT_TRUE(holds(program.errors(), folder + "/hosts can be read or written by others"));
    EXPECT_TRUE(holds(program.errors(), "chmod 600 " + folder + "/hosts"));
}

TEST_F(KeyTest, AKeyThatOthersCanReadIsRefusedWithTheRemedy) {
    const std::string path = newKey("key");
    for (const mode_t mode : {0640U, 0604U, 0620U, 0602U}) {
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
        Verbcast program({"view", "--headless", listenAddressFor("shm"), "--key-file", path}, home_);
        EXPECT_TRUE(endsWith(program, kUsage));
        EXPECT_TRUE(holds(program.errors(), "chmod 600 " + path));
    }
}

TEST_F(KeyTest, ThisMachineIsNotPaired) {
    for (const std::string url : {"tcp://127.0.0.1:7000", "localhost", "[::1]:7000", "shm://camera"}) {
        Verbcast pairing({"key", "pair", url}, home_);
        EXPECT_TRUE(endsWith(pairing, kUsage)) << url;
        EXPECT_TRUE(holds(pairing.errors(), "is an address of this machine"));
    }
}

class KeyOver : public KeyTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(KeyOver, OnlyViewersWithTheSendersKeyAreServed) {
    const std::string key = newKey("key");
    const std::string other = newKey("other");
    Verbcast sender(with(sending(listenAddressFor(GetParam())), {"--key-file", key}), home_);
    const std::string address = sender.listenAddress();
    const Arguments viewing{"view", "--headless", address, "--once"};
    Verbcast without(viewing, home_);
    EXPECT_TRUE(endsWith(without, kPeer));
    EXPECT_TRUE(holds(without.errors(), "only one side has a key: the sender"));
    Verbcast wrong(with(viewing, {"--key-file", other}), home_);
    EXPECT_TRUE(endsWith(wrong, kPeer));
    EXPECT_TRUE(holds(wrong.errors(), "different keys"));
    Verbcast right(with(viewing, {"--key-file", key, "--stats-json", file("stats")}), home_);
    EXPECT_TRUE(endsWith(right, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(readJson(file("stats")).at("frames_received"), 20);
}

INSTANTIATE_TEST_SUITE_P(Over, KeyOver, ::testing::ValuesIn(schemesUnderTest()), variantName);

TEST_F(KeyTest, TheEnvironmentMayHoldItAndARelayAsksForItOnBothSides) {
    const std::string key = newKey("key");
    Verbcast sender(with(sending("tcp://127.0.0.1:0"), {"--key-file", key}), home_);
    Verbcast relay(
        {"relay", sender.listenAddress(), "--listen", "tcp://127.0.0.1:0", "--once", "--key-file", key},
        home_);
    const std::string address = relay.listenAddress();
    Verbcast without({"view", "--headless", address, "--once"}, home_);
    EXPECT_TRUE(endsWith(without, kPeer));
    ::setenv("VERBCAST_KEY", contentOf(key).c_str(), 1);
    Verbcast viewer({"view", "--headless", address, "--once"}, home_);
    ::setenv("VERBCAST_KEY", "short", 1);
    Verbcast shortOne({"view", "--headless", address, "--once"}, home_);
    ::unsetenv("VERBCAST_KEY");
    EXPECT_TRUE(endsWith(shortOne, kUsage));
    EXPECT_TRUE(holds(shortOne.errors(), "the key in VERBCAST_KEY has 5 bytes"));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(relay, 0));
    EXPECT_TRUE(endsWith(sender, 0));
}

}  // namespace
}  // namespace verbcast::testing
