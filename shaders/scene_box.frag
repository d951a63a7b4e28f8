// Light was computed at the corners; this only spreads it: software OpenGL can do that at 60 frames/s.
flat in vec3 faceColour;
noperspective in float cornerShade;

out vec4 fragment;

void main() {
    fragment = vec4(faceColour * cornerShade, 1.0);
}
