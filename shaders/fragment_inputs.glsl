// Shared by all fragment shaders. A layout file (packed_rgb, planar_yuv, ...) provides
//   vec3 componentsOfPixel(ivec2 pixel)  the exact pixel: R'G'B' or Y'CbCr as stored in the texture
//   vec3 componentsAtPosition()          interpolated at picturePosition: cheaper when reduced
in vec2 unitPosition;     // 0..1 over the picture from its top left
in vec2 picturePosition;  // in picture pixels from its top left
in vec2 chromaPosition;   // texture coordinates of the chroma planes, siting included

uniform ivec2 pictureLimit;  // last column and row of the picture
uniform ivec2 chromaLimit;   // last column and row of the chroma planes
uniform vec2 chromaSite;     // position of chroma sample 0, in picture pixels from the centre of pixel 0
