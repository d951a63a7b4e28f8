// The verbcast program and what it leaves: lines on stderr, statistics, MD5 lists.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/child_process.h"
#include "tests/app/ffmpeg_program.h"
#include "tests/app/temporary_folder.h"

namespace verbcast::testing {

using Arguments = std::vector<std::string>;

/// The program under test: $VERBCAST_PROGRAM, or the one that this build made.
std::string verbcastPath();

/// Instrumented programs hold freed memory back and answer late.
constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

/// `verbcast ARGUMENTS` in a folder that nothing but it uses.
class Verbcast : public ChildProcess {
  public:
    explicit Verbcast(const Arguments& arguments, const TemporaryFolder& folder, int input = -1,
                      int output = -1);

    /// Waits for "waiting for a viewer on ADDRESS" (or a sender, or a receiver) and gives the address, with
    /// its real port.
    std::string listenAddress();
};

/// An address that a viewer or sender may be given before anybody listens there. Ports of tcp stay reserved
/// for this program's children as long as this object lives.
class ReservedAddress {
  public:
    explicit ReservedAddress(const std::string& transport);
    const std::string& url() const { return url_; }

  private:
    UniqueFd socket_;
    std::string url_;
};

/// Lines of a --frame-md5 file without its heading.
std::vector<std::string> md5Lines(const std::string& path);
/// The same without sequence numbers.
std::vector<FrameSum> frameSums(const std::string& path);

nlohmann::json readJson(const std::string& path);

/// Asserts that a program ended with this code and says all that it said when it did not.
::testing::AssertionResult endsWith(ChildProcess& program, int exitCode);

/// Asserts that the text holds the part.
::testing::AssertionResult holds(const std::string& text, const std::string& part);

/// A test with a folder for files and one in which the programs run and must leave nothing.
class ProgramTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    std::string file(const std::string& name) const { return files_.file(name); }

    TemporaryFolder files_;
    TemporaryFolder home_;

  private:
    std::vector<std::string> sharedMemory_;
};

}  // namespace verbcast::testing
