// SPDX-License-Identifier: GPL-3.0-or-later
// Jinja's filters and tests.
#include "core/text/jinja/casing.h"
#include "core/text/jinja/interpreter.h"

#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headscope::text::jinja {

namespace {

using Filter = Value (*)(Interpreter&, const Value&, Arguments&);
using Test = bool (*)(Interpreter&, const Value&, Arguments&);

void reject(const Value& value)
{
    if (const auto* u = value.get<Undefined>())
        fail(u->what);
}

std::int64_t wholeNumber(const Value& value, std::string_view what)
{
    if (!value.integer())
        fail(fmt::format("{} needs an integer, got {}", what, value.typeName()));
    return *value.integer();
}

/// Returns the value at a path such as "a.b.0" or at an index. Missing parts are replaced by `fallback` unless it is
/// None.
Value reached(Interpreter& in, const Value& start, const Value& path, const Value& fallback = None{})
{
    const auto item = [&](const Value& of, const Value& key) {
        Value found = in.item(of, key);
        return found.undefined() && !fallback.none() ? fallback : found;
    };
    if (!path.string())
        return item(start, path);
    Value value = start;
    std::string_view rest = *path.string();
    for (;;) {
        const std::size_t dot = rest.find('.');
        const std::string part(rest.substr(0, dot));
        std::int64_t index = 0;
        const bool number = !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; })
                            && std::from_chars(part.data(), part.data() + part.size(), index).ec == std::errc();
        value = item(value, number ? Value(index) : Value(part));
        if (dot == rest.npos)
            return value;
        rest.remove_prefix(dot + 1);
    }
}

Value withoutCase(const Value& value)
{
    return value.string() ? Value(lower(*value.string())) : value;
}

/// What a filter compares items by.
class ItemKey
{
public:
    ItemKey(Interpreter& in, const Value& attribute, bool caseCounts, Value fallback = None{})
        : m_in(in), m_path(attribute), m_fallback(std::move(fallback)), m_case(caseCounts)
    {
    }
    Value operator()(const Value& item) const
    {
        Value key = item;
        if (m_path.string() && m_path.string()->find(',') != std::string::npos)
            fail("sorting by several attributes is not supported");
        if (!m_path.none())
            key = reached(m_in, item, m_path, m_fallback);
        return m_case ? key : withoutCase(key);
    }

private:
    Interpreter& m_in;
    Value m_path;
    Value m_fallback; ///< for an item without the attribute
    bool m_case;
};

Value sorted(Interpreter& in, std::vector<Value> items, const ItemKey& key, bool reverse)
{
    std::vector<std::pair<Value, Value>> keyed;
    for (Value& item : items)
        keyed.emplace_back(key(item), std::move(item));
    // Failing in a comparison is fine; std::stable_sort leaves values moved from, which nobody reads then.
    std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
        return reverse ? order(b.first, a.first, in.budget()) < 0 : order(a.first, b.first, in.budget()) < 0;
    });
    std::vector<Value> result;
    for (auto& [k, item] : keyed)
        result.push_back(std::move(item));
    return Value::list(std::move(result));
}

Value extreme(Interpreter& in, const Value& value, const Arguments& a, int direction)
{
    const ItemKey key(in, a.get(1, "attribute", None{}), a.get(0, "case_sensitive", false).truth());
    const std::vector<Value> items = iterate(value, in.budget());
    if (items.empty())
        return Undefined{"No aggregated item, sequence was empty."};
    const Value* best = &items.front();
    for (const Value& item : items)
        if (order(key(item), key(*best), in.budget()) * direction > 0)
            best = &item;
    return *best;
}

/// select, reject, selectattr and rejectattr.
Value selected(Interpreter& in, const Value& value, const Arguments& a, bool byAttribute, bool keep)
{
    std::size_t place = 0;
    const Value path = byAttribute ? a.need(place++, "attribute") : Value(None{});
    std::string name;
    Arguments rest;
    if (place < a.values.size()) {
        name = in.written(a.values[place]);
        rest.values.assign(a.values.begin() + static_cast<std::ptrdiff_t>(place) + 1, a.values.end());
    }
    rest.named = a.named;
    std::vector<Value> items;
    for (const Value& item : iterate(value, in.budget())) {
        const Value key = byAttribute ? reached(in, item, path) : item;
        if ((name.empty() ? key.truth() : applyTest(in, name, key, rest)) == keep)
            items.push_back(item);
    }
    return Value::list(std::move(items));
}

Value mapped(Interpreter& in, const Value& value, const Arguments& a)
{
    std::vector<Value> items;
    const Value* attribute = a.values.empty() ? a.find(0, "attribute") : nullptr;
    if (!attribute && a.values.empty())
        fail("map needs a filter or an attribute");
    if (attribute)
        a.check("map", "attribute default");
    const Value fallback = a.get(a.values.size(), "default", None{});
    for (const Value& item : iterate(value, in.budget())) {
        if (attribute) {
            items.push_back(reached(in, item, *attribute, fallback));
            continue;
        }
        Arguments rest;
        rest.values.assign(a.values.begin() + 1, a.values.end());
        rest.named = a.named;
        items.push_back(applyFilter(in, in.written(a.values[0]), item, rest));
    }
    return Value::list(std::move(items));
}

Value joined(Interpreter& in, const Value& value, const Arguments& a)
{
    const std::string separator = in.written(a.get(0, "d", ""));
    const Value path = a.get(1, "attribute", None{});
    std::string out;
    bool first = true;
    for (const Value& item : iterate(value, in.budget())) {
        if (!first)
            out += separator;
        first = false;
        out += in.written(path.none() ? item : reached(in, item, path));
        if (out.size() > (16u << 20))
            break;
    }
    in.budget().work(out.size());
    return out;
}

Value indented(Interpreter& in, const Value& value, const Arguments& a)
{
    const Value width = a.get(0, "width", 4);
    const std::int64_t count = width.string() ? 0 : std::clamp<std::int64_t>(wholeNumber(width, "indent"), 0, 1 << 24);
    const std::string space = width.string() ? *width.string() : std::string(static_cast<std::size_t>(count), ' ');
    const bool first = a.get(1, "first", false).truth();
    const bool blank = a.get(2, "blank", false).truth();
    const std::string text = in.written(value) + "\n";
    std::string out = first ? space : "";
    bool begun = false;
    for (const std::string_view line : splitLines(text, false)) {
        in.budget().work(space.size() + line.size());
        if (begun)
            out += "\n" + (blank || !line.empty() ? space : "");
        out += line;
        begun = true;
        if (out.size() > (16u << 20))
            break;
    }
    in.budget().work(out.size());
    return out;
}

Value asJson(Interpreter& in, const Value& value, const Arguments& a)
{
    JsonStyle style;
    style.ascii = a.get(0, "ensure_ascii", false).truth();
    const Value indent = a.get(1, "indent", None{});
    if (indent.string())
        style.indent = *indent.string();
    else if (!indent.none())
        style.indent =
            std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(wholeNumber(indent, "tojson"), 0, 100)), ' ');
    if (style.indent)
        style.itemSeparator = ",";
    const Value separators = a.get(2, "separators", None{});
    if (!separators.none()) {
        const std::vector<Value> both = iterate(separators, in.budget());
        if (both.size() != 2)
            fail("tojson needs two separators");
        style.itemSeparator = in.written(both[0]);
        style.keySeparator = in.written(both[1]);
    }
    style.sortKeys = a.get(3, "sort_keys", false).truth();
    return toJson(value, style, in.budget());
}

Value rounded(const Value& value, const Arguments& a)
{
    reject(value);
    if (!value.number())
        fail(fmt::format("round needs a number, got {}", value.typeName()));
    const std::int64_t digits = std::clamp<std::int64_t>(wholeNumber(a.get(0, "precision", 0), "round"), -300, 300);
    const Value method = a.get(1, "method", "common");
    const std::string name = method.string() ? *method.string() : "";
    if (name != "common" && name != "floor" && name != "ceil")
        fail("round has a method that is not common, floor or ceil");
    const double factor = std::pow(10.0, static_cast<double>(digits));
    if (name == "floor")
        return std::floor(*value.number() * factor) / factor;
    if (name == "ceil")
        return std::ceil(*value.number() * factor) / factor;
    if (value.integer())
        return *value.integer();
    if (digits < 0)
        return std::nearbyint(*value.number() * factor) / factor;
    // The shortest decimal of Python's round(): that of the digits, ties to even on the exact value.
    return std::stod(fmt::format("{:.{}f}", *value.number(), digits));
}

/// Returns Python's int(text, base) in 63 bits: a sign, the base's prefix, '_' between digits. Nothing if that fails.
std::optional<std::int64_t> wholeOf(std::string_view text, std::int64_t base)
{
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+'))
        text.remove_prefix(1);
    const char mark = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
    const int marked = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    const bool unmarked = base == 0 && marked == 0;
    if (marked != 0 && (base == 0 || base == marked)) {
        base = marked;
        text.remove_prefix(2);
        if (text.starts_with('_'))
            text.remove_prefix(1);
    }
    if (unmarked)
        base = 10;
    std::string digits(negative ? "-" : "");
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '-' || (text[i] == '_' && (i == 0 || i + 1 == text.size() || text[i - 1] == '_')))
            return std::nullopt;
        if (text[i] != '_')
            digits += text[i];
    }
    const bool zero = digits.find_first_not_of("-0") == std::string::npos;
    if (base < 2 || base > 36 || (unmarked && !zero && text.starts_with('0')))
        return std::nullopt;
    std::int64_t whole = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, whole, static_cast<int>(base));
    return read.ec == std::errc() && read.ptr == end ? std::optional(whole) : std::nullopt;
}

Value asInteger(const Value& value, const Arguments& a)
{
    const Value fallback = a.get(0, "default", 0);
    const Value base = a.get(1, "base", 10);
    if (value.integer())
        return *value.integer();
    if (value.number())
        return std::abs(*value.number()) < 9e18 ? Value(static_cast<std::int64_t>(*value.number())) : fallback;
    if (!value.string())
        return fallback;
    const std::string text(strip(*value.string(), nullptr, true, true));
    if (const auto whole = base.integer() ? wholeOf(text, *base.integer()) : std::nullopt)
        return *whole;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    double real = 0;
    if (const auto r = std::from_chars(begin, text.data() + text.size(), real);
        r.ec == std::errc() && r.ptr == text.data() + text.size() && std::abs(real) < 9e18)
        return static_cast<std::int64_t>(real);
    return fallback;
}

Value asReal(const Value& value, const Arguments& a)
{
    if (value.number())
        return *value.number();
    if (value.string()) {
        const std::string text(strip(*value.string(), nullptr, true, true));
        double real = 0;
        const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
        if (const auto r = std::from_chars(begin, text.data() + text.size(), real);
            r.ec == std::errc() && r.ptr == text.data() + text.size())
            return real;
    }
    return a.get(0, "default", 0.0);
}

Value batched(Interpreter& in, const Value& value, const Arguments& a)
{
    const std::int64_t size = wholeNumber(a.need(0, "linecount"), "batch");
    if (size < 1 || size > 1'000'000)
        fail("batch needs a size from 1 to a million");
    std::vector<Value> rows;
    std::vector<Value> row;
    for (Value& item : iterate(value, in.budget())) {
        row.push_back(std::move(item));
        if (static_cast<std::int64_t>(row.size()) == size)
            rows.push_back(Value::list(std::exchange(row, {})));
    }
    if (!row.empty()) {
        if (const Value fill = a.get(1, "fill_with", None{}); !fill.none()) {
            in.budget().work(static_cast<std::size_t>(size) * sizeof(Value));
            row.resize(static_cast<std::size_t>(size), fill);
        }
        rows.push_back(Value::list(std::move(row)));
    }
    return Value::list(std::move(rows));
}

Value itemsOf(Interpreter& in, const Value& value)
{
    if (value.undefined())
        return Value::list({});
    if (!value.dict())
        fail(fmt::format("items needs a mapping, got {}", value.typeName()));
    Arguments none;
    return method(value, "items")->object()->call(in, none);
}

Value escaped(Interpreter& in, const Value& value)
{
    std::string out;
    for (const char c : in.written(value)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '\'': out += "&#39;"; break;
        case '"': out += "&#34;"; break;
        default: out += c;
        }
    }
    in.budget().work(out.size());
    return out;
}

Value grouped(Interpreter& in, const Value& value, const Arguments& a)
{
    const Value path = a.need(0, "attribute");
    const bool caseCounts = a.get(2, "case_sensitive", false).truth();
    const Value fallback = a.get(1, "default", None{});
    const ItemKey key(in, path, caseCounts, fallback), label(in, path, true, fallback);
    const Value all = sorted(in, iterate(value, in.budget()), key, false);
    std::vector<Value> groups;
    std::vector<Value> items;
    const auto close = [&] {
        if (!items.empty())
            groups.push_back(Value::list({label(items.front()), Value::list(items)}, true, true));
        items.clear();
    };
    for (const Value& item : all.list()->items) {
        if (!items.empty() && !equal(key(items.front()), key(item), in.budget()))
            close();
        items.push_back(item);
    }
    close();
    return Value::list(std::move(groups));
}

/// Jinja's title: words begin behind white space and opening marks.
std::string titleOf(const std::string& text)
{
    std::string out;
    bool begins = true;
    for (const std::string_view c : characters(text)) {
        std::size_t i = 0;
        const bool between =
            isBlank(nextCharacter(c, i)) || std::string_view("-({[<").find(c) != std::string_view::npos;
        out += begins && !between ? upper(c) : lower(c);
        begins = between;
    }
    return out;
}

const std::map<std::string, Filter, std::less<>>& filters()
{
    using I = Interpreter&;
    using V = const Value&;
    using A = Arguments&;
    static const Filter kLength = [](I in, V v, A) -> Value {
        if (v.string()) {
            in.budget().work(v.string()->size());
            return characters(*v.string()).size();
        }
        if (v.list())
            return v.list()->items.size();
        if (v.dict())
            return v.dict()->entries.size();
        if (v.undefined())
            return 0;
        fail(fmt::format("object of type '{}' has no length", v.typeName()));
    };
    static const Filter kDefault = [](I, V v, A a) {
        return v.undefined() || (a.get(1, "boolean", false).truth() && !v.truth()) ? a.get(0, "default_value", "") : v;
    };
    static const Filter kEscape = [](I in, V v, A) { return escaped(in, v); };
    static const Filter kText = [](I in, V v, A) { return Value(in.written(v)); };
    static const std::map<std::string, Filter, std::less<>> kFilters = {
        {"abs",
         [](I, V v, A) -> Value {
             reject(v);
             if (v.integer() && *v.integer() != INT64_MIN)
                 return std::abs(*v.integer());
             if (!v.number())
                 fail(fmt::format("abs needs a number, got {}", v.typeName()));
             return std::abs(*v.number());
         }},
        {"attr",
         [](I in, V v, A a) -> Value {
             const auto object = v.object();
             const Value name = a.need(0, "name");
             if (object && name.string())
                 if (auto found = object->attribute(*name.string()))
                     return *found;
             if (name.string())
                 if (auto bound = method(v, *name.string()))
                     return *bound;
             return Undefined{fmt::format("'{}' has no attribute '{}'", v.typeName(), in.written(name))};
         }},
        {"batch", [](I in, V v, A a) { return batched(in, v, a); }},
        {"capitalize", [](I in, V v, A) { return Value(capitalized(in.written(v))); }},
        {"center",
         [](I in, V v, A a) {
             Arguments width;
             width.values = {a.get(0, "width", 80)};
             return method(in.written(v), "center")->object()->call(in, width);
         }},
        {"count", kLength},
        {"length", kLength},
        {"d", kDefault},
        {"default", kDefault},
        {"dictsort",
         [](I in, V v, A a) {
             const Value by = a.get(1, "by", "key");
             if (!by.string() || (*by.string() != "key" && *by.string() != "value"))
                 fail("dictsort sorts by key or value");
             return sorted(in, iterate(itemsOf(in, v), in.budget()),
                           ItemKey(in, *by.string() == "key" ? 0 : 1, a.get(0, "case_sensitive", false).truth()),
                           a.get(2, "reverse", false).truth());
         }},
        {"e", kEscape},
        {"escape", kEscape},
        {"forceescape", kEscape},
        {"first",
         [](I in, V v, A) {
             const std::vector<Value> all = iterate(v, in.budget());
             return all.empty() ? Value(Undefined{"No first item, sequence was empty."}) : all.front();
         }},
        {"float", [](I, V v, A a) { return asReal(v, a); }},
        {"format", [](I in, V v, A a) { return Value(percentFormat(in.written(v), Value::list(a.values, true), in)); }},
        {"groupby", [](I in, V v, A a) { return grouped(in, v, a); }},
        {"indent", [](I in, V v, A a) { return indented(in, v, a); }},
        {"int", [](I, V v, A a) { return asInteger(v, a); }},
        {"items", [](I in, V v, A) { return itemsOf(in, v); }},
        {"join", [](I in, V v, A a) { return joined(in, v, a); }},
        {"last",
         [](I in, V v, A) {
             const std::vector<Value> all = iterate(v, in.budget());
             return all.empty() ? Value(Undefined{"No last item, sequence was empty."}) : all.back();
         }},
        {"list", [](I in, V v, A) { return Value::list(iterate(v, in.budget())); }},
        {"lower", [](I in, V v, A) { return Value(lower(in.written(v))); }},
        {"map", [](I in, V v, A a) { return mapped(in, v, a); }},
        {"max", [](I in, V v, A a) { return extreme(in, v, a, 1); }},
        {"min", [](I in, V v, A a) { return extreme(in, v, a, -1); }},
        {"reject", [](I in, V v, A a) { return selected(in, v, a, false, false); }},
        {"rejectattr", [](I in, V v, A a) { return selected(in, v, a, true, false); }},
        {"replace",
         [](I in, V v, A a) {
             const Value count = a.get(2, "count", None{});
             return Value(replaced(in.written(v), in.written(a.need(0, "old")), in.written(a.need(1, "new")),
                                   count.none() ? -1 : wholeNumber(count, "replace"), in.budget()));
         }},
        {"reverse",
         [](I in, V v, A) {
             std::vector<Value> all = iterate(v, in.budget());
             std::ranges::reverse(all);
             if (!v.string())
                 return Value::list(std::move(all));
             std::string out;
             for (const Value& c : all)
                 out += *c.string();
             return Value(std::move(out));
         }},
        {"round", [](I, V v, A a) { return rounded(v, a); }},
        {"safe", kText},
        {"select", [](I in, V v, A a) { return selected(in, v, a, false, true); }},
        {"selectattr", [](I in, V v, A a) { return selected(in, v, a, true, true); }},
        {"sort",
         [](I in, V v, A a) {
             return sorted(in, iterate(v, in.budget()),
                           ItemKey(in, a.get(2, "attribute", None{}), a.get(1, "case_sensitive", false).truth()),
                           a.get(0, "reverse", false).truth());
         }},
        {"string", kText},
        {"sum",
         [](I in, V v, A a) {
             Value total = a.get(1, "start", 0);
             const Value path = a.get(0, "attribute", None{});
             for (const Value& item : iterate(v, in.budget()))
                 total = in.binary("+", total, path.none() ? item : reached(in, item, path));
             return total;
         }},
        {"title", [](I in, V v, A) { return Value(titleOf(in.written(v))); }},
        {"tojson", [](I in, V v, A a) { return asJson(in, v, a); }},
        {"trim",
         [](I in, V v, A a) {
             const Value set = a.get(0, "chars", None{});
             const std::string chars = set.none() ? "" : in.written(set);
             return Value(strip(in.written(v), set.none() ? nullptr : &chars, true, true));
         }},
        {"unique",
         [](I in, V v, A a) {
             const ItemKey key(in, a.get(1, "attribute", None{}), a.get(0, "case_sensitive", false).truth());
             std::vector<Value> seen;
             std::vector<Value> kept;
             for (const Value& item : iterate(v, in.budget())) {
                 const Value k = key(item);
                 if (std::ranges::any_of(seen, [&](const Value& other) { return equal(k, other, in.budget()); }))
                     continue;
                 seen.push_back(k);
                 kept.push_back(item);
             }
             return Value::list(std::move(kept));
         }},
        {"upper", [](I in, V v, A) { return Value(upper(in.written(v))); }},
        {"wordcount",
         [](I in, V v, A) {
             Arguments none;
             const Value words = method(in.written(v), "split")->object()->call(in, none);
             return Value(words.list()->items.size());
         }},
    };
    return kFilters;
}

int remainder(const Value& v)
{
    return static_cast<int>(std::abs(wholeNumber(v, "a test") % 2));
}

template <typename Check> Test comparing(Check)
{
    return [](Interpreter& in, const Value& v, Arguments& a) {
        return Check{}(order(v, a.need(0, "other"), in.budget()), 0);
    };
}

const std::map<std::string, Test, std::less<>>& tests()
{
    using I = Interpreter&;
    using V = const Value&;
    using A = Arguments&;
    static const Test kEqual = [](I in, V v, A a) { return equal(v, a.need(0, "other"), in.budget()); };
    static const Test kOther = [](I in, V v, A a) { return !equal(v, a.need(0, "other"), in.budget()); };
    static const std::map<std::string, Test, std::less<>> kTests = {
        {"boolean", [](I, V v, A) { return v.get<bool>() != nullptr; }},
        {"callable", [](I, V v, A) { return v.object() && v.object()->callable(); }},
        {"defined", [](I, V v, A) { return !v.undefined(); }},
        {"undefined", [](I, V v, A) { return v.undefined(); }},
        {"divisibleby", [](I in, V v, A a) { return equal(in.binary("%", v, a.need(0, "num")), 0, in.budget()); }},
        {"==", kEqual},
        {"eq", kEqual},
        {"equalto", kEqual},
        {"!=", kOther},
        {"ne", kOther},
        {"<", comparing(std::less<int>())},
        {"lt", comparing(std::less<int>())},
        {"lessthan", comparing(std::less<int>())},
        {"<=", comparing(std::less_equal<int>())},
        {"le", comparing(std::less_equal<int>())},
        {">", comparing(std::greater<int>())},
        {"gt", comparing(std::greater<int>())},
        {"greaterthan", comparing(std::greater<int>())},
        {">=", comparing(std::greater_equal<int>())},
        {"ge", comparing(std::greater_equal<int>())},
        {"escaped", [](I, V, A) { return false; }},
        {"even", [](I, V v, A) { return remainder(v) == 0; }},
        {"odd", [](I, V v, A) { return remainder(v) == 1; }},
        {"true", [](I, V v, A) { return v.get<bool>() && *v.get<bool>(); }},
        {"false", [](I, V v, A) { return v.get<bool>() && !*v.get<bool>(); }},
        {"filter", [](I, V v, A) { return v.string() && filters().contains(*v.string()); }},
        {"test", [](I, V v, A) { return v.string() && tests().contains(*v.string()); }},
        {"float", [](I, V v, A) { return v.get<double>() != nullptr; }},
        {"in", [](I in, V v, A a) { return contains(a.need(0, "seq"), v, in.budget()); }},
        {"integer", [](I, V v, A) { return v.get<std::int64_t>() != nullptr; }},
        {"iterable", [](I, V v, A) { return v.undefined() || v.string() || v.list() || v.dict(); }},
        {"lower",
         [](I in, V v, A) {
             const std::string s = in.written(v);
             return s == lower(s) && s != upper(s);
         }},
        {"upper",
         [](I in, V v, A) {
             const std::string s = in.written(v);
             return s == upper(s) && s != lower(s);
         }},
        {"mapping", [](I, V v, A) { return v.dict() != nullptr; }},
        {"none", [](I, V v, A) { return v.none(); }},
        {"number", [](I, V v, A) { return v.number().has_value(); }},
        {"sameas",
         [](I in, V v, A a) {
             const Value other = a.need(0, "other");
             return std::string_view(v.typeName()) == other.typeName() && equal(v, other, in.budget());
         }},
        {"sequence", [](I, V v, A) { return v.undefined() || v.string() || v.list() || v.dict(); }},
        {"string", [](I, V v, A) { return v.string() != nullptr; }},
    };
    return kTests;
}

/// Returns the parameters of a filter after its value, in the form that Arguments::check() expects.
std::string_view parametersOfFilter(std::string_view filter)
{
    static const std::map<std::string_view, std::string_view> kParameters = {
        {"attr", "name"},
        {"batch", "linecount fill_with"},
        {"center", "width"},
        {"d", "default_value boolean"},
        {"default", "default_value boolean"},
        {"dictsort", "case_sensitive by reverse"},
        {"float", "default"},
        {"format", "*"},
        {"groupby", "attribute default case_sensitive"},
        {"indent", "width first blank"},
        {"int", "default base"},
        {"join", "d attribute"},
        {"map", "**"}, // these five pass them on
        {"reject", "**"},
        {"rejectattr", "**"},
        {"select", "**"},
        {"selectattr", "**"},
        {"max", "case_sensitive attribute"},
        {"min", "case_sensitive attribute"},
        {"replace", "old new count"},
        {"round", "precision method"},
        {"sort", "reverse case_sensitive attribute"},
        {"sum", "attribute start"},
        {"tojson", "ensure_ascii indent separators sort_keys"},
        {"trim", "chars"},
        {"unique", "case_sensitive attribute"},
    };
    const auto it = kParameters.find(filter);
    return it == kParameters.end() ? std::string_view() : it->second;
}

std::string_view parametersOfTest(std::string_view test)
{
    static const std::map<std::string_view, std::string_view> kParameters = {
        {"divisibleby", "num"},    {"in", "seq"},    {"sameas", "other"}, {"==", "/other"}, {"eq", "/other"},
        {"equalto", "/other"},     {"!=", "/other"}, {"ne", "/other"},    {"<", "/other"},  {"lt", "/other"},
        {"lessthan", "/other"},    {"<=", "/other"}, {"le", "/other"},    {">", "/other"},  {"gt", "/other"},
        {"greaterthan", "/other"}, {">=", "/other"}, {"ge", "/other"},
    };
    const auto it = kParameters.find(test);
    return it == kParameters.end() ? std::string_view() : it->second;
}

} // namespace

Value applyFilter(Interpreter& in, const std::string& name, const Value& value, Arguments& arguments)
{
    const auto it = filters().find(name);
    if (it == filters().end())
        fail("there is no filter '" + name + "'");
    arguments.check("the filter '" + name + "'", parametersOfFilter(name));
    return it->second(in, value, arguments);
}

bool applyTest(Interpreter& in, const std::string& name, const Value& value, Arguments& arguments)
{
    const auto it = tests().find(name);
    if (it == tests().end())
        fail("there is no test '" + name + "'");
    arguments.check("the test '" + name + "'", parametersOfTest(name));
    return it->second(in, value, arguments);
}

} // namespace headscope::text::jinja
