#include "render/uploaded_picture.h"

#include "render/picture_target.h"

namespace verbcast {

/// Whether its pictures fit the textures there are.
bool UploadedPicture::fits(const VideoFormat& format) const {
    return any_ && format.width == format_.width && format.height == format_.height &&
           format.pixelFormat == format_.pixelFormat;
}

PictureChanges UploadedPicture::upload(const VideoFormat& format, const std::byte* payload,
                                       const PictureChanges& changed) {
    PictureChanges changes = PictureChanges::all();
    if (any_ && format == format_) {
        changes = changed;
        changes.add(missed_);
    } else if (!fits(format)) {
        any_ = false;
        planes_ = {};
        spareMade_ = false;
        planes_[shown_].textures = PlaneTextures(format);
        uploader_.reset();
    }
    format_ = format;
    missed_ = PictureChanges::none();
    spareLacks_.add(changes);
    uploader_.upload(format, textures(), payload, changes);
    any_ = true;
    return changes;
}

std::optional<PictureChanges> UploadedPicture::uploadIf(const VideoFormat& format, const std::byte* payload,
                                                        const PictureChanges& changed,
                                                        const std::function<bool()>& whole) {
    if (!fits(format)) {
        spareMade_ = false;
        uploader_.reset();
    }
    if (!spareMade_) {
        spare() = {};
        spare().textures = PlaneTextures(format);
        spareLacks_ = PictureChanges::all();
    }
    PictureChanges changes = any_ && format == format_ ? changed : PictureChanges::all();
    changes.add(missed_);
    spareLacks_.add(changes);
    uploader_.upload(format, spare().textures, payload, spareLacks_);
    spareMade_ = fits(format);
    if (!whole()) {
        missed_ = changes;
        spareLacks_ = PictureChanges::all();
        return std::nullopt;
    }
    missed_ = PictureChanges::none();
    spareLacks_ = changes;
    shown_ = 1 - shown_;
    format_ = format;
    any_ = true;
    return changes;
}

GLuint UploadedPicture::firstPlane() {
    Planes& planes = planes_[shown_];
    if (!planes.first) {
        const TargetScope saved;
        planes.first = GlFramebuffer::create();
        glBindFramebuffer(GL_READ_FRAMEBUFFER, planes.first.get());
        glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               planes.textures.texture(0), 0);
        planes.firstReadable = glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    return planes.firstReadable ? planes.first.get() : 0;
}

}  // namespace verbcast
