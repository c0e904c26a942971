// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy/zipbytes.h"

#include <zip.h>

#include <algorithm>

namespace headscope::io {

namespace {

// The archive in memory, as minizip writes it.
struct Archive {
    std::string data;
    std::size_t at = 0;
};

uLong writeBytes(void*, void* stream, const void* from, uLong size)
{
    Archive& to = *static_cast<Archive*>(stream);
    to.data.resize(std::max<std::size_t>(to.data.size(), to.at + size));
    std::copy_n(static_cast<const char*>(from), size, to.data.begin() + static_cast<std::ptrdiff_t>(to.at));
    to.at += size;
    return size;
}

long seekBytes(void*, void* stream, ZPOS64_T offset, int origin)
{
    Archive& to = *static_cast<Archive*>(stream);
    to.at = (origin == ZLIB_FILEFUNC_SEEK_CUR ? to.at : origin == ZLIB_FILEFUNC_SEEK_END ? to.data.size() : 0) + offset;
    return to.at <= to.data.size() ? 0 : -1;
}

bool addEntry(zipFile archive, const std::string& name, const std::string& data)
{
    zip_fileinfo info{};
    info.dosDate = 0x210000; // midnight of 1 January 1980, so that equal entries give equal bytes
    const bool large = data.size() >= 0xffffffff;
    if (zipOpenNewFileInZip64(archive, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0, 0, large ? 1 : 0)
        != ZIP_OK)
        return false;
    constexpr std::size_t kMost = std::size_t{1} << 30; // minizip counts in 32 bits
    bool whole = true;
    for (std::size_t begin = 0; whole && begin < data.size(); begin += kMost)
        whole = zipWriteInFileInZip(archive, data.data() + begin,
                                    static_cast<unsigned>(std::min(kMost, data.size() - begin)))
                == ZIP_OK;
    return zipCloseFileInZip(archive) == ZIP_OK && whole;
}

} // namespace

Result<std::string> zipBytes(std::span<const ZipFile> files)
{
    Archive bytes;
    zlib_filefunc64_def functions{};
    functions.zopen64_file = [](void* stream, const void*, int) { return stream; };
    functions.zread_file = [](void*, void*, void*, uLong) -> uLong { return 0; }; // nothing is appended to
    functions.zwrite_file = writeBytes;
    functions.ztell64_file = [](void*, void* stream) -> ZPOS64_T { return static_cast<Archive*>(stream)->at; };
    functions.zseek64_file = seekBytes;
    functions.zclose_file = [](void*, void*) { return 0; };
    functions.zerror_file = [](void*, void*) { return 0; };
    functions.opaque = &bytes;
    zipFile archive = zipOpen2_64(&bytes, APPEND_STATUS_CREATE, nullptr, &functions);
    bool whole = archive != nullptr;
    for (const ZipFile& file : files)
        whole = whole && addEntry(archive, file.name, file.data);
    if (archive == nullptr || zipClose(archive, nullptr) != ZIP_OK || !whole)
        return ioError("The zip archive could not be made; expected enough memory for all of its entries.");
    return std::move(bytes.data);
}

} // namespace headscope::io
