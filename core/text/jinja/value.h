// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Values of Jinja templates, with the semantics of Python's types. Private to core/text/jinja; one thread each.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::text::jinja {

/// Thrown only inside this room; render() turns it into an Error.
struct Failure {
    std::string message;  ///< without a full stop
    bool refused = false; ///< the template called raise_exception()
};
[[noreturn]] void fail(std::string message);

/// Resource limits of a template. The counts do not depend on the machine's speed, so neither does the result.
class Budget
{
public:
    void step(std::size_t count = 1)
    {
        if ((m_steps += count) > kSteps)
            fail("it needs more than 4 million steps");
    }
    /// Charges for bytes produced or read by one operation.
    void work(std::size_t bytes)
    {
        if (bytes > kLongest)
            fail("it makes a text or list of more than 16 MB");
        if ((m_bytes += bytes) > kBytes)
            fail("it moves more than 512 MB");
    }
    void deeper()
    {
        if (++m_depth > kDepth)
            fail("it is nested more than 800 levels deep");
    }
    void back() { --m_depth; }

private:
    static constexpr std::size_t kSteps = 4'000'000;
    static constexpr std::size_t kLongest = 16u << 20;
    static constexpr std::size_t kBytes = 512u << 20;
    static constexpr int kDepth = 800;
    std::size_t m_steps = 0;
    std::size_t m_bytes = 0;
    int m_depth = 0;
};

/// One level of recursion.
class Level
{
public:
    explicit Level(Budget& budget) : m_budget(budget) { budget.deeper(); }
    ~Level() { m_budget.back(); }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

private:
    Budget& m_budget;
};

class Value;
struct Arguments;
class Interpreter;

struct Undefined {
    std::string what; ///< "'x' is undefined"
};
struct None {
};
struct List {
    std::vector<Value> items;
    bool tuple = false;
    int depth = 0;
    bool group = false; ///< what groupby() made: also has the attributes grouper and list
};
struct Dict {
    std::vector<std::pair<Value, Value>> entries;
    int depth = 0;
};

/// An object with attributes or that can be called: namespaces, loops, macros, functions.
class Object
{
public:
    virtual ~Object() = default;
    virtual std::optional<Value> attribute(std::string_view name) const;
    virtual Value call(Interpreter& in, Arguments& arguments);
    [[nodiscard]] virtual bool callable() const { return false; }
    [[nodiscard]] virtual std::string written() const = 0;
};

class Value
{
public:
    using Text = std::shared_ptr<const std::string>;
    Value() : m_held(Undefined{}) {}
    Value(Undefined u) : m_held(std::move(u)) {}
    Value(None n) : m_held(n) {}
    Value(bool b) : m_held(b) {}
    Value(std::int64_t i) : m_held(i) {}
    Value(int i) : m_held(std::int64_t{i}) {}
    Value(std::size_t i) : m_held(static_cast<std::int64_t>(i)) {}
    Value(double d) : m_held(d) {}
    Value(std::string s) : m_held(std::make_shared<const std::string>(std::move(s))) {}
    Value(std::string_view s) : Value(std::string(s)) {}
    Value(const char* s) : Value(std::string(s)) {}
    Value(std::shared_ptr<Object> object) : m_held(std::move(object)) {}
    /// Makes a list. Fails if values are nested too deeply.
    static Value list(std::vector<Value> items, bool tuple = false, bool group = false);
    static Value dict(std::vector<std::pair<Value, Value>> entries);
    static Value fromJson(const nlohmann::ordered_json& json);

    template <typename T> [[nodiscard]] const T* get() const { return std::get_if<T>(&m_held); }
    [[nodiscard]] const std::string* string() const { return shared<std::string>(); }
    [[nodiscard]] const List* list() const { return shared<List>(); }
    [[nodiscard]] const Dict* dict() const { return shared<Dict>(); }
    [[nodiscard]] std::shared_ptr<Object> object() const
    {
        const auto* p = get<std::shared_ptr<Object>>();
        return p ? *p : nullptr;
    }
    [[nodiscard]] bool undefined() const { return get<Undefined>() != nullptr; }
    [[nodiscard]] bool none() const { return get<None>() != nullptr; }
    /// Returns an integer; a truth value also counts as one.
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    [[nodiscard]] std::optional<double> number() const;
    [[nodiscard]] const char* typeName() const; ///< Python's type name

    [[nodiscard]] bool truth() const;

private:
    template <typename T> const T* shared() const
    {
        const auto* p = get<std::shared_ptr<const T>>();
        return p ? p->get() : nullptr;
    }
    [[nodiscard]] int depth() const;

    std::variant<Undefined, None, bool, std::int64_t, double, Text, std::shared_ptr<const List>,
                 std::shared_ptr<const Dict>, std::shared_ptr<Object>>
        m_held;
};

struct Arguments {
    std::vector<Value> values;
    std::vector<std::pair<std::string, Value>> named;

    /// Returns the argument at this position or of this name; null if not given.
    [[nodiscard]] const Value* find(std::size_t place, std::string_view name) const;
    [[nodiscard]] Value get(std::size_t place, std::string_view name, Value fallback) const;
    [[nodiscard]] Value need(std::size_t place, std::string_view name) const;
    /// Fails, naming `callee`, for an argument that is not among its parameters: their names, separated by spaces.
    /// '/' in front: none is given by name; "*": any number, none by name; "**": any.
    void check(std::string_view callee, std::string_view parameters) const;
};

[[nodiscard]] std::string written(const Value& value, Budget& budget); ///< str()
[[nodiscard]] std::string repr(const Value& value, Budget& budget);
[[nodiscard]] bool equal(const Value& a, const Value& b, Budget& budget);
[[nodiscard]] int order(const Value& a, const Value& b, Budget& budget); ///< below 0, 0, above 0; fails like Python's <
[[nodiscard]] bool contains(const Value& container, const Value& item, Budget& budget);
[[nodiscard]] std::vector<Value> iterate(const Value& value, Budget& budget);
[[nodiscard]] std::optional<Value> entryOf(const Dict& dict, const Value& key, Budget& budget);
void setEntry(Dict& dict, Value key, Value value, Budget& budget);
/// Returns Python's value[key], if it exists.
[[nodiscard]] std::optional<Value> subscript(const Value& value, const Value& key, Budget& budget);
[[nodiscard]] Value slice(const Value& value, std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                          std::int64_t step, Budget& budget);

struct JsonStyle {
    std::optional<std::string> indent;
    std::string itemSeparator = ", ";
    std::string keySeparator = ": ";
    bool sortKeys = false;
    bool ascii = false;
};
/// Returns the output of Python's json.dumps().
[[nodiscard]] std::string toJson(const Value& value, const JsonStyle& style, Budget& budget);

[[nodiscard]] std::vector<std::string_view> characters(std::string_view text);
/// Equals Python's str.strip(); removes all white space if `set` is null.
[[nodiscard]] std::string_view strip(std::string_view text, const std::string* set, bool left, bool right);
[[nodiscard]] bool isBlank(char32_t c); ///< Python's str.isspace()

} // namespace headscope::text::jinja
