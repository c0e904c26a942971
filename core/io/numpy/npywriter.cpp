// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy/npywriter.h"

#include "core/base/writefile.h"
#include "core/io/numpy/zipbytes.h"

#include <bit>

namespace headscope::io {

static_assert(std::endian::native == std::endian::little, "'<f4' is the format written by Headscope");

std::string npyBytes(const Matrix& matrix)
{
    constexpr std::size_t kAlign = 64;
    const std::string magic("\x93NUMPY\x01\x00", 8);
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(matrix.rows) + ", "
                         + std::to_string(matrix.cols) + "), }";
    while ((magic.size() + 2 + header.size() + 1) % kAlign != 0)
        header += ' ';
    header += '\n';
    std::string bytes = magic;
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(matrix.values.data()), matrix.values.size() * sizeof(float));
    return bytes;
}

Result<void> writeNpy(const std::string& path, const Matrix& matrix)
{
    return writeFile(path, npyBytes(matrix));
}

Result<std::string> npzBytes(std::span<const NamedMatrix> arrays)
{
    std::vector<ZipFile> files;
    for (const NamedMatrix& array : arrays)
        files.push_back({array.name + ".npy", npyBytes(*array.matrix)});
    return zipBytes(files);
}

Result<void> writeNpz(const std::string& path, std::span<const NamedMatrix> arrays)
{
    const auto bytes = npzBytes(arrays);
    return bytes.has_value() ? writeFile(path, *bytes) : Result<void>(bytes.error());
}

} // namespace headscope::io
