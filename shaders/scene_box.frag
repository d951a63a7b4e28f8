// All light was reckoned at the corners and all that is left is to spread it: what software OpenGL can do at 60
// frames a second.
flat in vec3 faceColour;
noperspective in float cornerShade;

out vec4 fragment;

void main() {
    fragment = vec4(faceColour * cornerShade, 1.0);
}
