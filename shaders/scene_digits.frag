// Draws digits of round dots, lit like a counter.
uniform sampler2D glyphs;  // one texel per dot, digits side by side
uniform ivec2 cell;        // dots per digit
uniform int digits[6];

in vec2 dotPosition;

out vec4 fragment;

void main() {
    ivec2 at = ivec2(dotPosition);
    int place = clamp(at.x / cell.x, 0, 5);
    float ink = texelFetch(glyphs, ivec2(at.x - place * cell.x + digits[place] * cell.x, at.y), 0).r;
    float fromCentre = length(fract(dotPosition) - 0.5);
    float lit = ink * (1.0 - smoothstep(0.36, 0.54, fromCentre));
    fragment = vec4(mix(vec3(0.02, 0.03, 0.05), vec3(1.0, 0.86, 0.62), lit), mix(0.30, 0.95, lit));
}
