// Only so that a target has the precompiled header.
#include "tests/support/headers.h"

int main() {}
