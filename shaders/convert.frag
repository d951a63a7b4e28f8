// One pass over the whole picture: each pixel of the target is one pixel of the picture.
out vec4 fragment;

void main() { fragment = vec4(toScreen(componentsOfPixel(ivec2(gl_FragCoord.xy))), 1.0); }
