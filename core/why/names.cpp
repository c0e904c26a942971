// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/names.h"

#include "core/lm/edits.h"

#include <charconv>
#include <optional>

namespace headscope::why {

namespace {

std::string layerName(int layer)
{
    return "L" + std::to_string(layer);
}

// The layer of "L2.mlp"; nothing where it reads otherwise.
std::optional<int> layerOfMlp(std::string_view text)
{
    int layer = 0;
    if (text.size() < 2 || text[0] != 'L')
        return std::nullopt;
    const auto [end, fault] = std::from_chars(text.data() + 1, text.data() + text.size(), layer);
    const auto read = static_cast<std::size_t>(end - text.data());
    return fault == std::errc() && layer >= 0 && text.substr(read) == ".mlp" ? std::optional(layer) : std::nullopt;
}

Error noLayer(int layer, const lm::ModelSpec& spec, const std::string& purpose)
{
    return inputError("There is no layer " + layerName(layer) + " " + purpose + "; expected L0 to "
                      + layerName(static_cast<int>(spec.layers.size()) - 1) + ".");
}

// A head of the model with its site named.
Result<interventions::HeadRef> headOf(std::string_view text, const lm::ModelSpec& spec)
{
    auto head = interventions::parseHead(text);
    if (!head.has_value())
        return head.error();
    const auto mixer = lm::findMixer(spec, *head);
    if (!mixer.has_value())
        return mixer.error();
    head->site = (*mixer)->site();
    return head;
}

} // namespace

std::string headName(const lm::ModelSpec& spec, int layer, Site site, int head)
{
    const lm::LayerSpec& own = spec.layers[static_cast<std::size_t>(layer)];
    const char* letter = own.find(site)->channels() ? "C" : "H";
    if (own.mixers.size() > 1)
        letter = site == Site::Attention ? "A" : "S";
    return layerName(layer) + letter + std::to_string(head);
}

std::string nameOf(const lm::ModelSpec& spec, const Sender& sender)
{
    if (sender.layer < 0)
        return "embed";
    return sender.head < 0 ? layerName(sender.layer) + ".mlp" : headName(spec, sender.layer, sender.site, sender.head);
}

std::string nameOf(const lm::ModelSpec& spec, const Receiver& receiver)
{
    if (receiver.layer >= static_cast<int>(spec.layers.size()))
        return "logits";
    if (receiver.parts == 0)
        return layerName(receiver.layer) + ".mlp";
    const lm::MixerSpec* mixer = spec.layers[static_cast<std::size_t>(receiver.layer)].find(receiver.site);
    return headName(spec, receiver.layer, receiver.site, receiver.head) + "." + partName(mixer->kind, receiver.parts);
}

std::string nameOf(const lm::ModelSpec& spec, const DirectPart& part)
{
    switch (part.kind) {
    case DirectPart::Kind::Embedding: return "embed";
    case DirectPart::Kind::Head: return headName(spec, part.layer, part.site, part.head);
    case DirectPart::Kind::Mlp: return layerName(part.layer) + ".mlp";
    case DirectPart::Kind::Bias: return layerName(part.layer) + ".bias";
    case DirectPart::Kind::Steering: return layerName(part.layer) + ".steer";
    case DirectPart::Kind::Constant: return "constant";
    case DirectPart::Kind::Residue: break;
    }
    return "residue";
}

std::string partName(lm::MixerKind kind, unsigned part)
{
    for (const auto& [name, bits] : partsOf(kind))
        if (bits == part)
            return name;
    return "all";
}

Result<Sender> parseSender(std::string_view text, const lm::ModelSpec& spec)
{
    if (text == "embed")
        return Sender();
    if (text == "logits")
        return inputError("Nothing reads the logits; expected a head as L1H2, an MLP as L1.mlp, or embed.");
    if (const auto layer = layerOfMlp(text))
        return *layer < static_cast<int>(spec.layers.size()) ? Result<Sender>(Sender{*layer, Site::Any, -1})
                                                             : Result<Sender>(noLayer(*layer, spec, "to send from"));
    const auto head = headOf(text, spec);
    if (!head.has_value())
        return head.error();
    return Sender{head->layer, head->site, head->head};
}

Result<Receiver> parseReceiver(std::string_view text, const lm::Model& model)
{
    const lm::ModelSpec& spec = model.spec();
    if (text == "logits")
        return Receiver{static_cast<int>(spec.layers.size()), Site::Any, -1, 0};
    if (text == "embed")
        return inputError("The embedding reads nothing of the stream; expected a head and through what it reads as "
                          "L2H5.q, an MLP as L2.mlp, or logits.");
    if (const auto layer = layerOfMlp(text))
        return *layer < static_cast<int>(spec.layers.size()) ? Result<Receiver>(Receiver{*layer, Site::Any, -1, 0})
                                                             : Result<Receiver>(noLayer(*layer, spec, "to send to"));
    const std::size_t dot = text.rfind('.');
    const auto head = headOf(text.substr(0, dot), spec);
    if (!head.has_value())
        return head.error();
    std::string names;
    for (const auto& [name, part] : partsRead(model, head->layer, head->site)) {
        if (dot != std::string_view::npos && text.substr(dot + 1) == name)
            return Receiver{head->layer, head->site, head->head, part};
        names += (names.empty() ? "" : ", ") + std::string(text.substr(0, dot)) + "." + name;
    }
    const std::string named = std::string(text.substr(0, 60));
    for (const auto& [name, part] : partsOf(spec.layers[static_cast<std::size_t>(head->layer)].find(head->site)->kind))
        if (dot != std::string_view::npos && text.substr(dot + 1) == name)
            return inputError("Heads of layer " + layerName(head->layer) + " read nothing through '" + named
                              + "'; expected " + names + ".");
    return inputError("The receiver '" + named + "' has no input; expected " + names + ".");
}

} // namespace headscope::why
