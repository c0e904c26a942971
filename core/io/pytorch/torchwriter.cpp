// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pytorch/torchwriter.h"

#include "core/io/numpy/zipbytes.h"

namespace headscope::io {

namespace {

std::string storageOf(Dtype dtype)
{
    switch (dtype) {
    case Dtype::F16: return "HalfStorage";
    case Dtype::BF16: return "BFloat16Storage";
    case Dtype::F64: return "DoubleStorage";
    case Dtype::I64: return "LongStorage";
    default: return "FloatStorage";
    }
}

/// Instructions of protocol 2; storages are collected beside them.
class PickleText
{
public:
    std::string code = "\x80\x02";
    std::vector<ZipFile> storages;

    void add(const TorchValue& value)
    {
        std::visit([this](const auto& one) { add(one); }, value.value);
    }
    void add(std::int64_t number)
    {
        code += "\x8a\x08"; // LONG1
        raw(number);
    }
    void add(const std::string& text)
    {
        code += 'X';
        raw(static_cast<std::uint32_t>(text.size()));
        code += text;
    }
    void add(const TorchValue::List& list)
    {
        code += "](";
        for (const TorchValue& one : list)
            add(one);
        code += 'e';
    }
    void add(const TorchValue::Table& table)
    {
        code += "}(";
        for (const auto& [key, value] : table) {
            add(key);
            add(value);
        }
        code += 'u';
    }
    void add(const TensorToWrite& tensor)
    {
        const std::string key = std::to_string(storages.size());
        const std::string_view bytes(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
        storages.push_back({"archive/data/" + key, std::string(bytes)});
        std::vector<std::int64_t> strides(tensor.shape.size(), 1);
        for (std::size_t i = strides.size(); i-- > 1;)
            strides[i - 1] = strides[i] * tensor.shape[i];
        code += "ctorch._utils\n_rebuild_tensor_v2\n((";
        add(std::string("storage"));
        code += "ctorch\n" + storageOf(tensor.dtype) + '\n';
        add(key);
        add(std::string("cpu"));
        add(static_cast<std::int64_t>(bytes.size() * 8 / dtypeBits(tensor.dtype)));
        code += "tQ";
        add(std::int64_t{0});
        tuple(tensor.shape);
        tuple(strides);
        code += "\x89"; // no gradient, no hooks
        code += "ccollections\nOrderedDict\n)RtR";
    }

private:
    template <typename T> void raw(T number) { code.append(reinterpret_cast<const char*>(&number), sizeof number); }
    void tuple(const std::vector<std::int64_t>& numbers)
    {
        code += '(';
        for (const std::int64_t number : numbers)
            add(number);
        code += 't';
    }
};

} // namespace

Result<std::string> torchBytes(const TorchValue::Table& table)
{
    PickleText pickle;
    pickle.add(table);
    std::vector<ZipFile> files{{"archive/data.pkl", pickle.code + "."}, {"archive/byteorder", "little"}};
    std::move(pickle.storages.begin(), pickle.storages.end(), std::back_inserter(files));
    files.push_back({"archive/version", "3\n"});
    return zipBytes(files);
}

} // namespace headscope::io
