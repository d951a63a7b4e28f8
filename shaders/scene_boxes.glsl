// What the file of a scene is told and what it says about each of its boxes.
uniform float cycle;   // 0 to 2 pi, again and again: motion at whole multiples of it never jumps
uniform vec3 eye;

struct Box {
    vec3 centre;
    mat3 axes;        // half of each edge: right-handed, not always at right angles
    vec3 colour;      // of its faces
    vec3 glow;        // light of its own
    float footShade;  // light at its foot: 1 as at its top
    vec3 lamp;        // a light among the boxes
    vec3 lampColour;
    float lampReach;  // its light falls to half at 1 / sqrt(lampReach)
};
