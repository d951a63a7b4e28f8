// Options for whom a command lets in: --key-file, --encrypt and, for listeners, --open and --grant.
#pragma once

#include "app/cli/options/option_list.h"
#include "app/cli/trust/trust_choice.h"

namespace verbcast {

/// All of them.
void addTrust(OptionList& options, TrustChoice& choice);
/// Only those of a command that connects.
void addKey(OptionList& options, TrustChoice& choice);

}  // namespace verbcast
