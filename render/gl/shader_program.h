// Assembles programs from the files of shaders/.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "render/gl/gl_handles.h"

namespace verbcast {

/// The files of shaders/ by file name, as embedded by the build.
const std::map<std::string_view, std::string_view>& embeddedShaders();

/// A linked program. Samplers plane0, plane1, ... are bound to texture units 0, 1, ..., one for each plane.
class ShaderProgram {
  public:
    using Files = std::initializer_list<std::string_view>;
    /// Each shader is GLSL 3.30 and consists of these files of shaders/, with their #include "file" lines
    /// replaced. Both begin with a #define per entry of `defines`: "NAME" or "NAME VALUE". Throws
    /// Error{Display} with the driver's log if the driver rejects it, Error{Internal} if a file does not
    /// exist.
    ShaderProgram(const Files& vertex, const Files& fragment, std::span<const std::string> defines = {});

    void use() const { glUseProgram(program_.get()); }
    /// -1 for a uniform that the program does not use; glUniform* ignores that.
    GLint uniform(const char* name) const { return glGetUniformLocation(program_.get(), name); }

  private:
    GlProgram program_;
};

}  // namespace verbcast
