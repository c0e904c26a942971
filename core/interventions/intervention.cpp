// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/interventions/intervention.h"

#include "core/interventions/parse.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace headscope::interventions {

namespace {

char letter(Site site)
{
    return site == Site::Attention ? 'A' : site == Site::Ssm ? 'S' : site == Site::Expert ? 'X' : 'H';
}

std::string layerText(int layer)
{
    return "L" + std::to_string(layer);
}

// A shorter spelling than std::to_string: 1.5, not 1.500000.
std::string numberText(double value)
{
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

std::string spanText(const PositionSpan& span)
{
    return std::to_string(span.first) + (span.last == span.first ? "" : "-" + std::to_string(span.last));
}

std::string headList(int layer, Site site, const std::vector<int>& heads)
{
    std::string text = layerText(layer) + letter(site);
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (i > 0)
            text += ',';
        std::size_t end = i;
        while (end + 1 < heads.size() && heads[end + 1] == heads[end] + 1)
            ++end;
        text += heads[i] < 0 ? "*" : std::to_string(heads[i]);
        if (end >= i + 2) {
            text += "-" + std::to_string(heads[end]);
            i = end;
        }
    }
    return text;
}

struct Writer {
    std::string operator()(const EditHead& e) const
    {
        std::string text = (e.preNorm ? "prenorm:" : e.shared ? "shared:" : "") + toText(e.head);
        switch (e.replacement) {
        case Replacement::Zero: break;
        case Replacement::Mean: text += "=mean"; break;
        case Replacement::Resample: text += "=resample:" + std::to_string(e.seed); break;
        case Replacement::Scale: text += "=scale:" + numberText(e.factor); break;
        }
        return text + (e.lastOnly ? "@last" : "") + (e.span ? "@" + spanText(*e.span) : "");
    }
    std::string operator()(const KeepHeads& k) const { return "keep:" + headList(k.layer, k.site, k.heads); }
    std::string operator()(const MinimalModel& m) const { return "upto:" + layerText(m.lastLayer); }
    std::string operator()(const SkipLayer& s) const
    {
        const std::string site = s.site == Site::Any ? "" : std::string(1, letter(s.site));
        const char* part = s.part == LayerPart::Mixer ? ".mixer" : s.part == LayerPart::Mlp ? ".mlp" : "";
        return "skip:" + layerText(s.layer) + site + part;
    }
    std::string operator()(const MaskLastRow& m) const
    {
        std::string text = "lastrow";
        text += m.kind == RowMask::Self ? "_self" : m.kind == RowMask::SelfRenormalise ? "_self_renorm" : "";
        text += m.byLength ? "_len" : "";
        return text + ":" + (m.layer ? layerText(*m.layer) : "*")
               + (m.site == Site::Any ? "" : std::string(1, letter(m.site)));
    }
    std::string operator()(const MaskEntry& m) const
    {
        return "mask:" + toText(m.head) + "[" + (m.sample >= 0 ? "b=" + std::to_string(m.sample) + "," : "")
               + "q=" + std::to_string(m.query) + ",k=" + std::to_string(m.key) + (m.renormalise ? ",renorm]" : "]");
    }
    std::string operator()(const MaskSpan& m) const
    {
        return std::string(m.beforeSoftmax ? "knock:" : "mask:") + layerText(m.layer)
               + (m.lastLayer == m.layer ? "" : "-" + std::to_string(m.lastLayer)) + letter(m.site)
               + (m.head < 0 ? "*" : std::to_string(m.head)) + "[q=" + spanText(m.queries) + ",k=" + spanText(m.keys)
               + (m.renormalise ? ",renorm]" : "]");
    }
    std::string operator()(const Steer& s) const
    {
        return "steer:" + layerText(s.layer) + (s.factor == 1.0 ? "" : "*" + numberText(s.factor)) + "=" + s.direction;
    }
    std::string operator()(const ExchangeWords& e) const
    {
        return "swap:" + layerText(e.layer) + "=jlens:" + e.first + "," + e.second;
    }
    std::string operator()(const SwapLayer& s) const { return "swap:" + layerText(s.layer) + "=" + s.model; }
};

} // namespace

std::string toText(const HeadRef& head)
{
    return layerText(head.layer) + letter(head.site) + (head.head < 0 ? "*" : std::to_string(head.head));
}

std::string toText(const Intervention& intervention)
{
    return std::visit(Writer{}, intervention);
}

InterventionSet::InterventionSet(std::vector<Intervention> items) : m_items(std::move(items))
{
    // Several "keep" of one layer and site mean their union.
    std::map<std::pair<int, Site>, std::vector<int>> kept;
    std::erase_if(m_items, [&](const Intervention& item) {
        const auto* keep = std::get_if<KeepHeads>(&item);
        if (keep) {
            auto& heads = kept[{keep->layer, keep->site}];
            heads.insert(heads.end(), keep->heads.begin(), keep->heads.end());
        }
        return keep != nullptr;
    });
    for (auto& [where, heads] : kept) {
        std::sort(heads.begin(), heads.end());
        heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
        m_items.push_back(KeepHeads{where.first, where.second, heads});
    }
    std::sort(m_items.begin(), m_items.end());
    m_items.erase(std::unique(m_items.begin(), m_items.end()), m_items.end());
}

Result<InterventionSet> InterventionSet::parse(std::string_view text)
{
    const std::string owned(text);
    return parse(std::span(&owned, 1));
}

Result<InterventionSet> InterventionSet::parse(std::span<const std::string> texts)
{
    std::vector<Intervention> items;
    for (const std::string& text : texts)
        for (const std::string& word : wordsOf(text))
            if (const auto done = parseWord(word, items); !done.has_value())
                return done.error();
    return InterventionSet(std::move(items));
}

int InterventionSet::layersNeeded() const
{
    int layers = 0;
    for (const auto& item : m_items)
        if (const auto* minimal = std::get_if<MinimalModel>(&item))
            layers = layers == 0 ? minimal->lastLayer + 1 : std::min(layers, minimal->lastLayer + 1);
    return layers;
}

std::string InterventionSet::canonical() const
{
    // Plain removals of one layer are written together: L1H0-3,7.
    std::map<std::pair<int, Site>, std::vector<int>> zeroed;
    for (const auto& item : m_items)
        if (const auto* edit = std::get_if<EditHead>(&item); edit && *edit == EditHead{.head = edit->head})
            zeroed[{edit->head.layer, edit->head.site}].push_back(edit->head.head);
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
    for (const auto& [where, heads] : zeroed)
        add(headList(where.first, where.second, heads));
    for (const auto& item : m_items) {
        const auto* edit = std::get_if<EditHead>(&item);
        if (!edit || *edit != EditHead{.head = edit->head})
            add(toText(item));
    }
    return text;
}

} // namespace headscope::interventions
