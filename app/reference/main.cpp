// Generates verbcast's manual, shell completion and docs/reference.md from what the program knows of itself:
// verbcast-reference FOLDER.
// Used by the build; not installed.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "app/commands/command_tree.h"
#include "app/reference/documents.h"
#include "core/base/os/standard_streams.h"
#include "core/base/version.h"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) {
        throw std::runtime_error(fmt::format("cannot write {}", path.string()));
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2 || std::string_view(argv[1]).starts_with('-')) {
            throw std::runtime_error("usage: verbcast-reference FOLDER");
        }
        const std::filesystem::path folder = argv[1];
        const verbcast::CommandTree commands;
        const verbcast::Command& verbcast = commands.verbcast();
        for (const verbcast::Command* command : verbcast.all()) {
            write(folder / "man" / (command->path("-") + ".1"), manualPage(*command, verbcast::kVersion));
        }
        write(folder / "reference.md", referencePage(verbcast));
        write(folder / "bash" / "verbcast", bashCompletion(verbcast));
        write(folder / "zsh" / "_verbcast", zshCompletion(verbcast));
        write(folder / "fish" / "verbcast.fish", fishCompletion(verbcast));
    } catch (const std::exception& error) {
        verbcast::printToStderr("verbcast-reference: {}\n", error.what());
        return 1;
    }
}
