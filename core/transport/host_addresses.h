// The addresses and interfaces by which this host is reached and reaches others.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// Addresses at which others reach this host, numeric and without a port: those of interfaces that are up,
/// except loopback and link-local ones. Empty if they cannot be read.
std::vector<std::string> hostAddresses();

/// The interface that has this address, with or without a port; "": none, or unknown.
std::string interfaceWith(const std::string& address);

/// The interface that the kernel would use to send to that address (numeric, no port); "": none. Sends
/// nothing.
std::string interfaceTowards(const std::string& address);

}  // namespace verbcast
