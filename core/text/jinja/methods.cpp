// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of Python's str, dict and list, and the functions that every template has.
#include "core/text/jinja/casing.h"
#include "core/text/jinja/interpreter.h"

#include "core/text/unicode/utf8.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <locale.h>

namespace headscope::text::jinja {

namespace {

class FunctionObject : public Object
{
public:
    FunctionObject(std::string name, Call call, std::string_view parameters)
        : m_name(std::move(name)), m_call(std::move(call)), m_parameters(parameters)
    {
    }
    Value call(Interpreter& in, Arguments& arguments) override
    {
        arguments.check(m_name + "()", m_parameters);
        return m_call(in, arguments);
    }
    [[nodiscard]] bool callable() const override { return true; }
    [[nodiscard]] std::string written() const override { return "<function " + m_name + ">"; }

private:
    std::string m_name;
    Call m_call;
    std::string m_parameters;
};

const std::string& textOf(const Value& value, std::string_view what)
{
    if (!value.string())
        fail(fmt::format("{} needs a text, got {}", what, value.typeName()));
    return *value.string();
}

std::int64_t integerOf(const Value& value, std::string_view what)
{
    if (!value.integer())
        fail(fmt::format("{} needs an integer, got {}", what, value.typeName()));
    return *value.integer();
}

/// True where all characters are of a kind and there is one.
template <typename Kind> bool all(const std::string& text, Kind kind)
{
    for (std::size_t i = 0; i < text.size();)
        if (!kind(static_cast<UChar32>(nextCharacter(text, i))))
            return false;
    return !text.empty();
}

Value split(const std::string& text, const Arguments& arguments, bool right, Budget& budget)
{
    const Value separator = arguments.get(0, "sep", None{});
    std::int64_t most = integerOf(arguments.get(1, "maxsplit", -1), "split()");
    if (most < 0)
        most = INT64_MAX;
    std::vector<Value> parts;
    std::string_view rest = text;
    if (!separator.none()) {
        const std::string& by = textOf(separator, "split()");
        if (by.empty())
            fail("split() has an empty separator");
        for (std::size_t at = 0; most > 0; --most) {
            at = right ? rest.rfind(by) : rest.find(by);
            if (at == rest.npos)
                break;
            parts.emplace_back(right ? rest.substr(at + by.size()) : rest.substr(0, at));
            rest = right ? rest.substr(0, at) : rest.substr(at + by.size());
        }
        parts.emplace_back(rest);
    } else {
        for (rest = strip(rest, nullptr, !right, right); !rest.empty(); --most) {
            std::size_t begin = right ? rest.size() : 0;
            std::size_t end = begin;
            while (most > 0 && (right ? begin > 0 : end < rest.size())) {
                std::size_t i = right ? begin : end;
                if (isBlank(right ? previousCharacter(rest, i) : nextCharacter(rest, i)))
                    break;
                (right ? begin : end) = i;
            }
            if (most <= 0) {
                begin = 0;
                end = rest.size();
            }
            parts.emplace_back(rest.substr(begin, end - begin));
            rest = strip(right ? rest.substr(0, begin) : rest.substr(end), nullptr, !right, right);
        }
    }
    if (right)
        std::ranges::reverse(parts);
    budget.work(text.size() + parts.size() * sizeof(Value));
    return Value::list(std::move(parts));
}

/// Returns the range of a string or list of `size` items given by the arguments at `place` and after it, clamped as in
/// Python. Nothing if it starts after its end; not even an empty string is found there.
std::optional<std::pair<std::size_t, std::size_t>> bounds(const Arguments& arguments, std::size_t place,
                                                          std::size_t size)
{
    const auto bound = [&](std::size_t at, std::string_view name, std::int64_t fallback) {
        const Value given = arguments.get(at, name, None{});
        const std::int64_t index = given.none() ? fallback : integerOf(given, name);
        return index < 0 ? std::max<std::int64_t>(index + static_cast<std::int64_t>(size), 0) : index;
    };
    const std::int64_t begin = bound(place, "start", 0);
    const std::int64_t end = std::min(bound(place + 1, "end", INT64_MAX), static_cast<std::int64_t>(size));
    if (begin > end)
        return std::nullopt;
    return std::pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
}

struct Window {
    std::string_view text;
    std::size_t begin = 0; ///< in characters
};

/// The part of a string between the start and end arguments.
std::optional<Window> window(const std::string& text, const Arguments& arguments)
{
    if (arguments.values.size() < 2)
        return Window{text};
    const std::vector<std::string_view> all = characters(text);
    const auto part = bounds(arguments, 1, all.size());
    if (!part)
        return std::nullopt;
    const auto place = [&](std::size_t i) {
        return i < all.size() ? static_cast<std::size_t>(all[i].data() - text.data()) : text.size();
    };
    const std::size_t begin = place(part->first);
    return Window{std::string_view(text).substr(begin, place(part->second) - begin), part->first};
}

Value edge(const std::string& text, const Arguments& arguments, bool end)
{
    const std::optional<Window> part = window(text, arguments);
    const Value what = arguments.need(0, "prefix");
    const std::vector<Value> one{what};
    const std::vector<Value>& options = what.list() && what.list()->tuple ? what.list()->items : one;
    return std::ranges::any_of(options, [&](const Value& option) {
        const std::string& sought = textOf(option, end ? "endswith()" : "startswith()");
        return part && (end ? part->text.ends_with(sought) : part->text.starts_with(sought));
    });
}

/// str.format() with plain fields: {}, {0} and {name}.
std::string formatted(const std::string& text, const Arguments& arguments, Interpreter& in)
{
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
            out += text[i++];
        } else if (text[i] == '{') {
            const std::size_t end = text.find('}', i);
            const std::string name = end == text.npos ? "" : text.substr(i + 1, end - i - 1);
            if (end == text.npos || name.find_first_of("{:.[!") != name.npos)
                fail("format() has a field that is not a number or a name");
            const bool number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
            if (number && name.size() > 3)
                fail("format() has fewer arguments than fields");
            const std::size_t place = !number ? arguments.values.size() : name.empty() ? next++ : std::stoul(name);
            out += in.written(arguments.need(place, number ? std::string_view("format") : name));
            i = end;
        } else if (text[i] == '}') {
            fail("format() has a '}' without its '{'");
        } else {
            out += text[i];
        }
        in.budget().work(0);
    }
    in.budget().work(out.size());
    return out;
}

std::string padded(const std::string& text, const Arguments& arguments, int side, Budget& budget)
{
    const std::int64_t width = std::clamp<std::int64_t>(integerOf(arguments.need(0, "width"), "padding"), 0, 1 << 30);
    const Value filling = arguments.get(1, "fillchar", " ");
    const std::string& fill = textOf(filling, "padding");
    if (characters(fill).size() != 1)
        fail("padding needs one character");
    const auto length = static_cast<std::int64_t>(characters(text).size());
    const std::int64_t missing = std::max<std::int64_t>(width - length, 0);
    budget.work(text.size() + static_cast<std::size_t>(missing) * fill.size());
    // As Python centres: an odd one goes to the left where the width is odd.
    const std::int64_t left = side < 0 ? 0 : side > 0 ? missing : missing / 2 + (missing & width & 1);
    std::string out;
    for (std::int64_t i = 0; i < left; ++i)
        out += fill;
    out += text;
    for (std::int64_t i = left; i < missing; ++i)
        out += fill;
    return out;
}

Value found(const std::string& text, const Arguments& arguments, bool right, bool must, Budget& budget)
{
    const Value what = arguments.need(0, "sub");
    const std::string& part = textOf(what, "find()");
    const std::optional<Window> within = window(text, arguments);
    const std::size_t at = !within ? text.npos : right ? within->text.rfind(part) : within->text.find(part);
    budget.work(text.size());
    if (at == text.npos && must)
        fail("index() found no such text");
    return at == text.npos ? Value(-1) : Value(within->begin + characters(within->text.substr(0, at)).size());
}

Value counted(const std::string& text, const Arguments& arguments)
{
    const Value what = arguments.need(0, "sub");
    const std::string& part = textOf(what, "count()");
    const std::optional<Window> within = window(text, arguments);
    if (!within)
        return 0;
    if (part.empty())
        return Value(characters(within->text).size() + 1);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = within->text.find(part, at)) != text.npos; at += part.size())
        ++count;
    return Value(count);
}

Value parted(const std::string& text, const Arguments& arguments, bool right)
{
    const Value what = arguments.need(0, "sep");
    const std::string& by = textOf(what, "partition()");
    if (by.empty())
        fail("partition() has an empty separator");
    const std::size_t at = right ? text.rfind(by) : text.find(by);
    if (at == text.npos)
        return right ? Value::list({"", "", text}, true) : Value::list({text, "", ""}, true);
    return Value::list({text.substr(0, at), by, text.substr(at + by.size())}, true);
}

using StringMethod = Value (*)(const std::string&, const Arguments&, Interpreter&);

Value stripped(const std::string& text, const Arguments& a, bool left, bool right)
{
    const Value set = a.get(0, "chars", None{});
    return strip(text, set.none() ? nullptr : &textOf(set, "strip()"), left, right);
}

const std::map<std::string, StringMethod, std::less<>>& stringMethods()
{
    using S = const std::string&;
    using A = const Arguments&;
    using I = Interpreter&;
    static const std::map<std::string, StringMethod, std::less<>> kMethods = {
        {"strip", [](S s, A a, I) { return stripped(s, a, true, true); }},
        {"lstrip", [](S s, A a, I) { return stripped(s, a, true, false); }},
        {"rstrip", [](S s, A a, I) { return stripped(s, a, false, true); }},
        {"split", [](S s, A a, I in) { return split(s, a, false, in.budget()); }},
        {"rsplit", [](S s, A a, I in) { return split(s, a, true, in.budget()); }},
        {"splitlines",
         [](S s, A a, I in) {
             std::vector<Value> lines;
             for (const std::string_view line : splitLines(s, a.get(0, "keepends", false).truth()))
                 lines.emplace_back(line);
             in.budget().work(s.size() + lines.size() * sizeof(Value));
             return Value::list(std::move(lines));
         }},
        {"startswith", [](S s, A a, I) { return edge(s, a, false); }},
        {"endswith", [](S s, A a, I) { return edge(s, a, true); }},
        {"upper", [](S s, A, I) { return Value(upper(s)); }},
        {"lower", [](S s, A, I) { return Value(lower(s)); }},
        {"casefold", [](S s, A, I) { return Value(lower(s)); }},
        {"capitalize", [](S s, A, I) { return Value(capitalized(s)); }},
        {"title", [](S s, A, I) { return Value(titled(s)); }},
        {"replace",
         [](S s, A a, I in) {
             const Value from = a.need(0, "old");
             const Value to = a.need(1, "new");
             return Value(replaced(s, textOf(from, "replace()"), textOf(to, "replace()"),
                                   integerOf(a.get(2, "count", -1), "replace()"), in.budget()));
         }},
        {"join",
         [](S s, A a, I in) {
             std::string out;
             bool first = true;
             for (const Value& item : iterate(a.need(0, "iterable"), in.budget())) {
                 if (!first)
                     out += s;
                 first = false;
                 out += textOf(item, "join()");
                 if (out.size() > (16u << 20))
                     break;
             }
             in.budget().work(out.size());
             return Value(std::move(out));
         }},
        {"find", [](S s, A a, I in) { return found(s, a, false, false, in.budget()); }},
        {"rfind", [](S s, A a, I in) { return found(s, a, true, false, in.budget()); }},
        {"index", [](S s, A a, I in) { return found(s, a, false, true, in.budget()); }},
        {"rindex", [](S s, A a, I in) { return found(s, a, true, true, in.budget()); }},
        {"count", [](S s, A a, I) { return counted(s, a); }},
        {"format", [](S s, A a, I in) { return Value(formatted(s, a, in)); }},
        {"removeprefix",
         [](S s, A a, I) {
             const Value what = a.need(0, "prefix");
             const std::string& part = textOf(what, "removeprefix()");
             return Value(s.starts_with(part) ? s.substr(part.size()) : s);
         }},
        {"removesuffix",
         [](S s, A a, I) {
             const Value what = a.need(0, "suffix");
             const std::string& part = textOf(what, "removesuffix()");
             return Value(s.ends_with(part) ? s.substr(0, s.size() - part.size()) : s);
         }},
        {"partition", [](S s, A a, I) { return parted(s, a, false); }},
        {"rpartition", [](S s, A a, I) { return parted(s, a, true); }},
        {"center", [](S s, A a, I in) { return Value(padded(s, a, 0, in.budget())); }},
        {"ljust", [](S s, A a, I in) { return Value(padded(s, a, -1, in.budget())); }},
        {"rjust", [](S s, A a, I in) { return Value(padded(s, a, 1, in.budget())); }},
        {"zfill",
         [](S s, A a, I in) {
             const bool sign = s.starts_with('-') || s.starts_with('+');
             Arguments padding;
             padding.values = {std::max<std::int64_t>(integerOf(a.need(0, "width"), "zfill()"), 1) - (sign ? 1 : 0),
                               "0"};
             return Value((sign ? s.substr(0, 1) : "") + padded(sign ? s.substr(1) : s, padding, 1, in.budget()));
         }},
        {"isdigit", [](S s, A, I) { return Value(all(s, [](UChar32 c) { return u_charDigitValue(c) >= 0; })); }},
        {"isdecimal", [](S s, A, I) { return Value(all(s, [](UChar32 c) { return u_isdigit(c) != 0; })); }},
        {"isnumeric",
         [](S s, A, I) { return Value(all(s, [](UChar32 c) { return u_getNumericValue(c) != U_NO_NUMERIC_VALUE; })); }},
        {"isspace",
         [](S s, A, I) { return Value(all(s, [](UChar32 c) { return isBlank(static_cast<char32_t>(c)); })); }},
        {"isalpha", [](S s, A, I) { return Value(all(s, [](UChar32 c) { return u_isalpha(c) != 0; })); }},
        {"isalnum",
         [](S s, A, I) {
             return Value(
                 all(s, [](UChar32 c) { return u_isalpha(c) != 0 || u_getNumericValue(c) != U_NO_NUMERIC_VALUE; }));
         }},
        {"isupper", [](S s, A, I) { return Value(s == upper(s) && s != lower(s)); }},
        {"islower", [](S s, A, I) { return Value(s == lower(s) && s != upper(s)); }},
    };
    return kMethods;
}

/// Returns the parameters of a str method, in the form that Arguments::check() expects.
std::string_view parametersOf(std::string_view method)
{
    static const std::map<std::string_view, std::string_view> kParameters = {
        {"strip", "/chars"},
        {"lstrip", "/chars"},
        {"rstrip", "/chars"},
        {"split", "sep maxsplit"},
        {"rsplit", "sep maxsplit"},
        {"splitlines", "keepends"},
        {"startswith", "/prefix start end"},
        {"endswith", "/suffix start end"},
        {"replace", "/old new count"},
        {"join", "/iterable"},
        {"find", "/sub start end"},
        {"rfind", "/sub start end"},
        {"index", "/sub start end"},
        {"rindex", "/sub start end"},
        {"count", "/sub start end"},
        {"format", "**"}, // Python ignores what no field names
        {"removeprefix", "/prefix"},
        {"removesuffix", "/suffix"},
        {"partition", "/sep"},
        {"rpartition", "/sep"},
        {"center", "/width fillchar"},
        {"ljust", "/width fillchar"},
        {"rjust", "/width fillchar"},
        {"zfill", "/width"},
    };
    const auto it = kParameters.find(method);
    return it == kParameters.end() ? std::string_view() : it->second;
}

std::vector<Value> pairsOf(const Dict& dict)
{
    std::vector<Value> pairs;
    for (const auto& [key, value] : dict.entries)
        pairs.push_back(Value::list({key, value}, true));
    return pairs;
}

std::optional<Value> dictMethod(const Value& value, const std::string& name)
{
    // `value` is copied into each function: it shares what it holds.
    if (name == "get")
        return function(
            name,
            [value](Interpreter& in, Arguments& a) {
                const auto there = entryOf(*value.dict(), a.need(0, "key"), in.budget());
                return there ? *there : a.get(1, "default", None{});
            },
            "/key default");
    if (name == "items")
        return function(name, [value](Interpreter& in, Arguments&) {
            in.budget().work(value.dict()->entries.size() * 4 * sizeof(Value));
            return Value::list(pairsOf(*value.dict()));
        });
    if (name == "keys" || name == "values")
        return function(name, [value, keys = name == "keys"](Interpreter& in, Arguments&) {
            in.budget().work(value.dict()->entries.size() * sizeof(Value));
            std::vector<Value> items;
            for (const auto& [key, item] : value.dict()->entries)
                items.push_back(keys ? key : item);
            return Value::list(std::move(items));
        });
    if (name == "copy")
        return function(name, [value](Interpreter&, Arguments&) { return value; });
    return std::nullopt;
}

std::optional<Value> listMethod(const Value& value, const std::string& name)
{
    if (name == "index" || name == "count")
        return function(
            name,
            [value, index = name == "index"](Interpreter& in, Arguments& a) -> Value {
                const Value what = a.need(0, "value");
                const auto& items = value.list()->items;
                const auto part = bounds(a, 1, items.size());
                std::size_t count = 0;
                for (std::size_t i = part ? part->first : 0; part && i < part->second; ++i)
                    if (equal(items[i], what, in.budget())) {
                        if (index)
                            return i;
                        ++count;
                    }
                if (index)
                    fail("index() found no such item");
                return count;
            },
            name == "index" ? "/value start end" : "/value");
    if (name == "copy" && !value.list()->tuple)
        return function(name, [value](Interpreter&, Arguments&) { return value; });
    return std::nullopt;
}

bool changes(const Value& value, const std::string& name)
{
    static constexpr std::string_view kDict[] = {"clear", "pop", "popitem", "setdefault", "update"};
    static constexpr std::string_view kList[] = {"append", "clear", "pop",    "reverse",
                                                 "insert", "sort",  "extend", "remove"};
    return (value.dict() && std::ranges::find(kDict, name) != std::end(kDict))
           || (value.list() && !value.list()->tuple && std::ranges::find(kList, name) != std::end(kList));
}

std::string timeWritten(const std::string& format, std::int64_t now)
{
    if (format.size() > 256)
        fail("strftime_now() has a format of more than 256 bytes");
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
    const auto seconds = static_cast<std::time_t>(now);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char buffer[4096];
    return {buffer, strftime_l(buffer, sizeof buffer, format.c_str(), &parts, plain)};
}

Value range(Interpreter& in, Arguments& a)
{
    std::int64_t bounds[3] = {0, 0, 1};
    const std::size_t count = a.values.size();
    if (count < 1 || count > 3)
        fail("range() needs one to three integers");
    for (std::size_t i = 0; i < count; ++i)
        bounds[count == 1 ? 1 : i] = integerOf(a.values[i], "range()");
    const auto [begin, end, step] = bounds;
    if (step == 0)
        fail("range() has the step 0");
    std::vector<Value> items;
    for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
        items.emplace_back(i);
        if (items.size() > 100'000)
            fail("range() returns more than 100,000 numbers");
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    in.budget().work(items.size() * sizeof(Value));
    return Value::list(std::move(items));
}

Value makeDict(const Arguments& a, Budget& budget)
{
    Dict dict;
    for (const Value& from : a.values) {
        if (from.dict())
            for (const auto& [key, value] : from.dict()->entries)
                setEntry(dict, key, value, budget);
        else
            for (const Value& pair : iterate(from, budget)) {
                const std::vector<Value> both = iterate(pair, budget);
                if (both.size() != 2)
                    fail("dict() needs pairs");
                setEntry(dict, both[0], both[1], budget);
            }
    }
    for (const auto& [name, value] : a.named)
        setEntry(dict, name, value, budget);
    return Value::dict(std::move(dict.entries));
}

class JoinerObject : public Object
{
public:
    explicit JoinerObject(Value separator) : m_separator(std::move(separator)) {}
    Value call(Interpreter&, Arguments& arguments) override
    {
        arguments.check("joiner()", {});
        return std::exchange(m_used, true) ? m_separator : Value("");
    }
    [[nodiscard]] bool callable() const override { return true; }
    [[nodiscard]] std::string written() const override { return "<Joiner>"; }

private:
    Value m_separator;
    bool m_used = false;
};

class CyclerObject : public Object
{
public:
    explicit CyclerObject(std::vector<Value> items) : m_items(std::move(items)) {}
    std::optional<Value> attribute(std::string_view name) const override
    {
        if (name == "current")
            return m_items[*m_at];
        if (name == "next")
            return function("next", [items = m_items, at = m_at](Interpreter&, Arguments&) {
                const Value item = items[*at];
                *at = (*at + 1) % items.size();
                return item;
            });
        if (name == "reset")
            return function("reset", [at = m_at](Interpreter&, Arguments&) {
                *at = 0;
                return Value(None{});
            });
        return std::nullopt;
    }
    [[nodiscard]] std::string written() const override { return "<Cycler>"; }

private:
    std::vector<Value> m_items;
    std::shared_ptr<std::size_t> m_at = std::make_shared<std::size_t>(0);
};

} // namespace

Value function(std::string name, Call call, std::string_view parameters)
{
    return std::shared_ptr<Object>(std::make_shared<FunctionObject>(std::move(name), std::move(call), parameters));
}

std::optional<Value> method(const Value& value, const std::string& name)
{
    if (changes(value, name))
        fail(fmt::format("{}.{}() changes a value, which a chat template cannot do", value.typeName(), name));
    if (value.dict())
        return dictMethod(value, name);
    if (value.list())
        return listMethod(value, name);
    if (!value.string())
        return std::nullopt;
    const auto it = stringMethods().find(name);
    if (it == stringMethods().end())
        return std::nullopt;
    return function(
        name,
        [value, call = it->second](Interpreter& in, Arguments& a) {
            in.budget().work(value.string()->size());
            return call(*value.string(), a, in);
        },
        parametersOf(name));
}

Value NamespaceObject::make(Interpreter& in, const Arguments& arguments)
{
    const auto space = std::make_shared<NamespaceObject>();
    in.m_namespaces.push_back(space);
    in.budget().work(sizeof(NamespaceObject));
    const Value entries = makeDict(arguments, in.budget());
    for (const auto& [key, value] : entries.dict()->entries)
        space->set(in.written(key), value);
    return std::shared_ptr<Object>(space);
}

std::optional<Value> NamespaceObject::attribute(std::string_view name) const
{
    const auto it = m_entries.find(name);
    return it == m_entries.end() ? std::nullopt : std::optional(it->second);
}

void NamespaceObject::set(const std::string& name, const Value& value)
{
    if (name.starts_with('_'))
        fail(fmt::format("a namespace cannot have the attribute '{}'", name));
    m_entries[name] = value;
}

std::map<std::string, Value, std::less<>> globals()
{
    const auto named = [](const char* name, std::string_view parameters, Call call) {
        return std::pair<const std::string, Value>(name, function(name, std::move(call), parameters));
    };
    return {
        named("range", "*", range),
        named("dict", "**", [](Interpreter& in, Arguments& a) { return makeDict(a, in.budget()); }),
        named("namespace", "**", [](Interpreter& in, Arguments& a) { return NamespaceObject::make(in, a); }),
        named("raise_exception", "message",
              [](Interpreter& in, Arguments& a) -> Value {
                  throw Failure{in.written(a.need(0, "message")), true};
              }),
        named("strftime_now", "format",
              [](Interpreter& in, Arguments& a) {
                  const Value format = a.need(0, "format");
                  return Value(timeWritten(textOf(format, "strftime_now()"), in.now()));
              }),
        named("joiner", "sep",
              [](Interpreter&, Arguments& a) {
                  return Value(std::shared_ptr<Object>(std::make_shared<JoinerObject>(a.get(0, "sep", ", "))));
              }),
        named("cycler", "*",
              [](Interpreter&, Arguments& a) {
                  if (a.values.empty())
                      fail("cycler() has no items");
                  return Value(std::shared_ptr<Object>(std::make_shared<CyclerObject>(a.values)));
              }),
    };
}

std::string percentFormat(const std::string& format, const Value& values, Interpreter& in)
{
    const std::vector<Value> given =
        values.list() && values.list()->tuple ? values.list()->items : std::vector<Value>{values};
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        const std::size_t end = format.find_first_not_of("0123456789.-+ #", i + 1);
        const char kind = end == format.npos ? '\0' : format[end];
        const std::string flags = format.substr(i + 1, end == format.npos ? 0 : end - i - 1);
        i = end;
        if (kind == '%') {
            out += '%';
            continue;
        }
        if (std::string_view("srdiufFeEgGxXo").find(kind) == std::string_view::npos || kind == '\0')
            fail("a text has an unsupported format after '%'");
        if (next >= given.size())
            fail("a text has more formats after '%' than values");
        if (flags.size() > 8)
            fail("a text has a format of more than 8 characters");
        const Value& value = given[next++];
        const bool real = std::string_view("fFeEgG").find(kind) != std::string_view::npos;
        std::string part;
        if (kind == 's' || kind == 'r') {
            part = kind == 's' ? in.written(value) : repr(value, in.budget());
            const std::size_t dot = flags.find('.');
            if (dot != flags.npos) {
                const auto all = characters(part);
                const auto kept = std::min<std::size_t>(all.size(), std::strtoul(flags.c_str() + dot + 1, nullptr, 10));
                std::size_t bytes = 0;
                for (std::size_t k = 0; k < kept; ++k)
                    bytes += all[k].size();
                part.resize(bytes);
            }
            Arguments width;
            const bool left = flags.starts_with('-');
            width.values = {static_cast<std::int64_t>(std::strtol(flags.c_str() + (left ? 1 : 0), nullptr, 10))};
            part = padded(part, width, left ? -1 : 1, in.budget());
        } else {
            if (!value.number() || (!real && !(std::abs(*value.number()) < 9e18)))
                fail(fmt::format("a number is needed for '%{}', got {}", kind, value.typeName()));
            const std::string spec = "%" + flags + (real ? "" : "ll") + (kind == 'u' || kind == 'i' ? 'd' : kind);
            char buffer[1024];
            const int length =
                real ? std::snprintf(buffer, sizeof buffer, spec.c_str(), *value.number())
                     : std::snprintf(
                         buffer, sizeof buffer, spec.c_str(),
                         static_cast<long long>(value.integer().value_or(static_cast<std::int64_t>(*value.number()))));
            if (length < 0 || static_cast<std::size_t>(length) >= sizeof buffer)
                fail("a number is formatted wider than 1023 characters");
            part = buffer;
        }
        out += part;
        in.budget().work(out.size());
    }
    if (next < given.size() && values.list())
        fail("a text has fewer formats after '%' than values");
    return out;
}

} // namespace headscope::text::jinja
