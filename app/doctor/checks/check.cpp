#include "app/doctor/checks/check.h"

#include <iterator>

namespace verbcast {

std::string_view checkStateName(CheckState state) {
    switch (state) {
        case CheckState::Ok:
            return "ok";
        case CheckState::Info:
            return "info";
        case CheckState::Warning:
            return "warning";
        case CheckState::Failed:
            return "failed";
    }
    return "";
}

void append(Checks& all, Checks more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace verbcast
