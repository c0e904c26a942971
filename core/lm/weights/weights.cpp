// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/weights/weights.h"

#include "core/base/words/counted.h"
#include "core/io/textfiles/quote.h"
#include "core/lm/device/device.h"
#include "core/lm/device/pages.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <string_view>

namespace headscope::lm {

namespace {

using io::shapeText;

// Parts of names that training wrappers add: torch.compile, DistributedDataParallel, FSDP, checkpointing, PEFT.
bool isWrapper(std::string_view part)
{
    static constexpr std::array kWrappers = {
        "_orig_mod", "module", "_forward_module", "_fsdp_wrapped_module", "base_layer", "_checkpoint_wrapped_module"};
    return std::find(kWrappers.begin(), kWrappers.end(), part) != kWrappers.end();
}

std::vector<std::string> partsOf(const std::string& name)
{
    std::vector<std::string> parts(1);
    for (const char c : name)
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// The name without the wrappers that are not at its front.
std::string unwrapped(const std::string& name)
{
    std::string out;
    bool front = true;
    for (const std::string& part : partsOf(name)) {
        front = front && isWrapper(part);
        if (front || !isWrapper(part))
            out += (out.empty() ? "" : ".") + part;
    }
    return out;
}

// A tensor that an adapter adds to those of its model.
bool isOfAdapter(const std::string& name)
{
    static constexpr std::array kMarks = {
        ".lora_", ".lokr_", ".hada_", ".ia3_", ".vera_", ".oft_", ".modules_to_save.", ".trainable_tokens_"};
    return std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) { return name.find(mark) != name.npos; });
}

// A module's name without the parts in which classes of one model differ: PEFT writes the names of the class that was
// trained, which may be another one than the file's.
std::string plainModule(std::string name)
{
    static constexpr std::array<std::string_view, 4> kOuter = {"model.", "backbone.", "language_model.", "text_model."};
    static constexpr std::string_view kMixture = ".block_sparse_moe.";
    const auto leads = [&](std::string_view part) { return name.starts_with(part); };
    for (auto at = std::ranges::find_if(kOuter, leads); at != kOuter.end(); at = std::ranges::find_if(kOuter, leads))
        name.erase(0, at->size());
    if (const std::size_t at = name.find(kMixture); at != name.npos)
        name.replace(at, kMixture.size(), ".mlp.");
    return name;
}

// Of a part of a multimodal model that is not opened.
bool isOfOtherPart(const std::string& module)
{
    static constexpr std::array kParts = {"vision", "visual", "image", "audio", "multi_modal"};
    return std::ranges::any_of(kParts, [&](const char* part) { return module.find(part) != module.npos; });
}

// Families name tensors by the number of their layer, which is the first number in the name; -1: it is in none.
int layerOf(const std::string& name)
{
    for (const std::string& part : partsOf(name)) {
        int layer = -1;
        if (std::from_chars(part.data(), part.data() + part.size(), layer).ptr == part.data() + part.size())
            return layer;
    }
    return -1;
}

bool aligned(std::span<const std::byte> bytes, at::ScalarType type)
{
    return reinterpret_cast<std::uintptr_t>(bytes.data()) % c10::elementSize(type) == 0;
}

// A flat tensor over aligned mapped bytes; it holds `owner`.
at::Tensor over(std::span<const std::byte> bytes, at::ScalarType type, std::shared_ptr<const void> owner = nullptr)
{
    const auto count = static_cast<std::int64_t>(bytes.size() / c10::elementSize(type));
    // from_blob wants a mutable pointer; nothing writes through it (the mapping is read-only).
    return at::from_blob(
        const_cast<std::byte*>(bytes.data()), {count}, [owner = std::move(owner)](void*) {}, at::TensorOptions(type));
}

// A flat tensor over the mapped bytes where alignment allows, else over a copy.
at::Tensor view(std::span<const std::byte> bytes, at::ScalarType type)
{
    if (aligned(bytes, type))
        return over(bytes, type);
    const auto count = static_cast<std::int64_t>(bytes.size() / c10::elementSize(type));
    const auto options = at::TensorOptions(type);
    at::Tensor copy = at::empty({count}, options);
    std::memcpy(copy.data_ptr(), bytes.data(), bytes.size());
    return copy;
}

// Where a tensor is read to. What is packed next is freed soon; what is not is read token by token.
at::Tensor roomFor(const std::vector<std::int64_t>& shape, const Weights::Target& target, LargePages& pages)
{
    constexpr std::int64_t kMuch = std::int64_t{256} << 10;
    std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(target.dtype));
    for (const std::int64_t size : shape)
        bytes *= size;
    if (!target.device.is_cpu() || bytes < kMuch)
        return at::empty(shape, at::TensorOptions(target.dtype).device(target.device));
    const at::Tensor memory = target.form == WeightForm::Full ? pages.bytes(bytes) : inOwnPages(bytes);
    return memory.view(target.dtype).view(shape);
}

// The weights in the run's dtype, a piece at a time: each piece of the mapping is given back once it is copied and
// looked through, so that the peak is the weights and one piece. Nothing stays tied to the file, which may change
// later.
at::Tensor copyOf(const io::TensorView& source, at::ScalarType type, const Weights::Target& target, LargePages& pages,
                  bool& finite)
{
    // A whole number of elements of any type, and of pages. Small: the sum below takes the piece in fp32 besides, and a
    // large piece of that leaves a hole in the heap behind every tensor, which counts at the peak.
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    const at::Tensor loaded = roomFor(source.info.shape, target, pages);
    const at::Tensor flat = loaded.view({-1});
    const std::size_t elementSize = c10::elementSize(type), size = source.size();
    std::size_t each = kPiece;
    if (const auto row =
            static_cast<std::size_t>(source.info.shape.empty() ? 1 : source.info.shape.back()) * elementSize;
        !source.plain() && row > 0 && row < kPiece)
        each = kPiece / row * row; // whole rows are faster to decode
    std::atomic<bool> allFinite = true;
    const auto copyPiece = [&](std::size_t from) {
        const std::size_t now = std::min(each, size - from);
        const auto bytes = source.plain() ? source.bytes.subspan(from, now) : std::span<const std::byte>();
        at::Tensor stored;
        if (source.plain()) {
            stored = view(bytes, type);
        } else {
            stored = at::empty({static_cast<std::int64_t>(now / elementSize)}, at::TensorOptions(type));
            source.read(from, {static_cast<std::byte*>(stored.data_ptr()), now});
        }
        at::Tensor piece = flat.narrow(0, static_cast<std::int64_t>(from / elementSize), stored.numel());
        piece.copy_(stored);
        // A sum that is not finite can be an overflow; only then each number is looked at.
        if (!at::isfinite(piece.sum(at::kFloat)).item<bool>() && !at::isfinite(piece).all().item<bool>())
            allFinite = false;
        io::WeightsFile::release(bytes);
    };
    const auto pieces = static_cast<std::int64_t>((size + each - 1) / each);
    const auto copyPieces = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            copyPiece(static_cast<std::size_t>(i) * each);
    };
    // Threads that share each of the small operations would mostly wait for one another.
    if (target.device.is_cpu())
        at::parallel_for(0, pieces, 1, copyPieces);
    else
        copyPieces(0, pieces);
    if (!source.plain())
        io::WeightsFile::release(source.bytes);
    finite = finite && allFinite;
    return loaded;
}

// W becomes W + scale B A, computed in fp32; a table [V, D] or a map that is stored [in, out] gets the transpose.
void addChange(const at::Tensor& map, const io::LoraAdapter::Map& change, bool transposed, bool& finite)
{
    const Weights::Target cpu;
    LargePages pages;
    const at::Tensor a = copyOf(change.a, *scalarType(change.a.info.dtype), cpu, pages, finite);
    const at::Tensor b = copyOf(change.b, *scalarType(change.b.info.dtype), cpu, pages, finite);
    const at::Tensor sum = at::matmul(b, a).mul_(change.scale);
    map.add_((transposed ? sum.t() : sum).to(map.options()));
}

// Of one dtype and shape. A piece at a time, given back at once: the two tables of a large vocabulary are a gigabyte.
bool sameElements(const io::TensorView& a, const io::TensorView& b)
{
    if (a.plain() && b.plain() && a.bytes.data() == b.bytes.data())
        return true;
    constexpr std::size_t kPiece = std::size_t{4} << 20;
    std::vector<std::byte> left(std::min<std::size_t>(kPiece, a.size())), right(left.size());
    for (std::size_t from = 0; from < a.size(); from += kPiece) {
        const std::size_t now = std::min<std::size_t>(kPiece, a.size() - from);
        a.read(from, std::span(left).first(now));
        b.read(from, std::span(right).first(now));
        if (std::memcmp(left.data(), right.data(), now) != 0)
            return false;
        for (const io::TensorView* view : {&a, &b})
            if (view->plain())
                io::WeightsFile::release(view->bytes.subspan(from, now));
    }
    return true;
}

} // namespace

Weights::Weights(std::shared_ptr<const io::Checkpoint> checkpoint, Target target)
    : m_checkpoint(std::move(checkpoint)), m_target(target)
{
    if (m_checkpoint)
        readNames(m_checkpoint->names());
}

Weights::Weights(std::map<std::string, at::Tensor> tensors) : m_tensors(std::move(tensors))
{
    std::vector<std::string> names;
    for (const auto& [name, tensor] : m_tensors)
        names.push_back(name);
    readNames(std::move(names));
}

void Weights::readNames(std::vector<std::string> names)
{
    m_names = std::move(names);
    if (m_names.empty())
        return;
    // The names are sorted: what the first and the last begin with, all begin with.
    const std::vector<std::string> first = partsOf(m_names.front()), last = partsOf(m_names.back());
    for (std::size_t i = 0; i + 1 < std::min(first.size(), last.size()) && first[i] == last[i]; ++i)
        m_outer.push_back(m_outer.back() + first[i] + ".");
    for (const std::string& name : m_names) {
        if (isOfAdapter(name))
            return fail(inputError("Tensor " + io::inQuotes(name)
                                   + " belongs to an adapter that was not merged into these weights; merge it (PEFT: "
                                     "merge_and_unload) and save the model again."));
        const std::string plain = unwrapped(name);
        if (plain == name)
            continue;
        const auto [at, fresh] = m_unwrapped.emplace(plain, name);
        const bool both = std::binary_search(m_names.begin(), m_names.end(), plain);
        if (!fresh || both)
            return fail(inputError("Tensors " + io::inQuotes(both ? plain : at->second) + " and " + io::inQuotes(name)
                                   + " have one name without the parts of training wrappers; expected one of them."));
    }
    if (!m_unwrapped.empty())
        warn(counted(m_unwrapped.size(), "tensor has", "tensors have")
             + " parts of training wrappers in the name, which are left out, such as "
             + io::inQuotes(m_unwrapped.begin()->second) + ".");
}

std::optional<Weights> Weights::mapped(const std::shared_ptr<const io::Checkpoint>& checkpoint, at::ScalarType dtype)
{
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : checkpoint->names()) {
        const auto source = checkpoint->find(name);
        if (!source || !source->plain() || scalarType(source->info.dtype) != dtype || !aligned(source->bytes, dtype))
            return {};
        tensors[name] = over(source->bytes, dtype, checkpoint).view(source->info.shape);
    }
    Weights weights(std::move(tensors));
    weights.m_target.dtype = dtype;
    return weights;
}

Weights Weights::shapesOnly(at::ScalarType dtype, WeightForm form)
{
    Weights weights(nullptr, {dtype, at::kCPU, true, form});
    weights.m_shapesOnly = true;
    return weights;
}

bool Weights::holds(const std::string& stored) const
{
    return m_tensors.contains(stored)
           || (m_checkpoint
               && (m_checkpoint->find(stored).has_value()
                   || (m_packing && io::isPacked(*m_checkpoint, *m_packing, stored))));
}

// The tensor as it stands in the file, or what its packed form makes.
Result<std::optional<Weights::Source>> Weights::sourceOf(const std::string& name) const
{
    if (!m_checkpoint)
        return std::optional<Source>();
    if (m_packing) {
        auto packed = io::packedTensor(*m_checkpoint, *m_packing, name);
        if (!packed.has_value())
            return packed.error();
        if (*packed) {
            const io::TensorView view = (*packed)->view;
            return std::optional(Source{view, std::move(*packed)});
        }
    }
    const std::optional<io::TensorView> plain = m_checkpoint->find(name);
    if (!plain)
        return std::optional<Source>();
    const bool fp8 = plain->info.dtype == io::Dtype::F8_E4M3 || plain->info.dtype == io::Dtype::F8_E5M2;
    if (m_packing || !fp8)
        return std::optional(Source{*plain, {}});
    for (const char* beside : {"_scale_inv", "_scale", "_scales"})
        if (m_checkpoint->find(name + beside))
            return inputError("Tensor '" + name + "' is stored in FP8 with factors in '" + name + beside
                              + "', and config.json has no 'quantization_config' that says how they are used.");
    return std::optional(Source{io::fp8View(*plain), {}});
}

std::optional<io::TensorView> Weights::viewOf(const std::string& name) const
{
    const auto source = sourceOf(name);
    return source.has_value() && *source ? std::optional((*source)->view) : std::nullopt;
}

bool Weights::storedByOutputs(const std::string& name) const
{
    const auto source = sourceOf(stored(name));
    return source.has_value() && *source && (*source)->packed && (*source)->packed->turned;
}

bool Weights::anyBelow(const std::string& prefix) const
{
    const auto at = std::lower_bound(m_names.begin(), m_names.end(), prefix);
    return at != m_names.end() && at->starts_with(prefix);
}

// What a family's name may be called behind `outer`, the likeliest first. The base class of a model leaves the first
// part out, in all names.
std::vector<std::string> Weights::spellings(const std::string& name, const std::string& outer) const
{
    constexpr std::string_view kModel = "model.";
    std::vector<std::string> names;
    if (m_textPart && name.starts_with(kModel)) {
        const std::string inner = name.substr(kModel.size());
        for (const char* prefix : {"model.language_model.", "language_model.model.", "model.text_model."})
            names.push_back(prefix + inner);
        if (!anyBelow(outer + "model.") && !anyBelow(outer + "language_model.model."))
            names.push_back("language_model." + inner);
    }
    names.push_back(name);
    if (m_textPart)
        names.push_back("language_model." + name);
    const std::size_t dot = name.find('.');
    if (dot != name.npos && !anyBelow(outer + name.substr(0, dot + 1)))
        names.push_back(name.substr(dot + 1));
    return names;
}

Weights::Place Weights::placeOf(const std::string& name) const
{
    if (holds(name) && !m_textPart)
        return {name, {}};
    for (const std::string& outer : m_outer)
        for (const std::string& spelling : spellings(name, outer)) {
            if (holds(outer + spelling))
                return {outer + spelling, outer};
            if (const auto at = m_unwrapped.find(outer + spelling); at != m_unwrapped.end())
                return {at->second, outer};
        }
    return {name, {}};
}

bool Weights::has(const std::string& name) const
{
    return m_shapesOnly || holds(stored(name));
}

std::int64_t Weights::rowsOf(const std::string& name) const
{
    const auto found = viewOf(stored(name));
    return found && !found->info.shape.empty() ? found->info.shape.front() : 0;
}

bool Weights::equal(const std::string& first, const std::string& second) const
{
    const std::string a = stored(first), b = stored(second);
    if (!m_checkpoint) {
        const auto one = m_tensors.find(a), other = m_tensors.find(b);
        return one != m_tensors.end() && other != m_tensors.end() && one->second.equal(other->second);
    }
    const auto one = viewOf(a), other = viewOf(b);
    if (!one || !other || one->info.dtype != other->info.dtype || one->info.shape != other->info.shape)
        return false;
    return sameElements(*one, *other);
}

void Weights::warn(const std::string& sentence)
{
    if (std::find(m_warnings.begin(), m_warnings.end(), sentence) == m_warnings.end())
        m_warnings.push_back(sentence);
}

// How a map is packed of which config.json does not say it, by what lies beside it; empty: no way that is known.
std::string Weights::undeclaredPacking(const std::string& name) const
{
    const std::string map = name.substr(0, name.rfind('.') + 1);
    const auto source = m_checkpoint && !m_packing ? m_checkpoint->find(name) : std::nullopt;
    if (!m_checkpoint || m_packing)
        return {};
    if (!source && holds(stored(map + "qweight")))
        return holds(stored(map + "g_idx")) || std::filesystem::exists(m_checkpoint->folder() / "quantize_config.json")
                   ? "GPTQ"
                   : "AWQ or GPTQ";
    if (holds(name + ".quant_map") || holds(map + "SCB"))
        return "bitsandbytes";
    if (holds(name + "_packed") || (source && source->info.dtype == io::Dtype::I8 && holds(name + "_scale")))
        return "compressed-tensors";
    if (holds(map + "_weight_qdata"))
        return "torchao";
    return source && source->info.dtype == io::Dtype::U32 && holds(map + "scales") ? "MLX" : "";
}

// Names the one that would fit where only some names have a prefix.
Error Weights::missing(const std::string& name, const std::vector<std::int64_t>& shape) const
{
    const std::string sentence = "Tensor '" + name + "' is missing; expected shape " + shapeText(shape) + ".";
    const std::size_t dot = name.find('.');
    const std::string inner = dot == name.npos ? name : name.substr(dot + 1);
    for (const std::string& other : m_names) {
        const bool less = other == inner, more = other.ends_with("." + name),
                   differs = inner.find('.') != inner.npos && other.ends_with("." + inner);
        if (less || more || differs)
            return inputError(sentence + " The file has " + io::inQuotes(other) + ": only some of its names begin with "
                              + io::inQuotes(less ? name.substr(0, dot + 1)
                                                  : other.substr(0, other.size() - (more ? name : inner).size()))
                              + ".");
    }
    return inputError(sentence);
}

void Weights::fail(Error error)
{
    if (!m_error)
        m_error = std::move(error);
}

void Weights::merge(std::shared_ptr<const io::LoraAdapter> adapter)
{
    m_adapter = std::move(adapter);
    if (m_adapter)
        for (const auto& [module, map] : m_adapter->maps())
            m_changes.emplace(plainModule(module), module);
}

const io::LoraAdapter::Map* Weights::changeOf(const std::string& asked, const std::string& stored)
{
    constexpr std::string_view kWeight = ".weight";
    for (const std::string& name : {asked, stored})
        if (name.ends_with(kWeight))
            if (const auto at = m_changes.find(plainModule(name.substr(0, name.size() - kWeight.size())));
                at != m_changes.end()) {
                m_merged.insert(at->second);
                return &m_adapter->maps().at(at->second);
            }
    return nullptr;
}

Result<void> Weights::checkChange(const io::LoraAdapter::Map& change, bool turned, const std::string& name,
                                  const std::vector<std::int64_t>& shape) const
{
    std::vector<std::int64_t> changed = {change.b.info.shape[0], change.a.info.shape[1]};
    if (turned)
        std::swap(changed[0], changed[1]);
    if (changed != shape)
        return inputError("The adapter changes '" + name + "' as a map of shape " + shapeText(changed)
                          + "; the model's is " + shapeText(shape) + ", so it is of another base.");
    if (change.base && change.base->info.shape != shape)
        return inputError("The adapter has '" + name + "' of shape " + shapeText(change.base->info.shape)
                          + "; the model's is " + shapeText(shape) + ", so it is of another base.");
    for (const io::TensorView* part : {&change.a, &change.b, change.base ? &*change.base : &change.a})
        if (!scalarType(part->info.dtype))
            return inputError("The adapter of '" + name + "' has dtype " + std::string(io::dtypeName(part->info.dtype))
                              + "; expected F32, F16, BF16 or F64.");
    return {};
}

std::vector<std::string> Weights::unmerged()
{
    std::vector<std::string> modules;
    std::size_t aside = 0;
    if (!m_adapter)
        return modules;
    for (const auto& [module, map] : m_adapter->maps())
        if (m_textPart && isOfOtherPart(module))
            ++aside;
        else if (!m_merged.contains(module))
            modules.push_back(module);
    if (aside > 0 && !m_merged.empty())
        warn("The adapter also changes " + counted(aside, "matrix", "matrices")
             + " of other parts; these changes are ignored.");
    else if (aside > 0 && modules.empty())
        modules.push_back(m_adapter->maps().begin()->first);
    return modules;
}

at::Tensor Weights::take(const std::string& asked, std::vector<std::int64_t> shape, WeightForm form, bool byInputs)
{
    const Place place = placeOf(asked);
    const std::string& name = place.stored;
    m_used.insert(name);
    if (!place.outer.empty())
        warn("All tensors begin with " + io::inQuotes(place.outer) + ", which is left out of their names.");
    if (const auto it = m_taken.find(name); it != m_taken.end())
        return it->second;
    const auto meta = [&] { return at::empty(shape, at::TensorOptions(m_target.dtype).device(at::kMeta)); };
    const auto remember = [&](const at::Tensor& tensor) {
        if (m_counted.insert(name).second) {
            m_parameters += tensor.numel();
            const std::int64_t bytes = tensor.numel() * static_cast<std::int64_t>(c10::elementSize(m_target.dtype));
            m_bytes += bytes;
            m_layerBytes[layerOf(asked)] += bytes;
        }
        if (m_target.form == WeightForm::Full)
            m_taken[name] = tensor;
        return pack(tensor, form);
    };
    const auto wrongShape = [&](const std::vector<std::int64_t>& found) {
        fail(
            inputError("Tensor '" + name + "' has shape " + shapeText(found) + "; expected " + shapeText(shape) + "."));
        return meta();
    };

    if (const auto it = m_tensors.find(name); it != m_tensors.end())
        return it->second.sizes() == at::IntArrayRef(shape) ? remember(it->second)
                                                            : wrongShape(it->second.sizes().vec());
    if (m_shapesOnly)
        return remember(meta());
    const auto found = sourceOf(name);
    if (!found.has_value()) {
        fail(found.error());
        return meta();
    }
    if (const std::string method = undeclaredPacking(name); !method.empty()) {
        fail(inputError("The weights of this model are packed as " + method
                        + ", and config.json has no 'quantization_config' that says how; expected one, or weights in "
                          "bf16, fp16 or fp32."));
        return meta();
    }
    if (!*found) {
        fail(missing(name, shape));
        return meta();
    }
    const io::TensorView* source = &(*found)->view;
    if (const auto& packed = (*found)->packed) {
        m_used.insert(packed->names.begin(), packed->names.end());
        m_unpackedAny = true;
    } else if (!m_packing && !source->plain() && m_checkpoint->find(name)->plain()) {
        warn("Tensors stored in FP8 without factors are read as the numbers that they contain.");
    }
    if (source->info.shape != shape)
        return wrongShape(source->info.shape);
    const auto type = scalarType(source->info.dtype);
    if (!type) {
        fail(inputError("Tensor '" + name + "' has dtype " + std::string(io::dtypeName(source->info.dtype))
                        + "; expected F32, F16, BF16 or F64."));
        return meta();
    }
    const io::LoraAdapter::Map* change = changeOf(asked, name);
    const bool turned = change && (change->embedding || byInputs); // as in PEFT, fan_in_fan_out is ignored
    if (change)
        if (const auto fits = checkChange(*change, turned, name, shape); !fits.has_value()) {
            fail(fits.error());
            return meta();
        }
    if (m_target.dryRun || !isOfPart(asked))
        return remember(meta());
    const bool kept = m_store && packs(shape, form);
    if (kept)
        if (auto packed = m_store->find(name, shape, form))
            return remember(asTensor(std::move(packed)));
    bool finite = true;
    const io::TensorView& read = change && change->base ? *change->base : *source;
    const bool inPlace = packs(shape, form) && !change && read.plain() && PackedWeight::readsInPlace(*type)
                         && aligned(read.bytes, *type);
    const at::Tensor loaded =
        inPlace ? packStored(read, *type, form, finite) : copyOf(read, *type, m_target, m_pages, finite);
    if (change)
        addChange(loaded, *change, turned, finite);
    if ((*found)->packed)
        (*found)->packed->release();
    if (!finite)
        fail(inputError("Tensor '" + name + "' contains NaN or infinite values; expected finite weights."));
    const at::Tensor taken = remember(loaded);
    if (kept && finite)
        m_store->add(name, *packedIn(taken));
    return taken;
}

bool Weights::packs(at::IntArrayRef shape, WeightForm form) const
{
    return form != WeightForm::Full && !m_error && PackedWeight::worthwhile(shape[0], shape[1], form);
}

// Straight out of the file, whose pages are given back as soon as they are read.
at::Tensor Weights::packStored(const io::TensorView& source, at::ScalarType type, WeightForm form, bool& finite)
{
    const at::Tensor map = over(source.bytes, type).view(source.info.shape);
    auto packed = std::make_shared<const PackedWeight>(map, form, m_pages, [](const at::Tensor& rows) {
        io::WeightsFile::release({static_cast<const std::byte*>(rows.data_ptr()), rows.nbytes()});
    });
    io::WeightsFile::release(source.bytes); // and what two panels share
    finite = packed->finite();
    return asTensor(std::move(packed));
}

at::Tensor Weights::pack(const at::Tensor& map, WeightForm form, const std::string& key)
{
    if (!packs(map.sizes(), form))
        return map;
    if (const auto known = key.empty() ? m_packed.end() : m_packed.find(key); known != m_packed.end())
        return known->second;
    m_bytes += PackedWeight::bytesFor(map.size(0), map.size(1), form)
               - map.numel() * static_cast<std::int64_t>(c10::elementSize(m_target.dtype));
    const at::Tensor packed =
        m_target.dryRun || packedIn(map) ? map : asTensor(std::make_shared<const PackedWeight>(map, form, m_pages));
    if (!key.empty())
        m_packed[key] = packed;
    return packed;
}

at::Tensor Weights::takeShared(const std::vector<std::string>& names, std::vector<std::int64_t> shape)
{
    std::string found;
    std::optional<io::TensorView> original;
    for (const std::string& name : names) {
        const auto copy = viewOf(stored(name));
        if (found.empty() && has(name)) {
            found = name;
            original = copy;
        } else if (copy && original && m_used.insert(stored(name)).second
                   && (copy->info.dtype != original->info.dtype || copy->info.shape != original->info.shape
                       || !sameElements(*copy, *original))) {
            fail(inputError("Tensors '" + found + "' and '" + name
                            + "' belong to one shared block; expected equal values, got different ones."));
        }
    }
    share(true);
    at::Tensor shared = take(found.empty() ? names.front() : found, std::move(shape));
    share(false);
    return shared;
}

bool Weights::isOfPart(const std::string& asked) const
{
    if (!m_target.part || m_sharing)
        return true;
    const int layer = layerOf(asked);
    return layer < 0 ? m_target.part->rest : layer >= m_target.part->first && layer < m_target.part->last;
}

void Weights::ignore(const std::function<bool(const std::string&)>& isBuffer)
{
    if (!m_checkpoint)
        return;
    for (const std::string& name : m_checkpoint->names())
        if (isBuffer(name))
            m_used.insert(name);
}

std::vector<std::string> Weights::unused() const
{
    std::vector<std::string> names;
    constexpr std::string_view kText = "language_model.";
    const auto isAside = [&](const std::string& name) { // of another modality, or a tied head that was left
        return name.find(kText) == std::string::npos
               || (name.starts_with(kText) && m_used.contains(name.substr(kText.size())));
    };
    if (m_checkpoint)
        for (const std::string& name : m_checkpoint->names())
            if (!m_used.contains(name) && !(m_textPart && isAside(name)))
                names.push_back(name);
    return names;
}

} // namespace headscope::lm
