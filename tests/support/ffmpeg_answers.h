// What the ffmpeg program answered, kept: a start takes longer than most of its work, and tests of several
// transports, builds and guests ask the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace verbcast::testing {

/// A call of ffmpeg whose answer can be kept in the folder $VERBCAST_TEST_FFMPEG, by the program, the
/// arguments and the content of the input files. Without that variable, and for calls that depend on more,
/// nothing is kept. What is wrong with the folder is ignored.
class FfmpegCall {
  public:
    /// Reads the input files. `program` is the file that will be run.
    FfmpegCall(const std::filesystem::path& program, const std::vector<std::string>& arguments);

    /// The standard output of an earlier call like this one; makes the output file, too.
    std::optional<std::string> answer() const;
    /// For the next calls. Reads the output file.
    void keep(const std::string& standardOutput) const;

  private:
    std::filesystem::path kept_;    ///< without the suffixes ".out" and ".file"; empty: not kept
    std::filesystem::path output_;  ///< the output file; empty: standard output
};

}  // namespace verbcast::testing
