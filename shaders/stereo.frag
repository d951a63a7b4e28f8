// Combines the pictures of the left and the right eye. Both textures are laid out like the viewport.
uniform sampler2D plane0, plane1;  // left, right
uniform ivec2 origin, size;        // of the viewport
uniform int way;                   // StereoWay
uniform int firstRow;              // of the viewport, counted from the top of the screen

out vec4 fragment;

// E. Dubois, "A projection method to generate anaglyph stereo images" (ICASSP 2001), with the matrices of his
// "Conversion of a stereo pair to anaglyph with the least-squares projection method" (2009) for red and cyan.
// They apply to linear light and are written by columns.
const mat3 leftEye = mat3(0.437, -0.062, -0.048, 0.449, -0.062, -0.050, 0.164, -0.024, -0.017);
const mat3 rightEye = mat3(-0.011, 0.377, -0.026, -0.032, 0.761, -0.093, -0.007, 0.009, 1.234);

// IEC 61966-2-1
vec3 linear(vec3 coded) {
    return mix(pow((coded + 0.055) / 1.055, vec3(2.4)), coded / 12.92, lessThanEqual(coded, vec3(0.04045)));
}

vec3 coded(vec3 light) {
    vec3 inside = clamp(light, 0.0, 1.0);
    return mix(1.055 * pow(inside, vec3(1.0 / 2.4)) - 0.055, inside * 12.92,
               lessThanEqual(inside, vec3(0.0031308)));
}

vec3 left(ivec2 at) {
    return texelFetch(plane0, at, 0).rgb;
}

vec3 right(ivec2 at) {
    return texelFetch(plane1, at, 0).rgb;
}

// Averages two adjacent pixels into one.
vec3 halves(ivec2 at) {
    int width = size.x / 2;
    ivec2 first = ivec2(at.x % width * 2, at.y), second = first + ivec2(1, 0);
    vec3 mean = at.x < width ? left(first) + left(second) : right(first) + right(second);
    return at.x < 2 * width ? mean / 2.0 : vec3(0.0);
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) - origin;
    vec3 colour;
    if (way == 0) {
        colour = coded(leftEye * linear(left(at)) + rightEye * linear(right(at)));
    } else if (way == 1) {
        int row = firstRow + size.y - 1 - at.y;
        colour = row % 2 == 0 ? left(at) : right(at);
    } else {
        colour = halves(at);
    }
    fragment = vec4(colour, 1.0);
}
