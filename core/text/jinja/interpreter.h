// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a template's tree. Private to core/text/jinja; one thread, one use.

#include "core/text/jinja/syntax.h"

#include <cstdint>
#include <functional>
#include <map>

namespace headscope::text::jinja {

struct Variables {
    std::shared_ptr<Variables> outer;
    std::vector<std::pair<std::string, Value>> own;

    void set(std::string_view name, Value value);
};

using Frame = std::shared_ptr<Variables>;

class Interpreter;
class NamespaceObject;

/// Apply a filter or test by name; fail if it does not exist.
Value applyFilter(Interpreter& in, const std::string& name, const Value& value, Arguments& arguments);
bool applyTest(Interpreter& in, const std::string& name, const Value& value, Arguments& arguments);

class Interpreter
{
public:
    explicit Interpreter(std::int64_t now);
    ~Interpreter();
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;

    /// Runs the tree and returns its output. Throws Failure.
    [[nodiscard]] std::string run(const Nodes& nodes, std::vector<std::pair<std::string, Value>> variables);

    [[nodiscard]] int line() const { return m_line; }
    [[nodiscard]] Budget& budget() { return m_budget; }
    [[nodiscard]] std::int64_t now() const { return m_now; }
    /// Returns value.name, or value[name] if that does not exist; Undefined if neither does.
    Value attribute(const Value& value, const std::string& name);
    Value item(const Value& value, const Value& key);
    Value binary(const std::string& sign, const Value& a, const Value& b);
    std::string written(const Value& value) { return jinja::written(value, m_budget); }

private:
    friend class NamespaceObject;
    friend class MacroObject;
    friend class LoopObject;
    enum class Flow { Normal, Break, Continue };

    Flow execute(const Nodes& nodes, const Frame& frame, std::string& out);
    Flow execute(const Node& node, const Frame& frame, std::string& out);
    void loop(const Node& node, const Value& items, const Frame& frame, int depth, std::string& out);
    std::string captured(const Nodes& nodes, const Frame& frame);
    void write(std::string& out, std::string_view text);
    void assign(const Node& target, const Value& value, const Frame& frame);
    Value evaluate(const Node& node, const Frame& frame);
    Value name(const std::string& name, const Frame& frame);
    bool compare(const std::string& sign, const Value& a, const Value& b);
    Arguments arguments(const Node& node, const Frame& frame);
    Value call(const Node& node, const Frame& frame, const Value* caller);
    /// `block` is the input of the first filter of a block; null in an expression.
    Value filtered(const Node& node, const Frame& frame, const Value* block);
    Value macro(const Node& node, const Frame& frame);
    Value callMacro(const Node& node, const Frame& closure, Arguments& arguments);

    std::int64_t m_now;
    int m_line = 1;
    Budget m_budget;
    std::vector<Frame> m_closures;                              ///< of macros, which refer to them and are inside them
    std::vector<std::shared_ptr<NamespaceObject>> m_namespaces; ///< each may refer to itself
    const std::map<std::string, Value, std::less<>> m_globals;
};

/// The result of namespace().
class NamespaceObject : public Object
{
public:
    static Value make(Interpreter& in, const Arguments& arguments);
    std::optional<Value> attribute(std::string_view name) const override;
    void set(const std::string& name, const Value& value);
    void clear() { m_entries.clear(); }
    [[nodiscard]] std::string written() const override { return "<Namespace>"; }

private:
    std::map<std::string, Value, std::less<>> m_entries;
};

using Call = std::function<Value(Interpreter&, Arguments&)>;
/// `parameters`: as Arguments::check() has them.
[[nodiscard]] Value function(std::string name, Call call, std::string_view parameters = {});
/// Returns range, dict, namespace ...
[[nodiscard]] std::map<std::string, Value, std::less<>> globals();
/// Returns a method of Python's type, bound to the value; nothing if there is none of this name.
[[nodiscard]] std::optional<Value> method(const Value& value, const std::string& name);
/// Returns Python's `format % values`.
[[nodiscard]] std::string percentFormat(const std::string& format, const Value& values, Interpreter& in);

} // namespace headscope::text::jinja
