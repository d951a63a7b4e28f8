// By which addresses and interfaces this host is reached, and reaches others.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// This host's addresses for others, in numbers and without a port: those of interfaces that are up, without
/// loopback and those that only a link knows. Empty where they cannot be read.
std::vector<std::string> hostAddresses();

/// The interface that has this address, with or without a port; "": none, or unknown.
std::string interfaceWith(const std::string& address);

/// The interface by which the kernel would send to that address (numbers, no port); "": it would not. Sends
/// nothing.
std::string interfaceTowards(const std::string& address);

}  // namespace verbcast
