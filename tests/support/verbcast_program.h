// Runs the verbcast program and reads what it leaves: lines on stderr, statistics, MD5 lists.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/ffmpeg_program.h"
#include "tests/support/required_package.h"
#include "tests/support/reserved_address.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {

using Arguments = std::vector<std::string>;
inline Arguments operator+(Arguments all, const Arguments& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// The program under test: $VERBCAST_PROGRAM, or the one from this build.
std::string verbcastPath();

/// Runs `verbcast ARGUMENTS` in a folder that nothing else uses.
class Verbcast : public ChildProcess {
  public:
    explicit Verbcast(const Arguments& arguments, const TemporaryFolder& folder, int input = -1,
                      int output = -1);

    /// Waits for "waiting for a viewer on ADDRESS" (or a sender, or a receiver) and returns the address with
    /// its actual port.
    std::string listenAddress();
};

/// The lines of a --frame-md5 file without its heading.
std::vector<std::string> md5Lines(const std::string& path);
/// Whether frames may be missing: a viewer too slow for a live source does not get all.
enum class Gaps { None, Allowed };
/// The same lines without sequence numbers.
std::vector<FrameSum> frameSums(const std::string& path, Gaps gaps = Gaps::None);

nlohmann::json readJson(const std::string& path);

/// Asserts that a program ends with this code; otherwise reports its messages.
::testing::AssertionResult endsWith(ChildProcess& program, int exitCode);

/// How much of a program is in memory; 0 if it has ended.
std::size_t residentKilobytes(const ChildProcess& program);

/// Asserts that the text contains the part.
::testing::AssertionResult holds(const std::string& text, const std::string& part);

/// A test with a folder for files, and one in which the programs run and must leave nothing.
class ProgramTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    std::string file(const std::string& name) const { return files_.file(name); }
    /// Writes that many bytes to the file "content" and returns them.
    std::string makeContent(std::size_t bytes) const;
    /// Opens that file for reading.
    UniqueFd opened(const std::string& name) const;
    /// Creates or empties that file for writing.
    UniqueFd created(const std::string& name) const;

    TemporaryFolder files_;
    TemporaryFolder home_;

  private:
    std::vector<std::string> sharedMemory_;
};

/// A test that makes files with the ffmpeg program, or compares with it: skipped if that is missing.
class ProgramAndFfmpegTest : public ProgramTest {
  protected:
    void SetUp() override;
};

/// A test, one of these two, whose programs draw: skipped where there is no OpenGL.
template <typename Base>
class DrawingTest : public Base {
  protected:
    void SetUp() override {
        Base::SetUp();
        if (Base::IsSkipped()) {
            return;
        }
        Verbcast devices({"devices"}, Base::home_);
        EXPECT_TRUE(endsWith(devices, 0));
        if (devices.output().find("OpenGL renderer\n  none") != std::string::npos) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "SKIPPED, no OpenGL here: " << devices.output();
        }
    }
};

}  // namespace verbcast::testing
