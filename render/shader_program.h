// Assembles programs from the files of shaders/.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "render/gl_handles.h"

namespace verbcast {

/// Joins files of shaders/ into one GLSL 3.30 source: version, one #define per entry of `defines` ("NAME" or
/// "NAME VALUE"), then the files with their #include "file" lines replaced. Throws Error{Internal} if a file
/// does not exist.
std::string assembleShader(std::span<const std::string> defines, std::span<const std::string_view> files);

/// A linked program. Samplers plane0, plane1, plane2 are bound to texture units 0, 1, 2.
class ShaderProgram {
  public:
    /// Throws Error{Display} with the driver's log if the driver rejects the source.
    ShaderProgram(const std::string& vertexSource, const std::string& fragmentSource);

    void use() const { glUseProgram(program_.get()); }
    /// -1 for a uniform that the program does not use; glUniform* ignores that.
    GLint uniform(const char* name) const { return glGetUniformLocation(program_.get(), name); }

  private:
    GlProgram program_;
};

}  // namespace verbcast
