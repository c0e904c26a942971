// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/fontsubset.h"

#include <QRawFont>
#include <QtEndian>

#include <hb-subset.h>

#include <memory>

namespace headscope::widgets {

namespace {

template <auto destroy> struct Destroy {
    template <typename T> void operator()(T* object) const { destroy(object); }
};
using Blob = std::unique_ptr<hb_blob_t, Destroy<hb_blob_destroy>>;
using Face = std::unique_ptr<hb_face_t, Destroy<hb_face_destroy>>;
using SubsetInput = std::unique_ptr<hb_subset_input_t, Destroy<hb_subset_input_destroy>>;

constexpr quint16 kRestricted = 0x0002; ///< of OS/2 fsType
constexpr int kFsType = 8;              ///< where it stands

// A variable font's outlines are those of its default weight: Qt's raw font has no table of the instance.
constexpr const char* kTables[] = {"head", "hhea", "hmtx", "maxp", "name", "OS/2", "cmap",
                                   "post", "cvt ", "fpgm", "prep", "glyf", "loca", "CFF "};

bool mayBeEmbedded(const QByteArray& os2)
{
    return os2.size() < kFsType + 2 || !(qFromBigEndian<quint16>(os2.constData() + kFsType) & kRestricted);
}

Face faceOf(const QRawFont& font)
{
    const Face builder(hb_face_builder_create());
    for (const char* tag : kTables)
        if (const QByteArray table = font.fontTable(tag); !table.isEmpty()) {
            const Blob blob(hb_blob_create(table.constData(), static_cast<unsigned>(table.size()),
                                           HB_MEMORY_MODE_DUPLICATE, nullptr, nullptr));
            hb_face_builder_add_table(builder.get(), hb_tag_from_string(tag, 4), blob.get());
        }
    // A face of one blob: a builder's tables can be listed, but not all of its answers are those of a file.
    const Blob file(hb_face_reference_blob(builder.get()));
    return Face(hb_face_create(file.get(), 0));
}

} // namespace

QByteArray fontSubset(const QFont& font, const QString& letters)
{
    const QRawFont raw = QRawFont::fromFont(font);
    const bool outlines = !raw.fontTable("glyf").isEmpty() || !raw.fontTable("CFF ").isEmpty();
    if (!outlines || !mayBeEmbedded(raw.fontTable("OS/2")))
        return {};
    const Face face = faceOf(raw);
    const SubsetInput input(hb_subset_input_create_or_fail());
    if (!input)
        return {};
    hb_set_t* wanted = hb_subset_input_unicode_set(input.get());
    for (const char32_t letter : letters.toUcs4())
        hb_set_add(wanted, letter);
    const Face subset(hb_subset_or_fail(face.get(), input.get()));
    if (!subset)
        return {};
    const Blob file(hb_face_reference_blob(subset.get()));
    unsigned size = 0;
    const char* bytes = hb_blob_get_data(file.get(), &size);
    return {bytes, static_cast<qsizetype>(size)};
}

} // namespace headscope::widgets
