// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pytorch/torchfile.h"

#include "core/io/mapping.h"
#include "core/io/pytorch/pickle.h"
#include "core/io/pytorch/ziparchive.h"
#include "core/io/safetensors/lfspointer.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace headscope::io {

namespace {

constexpr std::uint64_t kLargestPickle = 100'000'000; // bytes
constexpr std::uint64_t kMostRepeated = 1'000'000;    // elements of a view that is larger than what it views

/// A view with strides into a storage.
class StridedElements : public Elements
{
public:
    StridedElements(const PickledTensor& tensor, std::size_t elementSize)
        : m_shape(tensor.shape), m_strides(tensor.strides), m_elementSize(elementSize)
    {
    }

    void read(std::span<const std::byte> stored, std::uint64_t first, std::span<std::byte> into) const override
    {
        std::vector<std::uint64_t> at(m_shape.size()); // indices of the next element
        for (std::size_t i = m_shape.size(); i > 0; --i) {
            const auto size = static_cast<std::uint64_t>(m_shape[i - 1]);
            at[i - 1] = first % size;
            first /= size;
        }
        for (std::size_t done = 0; done < into.size(); done += m_elementSize) {
            std::uint64_t place = 0;
            for (std::size_t i = 0; i < at.size(); ++i)
                place += at[i] * static_cast<std::uint64_t>(m_strides[i]);
            std::memcpy(into.data() + done, stored.data() + place * m_elementSize, m_elementSize);
            for (std::size_t i = at.size(); i > 0 && ++at[i - 1] == static_cast<std::uint64_t>(m_shape[i - 1]); --i)
                at[i - 1] = 0;
        }
    }

private:
    std::vector<std::int64_t> m_shape, m_strides;
    std::size_t m_elementSize;
};

bool isContiguous(const PickledTensor& tensor)
{
    std::int64_t expected = 1;
    for (std::size_t i = tensor.shape.size(); i > 0; --i) {
        if (tensor.shape[i - 1] != 1 && tensor.strides[i - 1] != expected)
            return false;
        expected *= tensor.shape[i - 1]; // fits: tensorBytes() was asked
    }
    return true;
}

/// The folder that all entries of the archive lie in, from the name of its pickle.
Result<std::string> rootOf(const std::map<std::string, ZipEntry>& entries)
{
    for (const auto& [name, place] : entries)
        if (name.ends_with("/data.pkl") && name.find('/') == name.size() - 9)
            return name.substr(0, name.size() - 8);
    if (entries.contains("constants.pkl") || std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
            return entry.first.ends_with("/constants.pkl");
        }))
        return inputError("it is a TorchScript program, not weights");
    return inputError("it has no data.pkl; expected what torch.save() writes");
}

Result<std::string> textOf(const OpenFile& file, const ZipEntry& entry)
{
    if (entry.end - entry.begin > kLargestPickle)
        return inputError("its pickle has " + std::to_string(entry.end - entry.begin) + " bytes; at most "
                          + std::to_string(kLargestPickle) + " are read");
    std::string text(static_cast<std::size_t>(entry.end - entry.begin), '\0');
    return file.readAt(entry.begin, text.data(), text.size()) ? Result<std::string>(std::move(text))
                                                              : Result<std::string>(ioError("its pickle was not read"));
}

/// The tensors and the places of their bytes.
struct Contents {
    std::vector<TensorInfo> tensors;
    std::vector<std::shared_ptr<const Elements>> elements;
    std::map<std::string, std::string> values;
};

Result<void> placeStored(const PickledTensor& tensor, const ZipEntry& storage, Contents& contents)
{
    const std::uint64_t size = dtypeBits(tensor.dtype) / 8, bytes = storage.end - storage.begin;
    if (tensor.storageElements > bytes / size)
        return inputError("its tensor " + inQuotes(tensor.name) + " needs a storage of "
                          + std::to_string(tensor.storageElements) + " elements; the archive has "
                          + std::to_string(bytes) + " bytes of it");
    std::uint64_t elements = 1; // fits: tensorBytes() was asked
    for (const std::int64_t side : tensor.shape)
        elements *= static_cast<std::uint64_t>(side);
    if (elements > std::max(tensor.storageElements, kMostRepeated))
        return inputError("its tensor " + inQuotes(tensor.name) + " repeats " + std::to_string(tensor.storageElements)
                          + " stored numbers to make " + std::to_string(elements) + "; no weights are stored so");
    const std::uint64_t whole = *tensorBytes(tensor.dtype, tensor.shape);
    const std::uint64_t begin = whole == 0 ? storage.begin : storage.begin + tensor.offset * size;
    const bool plain = whole == 0 || isContiguous(tensor);
    contents.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, begin,
                                plain ? begin + whole : storage.begin + tensor.storageElements * size});
    contents.elements.push_back(plain ? nullptr : std::make_shared<StridedElements>(tensor, size));
    return {};
}

Result<Contents> contentsOf(const OpenFile& file, PickleScope scope)
{
    const auto entries = readZipDirectory(file);
    if (!entries.has_value())
        return entries.error();
    const auto root = rootOf(*entries);
    if (!root.has_value())
        return root.error();
    if (const auto order = entries->find(*root + "byteorder"); order != entries->end())
        if (const auto text = textOf(file, order->second); !text.has_value() || *text != "little")
            return inputError("its numbers are stored big-endian; expected little-endian");
    const auto pickle = textOf(file, entries->at(*root + "data.pkl"));
    if (!pickle.has_value())
        return pickle.error();
    auto tables = readPickle(*pickle, scope);
    if (!tables.has_value())
        return tables.error();
    Contents contents{.tensors = {}, .elements = {}, .values = std::move(tables->values)};
    for (const PickledTensor& tensor : tables->tensors) {
        const auto storage = entries->find(*root + "data/" + tensor.storage);
        if (storage == entries->end())
            return inputError("the storage " + inQuotes(tensor.storage) + " of its tensor " + inQuotes(tensor.name)
                              + " is missing");
        if (auto placed = placeStored(tensor, storage->second, contents); !placed.has_value())
            return placed.error();
    }
    return contents;
}

/// What a file is that is no archive of PyTorch's, by its first bytes.
Result<void> checkForm(std::string_view start)
{
    if (isLfsPointer(start))
        return inputError("it is a Git LFS pointer, not weights; fetch the real file with 'git lfs pull'");
    if (start.starts_with("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9"))
        return Error{Error::Kind::Input,
                     "it is in the form that PyTorch wrote before 1.6; expected the zip form, which torch.save() "
                     "writes now",
                     ", or safetensors"};
    return {};
}

} // namespace

Result<std::shared_ptr<const WeightsFile>> TorchFile::open(const std::filesystem::path& path, PickleScope scope)
{
    const auto refused = [&](const Error& why) { // the detail is what else weights may be kept in
        return Error{why.kind,
                     "Cannot read " + inQuotes(path.string()) + ": " + why.message
                         + (scope == PickleScope::Weights ? why.detail : "") + ".",
                     {}};
    };
    const auto file = OpenFile::open(path);
    if (!file.has_value())
        return file.error();
    std::array<char, 64> start{};
    const std::size_t startSize = static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), start.size()));
    if (!file->readAt(0, start.data(), startSize))
        return refused(ioError("its first bytes could not be read"));
    if (const auto form = checkForm({start.data(), startSize}); !form.has_value())
        return refused(form.error());
    auto contents = contentsOf(*file, scope);
    if (!contents.has_value())
        return refused(contents.error());
    const auto mapping = mapFile(file->descriptor(), file->size(), path);
    if (!mapping.has_value())
        return mapping.error();
    std::shared_ptr<TorchFile> opened(new TorchFile);
    opened->m_path = path;
    opened->m_mapping = *mapping;
    opened->m_tensors = std::move(contents->tensors);
    opened->m_elements = std::move(contents->elements);
    opened->m_metadata = std::move(contents->values);
    return std::shared_ptr<const WeightsFile>(std::move(opened));
}

} // namespace headscope::io
