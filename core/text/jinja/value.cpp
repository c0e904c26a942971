// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jinja/value.h"

#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headscope::text::jinja {

namespace {

constexpr int kDeepestValue = 100; // values in values

/// Python's repr() of a float.
std::string writtenFloat(double d)
{
    if (std::isnan(d))
        return "nan";
    if (std::isinf(d))
        return d > 0 ? "inf" : "-inf";
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
    const std::string_view all(buffer, static_cast<std::size_t>(end - buffer));
    const std::size_t e = all.find('e');
    const int exponent = std::stoi(std::string(all.substr(e + 1)));
    if (exponent < -4 || exponent >= 16)
        return std::string(all);
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::fixed).ptr);
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

bool printable(char32_t c)
{
    if (c == ' ')
        return true;
    constexpr std::uint32_t hidden = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CS_MASK | U_GC_CO_MASK | U_GC_CN_MASK
                                     | U_GC_ZL_MASK | U_GC_ZP_MASK | U_GC_ZS_MASK;
    return (U_GET_GC_MASK(static_cast<UChar32>(c)) & hidden) == 0;
}

std::string reprOfText(const std::string& text)
{
    const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    std::string out(1, quote);
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        const char32_t c = nextCharacter(text, i);
        const auto code = static_cast<std::uint32_t>(c);
        if (c == '\\' || c == static_cast<char32_t>(quote))
            out += {'\\', static_cast<char>(c)};
        else if (c == '\n' || c == '\r' || c == '\t')
            out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
        else if (printable(c))
            out.append(text, begin, i - begin);
        else
            out += code < 0x100     ? fmt::format("\\x{:02x}", code)
                   : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                                    : fmt::format("\\U{:08x}", code);
    }
    return out + quote;
}

std::string jsonText(const std::string& text, bool ascii)
{
    return nlohmann::json(text).dump(-1, ' ', ascii);
}

int sign(double d)
{
    return d < 0 ? -1 : d > 0 ? 1 : 0;
}

struct JsonWriter {
    const JsonStyle& style;
    Budget& budget;
    std::string out;
    std::size_t depth = 0;

    void line()
    {
        if (!style.indent)
            return;
        out += '\n';
        for (std::size_t i = 0; i < depth; ++i)
            out += *style.indent;
    }
    std::string keyOf(const Value& key) const
    {
        if (key.string())
            return *key.string();
        if (key.none())
            return "null";
        if (const bool* b = key.get<bool>())
            return *b ? "true" : "false";
        if (!key.number())
            fail(fmt::format("tojson cannot write a key that is a {}", key.typeName()));
        return repr(key, budget);
    }
    template <typename Items, typename Write> void many(char open, const Items& items, char close, Write write)
    {
        out += open;
        ++depth;
        bool first = true;
        for (const auto& item : items) {
            if (!first)
                out += style.itemSeparator;
            first = false;
            line();
            write(item);
            budget.work(0);
        }
        --depth;
        if (!first)
            line();
        out += close;
    }
    void write(const Value& v)
    {
        const Level level(budget);
        budget.step();
        if (out.size() > (16u << 20))
            budget.work(out.size());
        if (v.string()) {
            budget.work(v.string()->size());
            out += jsonText(*v.string(), style.ascii);
        } else if (v.none()) {
            out += "null";
        } else if (const bool* truth = v.get<bool>()) {
            out += *truth ? "true" : "false";
        } else if (const double* d = v.get<double>(); d && !std::isfinite(*d)) {
            out += std::isnan(*d) ? "NaN" : *d > 0 ? "Infinity" : "-Infinity";
        } else if (v.number()) {
            out += repr(v, budget);
        } else if (v.list()) {
            many('[', v.list()->items, ']', [&](const Value& item) { write(item); });
        } else if (v.dict()) {
            auto entries = v.dict()->entries;
            if (style.sortKeys)
                std::ranges::stable_sort(
                    entries, [&](const auto& a, const auto& b) { return order(a.first, b.first, budget) < 0; });
            many('{', entries, '}', [&](const auto& entry) {
                out += jsonText(keyOf(entry.first), style.ascii) + style.keySeparator;
                write(entry.second);
            });
        } else {
            fail(fmt::format("tojson cannot write a value of type {}", v.typeName()));
        }
    }
};

} // namespace

void fail(std::string message)
{
    throw Failure{std::move(message)};
}

std::optional<Value> Object::attribute(std::string_view) const
{
    return std::nullopt;
}

Value Object::call(Interpreter&, Arguments&)
{
    fail(written() + " cannot be called");
}

int Value::depth() const
{
    return list() ? list()->depth : dict() ? dict()->depth : 0;
}

Value Value::list(std::vector<Value> items, bool tuple, bool group)
{
    int depth = 1;
    for (const Value& item : items)
        depth = std::max(depth, item.depth() + 1);
    if (depth > kDeepestValue)
        fail("it makes lists of more than 100 levels");
    Value value;
    value.m_held = std::make_shared<const List>(List{std::move(items), tuple, depth, group});
    return value;
}

Value Value::dict(std::vector<std::pair<Value, Value>> entries)
{
    int depth = 1;
    for (const auto& [key, item] : entries)
        depth = std::max({depth, item.depth() + 1, key.depth() + 1});
    if (depth > kDeepestValue)
        fail("it makes lists of more than 100 levels");
    Value value;
    value.m_held = std::make_shared<const Dict>(Dict{std::move(entries), depth});
    return value;
}

Value Value::fromJson(const nlohmann::ordered_json& json)
{
    using Kind = nlohmann::ordered_json::value_t;
    switch (json.type()) {
    case Kind::boolean: return json.get<bool>();
    case Kind::number_integer: return json.get<std::int64_t>();
    case Kind::number_unsigned:
        if (json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
            fail("the conversation has an integer of more than 63 bits");
        return json.get<std::int64_t>();
    case Kind::number_float: return json.get<double>();
    case Kind::string: return json.get<std::string>();
    case Kind::array: {
        std::vector<Value> items;
        for (const auto& item : json)
            items.push_back(fromJson(item));
        return list(std::move(items));
    }
    case Kind::object: {
        std::vector<std::pair<Value, Value>> entries;
        for (const auto& [key, item] : json.items())
            entries.emplace_back(key, fromJson(item));
        return dict(std::move(entries));
    }
    default: return None{};
    }
}

std::optional<std::int64_t> Value::integer() const
{
    if (const auto* i = get<std::int64_t>())
        return *i;
    if (const auto* b = get<bool>())
        return *b ? 1 : 0;
    return std::nullopt;
}

std::optional<double> Value::number() const
{
    if (const auto* d = get<double>())
        return *d;
    const auto i = integer();
    return i ? std::optional(static_cast<double>(*i)) : std::nullopt;
}

const char* Value::typeName() const
{
    if (list() && list()->tuple)
        return "tuple";
    constexpr const char* kNames[] = {"Undefined", "NoneType", "bool", "int", "float", "str", "list", "dict", "object"};
    return kNames[m_held.index()];
}

bool Value::truth() const
{
    if (const auto* b = get<bool>())
        return *b;
    if (const auto n = number())
        return *n != 0;
    if (string())
        return !string()->empty();
    if (list())
        return !list()->items.empty();
    if (dict())
        return !dict()->entries.empty();
    return object() != nullptr;
}

const Value* Arguments::find(std::size_t place, std::string_view name) const
{
    if (place < values.size())
        return &values[place];
    const auto it = std::ranges::find(named, name, [](const auto& n) { return std::string_view(n.first); });
    return it == named.end() ? nullptr : &it->second;
}

Value Arguments::get(std::size_t place, std::string_view name, Value fallback) const
{
    const Value* found = find(place, name);
    return found ? *found : std::move(fallback);
}

Value Arguments::need(std::size_t place, std::string_view name) const
{
    const Value* found = find(place, name);
    if (!found)
        fail(fmt::format("the argument '{}' is missing", name));
    return *found;
}

void Arguments::check(std::string_view callee, std::string_view parameters) const
{
    if (parameters == "**" || (parameters == "*" && named.empty()))
        return;
    std::vector<std::string_view> names;
    const bool nameless = parameters.starts_with('/') || parameters == "*";
    for (std::string_view rest = parameters.substr(parameters.starts_with('/') ? 1 : 0); !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        names.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (parameters != "*" && values.size() > names.size())
        fail(fmt::format("{} accepts at most {} argument{}, got {}", callee, names.size(), names.size() == 1 ? "" : "s",
                         values.size()));
    for (const auto& [name, value] : named) {
        const auto at = std::ranges::find(names, std::string_view(name));
        if (nameless || at == names.end())
            fail(fmt::format("{} has no argument of the name '{}'", callee, name));
        if (static_cast<std::size_t>(at - names.begin()) < values.size())
            fail(fmt::format("{} has two values for the argument '{}'", callee, name));
    }
}

std::string written(const Value& value, Budget& budget)
{
    if (value.undefined())
        return {};
    if (const std::string* text = value.string()) {
        budget.work(text->size());
        return *text;
    }
    return repr(value, budget);
}

std::string repr(const Value& value, Budget& budget)
{
    const Level level(budget);
    budget.step();
    if (value.undefined())
        return "Undefined";
    if (value.none())
        return "None";
    if (const bool* b = value.get<bool>())
        return *b ? "True" : "False";
    if (const auto i = value.integer())
        return std::to_string(*i);
    if (const double* d = value.get<double>())
        return writtenFloat(*d);
    if (const auto object = value.object())
        return object->written();
    if (const std::string* text = value.string()) {
        budget.work(text->size());
        return reprOfText(*text);
    }
    std::string out;
    if (const List* list = value.list()) {
        for (const Value& item : list->items)
            out += (out.empty() ? "" : ", ") + repr(item, budget);
        budget.work(out.size());
        if (list->tuple)
            return "(" + out + (list->items.size() == 1 ? ",)" : ")");
        return "[" + out + "]";
    }
    for (const auto& [key, item] : value.dict()->entries) {
        out += (out.empty() ? "" : ", ") + repr(key, budget);
        out += ": " + repr(item, budget);
    }
    budget.work(out.size());
    return "{" + out + "}";
}

bool equal(const Value& a, const Value& b, Budget& budget)
{
    budget.step();
    if (a.string() && b.string()) {
        budget.work(std::min(a.string()->size(), b.string()->size()));
        return *a.string() == *b.string();
    }
    if (a.integer() && b.integer())
        return *a.integer() == *b.integer();
    if (a.number() && b.number())
        return *a.number() == *b.number();
    if (a.list() && b.list())
        return a.list()->tuple == b.list()->tuple
               && std::ranges::equal(a.list()->items, b.list()->items,
                                     [&](const Value& x, const Value& y) { return equal(x, y, budget); });
    if (a.dict() && b.dict()) {
        if (a.dict()->entries.size() != b.dict()->entries.size())
            return false;
        return std::ranges::all_of(a.dict()->entries, [&](const auto& entry) {
            const auto other = entryOf(*b.dict(), entry.first, budget);
            return other && equal(entry.second, *other, budget);
        });
    }
    if (a.object() || b.object())
        return a.object() == b.object();
    return (a.undefined() && b.undefined()) || (a.none() && b.none());
}

int order(const Value& a, const Value& b, Budget& budget)
{
    budget.step();
    if (a.string() && b.string()) {
        budget.work(std::min(a.string()->size(), b.string()->size()));
        return a.string()->compare(*b.string());
    }
    if (a.integer() && b.integer())
        return *a.integer() < *b.integer() ? -1 : *a.integer() > *b.integer() ? 1 : 0;
    if (a.number() && b.number())
        return sign(*a.number() - *b.number());
    if (a.list() && b.list() && a.list()->tuple == b.list()->tuple) {
        const auto& x = a.list()->items;
        const auto& y = b.list()->items;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
            if (!equal(x[i], y[i], budget))
                return order(x[i], y[i], budget);
        return x.size() < y.size() ? -1 : x.size() > y.size() ? 1 : 0;
    }
    for (const Value* side : {&a, &b})
        if (const auto* u = side->get<Undefined>())
            fail(u->what);
    fail(fmt::format("{} and {} cannot be ordered", a.typeName(), b.typeName()));
}

bool contains(const Value& container, const Value& item, Budget& budget)
{
    if (const std::string* text = container.string()) {
        if (!item.string())
            fail(fmt::format("'in' with a text needs a text, got {}", item.typeName()));
        budget.work(text->size());
        return text->find(*item.string()) != text->npos;
    }
    if (const Dict* dict = container.dict())
        return entryOf(*dict, item, budget).has_value();
    return std::ranges::any_of(iterate(container, budget), [&](const Value& v) { return equal(v, item, budget); });
}

std::vector<std::string_view> characters(std::string_view text)
{
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8Length(static_cast<unsigned char>(text[i]));
        all.push_back(text.substr(i, length));
        i += length;
    }
    return all;
}

std::vector<Value> iterate(const Value& value, Budget& budget)
{
    if (const List* list = value.list()) {
        budget.work(list->items.size() * sizeof(Value));
        budget.step(list->items.size());
        return list->items;
    }
    std::vector<Value> items;
    if (const Dict* dict = value.dict()) {
        budget.work(dict->entries.size() * sizeof(Value));
        for (const auto& [key, item] : dict->entries)
            items.push_back(key);
    } else if (const std::string* text = value.string()) {
        budget.work(text->size() * sizeof(Value));
        for (const std::string_view c : characters(*text))
            items.emplace_back(c);
    } else if (!value.undefined()) {
        fail(fmt::format("'{}' object is not iterable", value.typeName()));
    }
    return items;
}

std::optional<Value> entryOf(const Dict& dict, const Value& key, Budget& budget)
{
    if (key.list() && !key.list()->tuple)
        fail("a list cannot be a key");
    if (key.dict())
        fail("a dict cannot be a key");
    for (const auto& [name, item] : dict.entries)
        if (equal(name, key, budget))
            return item;
    return std::nullopt;
}

void setEntry(Dict& dict, Value key, Value value, Budget& budget)
{
    budget.work(sizeof(Value) * 2);
    for (auto& [name, item] : dict.entries)
        if (equal(name, key, budget)) {
            item = std::move(value);
            return;
        }
    dict.entries.emplace_back(std::move(key), std::move(value));
}

std::optional<Value> subscript(const Value& value, const Value& key, Budget& budget)
{
    if (const Dict* dict = value.dict())
        return key.list() || key.dict() ? std::nullopt : entryOf(*dict, key, budget);
    if (const auto object = value.object())
        return key.string() ? object->attribute(*key.string()) : std::nullopt;
    if (const List* list = value.list(); list && list->group && key.string())
        return *key.string() == "grouper" ? std::optional(list->items.front())
               : *key.string() == "list"  ? std::optional(list->items.back())
                                          : std::nullopt;
    auto index = key.integer();
    if (!index)
        return std::nullopt;
    if (const List* list = value.list()) {
        const auto size = static_cast<std::int64_t>(list->items.size());
        *index += *index < 0 ? size : 0;
        return *index >= 0 && *index < size ? std::optional(list->items[static_cast<std::size_t>(*index)])
                                            : std::nullopt;
    }
    if (const std::string* text = value.string()) {
        budget.work(text->size());
        const auto all = characters(*text);
        const auto size = static_cast<std::int64_t>(all.size());
        *index += *index < 0 ? size : 0;
        return *index >= 0 && *index < size ? std::optional<Value>(all[static_cast<std::size_t>(*index)])
                                            : std::nullopt;
    }
    return std::nullopt;
}

Value slice(const Value& value, std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step,
            Budget& budget)
{
    if (const auto* u = value.get<Undefined>())
        return *u;
    if (!value.list() && !value.string())
        fail(fmt::format("'{}' object cannot be sliced", value.typeName()));
    if (step == 0)
        fail("a slice has the step 0");
    const std::vector<Value> all = iterate(value, budget);
    const auto size = static_cast<std::int64_t>(all.size());
    const auto place = [&](std::optional<std::int64_t> at, std::int64_t fallback) {
        if (!at)
            return fallback;
        const std::int64_t i = *at < 0 ? std::max<std::int64_t>(*at, -size - 1) + size : *at;
        return step > 0 ? std::clamp<std::int64_t>(i, 0, size) : std::clamp<std::int64_t>(i, -1, size - 1);
    };
    const std::int64_t last = place(end, step > 0 ? size : -1);
    step = std::clamp<std::int64_t>(step, -size - 1, size + 1);
    std::vector<Value> items;
    for (std::int64_t i = place(begin, step > 0 ? 0 : size - 1); step > 0 ? i < last : i > last; i += step)
        items.push_back(all[static_cast<std::size_t>(i)]);
    if (value.list())
        return Value::list(std::move(items), value.list()->tuple);
    std::string text;
    for (const Value& c : items)
        text += *c.string();
    return text;
}

std::string toJson(const Value& value, const JsonStyle& style, Budget& budget)
{
    JsonWriter writer{style, budget, {}};
    writer.write(value);
    budget.work(writer.out.size());
    return std::move(writer.out);
}

bool isBlank(char32_t c)
{
    return (c >= 0x1C && c <= 0x1F) || isWhitespace(c);
}

std::string_view strip(std::string_view text, const std::string* set, bool left, bool right)
{
    const auto goes = [&](std::string_view c) {
        std::size_t i = 0;
        return set ? set->find(c) != set->npos : isBlank(nextCharacter(c, i));
    };
    std::size_t begin = 0;
    std::size_t end = text.size();
    while (left && begin < end) {
        const std::size_t length = utf8Length(static_cast<unsigned char>(text[begin]));
        if (!goes(text.substr(begin, length)))
            break;
        begin += length;
    }
    while (right && end > begin) {
        std::size_t i = end;
        static_cast<void>(previousCharacter(text, i));
        if (!goes(text.substr(i, end - i)))
            break;
        end = i;
    }
    return text.substr(begin, end - begin);
}

} // namespace headscope::text::jinja
