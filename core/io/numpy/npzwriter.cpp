// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy/npzwriter.h"

#include "core/base/writefile.h"
#include "core/io/numpy/npywriter.h"
#include "core/io/numpy/zipbytes.h"

namespace headscope::io {

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
