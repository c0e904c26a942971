// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jinja/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope::text::jinja {

namespace {

using Kind = Node::Kind;

/// The sign of a binary operation applied to integers.
std::optional<std::int64_t> integerResult(const std::string& sign, std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    bool large = false;
    if (sign == "+")
        large = __builtin_add_overflow(a, b, &result);
    else if (sign == "-")
        large = __builtin_sub_overflow(a, b, &result);
    else if (sign == "*")
        large = __builtin_mul_overflow(a, b, &result);
    else if (sign == "//" || sign == "%") {
        if (b == 0)
            fail("division by zero");
        if (b == -1)
            return sign == "%" ? 0 : integerResult("-", 0, a);
        const std::int64_t rest = a % b;
        const bool below = rest != 0 && (rest < 0) != (b < 0);
        result = sign == "%" ? rest + (below ? b : 0) : a / b - (below ? 1 : 0);
    } else if (sign == "**" && b >= 0) {
        result = 1;
        for (std::int64_t i = 0; i < b && !large && result != 0; ++i) {
            large = __builtin_mul_overflow(result, a, &result);
            if (a == 1 || a == -1 || a == 0) {
                result = a == 0 ? 0 : a == 1 || b % 2 == 0 ? 1 : -1;
                break;
            }
        }
    } else {
        return std::nullopt;
    }
    if (large)
        fail("a calculation returns an integer of more than 63 bits");
    return result;
}

double realResult(const std::string& sign, double a, double b)
{
    if (sign == "+")
        return a + b;
    if (sign == "-")
        return a - b;
    if (sign == "*")
        return a * b;
    if (sign == "**")
        return std::pow(a, b);
    if (b == 0)
        fail("division by zero");
    if (sign == "/")
        return a / b;
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
        rest += b;
    return sign == "%" ? rest : std::round((a - rest) / b);
}

void needDefined(const Value& value)
{
    if (const auto* u = value.get<Undefined>())
        fail(u->what);
}

} // namespace

class MacroObject : public Object
{
public:
    MacroObject(const Node& node, Frame closure) : m_node(node), m_closure(std::move(closure)) {}
    Value call(Interpreter& in, Arguments& arguments) override { return in.callMacro(m_node, m_closure, arguments); }
    [[nodiscard]] bool callable() const override { return true; }
    std::optional<Value> attribute(std::string_view name) const override
    {
        return name == "name" ? std::optional<Value>(m_node.name) : std::nullopt;
    }
    [[nodiscard]] std::string written() const override { return "<Macro '" + m_node.name + "'>"; }

private:
    const Node& m_node;
    Frame m_closure;
};

class LoopObject : public Object
{
public:
    LoopObject(const Node& node, Frame frame, std::shared_ptr<const std::vector<Value>> items, int depth)
        : m_node(node), m_frame(std::move(frame)), m_items(std::move(items)), m_depth(depth)
    {
    }
    std::size_t at = 0;

    std::optional<Value> attribute(std::string_view name) const override
    {
        const std::size_t size = m_items->size();
        if (name == "index0")
            return Value(at);
        if (name == "index")
            return Value(at + 1);
        if (name == "revindex0")
            return Value(size - at - 1);
        if (name == "revindex")
            return Value(size - at);
        if (name == "first")
            return Value(at == 0);
        if (name == "last")
            return Value(at + 1 == size);
        if (name == "length")
            return Value(size);
        if (name == "depth0")
            return Value(m_depth);
        if (name == "depth")
            return Value(m_depth + 1);
        if (name == "previtem")
            return at > 0 ? (*m_items)[at - 1] : Value(Undefined{"there is no previous item"});
        if (name == "nextitem")
            return at + 1 < size ? (*m_items)[at + 1] : Value(Undefined{"there is no next item"});
        if (name == "cycle")
            return function(
                "cycle",
                [place = at](Interpreter&, Arguments& arguments) {
                    if (arguments.values.empty())
                        fail("loop.cycle() has no arguments");
                    return arguments.values[place % arguments.values.size()];
                },
                "*");
        if (name == "changed")
            return function(
                "changed",
                [last = m_last](Interpreter& in, Arguments& arguments) {
                    Value now = Value::list(arguments.values, true);
                    const bool same = !last->undefined() && equal(*last, now, in.budget());
                    *last = std::move(now);
                    return Value(!same);
                },
                "*");
        return std::nullopt;
    }
    [[nodiscard]] bool callable() const override { return m_node.flag; }
    Value call(Interpreter& in, Arguments& arguments) override
    {
        if (!m_node.flag)
            fail("the loop is not recursive");
        arguments.check("loop()", "iterable");
        const Level level(in.budget());
        std::string out;
        in.loop(m_node, arguments.need(0, "iterable"), m_frame, m_depth + 1, out);
        return out;
    }
    [[nodiscard]] std::string written() const override
    {
        return fmt::format("<LoopContext {}/{}>", at + 1, m_items->size());
    }

private:
    const Node& m_node;
    Frame m_frame;
    std::shared_ptr<const std::vector<Value>> m_items;
    std::shared_ptr<Value> m_last = std::make_shared<Value>();
    int m_depth;
};

void Variables::set(std::string_view name, Value value)
{
    const auto it = std::ranges::find(own, name, [](const auto& v) { return std::string_view(v.first); });
    if (it != own.end())
        it->second = std::move(value);
    else
        own.emplace_back(name, std::move(value));
}

Interpreter::Interpreter(std::int64_t now) : m_now(now), m_globals(globals()) {}

Interpreter::~Interpreter()
{
    for (const auto& space : m_namespaces)
        space->clear();
    for (const Frame& frame : m_closures)
        frame->own.clear();
}

std::string Interpreter::run(const Nodes& nodes, std::vector<std::pair<std::string, Value>> variables)
{
    const auto frame = std::make_shared<Variables>();
    frame->own = std::move(variables);
    m_closures.push_back(frame);
    std::string out;
    execute(nodes, frame, out);
    return out;
}

void Interpreter::write(std::string& out, std::string_view text)
{
    m_budget.work(text.size());
    out += text;
    if (out.size() > (16u << 20))
        m_budget.work(out.size());
}

std::string Interpreter::captured(const Nodes& nodes, const Frame& frame)
{
    std::string out;
    execute(nodes, std::make_shared<Variables>(Variables{frame, {}}), out);
    return out;
}

Interpreter::Flow Interpreter::execute(const Nodes& nodes, const Frame& frame, std::string& out)
{
    for (const NodePtr& node : nodes)
        if (const Flow flow = execute(*node, frame, out); flow != Flow::Normal)
            return flow;
    return Flow::Normal;
}

Interpreter::Flow Interpreter::execute(const Node& node, const Frame& frame, std::string& out)
{
    const Level level(m_budget);
    m_budget.step();
    m_line = node.line;
    switch (node.kind) {
    case Kind::Text: write(out, *node.value.string()); break;
    case Kind::Print: write(out, written(evaluate(*node.parts[0], frame))); break;
    case Kind::If: {
        const Node* branch = &node;
        while (!evaluate(*branch->parts[0], frame).truth()) {
            if (branch->other.size() != 1 || branch->other[0]->kind != Kind::If)
                return execute(branch->other, frame, out);
            branch = branch->other[0].get();
            m_line = branch->line;
        }
        return execute(branch->body, frame, out);
    }
    case Kind::For: loop(node, evaluate(*node.parts[1], frame), frame, 0, out); break;
    case Kind::Set: assign(*node.parts[0], evaluate(*node.parts[1], frame), frame); break;
    case Kind::SetBlock: {
        Value text = captured(node.body, frame);
        assign(*node.parts[0], node.parts[1] ? filtered(*node.parts[1], frame, &text) : text, frame);
        break;
    }
    case Kind::Macro: frame->set(node.name, macro(node, frame)); break;
    case Kind::CallBlock: {
        const Value caller = macro(*node.body[0], frame);
        write(out, written(call(*node.parts[0], frame, &caller)));
        break;
    }
    case Kind::FilterBlock: {
        const Value text = captured(node.body, frame);
        write(out, written(filtered(*node.parts[0], frame, &text)));
        break;
    }
    case Kind::Scope: {
        const auto inner = std::make_shared<Variables>(Variables{frame, {}});
        for (const auto& [name, value] : node.named)
            inner->set(name, evaluate(*value, frame));
        return execute(node.body, inner, out);
    }
    case Kind::Break: return Flow::Break;
    case Kind::Continue: return Flow::Continue;
    default: fail("an expression is used as a statement");
    }
    return Flow::Normal;
}

void Interpreter::loop(const Node& node, const Value& iterable, const Frame& frame, int depth, std::string& out)
{
    auto items = std::make_shared<std::vector<Value>>(iterate(iterable, m_budget));
    if (node.parts[2])
        std::erase_if(*items, [&](const Value& item) {
            const auto inner = std::make_shared<Variables>(Variables{frame, {}});
            assign(*node.parts[0], item, inner);
            return !evaluate(*node.parts[2], inner).truth();
        });
    if (items->empty()) {
        execute(node.other, std::make_shared<Variables>(Variables{frame, {}}), out);
        return;
    }
    const auto state = std::make_shared<LoopObject>(node, frame, items, depth);
    for (std::size_t i = 0; i < items->size(); ++i) {
        const auto inner = std::make_shared<Variables>(Variables{frame, {}});
        m_budget.step(5);
        state->at = i;
        inner->set("loop", Value(std::shared_ptr<Object>(state)));
        assign(*node.parts[0], (*items)[i], inner);
        if (execute(node.body, inner, out) == Flow::Break)
            return;
    }
}

void Interpreter::assign(const Node& target, const Value& value, const Frame& frame)
{
    if (target.kind == Kind::Name) {
        frame->set(target.name, value);
    } else if (target.kind == Kind::Attribute) {
        const auto space = std::dynamic_pointer_cast<NamespaceObject>(evaluate(*target.parts[0], frame).object());
        if (!space)
            fail(fmt::format("it sets '{}' of something that is not a namespace", target.name));
        space->set(target.name, value);
    } else {
        const std::vector<Value> items = iterate(value, m_budget);
        if (items.size() != target.parts.size())
            fail(fmt::format("it assigns {} values to {} names", items.size(), target.parts.size()));
        for (std::size_t i = 0; i < items.size(); ++i)
            assign(*target.parts[i], items[i], frame);
    }
}

Value Interpreter::name(const std::string& name, const Frame& frame)
{
    for (const Variables* f = frame.get(); f; f = f->outer.get())
        for (const auto& [own, value] : f->own)
            if (own == name)
                return value;
    const auto it = m_globals.find(name);
    return it != m_globals.end() ? it->second : Value(Undefined{"'" + name + "' is undefined"});
}

Value Interpreter::attribute(const Value& value, const std::string& name)
{
    needDefined(value);
    if (auto bound = method(value, name))
        return *std::move(bound);
    if (auto found = subscript(value, name, m_budget))
        return *std::move(found);
    return Undefined{fmt::format("'{} object' has no attribute '{}'", value.typeName(), name)};
}

Value Interpreter::item(const Value& value, const Value& key)
{
    needDefined(value);
    if (auto found = subscript(value, key, m_budget))
        return *std::move(found);
    if (key.string()) {
        if (auto bound = method(value, *key.string()))
            return *std::move(bound);
        return Undefined{fmt::format("'{} object' has no attribute '{}'", value.typeName(), *key.string())};
    }
    return Undefined{fmt::format("{} object has no element {}", value.typeName(), repr(key, m_budget))};
}

Value Interpreter::evaluate(const Node& node, const Frame& frame)
{
    const Level level(m_budget);
    m_budget.step();
    const auto part = [&](std::size_t i) { return evaluate(*node.parts[i], frame); };
    switch (node.kind) {
    case Kind::Literal: return node.value;
    case Kind::Name: return name(node.name, frame);
    case Kind::List:
    case Kind::Tuple: {
        std::vector<Value> items;
        for (const NodePtr& item : node.parts)
            items.push_back(evaluate(*item, frame));
        m_budget.work(items.size() * sizeof(Value));
        return Value::list(std::move(items), node.kind == Kind::Tuple);
    }
    case Kind::Dict: {
        Dict dict;
        for (std::size_t i = 0; i < node.parts.size(); i += 2) {
            Value key = part(i);
            setEntry(dict, std::move(key), part(i + 1), m_budget);
        }
        return Value::dict(std::move(dict.entries));
    }
    case Kind::Attribute: return attribute(part(0), node.name);
    case Kind::Subscript: {
        const Value value = part(0);
        return item(value, part(1));
    }
    case Kind::Slice: {
        const Value value = part(0);
        const auto bound = [&](std::size_t i) -> std::optional<std::int64_t> {
            if (!node.parts[i])
                return std::nullopt;
            const Value at = part(i);
            if (!at.none() && !at.integer())
                fail("a slice needs integers");
            return at.integer();
        };
        const auto begin = bound(1);
        const auto end = bound(2);
        return slice(value, begin, end, bound(3).value_or(1), m_budget);
    }
    case Kind::Call: return call(node, frame, nullptr);
    case Kind::Filter: return filtered(node, frame, nullptr);
    case Kind::Test: {
        const Value value = part(0);
        Arguments given = arguments(node, frame);
        return applyTest(*this, node.name, value, given);
    }
    case Kind::Unary: {
        const Value value = part(0);
        if (node.name == "not")
            return !value.truth();
        needDefined(value);
        if (value.integer())
            return *integerResult(node.name, 0, *value.integer());
        if (!value.number())
            fail(fmt::format("'{}' needs a number, got {}", node.name, value.typeName()));
        return node.name == "-" ? -*value.number() : *value.number();
    }
    case Kind::Binary: {
        const Value a = part(0);
        return binary(node.name, a, part(1));
    }
    case Kind::Compare: {
        Value left = part(0);
        for (std::size_t i = 0; i < node.names.size(); ++i) {
            Value right = part(i + 1);
            if (!compare(node.names[i], left, right))
                return false;
            left = std::move(right);
        }
        return true;
    }
    case Kind::And: {
        Value left = part(0);
        return left.truth() ? part(1) : left;
    }
    case Kind::Or: {
        Value left = part(0);
        return left.truth() ? left : part(1);
    }
    case Kind::Condition:
        if (part(0).truth())
            return part(1);
        return node.parts[2] ? part(2) : Value(Undefined{"the condition is false and has no 'else'"});
    default: fail("a statement is used as an expression");
    }
}

Value Interpreter::binary(const std::string& sign, const Value& a, const Value& b)
{
    if (sign == "~")
        return written(a) + written(b);
    if (sign == "%" && a.string())
        return percentFormat(*a.string(), b, *this);
    needDefined(a);
    needDefined(b);
    if (a.integer() && b.integer() && sign != "/")
        if (const auto result = integerResult(sign, *a.integer(), *b.integer()))
            return *result;
    if (a.number() && b.number())
        return realResult(sign, *a.number(), *b.number());
    if (sign == "+" && a.string() && b.string()) {
        m_budget.work(a.string()->size() + b.string()->size());
        return *a.string() + *b.string();
    }
    if (sign == "+" && a.list() && b.list() && a.list()->tuple == b.list()->tuple) {
        std::vector<Value> items = iterate(a, m_budget);
        const std::vector<Value> more = iterate(b, m_budget);
        items.insert(items.end(), more.begin(), more.end());
        return Value::list(std::move(items), a.list()->tuple);
    }
    if (sign == "*" && (a.integer() || b.integer())) {
        const Value& what = a.integer() ? b : a;
        const auto count =
            static_cast<std::size_t>(std::clamp<std::int64_t>(*(a.integer() ? a : b).integer(), 0, 100'000'000));
        if (const std::string* text = what.string()) {
            m_budget.work(text->size() * count);
            std::string out;
            for (std::size_t i = 0; i < count && !text->empty(); ++i)
                out += *text;
            return out;
        }
        if (what.list()) {
            m_budget.work(what.list()->items.size() * count * sizeof(Value));
            std::vector<Value> items;
            for (std::size_t i = 0; i < count && !what.list()->items.empty(); ++i)
                items.insert(items.end(), what.list()->items.begin(), what.list()->items.end());
            return Value::list(std::move(items), what.list()->tuple);
        }
    }
    fail(fmt::format("'{}' cannot be used with {} and {}", sign, a.typeName(), b.typeName()));
}

bool Interpreter::compare(const std::string& sign, const Value& a, const Value& b)
{
    if (sign == "==" || sign == "!=")
        return equal(a, b, m_budget) == (sign == "==");
    if (sign == "in" || sign == "not in")
        return contains(b, a, m_budget) == (sign == "in");
    const int o = order(a, b, m_budget);
    return sign == "<" ? o < 0 : sign == "<=" ? o <= 0 : sign == ">" ? o > 0 : o >= 0;
}

Arguments Interpreter::arguments(const Node& node, const Frame& frame)
{
    Arguments given;
    for (std::size_t i = 1; i < node.parts.size(); ++i)
        given.values.push_back(evaluate(*node.parts[i], frame));
    for (const auto& [name, expression] : node.named) {
        const Value value = evaluate(*expression, frame);
        if (name == "*") {
            for (Value& item : iterate(value, m_budget))
                given.values.push_back(std::move(item));
        } else if (name == "**") {
            if (!value.dict())
                fail(fmt::format("'**' needs a dict, got {}", value.typeName()));
            for (const auto& [key, item] : value.dict()->entries)
                given.named.emplace_back(written(key), item);
        } else {
            given.named.emplace_back(name, value);
        }
    }
    return given;
}

Value Interpreter::call(const Node& node, const Frame& frame, const Value* caller)
{
    const Value callee = evaluate(*node.parts[0], frame);
    needDefined(callee);
    const auto object = callee.object();
    if (!object)
        fail(fmt::format("'{}' object is not callable", callee.typeName()));
    Arguments given = arguments(node, frame);
    if (caller)
        given.named.emplace_back("caller", *caller);
    const int line = m_line;
    Value result = object->call(*this, given);
    m_line = line;
    return result;
}

Value Interpreter::filtered(const Node& node, const Frame& frame, const Value* block)
{
    const Level level(m_budget);
    if (node.kind != Kind::Filter || (!node.parts[0] && !block))
        fail("a block needs filters");
    const Value input = !node.parts[0] ? *block
                        : block        ? filtered(*node.parts[0], frame, block)
                                       : evaluate(*node.parts[0], frame);
    Arguments given = arguments(node, frame);
    return applyFilter(*this, node.name, input, given);
}

Value Interpreter::macro(const Node& node, const Frame& frame)
{
    if (m_closures.empty() || m_closures.back() != frame)
        m_closures.push_back(frame);
    m_budget.work(sizeof(Variables));
    return std::shared_ptr<Object>(std::make_shared<MacroObject>(node, frame));
}

Value Interpreter::callMacro(const Node& node, const Frame& closure, Arguments& given)
{
    const Level level(m_budget);
    const auto inner = std::make_shared<Variables>(Variables{closure, {}});
    const auto reads = [&](std::string_view special) {
        return std::ranges::any_of(node.other, [&](const NodePtr& n) { return n->name == special; });
    };
    std::vector<std::pair<Value, Value>> rest;
    for (const auto& [name, value] : given.named) {
        if (std::ranges::find(node.names, name) != node.names.end() || name == "caller")
            continue;
        if (!reads("kwargs"))
            fail(fmt::format("macro '{}' has no argument '{}'", node.name, name));
        rest.emplace_back(name, value);
    }
    for (std::size_t i = 0; i < node.names.size(); ++i) {
        const std::string& name = node.names[i];
        const Value* value = given.find(i, name);
        const auto fallback = std::ranges::find(node.named, name, [](const auto& n) { return n.first; });
        inner->set(name, value ? *value
                         : fallback != node.named.end()
                             ? evaluate(*fallback->second, inner)
                             : Value(Undefined{"parameter '" + name + "' was not provided"}));
    }
    if (given.values.size() > node.names.size() && !reads("varargs"))
        fail(fmt::format("macro '{}' accepts at most {} arguments, got {}", node.name, node.names.size(),
                         given.values.size()));
    if (reads("varargs"))
        inner->set("varargs",
                   Value::list({given.values.begin()
                                    + static_cast<std::ptrdiff_t>(std::min(given.values.size(), node.names.size())),
                                given.values.end()},
                               true));
    if (reads("kwargs"))
        inner->set("kwargs", Value::dict(std::move(rest)));
    const auto caller = std::ranges::find(given.named, "caller", [](const auto& n) { return n.first; });
    if (caller != given.named.end() && !reads("caller"))
        fail(fmt::format("macro '{}' was called with a block that it does not use", node.name));
    if (reads("caller"))
        inner->set("caller", caller != given.named.end() ? caller->second : Value(Undefined{"no caller defined"}));
    std::string out;
    execute(node.body, inner, out);
    return out;
}

} // namespace headscope::text::jinja
