// What is said to the user about a source, each thing once.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace verbcast {

class NoteList {
  public:
    void add(std::string note) {
        if (std::ranges::find(notes_, note) == notes_.end()) {
            notes_.push_back(std::move(note));
        }
    }
    const std::vector<std::string>& all() const { return notes_; }

  private:
    std::vector<std::string> notes_;
};

}  // namespace verbcast
