// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dump.h"

#include "core/engine/dumpanalyses.h"
#include "core/engine/dumplens.h"
#include "core/engine/generate.h"
#include "core/io/mapping.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"

#include <ATen/core/grad_mode.h>

#include <charconv>
#include <cstring>

namespace headscope::engine {

using namespace interventions;
using lm::Site;

namespace {

Result<at::Tensor> readIntegers(const io::SafetensorsFile& file, const std::string& name)
{
    const io::TensorInfo* info = file.find(name);
    if (!info)
        return inputError("The tokens file has no tensor '" + name + "'.");
    if (info->dtype != io::Dtype::I64)
        return inputError("The tensor '" + name + "' of the tokens file has dtype "
                          + std::string(io::dtypeName(info->dtype)) + "; expected I64.");
    at::Tensor tensor = at::empty(info->shape, at::kLong);
    const auto bytes = file.bytes(*info);
    if (!bytes.empty())
        std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
    return tensor;
}

std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/// A layer name of a key: "L1", "L1A" or "L1S".
struct LayerName {
    int layer = 0;
    Site site = Site::Any;
};

Result<LayerName> parseLayer(const std::string& text, const std::string& key)
{
    LayerName name;
    const char* end = text.data() + text.size();
    if (text.size() < 2 || text[0] != 'L')
        return unknownDumpKey(key);
    const auto [stop, code] = std::from_chars(text.data() + 1, end, name.layer);
    if (code != std::errc{})
        return unknownDumpKey(key);
    const std::string_view rest(stop, static_cast<std::size_t>(end - stop));
    name.site = rest == "A" ? Site::Attention : rest == "S" ? Site::Ssm : Site::Any;
    if (!rest.empty() && name.site == Site::Any)
        return unknownDumpKey(key);
    return name;
}

/// One dump: a loaded model, its input, and the tensors gathered so far.
class Dump
{
public:
    Dump(const lm::Model& model, const io::SafetensorsFile& tokens, std::filesystem::path folder,
         lm::LoadOptions options)
        : m_model(model), m_tokens(tokens), m_folder(std::move(folder)), m_options(std::move(options))
    {
    }

    Result<at::Tensor> value(const std::string& key)
    {
        if (AnalysisDump::has(key) || LensDump::has(key))
            return analysed(key);
        if (!m_ids.defined())
            if (const auto read = readInput(); !read.has_value())
                return read.error();
        if (key == "logits")
            return m_model.logits(m_ids);
        if (key == "resid") {
            lm::Capture capture{.residual = true};
            (void)m_model.logits(m_ids, {.capture = &capture});
            return at::stack(capture.residuals);
        }
        if (key == "greedy")
            return greedy();
        const auto parts = split(key, '.');
        if (parts.size() == 2 && parts[0] != "logits")
            return captured(parts[0], parts[1], key);
        if (parts[0] == "logits")
            return intervened(parts, key);
        return unknownDumpKey(key);
    }

private:
    Result<void> readInput()
    {
        const auto ids = readIntegers(m_tokens, "input_ids");
        if (!ids.has_value())
            return ids.error();
        if (ids->dim() != 2 || ids->numel() == 0)
            return inputError("'input_ids' must have the shape [samples, tokens] and contain at least one token.");
        const auto low = ids->min().item<std::int64_t>(), high = ids->max().item<std::int64_t>();
        if (low < 0 || high >= m_model.spec().vocabulary)
            return inputError("'input_ids' contains the id " + std::to_string(low < 0 ? low : high) + "; expected 0 to "
                              + std::to_string(m_model.spec().vocabulary - 1) + ".");
        // Most rotary models run on beyond their limit, as the references do; a table of positions ends.
        if (m_model.spec().endsThere && ids->size(1) > m_model.spec().maxPositions)
            return inputError("'input_ids' has " + std::to_string(ids->size(1)) + " tokens; the model allows "
                              + std::to_string(m_model.spec().maxPositions) + ".");
        m_ids = ids->to(m_model.device());
        return {};
    }

    Result<std::vector<int>> readPrompt(const char* name) const
    {
        const auto read = readIntegers(m_tokens, name);
        if (!read.has_value())
            return read.error();
        if (read->dim() != 2 || read->size(0) != 1)
            return inputError("'" + std::string(name) + "' must have the shape [1, tokens].");
        const auto* const ids = read->data_ptr<std::int64_t>();
        return std::vector<int>(ids, ids + read->numel());
    }

    Result<int> readNumber(const char* name) const
    {
        const auto read = readIntegers(m_tokens, name);
        if (!read.has_value())
            return read.error();
        if (read->numel() != 1)
            return inputError("'" + std::string(name) + "' must contain one number.");
        return static_cast<int>(read->item<std::int64_t>());
    }

    Result<at::Tensor> analysed(const std::string& key)
    {
        const bool lens = LensDump::has(key);
        if (const bool made = lens ? m_lenses.has_value() : m_analyses.has_value(); !made)
            if (const auto read = readPair(lens); !read.has_value())
                return read.error();
        return lens ? m_lenses->value(key) : m_analyses->value(key);
    }

    /// The two prompts, and what else the analyses or the lenses need.
    Result<void> readPair(bool lens)
    {
        auto clean = readPrompt("clean_ids"), corrupt = readPrompt("corrupt_ids");
        for (const auto* prompt : {&clean, &corrupt})
            if (!prompt->has_value())
                return prompt->error();
        if (lens) {
            const auto skip = readNumber("skip");
            if (!skip.has_value())
                return skip.error();
            m_lenses.emplace(m_model, std::move(*clean), std::move(*corrupt), *skip);
            return {};
        }
        const auto answer = readNumber("answer"), distractor = readNumber("distractor");
        for (const auto* token : {&answer, &distractor})
            if (!token->has_value())
                return token->error();
        m_analyses.emplace(m_model, AnalysisInput{std::move(*clean), std::move(*corrupt), {*answer, *distractor}});
        return {};
    }

    Result<at::Tensor> greedy()
    {
        const auto ids = generate(m_model, m_ids, {.newTokens = 8});
        at::Tensor out = at::empty({m_ids.size(0), 8}, at::kLong);
        for (std::size_t b = 0; b < ids.size(); ++b)
            for (std::size_t i = 0; i < ids[b].size(); ++i)
                out[static_cast<std::int64_t>(b)][static_cast<std::int64_t>(i)] = ids[b][i];
        return out;
    }

    Result<at::Tensor> captured(const std::string& what, const std::string& where, const std::string& key)
    {
        const auto name = parseLayer(where, key);
        if (!name.has_value())
            return name.error();
        const bool attention = what == "attn" || what == "z_attn",
                   matrix = what == "attn" || what == "mat" || what == "mat_nod";
        const Site site = attention ? Site::Attention : Site::Ssm;
        if ((!matrix && what != "z_attn" && what != "z_ssm")
            || name->layer >= static_cast<int>(m_model.spec().layers.size()))
            return unknownDumpKey(key);
        const lm::MixerSpec* mixer = m_model.spec().layers[static_cast<std::size_t>(name->layer)].find(site);
        if (!mixer)
            return unknownDumpKey(key);
        lm::Capture capture;
        lm::SiteCapture& wanted = capture.sites[{name->layer, site}];
        wanted.wantMatrix = matrix;
        wanted.wantZ = !matrix;
        wanted.convention.withD = what != "mat_nod";
        if (matrix && mixer->channels()) {
            const auto channels = readIntegers(m_tokens, "channels");
            if (!channels.has_value())
                return channels.error();
            for (std::int64_t i = 0; i < channels->numel(); ++i) {
                const auto channel = channels->view(-1)[i].item<std::int64_t>();
                if (channel < 0 || channel >= mixer->heads)
                    return inputError("'channels' contains " + std::to_string(channel) + "; expected 0 to "
                                      + std::to_string(mixer->heads - 1) + ".");
                wanted.heads.push_back(static_cast<int>(channel));
            }
        }
        (void)m_model.logits(m_ids, {.capture = &capture});
        return matrix ? wanted.matrix : wanted.z;
    }

    Result<std::vector<Intervention>> interventions(const std::vector<std::string>& parts, const std::string& key)
    {
        std::vector<Intervention> items;
        const std::string& what = parts[1];
        const bool edits = what == "ablate" || what == "ablate_prenorm" || what == "mean_ablate" || what == "keep";
        if ((what == "entries" || what == "entries_renorm") && parts.size() == 2)
            return entries(what == "entries_renorm");
        if (what == "replace" && parts.size() == 4) {
            const auto name = parseLayer(parts[3], key);
            if (!name.has_value())
                return name.error();
            items.push_back(SwapLayer{name->layer, (m_folder / ".." / parts[2]).string()});
            return items;
        }
        if (parts.size() != 3)
            return unknownDumpKey(key);
        if (edits) {
            for (const std::string& word : split(parts[2], '_')) {
                const auto head = parseHead(word);
                if (!head.has_value())
                    return unknownDumpKey(key);
                if (what == "keep")
                    items.push_back(KeepHeads{head->layer, head->site, {head->head}});
                else
                    items.push_back(
                        EditHead{.head = *head,
                                 .replacement = what == "mean_ablate" ? Replacement::Mean : Replacement::Zero,
                                 .preNorm = what == "ablate_prenorm"});
            }
            return items;
        }
        if (what.starts_with("lastrow")) {
            MaskLastRow mask;
            mask.kind = what == "lastrow_self"          ? RowMask::Self
                        : what == "lastrow_self_renorm" ? RowMask::SelfRenormalise
                                                        : RowMask::Zero;
            mask.byLength = what == "lastrow_len";
            if (mask.kind == RowMask::Zero && !mask.byLength && what != "lastrow")
                return unknownDumpKey(key);
            if (parts[2] != "all") {
                const auto name = parseLayer(parts[2], key);
                if (!name.has_value())
                    return name.error();
                mask.layer = name->layer;
                mask.site = name->site;
            }
            items.push_back(mask);
            return items;
        }
        const auto name = parseLayer(parts[2], key);
        if (!name.has_value())
            return name.error();
        if (what == "skip_mixer")
            items.push_back(SkipLayer{name->layer, LayerPart::Mixer, name->site});
        else if (what == "skip_layer")
            items.push_back(SkipLayer{name->layer, LayerPart::Whole});
        else if (what == "minimal")
            items.push_back(MinimalModel{name->layer});
        else
            return unknownDumpKey(key);
        return items;
    }

    Result<std::vector<Intervention>> entries(bool renormalise)
    {
        const auto rows = readIntegers(m_tokens, "entries");
        if (!rows.has_value())
            return rows.error();
        if (rows->dim() != 2 || rows->size(1) != 5)
            return inputError("'entries' must have the shape [n, 5].");
        std::vector<Intervention> items;
        for (std::int64_t i = 0; i < rows->size(0); ++i) {
            const auto at = [&](std::int64_t column) {
                return static_cast<int>((*rows)[i][column].item<std::int64_t>());
            };
            items.push_back(MaskEntry{{at(1), Site::Any, at(2)}, at(3), at(4), renormalise, at(0)});
        }
        return items;
    }

    // Means are over all positions of all samples, which are the requests of one batch: layer by layer, each with those
    // before it replaced.
    void fillMeans(lm::Edits& edits) const
    {
        lm::Edits before{.layers = {}, .layerCount = edits.layerCount};
        for (auto& [layer, edit] : edits.layers) {
            for (const lm::Site which : {lm::Site::Attention, lm::Site::Ssm}) {
                lm::SiteEdits& site = edit.site(which);
                if (site.replace.empty())
                    continue;
                lm::Capture capture;
                capture.sites[{layer, which}].wantZ = true;
                (void)m_model.logits(m_ids, {.edits = &before, .capture = &capture});
                const at::Tensor mean = capture.sites[{layer, which}].z.to(at::kFloat).mean(at::IntArrayRef{0, 1});
                const std::int64_t width = m_model.spec().layers[static_cast<std::size_t>(layer)].find(which)->headDim;
                for (lm::ReplaceHead& replace : site.replace)
                    replace.value = mean.narrow(0, replace.head * width, width);
            }
            before.layers[layer] = edit;
        }
    }

    Result<at::Tensor> intervened(const std::vector<std::string>& parts, const std::string& key)
    {
        if (parts.size() < 2)
            return unknownDumpKey(key);
        auto items = interventions(parts, key);
        if (!items.has_value())
            return items.error();
        bool byLength = false;
        for (const Intervention& item : *items)
            if (const auto* mask = std::get_if<MaskLastRow>(&item))
                byLength |= mask->byLength;
        const auto donors = [this](const std::string& folder) -> Result<std::shared_ptr<const lm::Model>> {
            lm::LoadOptions own = m_options;
            own.adapter.clear();
            auto loaded = lm::load(folder, own);
            if (!loaded.has_value())
                return loaded.error();
            return loaded->model;
        };
        auto edits = lm::resolve(InterventionSet(std::move(*items)), m_model.spec(), donors);
        if (!edits.has_value())
            return edits.error();
        fillMeans(*edits);
        lm::RunOptions run{.edits = &*edits};
        if (byLength) {
            const auto lengths = readIntegers(m_tokens, "lengths");
            if (!lengths.has_value())
                return lengths.error();
            if (lengths->numel() != m_ids.size(0) || lengths->min().item<std::int64_t>() < 1
                || lengths->max().item<std::int64_t>() > m_ids.size(1))
                return inputError(
                    "'lengths' must contain one length between 1 and the number of tokens for each sample.");
            run.lastPositions = lengths->view(-1).to(m_model.device()) - 1;
        }
        return m_model.logits(m_ids, run);
    }

    const lm::Model& m_model;
    const io::SafetensorsFile& m_tokens;
    std::filesystem::path m_folder;
    lm::LoadOptions m_options;
    at::Tensor m_ids;
    std::optional<AnalysisDump> m_analyses;
    std::optional<LensDump> m_lenses;
};

} // namespace

Result<std::vector<std::string>> dump(const std::filesystem::path& folder, const lm::LoadOptions& options,
                                      const std::filesystem::path& tokens, const std::filesystem::path& out,
                                      const std::vector<std::string>& keys)
{
    const at::NoGradGuard noGrad;
    const auto file = io::SafetensorsFile::open(tokens);
    if (!file.has_value())
        return file.error();
    const auto loaded = lm::load(folder, options);
    if (!loaded.has_value())
        return loaded.error();
    Dump dump(*loaded->model, **file, folder, options);
    std::vector<at::Tensor> values;
    std::vector<io::TensorToWrite> writes;
    for (const std::string& key : keys) {
        const auto value = dump.value(key);
        if (!value.has_value())
            return value.error();
        const bool integer = value->scalar_type() == at::kLong;
        values.push_back(value->to(at::kCPU, integer ? at::kLong : at::kFloat).contiguous());
        const at::Tensor& tensor = values.back();
        writes.push_back({key, integer ? io::Dtype::I64 : io::Dtype::F32, tensor.sizes().vec(),
                          std::as_bytes(std::span(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()))});
    }
    if (const auto intact = io::intact(**file); !intact.has_value())
        return intact.error();
    const auto written = io::writeSafetensors(out, writes);
    return written.has_value() ? Result<std::vector<std::string>>(loaded->warnings) : written.error();
}

} // namespace headscope::engine
