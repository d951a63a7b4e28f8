// Input in the C interface.
#pragma once

#include "core/api/common.h"
#include "core/session/messages/input.h"

namespace verbcast {

/// Throws Error{Usage} for what cannot be sent.
InputEvent inputEventFrom(const vc_input* given);
/// Lends the event's data and names. Throws Error{Usage} for a struct without a size.
void fillInput(vc_input* target, ViewerInput&& input);
/// Throws what fillInput() would.
void checkInput(const vc_input* target);

}  // namespace verbcast
