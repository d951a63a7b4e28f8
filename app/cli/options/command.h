// What a command is called, what it says of itself, and its options: from this the command line is parsed,
// and help, the manual and completion are written.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options/option_list.h"

namespace verbcast {

/// What help says below the options.
struct Remarks {
    std::string text{};       ///< first
    std::string lists{};      ///< lines that stay as they are: "Scenes:\n  waves: ..."
    bool addresses = false;   ///< how addresses are written
    std::string examples{};   ///< lines, without indentation
    bool frames = false;      ///< what dropped, lost and skipped mean: once, in help of everything
    std::string exitCodes{};  ///< empty: those of all commands
};

class Command {
  public:
    Command(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {}
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    /// A command of this one. The reference stays valid.
    Command& add(const std::string& name, const std::string& summary);

    const std::string& name() const { return name_; }
    const std::string& summary() const { return summary_; }
    /// "verbcast pipe send", or with another separator.
    std::string path(const char* separator = " ") const;
    const Command* parent() const { return parent_; }
    const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }
    /// Those that help lists.
    std::vector<const Command*> listed() const;
    /// This one and all listed ones below it, in tree order.
    std::vector<const Command*> all() const;

    OptionList options{};
    /// But those that are hidden.
    std::vector<const BoundOption*> shownOptions() const;
    Remarks remarks{};
    /// Former spellings of options, and what to write instead.
    std::vector<std::pair<std::string, std::string>> formerly{};
    /// Former commands, and what to do instead.
    std::vector<std::pair<std::string, std::string>> gone{};
    bool hidden = false;        ///< not listed
    bool needsCommand = false;  ///< one of its commands has to be given
    bool takesProgram = false;  ///< after "--", a program and its arguments follow
    bool chosen = false;        ///< it, or one of its commands, was given

  private:
    std::string name_, summary_;
    const Command* parent_ = nullptr;
    std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace verbcast
