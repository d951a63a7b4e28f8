// The inputs of a scene's file, and its output for each of its boxes.
uniform float cycle;   // 0 to 2 pi, repeating: motion at whole multiples of it never jumps
uniform vec3 eye;

struct Box {
    vec3 centre;
    mat3 axes;        // half of each edge: right-handed, not always orthogonal
    vec3 colour;      // of its faces
    vec3 glow;        // light of its own
    float footShade;  // light at its foot, relative to its top
    vec3 lamp;        // a light among the boxes
    vec3 lampColour;
    float lampReach;  // the lamp's light halves at 1 / sqrt(lampReach)
};
