// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pytorch/ziparchive.h"

#include "core/io/textfiles/quote.h"

#include <unzip.h>

#include <algorithm>
#include <memory>

namespace headscope::io {

namespace {

// The file as minizip reads it.
struct Stream {
    const OpenFile* file = nullptr;
    std::uint64_t at = 0;
};

void* openStream(void* stream, const void*, int)
{
    return stream;
}

uLong readStream(void*, void* stream, void* into, uLong size)
{
    Stream& from = *static_cast<Stream*>(stream);
    if (from.at > from.file->size() || size > from.file->size() - from.at
        || !from.file->readAt(from.at, static_cast<char*>(into), size))
        return 0;
    from.at += size;
    return size;
}

ZPOS64_T tellStream(void*, void* stream)
{
    return static_cast<Stream*>(stream)->at;
}

long seekStream(void*, void* stream, ZPOS64_T offset, int origin)
{
    Stream& from = *static_cast<Stream*>(stream);
    const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? from.at
                               : origin == ZLIB_FILEFUNC_SEEK_END ? from.file->size()
                                                                  : 0;
    if (offset > from.file->size() - std::min(base, from.file->size()))
        return -1;
    from.at = base + offset;
    return 0;
}

int leaveStream(void*, void*)
{
    return 0;
}

Error cutShort()
{
    return inputError("it is not a complete zip file; it was cut short, or PyTorch did not write it");
}

/// Whether the record is there that every archive ends with. minizip does without it where a Zip64 record is found, and
/// so would not notice that the last bytes are missing.
bool hasEnd(const OpenFile& file)
{
    constexpr std::uint64_t kEndSize = 22, kLongestComment = 65535;
    std::string tail(static_cast<std::size_t>(std::min(file.size(), kEndSize + kLongestComment)), '\0');
    if (!file.readAt(file.size() - tail.size(), tail.data(), tail.size()))
        return false;
    const std::size_t at = tail.rfind("PK\x05\x06");
    return at != tail.npos && tail.size() - at >= kEndSize;
}

/// Where the bytes of the current entry are.
Result<ZipEntry> placeOf(unzFile archive, const unz_file_info64& info, const std::string& name, std::uint64_t fileSize)
{
    int method = 0, level = 0;
    if (unzOpenCurrentFile2(archive, &method, &level, 1) != UNZ_OK)
        return inputError("its entry " + inQuotes(name) + " is not where its directory says");
    const std::uint64_t begin = unzGetCurrentFileZStreamPos64(archive);
    unzCloseCurrentFile(archive);
    if (begin > fileSize || info.uncompressed_size > fileSize - begin)
        return inputError("its entry " + inQuotes(name) + " extends past the end of the file");
    return ZipEntry{begin, begin + info.uncompressed_size};
}

} // namespace

Result<std::map<std::string, ZipEntry>> readZipDirectory(const OpenFile& file)
{
    Stream stream{&file};
    zlib_filefunc64_def functions{openStream, readStream,  nullptr, tellStream,
                                  seekStream, leaveStream, nullptr, &stream};
    functions.zerror_file = [](void*, void*) { return 0; };
    const std::unique_ptr<void, int (*)(unzFile)> archive(unzOpen2_64(&stream, &functions), unzClose);
    if (!archive || !hasEnd(file))
        return cutShort();
    unz_global_info64 global{};
    if (unzGetGlobalInfo64(archive.get(), &global) != UNZ_OK)
        return cutShort();
    std::map<std::string, ZipEntry> entries;
    int status = global.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(archive.get());
    for (; status == UNZ_OK; status = unzGoToNextFile(archive.get())) {
        unz_file_info64 info{};
        if (unzGetCurrentFileInfo64(archive.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
            return cutShort();
        std::string name(info.size_filename, '\0'); // of 65,535 bytes at most
        if (unzGetCurrentFileInfo64(archive.get(), &info, name.data(), info.size_filename, nullptr, 0, nullptr, 0)
            != UNZ_OK)
            return cutShort();
        if ((info.flag & 1) != 0)
            return inputError("its entry " + inQuotes(name) + " is encrypted");
        if (info.compression_method != 0 || info.compressed_size != info.uncompressed_size)
            return inputError("its entry " + inQuotes(name) + " is compressed; PyTorch stores tensors uncompressed");
        const auto place = placeOf(archive.get(), info, name, file.size());
        if (!place.has_value())
            return place.error();
        if (const auto [at, fresh] = entries.emplace(std::move(name), *place); !fresh)
            return inputError("it has the entry " + inQuotes(at->first) + " twice");
    }
    return status == UNZ_END_OF_LIST_OF_FILE ? Result<std::map<std::string, ZipEntry>>(std::move(entries)) : cutShort();
}

} // namespace headscope::io
