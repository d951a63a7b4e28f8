// What every fragment shader shares. A layout file (packed_rgb, planar_yuv, ...) provides
//   vec3 componentsOfPixel(ivec2 pixel)  the pixel itself: R'G'B' or Y'CbCr as the texture holds them, exact
//   vec3 componentsAtPosition()          the same at picturePosition, interpolated: cheaper when reduced
in vec2 unitPosition;     // 0..1 over the picture from its top left
in vec2 picturePosition;  // in picture pixels from its top left
in vec2 chromaPosition;   // texture coordinates of the chroma planes, siting included

uniform ivec2 pictureLimit;  // last column and row of the picture
uniform ivec2 chromaLimit;   // last column and row of the chroma planes
uniform vec2 chromaSite;     // where chroma sample 0 lies, in picture pixels from the centre of pixel 0
