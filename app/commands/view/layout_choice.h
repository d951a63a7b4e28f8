// Values of the options that lay pictures out, of every command that does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/options/values.h"
#include "app/view/layout.h"
#include "app/view/pane_places.h"

namespace verbcast {

/// Of those layouts for which `has` is true.
Value<const Layout*> layoutValue(const std::function<bool(const Layout&)>& has);
/// `beginning`, and what each of them means, a line each.
std::string layoutHelp(std::string beginning, const std::function<bool(const Layout&)>& has);

/// --panes; kPanesValue describes it.
Value<std::vector<PanePlace>> panesValue();
inline constexpr const char* kPanesHelp =
    "With --layout free: where the streams are, lowest first: NUMBER:LEFT,TOP,WIDTH in percent of the "
    "window, an "
    "OPACITY in percent, \"alpha\" to use the picture's own (\"premultiplied\" if its colours are), a height "
    "to fit it into, the part of the picture to show; for example \"1:0,0,100;2:60,55,35,80,alpha\"";

}  // namespace verbcast
