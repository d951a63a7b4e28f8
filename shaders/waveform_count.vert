// One point for each component of each pixel that is counted, at its column and code value.
uniform ivec2 samples;    // across and down the picture
uniform int sampleStep;   // pixels from one to the next
uniform ivec2 cells;      // columns and levels of a component
uniform int components;
uniform float codeOfOne;  // the code value of a component of 1.0

void main() {
    int channel = gl_VertexID / (samples.x * samples.y);
    int number = gl_VertexID % (samples.x * samples.y);
    ivec2 at = ivec2(number % samples.x, number / samples.x);
    float code = floor(componentsOfPixel(at * sampleStep)[channel] * codeOfOne + 0.5);
    vec2 cell = vec2(at.x * cells.x / samples.x, float(channel * cells.y) + code);
    vec2 size = vec2(cells.x, cells.y * components);
    gl_Position = vec4((cell + 0.5) / size * 2.0 - 1.0, 0.0, 1.0);
}
