// What windows call the layouts.
#pragma once

#include <QString>

#include "app/view/words/layout_names.h"

namespace verbcast {

/// A word or two, in the window's language; meaningOf() explains it.
QString layoutWord(Layout layout);

}  // namespace verbcast
