// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/lenses/jacobianfile.h"

#include "core/base/hash.h"
#include "core/base/writefile.h"
#include "core/io/pytorch/torchfile.h"
#include "core/io/pytorch/torchwriter.h"
#include "core/io/textfiles/quote.h"
#include "core/lm/device/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace headscope::why {

namespace {

constexpr const char* kEmbedding = "embedding"; // in the metadata: the matrix before layer 0
constexpr int kNone = -1;

std::optional<std::int64_t> integerOf(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return code == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Whether an entry of the metadata says that norms were folded into weights or weights centred, as TransformerLens
// does.
bool saysProcessed(const std::string& key, const std::string& value)
{
    static constexpr std::array kSteps = {"fold_ln", "center_writing_weights", "center_unembed", "fold_value_biases",
                                          "compatibility_mode"};
    const std::string last = lowerCase(key.substr(key.rfind('.') + 1)), text = lowerCase(value);
    const bool no = text.empty() || text == "0" || text == "false" || text == "no" || text == "none";
    if (last.starts_with("no_process") || last.starts_with("unprocessed"))
        return no;
    if (last == "weight_basis")
        return !no && !text.starts_with("raw");
    return text == "processed"
           || (!no && text != "raw" && text != "unprocessed"
               && (last.find("processed") != last.npos || std::ranges::find(kSteps, last) != kSteps.end()));
}

Error unusable(const std::filesystem::path& path, const std::string& why)
{
    return inputError("Cannot use the lens " + io::inQuotes(path.string()) + ": " + why + ".");
}

/// One file on its way to a lens; sentences name it.
class LensReader
{
public:
    LensReader(const io::WeightsFile& file, const lm::ModelSpec& spec) : m_file(file), m_spec(spec) {}

    Result<LensFile> read()
    {
        for (const auto& [key, value] : m_file.metadata())
            if (key.starts_with("metadata.") && saysProcessed(key, value))
                return wrong("it was fitted on processed weights (" + io::inQuotes(key.substr(9)) + ": "
                             + io::inQuotes(value) + "); expected a fit on the weights as they are published");
        if (const auto target = numberOf("metadata.target_layer"); target != kNone && target != lastLayer())
            return wrong("it carries to the stream after layer " + std::to_string(target) + "; expected layer "
                         + std::to_string(lastLayer()) + ", the model's last");
        if (const std::string kind = textOf("metadata.estimator"); !kind.empty() && kind != "jacobian_lens")
            return wrong("it is a lens of the kind " + io::inQuotes(kind) + "; expected 'jacobian_lens'");
        if (const auto width = numberOf("d_model"); width != kNone && width != m_spec.hidden)
            return wrong("its width is " + std::to_string(width) + "; expected " + std::to_string(m_spec.hidden)
                         + ", as the model has");
        for (std::size_t i = 0; i < m_file.tensors().size(); ++i)
            if (const auto taken = take(i); !taken.has_value())
                return taken.error();
        if (m_read.lens.before.empty())
            return wrong("it has no matrices under 'J'; expected a file of a fitted Jacobian lens");
        if (const auto listed = checkListed(); !listed.has_value())
            return listed.error();
        m_read.prompts = std::max(countOf("n_prompts"), 0);
        m_read.origin = {.model = textOf("metadata.model"),
                         .modelHash = textOf("metadata.model_hash"),
                         .corpusHash = textOf("metadata.corpus_hash"),
                         .promptsHash = textOf("metadata.prompts_hash"),
                         .dtype = textOf("metadata.dtype"),
                         .skip = countOf("metadata.skip"),
                         .length = countOf("metadata.length")};
        return std::move(m_read);
    }

    [[nodiscard]] Error wrong(const std::string& why) const { return unusable(m_file.path(), why); }

private:
    [[nodiscard]] std::string textOf(const std::string& key) const
    {
        const auto found = m_file.metadata().find(key);
        return found == m_file.metadata().end() ? std::string() : found->second;
    }
    [[nodiscard]] std::int64_t lastLayer() const { return std::ssize(m_spec.layers) - 1; }
    [[nodiscard]] std::int64_t numberOf(const std::string& key) const { return integerOf(textOf(key)).value_or(kNone); }
    [[nodiscard]] int countOf(const std::string& key) const // what no int holds counts nothing
    {
        const std::int64_t number = numberOf(key);
        return std::in_range<int>(number) ? static_cast<int>(number) : kNone;
    }

    Result<void> take(std::size_t number)
    {
        const io::TensorInfo& info = m_file.tensors()[number];
        if (info.name == std::string("metadata.") + kEmbedding)
            return add(number, 0, "the matrix of the embedding");
        if (!info.name.starts_with("J."))
            return {};
        const auto layer = integerOf(std::string_view(info.name).substr(2));
        if (!layer || *layer < 0 || *layer > lastLayer())
            return wrong("it has a matrix for layer " + info.name.substr(2) + "; expected layers from 0 to "
                         + std::to_string(lastLayer()));
        m_layers.push_back(*layer);
        return add(number, static_cast<int>(*layer) + 1, "the matrix for layer " + std::to_string(*layer));
    }

    Result<void> add(std::size_t number, int before, const std::string& who)
    {
        const io::TensorInfo& info = m_file.tensors()[number];
        const std::vector<std::int64_t> square(2, m_spec.hidden);
        if (info.shape != square)
            return wrong(who + " has the shape " + fmt::format("[{}]", fmt::join(info.shape, ", ")) + "; expected "
                         + fmt::format("[{}]", fmt::join(square, ", ")) + " for this model");
        const auto type = lm::scalarType(info.dtype);
        if (!type)
            return wrong(who + " has the type " + std::string(io::dtypeName(info.dtype))
                         + "; expected F16, BF16, F32 or F64");
        at::Tensor matrix = at::empty(info.shape, *type);
        const io::TensorView view{info, m_file.stored(number), {}, m_file.elements(number)};
        view.read(0, {static_cast<std::byte*>(matrix.data_ptr()), matrix.nbytes()});
        matrix = matrix.to(at::kFloat);
        if (!at::isfinite(matrix).all().item<bool>())
            return wrong(who + " contains numbers that are not finite");
        if (before <= lastLayer())
            m_read.lens.before[before] = matrix;
        else if (!matrix.equal(at::eye(m_spec.hidden))) // the last layer's stream is the final one
            return wrong(who
                         + " is not the identity, although that is this model's last layer; it may be of a deeper "
                           "model");
        return {};
    }

    // Layers that `source_layers` names and J lacks.
    [[nodiscard]] Result<void> checkListed() const
    {
        const std::string listed = textOf("source_layers");
        for (std::size_t at = 0; (at = listed.find_first_of("0123456789", at)) != listed.npos;) {
            const std::size_t end = std::min(listed.find_first_not_of("0123456789", at), listed.size());
            const auto layer = integerOf(std::string_view(listed).substr(at, end - at));
            if (layer && std::ranges::find(m_layers, *layer) == m_layers.end())
                return wrong("'source_layers' names layer " + std::to_string(*layer)
                             + ", but 'J' has no matrix for it; it may be incomplete");
            at = end;
        }
        return {};
    }

    const io::WeightsFile& m_file;
    const lm::ModelSpec& m_spec;
    LensFile m_read;
    std::vector<std::int64_t> m_layers;
};

Result<LensFile> readFile(const std::filesystem::path& path, const lm::ModelSpec& spec, const std::string& modelHash)
{
    const auto file = io::TorchFile::open(path, io::PickleScope::Everything);
    if (!file.has_value())
        return file.error();
    LensReader reader(**file, spec);
    auto read = reader.read();
    if (read.has_value() && !read->origin.modelHash.empty() && read->origin.modelHash != modelHash)
        return reader.wrong("it was fitted to another model (" + io::inQuotes(read->origin.model) + ", hash "
                            + read->origin.modelHash.substr(0, 12) + "); expected the hash " + modelHash.substr(0, 12));
    return read;
}

Result<void> writeMatrices(const std::filesystem::path& path, const std::map<int, at::Tensor>& before, int prompts,
                           const LensOrigin& origin, at::ScalarType type)
{
    using io::TorchValue;
    TorchValue::Table matrices, metadata;
    TorchValue::List layers;
    std::vector<at::Tensor> kept;
    std::int64_t width = 0;
    const auto text = [](const std::string& value) { return TorchValue{value}; };
    const auto number = [](std::int64_t value) { return TorchValue{value}; };
    for (const auto& [name, value] :
         {std::pair("program", std::string("Headscope")), std::pair("model", origin.model),
          std::pair("model_hash", origin.modelHash), std::pair("corpus_hash", origin.corpusHash),
          std::pair("prompts_hash", origin.promptsHash), std::pair("dtype", origin.dtype)})
        metadata.push_back({text(name), text(value)});
    metadata.push_back({text("skip"), number(origin.skip)});
    metadata.push_back({text("length"), number(origin.length)});
    for (const auto& [layer, matrix] : before) {
        kept.push_back(matrix.to(at::kCPU, type).contiguous());
        const at::Tensor& stored = kept.back();
        if (!at::isfinite(stored).all().item<bool>())
            return inputError("The matrix before layer " + std::to_string(layer) + " has a number of "
                              + std::to_string(matrix.abs().max().item<double>())
                              + "; files of lenses are fp16, which ends at 65504.");
        width = stored.size(0);
        const TorchValue value{io::TensorToWrite{{},
                                                 type == at::kHalf ? io::Dtype::F16 : io::Dtype::F32,
                                                 stored.sizes().vec(),
                                                 {static_cast<const std::byte*>(stored.data_ptr()), stored.nbytes()}}};
        if (layer == 0) {
            metadata.push_back({text(kEmbedding), value});
            continue;
        }
        matrices.push_back({number(layer - 1), value});
        layers.push_back(number(layer - 1));
    }
    const auto bytes = io::torchBytes({{text("J"), {std::move(matrices)}},
                                       {text("n_prompts"), number(prompts)},
                                       {text("source_layers"), {std::move(layers)}},
                                       {text("d_model"), number(width)},
                                       {text("metadata"), {std::move(metadata)}}});
    return bytes.has_value() ? writeFile(path, *bytes) : Result<void>(bytes.error());
}

} // namespace

Result<void> writeLens(const std::filesystem::path& path, const JacobianLens& lens, int prompts,
                       const LensOrigin& origin)
{
    return writeMatrices(path, lens.before, prompts, origin, at::kHalf);
}

Result<LensFile> readLens(const std::filesystem::path& path, const lm::ModelSpec& spec, const std::string& modelHash)
{
    return readFile(path, spec, modelHash);
}

Result<JacobianLens> readWholeLens(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                   const std::string& modelHash)
{
    auto read = readFile(path, spec, modelHash);
    if (!read.has_value())
        return read.error();
    std::vector<int> missing;
    for (int before = 1; before < static_cast<int>(spec.layers.size()); ++before)
        if (!read->lens.before.contains(before))
            missing.push_back(before - 1);
    if (!missing.empty())
        return unusable(path, fmt::format("it has no matrix for layer {}; expected one for each layer from 0 to {}",
                                          fmt::join(missing, ", "), spec.layers.size() - 2));
    return std::move(read->lens);
}

std::string lensHash(const JacobianLens& lens)
{
    Sha256 hash;
    for (const auto& [layer, matrix] : lens.before) {
        const at::Tensor host = matrix.to(at::kCPU, at::kFloat).contiguous();
        hash.add(std::to_string(layer) + ":");
        hash.add(host.data_ptr(), host.nbytes());
    }
    return hash.hex();
}

Result<void> writeUnfinished(const std::filesystem::path& path, const JacobianFit::Sums& sums, const LensOrigin& origin)
{
    return writeMatrices(path, sums.before, sums.prompts, origin, at::kFloat);
}

Result<JacobianFit::Sums> readUnfinished(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                         const LensOrigin& origin, const JacobianFit::Sums& begun)
{
    auto read = readFile(path, spec, origin.modelHash);
    if (!read.has_value())
        return read.error();
    const auto layersOf = [](const auto& matrices) { return matrices.first; };
    if (read->origin != origin || !std::ranges::equal(read->lens.before, begun.before, {}, layersOf, layersOf))
        return inputError("The unfinished fit " + io::inQuotes(path.string())
                          + " was begun with other texts or options; repeat them, or delete it to begin again.");
    return JacobianFit::Sums{read->prompts, std::move(read->lens.before)};
}

} // namespace headscope::why
