// CLI11's types for headers: its own header takes seconds to compile, and only what adds options needs it.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI
