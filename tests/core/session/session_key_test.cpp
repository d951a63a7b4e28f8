#include "core/session/trust/session_key.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

constexpr const char* kCounting = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

// openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt hexkey:000102...1f -kdfopt info:purpose -kdfopt
// mode:EXPAND_ONLY HKDF
TEST(SessionKeyTest, SecretsForAPurposeAreHkdf) {
    const SessionKey key = SessionKey::fromText(kCounting);
    std::string hex;
    for (const std::byte byte : key.derive("purpose")) {
        hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
    }
    EXPECT_EQ(hex, "f8376940d73135b5192c4ce1f82fb835766e29d5459e4026f9b544f103fb72e4");
    EXPECT_NE(key.derive("purpose"), key.derive("purposes"));
    EXPECT_NE(key.derive("purpose"), SessionKey::random().derive("purpose"));
}

TEST(SessionKeyTest, TextIsTheKey) {
    EXPECT_EQ(SessionKey::fromText(kCounting).text(), kCounting);
    const SessionKey key = SessionKey::random();
    EXPECT_EQ(SessionKey::fromText(key.text()).text(), key.text());
    for (const std::string& text : {std::string(), std::string(62, 'a'), std::string(66, 'a'),
                                    std::string(64, 'g'), "+" + std::string(63, 'a')}) {
        EXPECT_THROW(SessionKey::fromText(text), Error) << text;
    }
}

class KeyFile : public ::testing::Test {
  protected:
    KeyFile() { ::close(::mkstemp(path_)); }
    ~KeyFile() override { ::unlink(path_); }
    SessionKey keyFrom(const std::string& content) const {
        std::ofstream(path_, std::ios::binary) << content;
        return SessionKey::fromFile(path_);
    }
    char path_[32] = "/tmp/session-key-test-XXXXXX";
};

// printf 0123456789abcdef0123456789abcdef | sha256sum
TEST_F(KeyFile, IsItsSha256WithoutTheLineEnd) {
    const std::string secret = "0123456789abcdef0123456789abcdef";
    for (const char* end : {"", "\n", "\r\n"}) {
        EXPECT_EQ(keyFrom(secret + end).text(),
                  "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9");
    }
}

TEST_F(KeyFile, HoldsNeitherTooLittleNorTooMuch) {
    EXPECT_THROW(keyFrom(""), Error);
    EXPECT_THROW(keyFrom(std::string(31, 'x') + "\n"), Error);
    EXPECT_NO_THROW(keyFrom(std::string(4096, 'x')));
    EXPECT_THROW(keyFrom(std::string(4097, 'x')), Error);
    EXPECT_THROW(SessionKey::fromFile("/nowhere/key"), Error);
    EXPECT_THROW(SessionKey::fromFile("/tmp"), Error);
}

TEST_F(KeyFile, IsItsOwnersAlone) {
    std::ofstream(path_) << std::string(32, 'x');
    for (const mode_t mode : {0610U, 0640U, 0604U, 0602U}) {
        ASSERT_EQ(::chmod(path_, mode), 0);
        EXPECT_THROW(SessionKey::fromFile(path_), Error) << mode;
    }
    ASSERT_EQ(::chmod(path_, 0400), 0);
    EXPECT_NO_THROW(SessionKey::fromFile(path_));
}

TEST_F(KeyFile, IsTheUsersOwnOrRoots) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files to another user";
    }
    std::ofstream(path_) << std::string(32, 'x');
    ASSERT_EQ(::chmod(path_, 0600), 0);
    ASSERT_EQ(::chown(path_, 65534, 65534), 0);
    const Error error = thrownBy([&] { static_cast<void>(SessionKey::fromFile(path_)); });
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_EQ(std::string(error.what()),
              std::string("the key in ") + path_ + " belongs to another user (number 65534)");
    EXPECT_TRUE(contains(error.remedy(), "make a new one"));
    ASSERT_EQ(::chown(path_, 0, 0), 0);
    EXPECT_NO_THROW(static_cast<void>(SessionKey::fromFile(path_)));
}

TEST_F(KeyFile, IsAFileOrAPipeAndIsNotWaitedFor) {
    EXPECT_THROW(static_cast<void>(SessionKey::fromFile("/dev/zero")), Error);
    ASSERT_EQ(::unlink(path_), 0);
    ASSERT_EQ(::mkfifo(path_, 0600), 0);
    EXPECT_THROW(static_cast<void>(SessionKey::fromFile(path_)), Error) << "nobody writes";
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string secret(32, 'x');
    ASSERT_EQ(::write(ends[1], secret.data(), secret.size()), 32);
    ::close(ends[1]);
    EXPECT_NO_THROW(static_cast<void>(SessionKey::fromFile("/dev/fd/" + std::to_string(ends[0]))));
    ::close(ends[0]);
}

TEST_F(KeyFile, TheEnvironmentMayHoldTheSame) {
    EXPECT_FALSE(SessionKey::fromEnvironment());
    ::setenv(kKeyVariable, "", 1);
    EXPECT_FALSE(SessionKey::fromEnvironment());
    const std::string secret = "0123456789abcdef0123456789abcdef";
    ::setenv(kKeyVariable, (secret + "\n").c_str(), 1);
    EXPECT_EQ(SessionKey::fromEnvironment().value().text(), keyFrom(secret).text());
    ::setenv(kKeyVariable, "short", 1);
    EXPECT_THROW(SessionKey::fromEnvironment(), Error);
    ::unsetenv(kKeyVariable);
}

}  // namespace
}  // namespace verbcast::testing
