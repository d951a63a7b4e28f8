#include "render/upload/uploaded_picture.h"

#include "core/memory/device_pool.h"

#include "render/gl/picture_target.h"

namespace verbcast {

/// Whether pictures of this format fit the existing textures.
bool UploadedPicture::fits(const VideoFormat& format) const {
    return any_ && !held_ && format.width == format_.width && format.height == format_.height &&
           format.pixelFormat == format_.pixelFormat;
}

PictureChanges UploadedPicture::upload(const VideoFormat& format, const PictureSource& source,
                                       const PictureChanges& changed) {
    PictureChanges changes = PictureChanges::all();
    if (fits(format) && format == format_) {
        changes = changed;
        changes.add(missed_);
    } else if (!fits(format)) {
        any_ = false;
        planes_ = {};
        spareMade_ = false;
        letGo();
        planes_[shown_].target = UploadTarget(format);
        uploader_.reset();
    }
    format_ = format;
    missed_ = PictureChanges::none();
    spareLacks_.add(changes);
    count(uploader_.upload(format, planes_[shown_].target, source, changes));
    any_ = true;
    return changes;
}

std::optional<PictureChanges> UploadedPicture::uploadIf(const VideoFormat& format,
                                                        const PictureSource& source,
                                                        const PictureChanges& changed,
                                                        const std::function<bool()>& whole) {
    if (!fits(format)) {
        spareMade_ = false;
        uploader_.reset();
    }
    if (!spareMade_) {
        spare() = {};
        spare().target = UploadTarget(format);
        spareLacks_ = PictureChanges::all();
    }
    PictureChanges changes = fits(format) && format == format_ ? changed : PictureChanges::all();
    changes.add(missed_);
    spareLacks_.add(changes);
    const UploadPath path = uploader_.upload(format, spare().target, source, spareLacks_);
    spareMade_ = fits(format);
    if (!whole()) {
        missed_ = changes;
        spareLacks_ = PictureChanges::all();
        return std::nullopt;
    }
    count(path);
    missed_ = PictureChanges::none();
    spareLacks_ = changes;
    shown_ = 1 - shown_;
    if (held_) {
        spare() = {};
        spareMade_ = false;
        letGo();
    }
    format_ = format;
    any_ = true;
    return changes;
}

std::optional<PictureChanges> UploadedPicture::take(const VideoFormat& format, const FrameLease& lease,
                                                    const PictureChanges& changed,
                                                    const std::function<bool()>& whole) {
    if (adopt(format, lease)) {
        return PictureChanges::all();
    }
    const PictureSource source{isInDevice(lease) ? nullptr : lease.data(), &lease};
    if (lease.pool()->deathSockets().empty()) {  // nobody else writes there
        return upload(format, source, changed);
    }
    return uploadIf(format, source, changed, whole);
}

bool UploadedPicture::adopt(const VideoFormat& format, const FrameLease& lease) {
    const std::shared_ptr<FramePool>& pool = lease.pool();
    const auto buffers = pool->memory()->buffers();
    if (buffers.empty()) {
        notImported_.clear();
        return false;
    }
    if (!notImported_.empty() && notImportedOf_.lock() == pool && notImportedAs_ == format) {
        return false;
    }
    if (!import_) {
        import_.emplace(software_);
    }
    // Imports each picture anew: only then do drivers read the buffer again.
    DmaBufImport::Imported imported =
        import_->textures(format, {.descriptor = buffers[lease.slot()].get(), .offset = 0});
    notImported_ = std::move(imported.problem);
    if (!notImported_.empty()) {
        notImportedOf_ = pool;
        notImportedAs_ = format;
        return false;
    }
    planes_ = {};
    letGo();
    planes_[shown_].target.textures = std::move(imported.textures);
    spareMade_ = false;
    missed_ = PictureChanges::none();
    held_ = lease.share();
    ++inPlace_;
    format_ = format;
    any_ = true;
    return true;
}

/// The sender overwrites the slot once nobody holds the frame, so drawing from it must be done.
void UploadedPicture::letGo() {
    if (held_) {
        GlFence drawn;
        drawn.insert();
        drawn.wait();
        held_.reset();
    }
}

UploadReport UploadedPicture::report() const {
    UploadReport report = held_ ? UploadReport{.reason = "dma-buf: read where it lies"} : uploader_.report();
    report.inPlace = inPlace_;
    report.withinGpu = withinGpu_;
    report.uploaded = uploaded_;
    if (!held_ && !notImported_.empty()) {
        report.reason += "; the sender's dma-buf is uploaded: " + notImported_;
    }
    return report;
}

GLuint UploadedPicture::firstPlane() {
    Planes& planes = planes_[shown_];
    if (!planes.first) {
        const TargetScope saved;
        planes.first = GlFramebuffer::create();
        glBindFramebuffer(GL_READ_FRAMEBUFFER, planes.first.get());
        glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               planes.target.textures.texture(0), 0);
        planes.firstReadable = glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    return planes.firstReadable ? planes.first.get() : 0;
}

}  // namespace verbcast
