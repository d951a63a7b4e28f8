// verbcast-gl next to the program under test. Software OpenGL is enough.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/required_package.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {

inline std::string glPath() {
    return (std::filesystem::path(verbcastPath()).parent_path() / "verbcast-gl").string();
}

class GlProgram : public ProgramAndFfmpegTest {
  protected:
    void SetUp() override {
        ProgramAndFfmpegTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        renderer_ = askGl({"--gl-renderer"});
        renderer_.erase(renderer_.find_last_not_of('\n') + 1);
        if (renderer_.starts_with("none: ")) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "SKIPPED, no OpenGL here: " << renderer_;
        }
    }

    std::string askGl(Arguments arguments, int exitCode = 0) {
        arguments.insert(arguments.begin(), glPath());
        ChildProcess program(arguments, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, exitCode));
        errors_ = program.errors();
        return program.output();
    }

    /// The `stages` of a `verbcast bench stages` report for a small source.
    nlohmann::json stages(const Arguments& more) {
        Arguments arguments{"bench", "stages", "--quiet", "--json", file("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, 0));
        return readJson(file("report.json"))["stages"];
    }

    std::string renderer_, errors_;
};

}  // namespace verbcast::testing
