// What the layout files (see fragment_inputs.glsl) use besides the planes, in a vertex shader: only
// componentsOfPixel() may be called there, for luma or R'G'B'.
const vec2 unitPosition = vec2(0.0), picturePosition = vec2(0.0), chromaPosition = vec2(0.0);
const ivec2 pictureLimit = ivec2(0), chromaLimit = ivec2(0);
const vec2 chromaSite = vec2(0.0);
