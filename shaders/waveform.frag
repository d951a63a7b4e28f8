// Draws a waveform: the more of a column's pixels have a code, the brighter.
uniform sampler2D plane0;    // how many do; the components' codes one above the other
uniform ivec2 origin, size;  // of the viewport
uniform vec2 nominal;        // codes of 0 and 100 %
uniform float onePixel;      // its share of a column
uniform int components;      // 1: Y', 3: R'G'B'

out vec4 fragment;

const vec3 kTrace = vec3(0.72, 1.0, 0.80);
const vec3 kLine = vec3(0.36, 0.40, 0.44);
const float kBackground = 0.72;  // its opacity
const float kGain = 0.6;

void main() {
    ivec2 cells = textureSize(plane0, 0) / ivec2(1, components);
    vec2 at = gl_FragCoord.xy - vec2(origin);
    vec2 perPixel = vec2(cells) / vec2(size);
    ivec2 first = ivec2(floor((at - 0.5) * perPixel));
    ivec2 last = max(first, min(ivec2(floor((at + 0.5) * perPixel)) - 1, cells - 1));
    vec3 sum = vec3(0.0);
    for (int column = first.x; column <= last.x; ++column) {
        for (int level = first.y; level <= last.y; ++level) {
            for (int channel = 0; channel < components; ++channel) {
                sum[channel] += texelFetch(plane0, ivec2(column, level + channel * cells.y), 0).r;
            }
        }
    }
    // 1 where the codes of a column are spread evenly over all levels.
    ivec2 summed = last - first + 1;
    vec3 density = sum * onePixel * float(cells.y) / float(summed.x * summed.y);
    vec3 lit = 1.0 - exp(-kGain * density);
    vec3 trace = components == 1 ? kTrace * lit.r : lit;
    float line = 0.0;
    for (int quarter = 0; quarter <= 4; ++quarter) {
        float code = mix(nominal.x, nominal.y, float(quarter) / 4.0);
        bool here = abs(at.y - (code + 0.5) / perPixel.y) <= 0.5;
        line = max(line, here ? (quarter % 4 == 0 ? 1.0 : 0.5) : 0.0);
    }
    float brightest = max(max(trace.r, trace.g), trace.b);
    fragment = vec4(max(trace, kLine * line), max(kBackground, brightest));
}
