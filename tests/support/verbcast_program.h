// The verbcast program and what it leaves: lines on stderr, statistics, MD5 lists.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/ffmpeg_program.h"
#include "tests/support/reserved_address.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {

using Arguments = std::vector<std::string>;
inline Arguments operator+(Arguments all, const Arguments& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

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

/// Lines of a --frame-md5 file without its heading.
std::vector<std::string> md5Lines(const std::string& path);
/// Whether frames may be missing: a viewer that is too slow for a live source has not got all.
enum class Gaps { None, Allowed };
/// The same without sequence numbers.
std::vector<FrameSum> frameSums(const std::string& path, Gaps gaps = Gaps::None);

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
    /// Writes that many bytes to the file "content": these.
    std::string makeContent(std::size_t bytes) const;
    /// That file, to be read.
    UniqueFd opened(const std::string& name) const;
    /// That file, empty, to be written.
    UniqueFd created(const std::string& name) const;

    TemporaryFolder files_;
    TemporaryFolder home_;

  private:
    std::vector<std::string> sharedMemory_;
};

/// One that makes files with the ffmpeg program, or holds others against it: skipped where there is none.
class ProgramAndFfmpegTest : public ProgramTest {
  protected:
    void SetUp() override;
};

}  // namespace verbcast::testing
