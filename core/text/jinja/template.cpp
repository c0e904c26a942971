// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jinja/template.h"

#include "core/text/jinja/interpreter.h"
#include "core/text/unicode/utf8.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace headscope::text::jinja {

namespace {

constexpr std::size_t kLargestTemplate = 1u << 20;
constexpr int kDeepestJson = 64;

/// Names and quoted texts come from the template: no line breaks, not too long.
std::string sentence(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20)
            c = ' ';
    constexpr std::size_t kLongest = 400;
    if (text.size() > kLongest) {
        text.resize(kLongest);
        text = replaceInvalidUtf8(text) + "...";
    }
    return text;
}

Value valueOf(const std::string& name, const std::string& text)
{
    int deepest = 0;
    const auto json = nlohmann::ordered_json::parse(
        text,
        [&](int depth, nlohmann::ordered_json::parse_event_t, nlohmann::ordered_json&) {
            deepest = std::max(deepest, depth);
            if (depth > kDeepestJson)
                fail(fmt::format("the value of '{}' has more than {} levels", name, kDeepestJson));
            return true;
        },
        false);
    if (json.is_discarded())
        fail(fmt::format("the value of '{}' is not valid JSON", name));
    return Value::fromJson(json);
}

} // namespace

struct Template::Tree {
    Nodes nodes;
};

Result<Template> Template::parse(std::string_view source)
{
    if (source.size() > kLargestTemplate)
        return inputError(fmt::format("The chat template has {} bytes; expected at most 1 MB.", source.size()));
    if (const auto at = firstInvalidUtf8(source))
        return inputError(fmt::format("The chat template is not valid UTF-8 at byte {}.", *at));
    try {
        return Template(std::make_shared<const Tree>(Tree{jinja::parse(source)}));
    } catch (const Failure& failure) {
        return inputError(fmt::format("The chat template cannot be read: {}.", sentence(failure.message)));
    } catch (const std::exception& error) {
        return Error{Error::Kind::Memory, "The chat template cannot be read: out of memory.", error.what()};
    }
}

Result<std::string> Template::render(const std::vector<std::pair<std::string, std::string>>& variables,
                                     std::int64_t now) const
{
    Interpreter interpreter(now);
    try {
        std::vector<std::pair<std::string, Value>> values;
        for (const auto& [name, text] : variables)
            values.emplace_back(name, valueOf(name, text));
        return interpreter.run(m_tree->nodes, std::move(values));
    } catch (const Failure& failure) {
        if (failure.refused)
            return inputError(
                fmt::format("The model's chat template refuses this conversation: \"{}\".", sentence(failure.message)));
        return inputError(fmt::format("The model's chat template cannot be applied, line {}: {}.", interpreter.line(),
                                      sentence(failure.message)));
    } catch (const std::exception& error) {
        return Error{Error::Kind::Memory, "The model's chat template cannot be applied: out of memory.", error.what()};
    }
}

} // namespace headscope::text::jinja
