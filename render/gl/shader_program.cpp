#include "render/gl/shader_program.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/video/pixel_format.h"

namespace verbcast {
namespace {

void appendFile(std::string& source, std::string_view name) {
    const auto found = embeddedShaders().find(name);
    if (found == embeddedShaders().end()) {
        throw Error(ErrorKind::Internal, "shader file " + std::string(name) + " is not in the program");
    }
    constexpr std::string_view kInclude = "#include \"";
    std::string_view rest = found->second;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size() - 1);
        const auto line = rest.substr(0, end + 1);
        rest.remove_prefix(end + 1);
        if (line.starts_with(kInclude)) {
            appendFile(source,
                       line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size()));
        } else {
            source += line;
        }
    }
}

GlShader compile(GLenum stage, const ShaderProgram::Files& files, std::span<const std::string> defines) {
    std::string source = "#version 330 core\n";
    for (const auto& define : defines) {
        source += "#define " + define + "\n";
    }
    for (const auto file : files) {
        appendFile(source, file);
    }
    GlShader shader(glCreateShader(stage));
    const char* text = source.c_str();
    glShaderSource(shader.get(), 1, &text, nullptr);
    glCompileShader(shader.get());
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &compiled);
    if (compiled != GL_TRUE) {
        char log[2000] = "";
        glGetShaderInfoLog(shader.get(), sizeof log, nullptr, log);
        throw Error(ErrorKind::Display, std::string("the OpenGL driver does not compile a shader: ") + log,
                    "update the graphics driver, or run with LIBGL_ALWAYS_SOFTWARE=1");
    }
    return shader;
}

}  // namespace

ShaderProgram::ShaderProgram(const Files& vertex, const Files& fragment, std::span<const std::string> defines)
    : program_(GlProgram::create()) {
    const auto vertexShader = compile(GL_VERTEX_SHADER, vertex, defines);
    const auto fragmentShader = compile(GL_FRAGMENT_SHADER, fragment, defines);
    glAttachShader(program_.get(), vertexShader.get());
    glAttachShader(program_.get(), fragmentShader.get());
    glLinkProgram(program_.get());
    GLint linked = GL_FALSE;
    glGetProgramiv(program_.get(), GL_LINK_STATUS, &linked);
    if (linked != GL_TRUE) {
        char log[2000] = "";
        glGetProgramInfoLog(program_.get(), sizeof log, nullptr, log);
        throw Error(ErrorKind::Display,
                    std::string("the OpenGL driver does not link a shader program: ") + log,
                    "update the graphics driver, or run with LIBGL_ALWAYS_SOFTWARE=1");
    }
    glDetachShader(program_.get(), vertexShader.get());
    glDetachShader(program_.get(), fragmentShader.get());
    use();
    for (std::size_t plane = 0; plane < kMaxPlanes; ++plane) {
        glUniform1i(uniform(("plane" + std::to_string(plane)).c_str()), static_cast<GLint>(plane));
    }
    glUseProgram(0);
}

}  // namespace verbcast
