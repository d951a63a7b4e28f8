// Converts the whole picture in one pass: each target pixel is one picture pixel.
out vec4 fragment;

void main() { fragment = vec4(toScreen(componentsOfPixel(ivec2(gl_FragCoord.xy))), 1.0); }
