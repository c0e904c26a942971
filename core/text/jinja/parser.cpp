// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jinja/lexer.h"
#include "core/text/jinja/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

namespace headscope::text::jinja {

namespace {

using Kind = Node::Kind;
using Sign = Token::Kind;

constexpr int kDeepestSource = 400; // brackets and blocks in one another, up to four levels each
constexpr int kLongestChain = 200;  // a + b + c ..., each of which is a level of the tree

class Parser
{
public:
    explicit Parser(std::vector<Token> tokens) : m_tokens(std::move(tokens)) {}

    Nodes run()
    {
        Nodes all = statements({});
        if (peek().kind != Sign::End)
            unexpected();
        return all;
    }

private:
    struct Deeper {
        explicit Deeper(Parser& p) : parser(p)
        {
            if (++p.m_depth > kDeepestSource)
                fail(fmt::format("line {} is nested too deep", p.peek().line));
        }
        ~Deeper() { --parser.m_depth; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        Parser& parser;
    };

    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    const Token& next() { return m_tokens[std::min(m_at++, m_tokens.size() - 1)]; }
    [[nodiscard]] bool at(Sign kind, std::string_view text) const { return peek().kind == kind && peek().text == text; }
    [[nodiscard]] bool atSign(std::string_view text) const { return at(Sign::Operator, text); }
    [[nodiscard]] bool atWord(std::string_view text) const { return at(Sign::Name, text); }
    bool take(Sign kind, std::string_view text)
    {
        const bool there = at(kind, text);
        m_at += there ? 1 : 0;
        return there;
    }
    bool takeSign(std::string_view text) { return take(Sign::Operator, text); }
    bool takeWord(std::string_view text) { return take(Sign::Name, text); }
    [[noreturn]] void unexpected() const
    {
        const Token& t = peek();
        if (t.kind == Sign::End)
            fail("it ends inside a block or a tag");
        fail(fmt::format("line {} has an unexpected {}", t.line,
                         t.text.empty() || t.kind == Sign::Data ? "end of a tag" : "'" + t.text + "'"));
    }
    void need(Sign kind, std::string_view text)
    {
        if (!take(kind, text))
            unexpected();
    }
    std::string needName()
    {
        if (peek().kind != Sign::Name)
            unexpected();
        return next().text;
    }
    NodePtr make(Kind kind, std::string name = {})
    {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->line = peek().line;
        node->name = std::move(name);
        return node;
    }
    template <typename... Parts> NodePtr make(Kind kind, std::string name, NodePtr first, Parts... others)
    {
        NodePtr node = make(kind, std::move(name));
        node->parts.push_back(std::move(first));
        (node->parts.push_back(std::move(others)), ...);
        return node;
    }
    /// Counts the links of one chain.
    void link(int& count) const
    {
        if (++count > kLongestChain)
            fail(fmt::format("line {} has a chain of more than {} operations", peek().line, kLongestChain));
    }

    // Statements

    Nodes statements(std::initializer_list<std::string_view> ends)
    {
        const Deeper deeper(*this);
        Nodes all;
        for (;;) {
            const Token& t = peek();
            if (t.kind == Sign::Data) {
                all.push_back(make(Kind::Text));
                all.back()->value = Value(next().text);
            } else if (t.kind == Sign::PrintBegin) {
                next();
                all.push_back(make(Kind::Print, {}, tuple(true)));
                need(Sign::PrintEnd, {});
            } else if (t.kind == Sign::BlockBegin) {
                if (std::ranges::any_of(ends, [&](std::string_view end) { return peek(1).text == end; }))
                    return all;
                next();
                if (NodePtr node = statement())
                    all.push_back(std::move(node));
            } else {
                if (ends.size() > 0)
                    unexpected();
                return all;
            }
        }
    }
    /// The statements up to one of these words, which is read too.
    Nodes until(std::initializer_list<std::string_view> ends)
    {
        Nodes all = statements(ends);
        next();
        next();
        return all;
    }
    Nodes bodyUntil(std::string_view end)
    {
        need(Sign::BlockEnd, {});
        Nodes all = until({end});
        need(Sign::BlockEnd, {});
        return all;
    }

    NodePtr statement()
    {
        const std::string word = needName();
        if (word == "if")
            return ifBlock();
        if (word == "for")
            return forBlock();
        if (word == "set")
            return set();
        if (word == "macro")
            return macro();
        if (word == "call")
            return callBlock();
        if (word == "filter") {
            NodePtr node = make(Kind::FilterBlock, {}, filters(nullptr, true));
            node->body = bodyUntil("endfilter");
            return node;
        }
        if (word == "generation") {
            NodePtr node = make(Kind::Scope);
            node->body = bodyUntil("endgeneration");
            return node;
        }
        if (word == "with") {
            NodePtr node = make(Kind::Scope);
            while (peek().kind != Sign::BlockEnd) {
                if (!node->named.empty())
                    need(Sign::Operator, ",");
                std::string name = needName();
                need(Sign::Operator, "=");
                node->named.emplace_back(std::move(name), expression());
            }
            node->body = bodyUntil("endwith");
            return node;
        }
        if (word == "break" || word == "continue") {
            if (m_loops == 0)
                fail(fmt::format("line {} has '{}' outside a loop", peek().line, word));
            NodePtr node = make(word == "break" ? Kind::Break : Kind::Continue);
            need(Sign::BlockEnd, {});
            return node;
        }
        for (const std::string_view file : {"include", "import", "from", "extends"})
            if (word == file)
                fail(fmt::format("line {} has '{}', and a chat template cannot read other files", peek().line, word));
        fail(fmt::format("line {} has the unknown statement '{}'", peek().line, word));
    }

    NodePtr ifBlock()
    {
        NodePtr first = make(Kind::If, {}, tuple(false));
        Node* last = first.get();
        int branches = 0;
        for (;;) {
            need(Sign::BlockEnd, {});
            last->body = statements({"elif", "else", "endif"});
            next();
            const std::string word = next().text;
            if (word == "elif") {
                link(branches);
                last->other.push_back(make(Kind::If, {}, tuple(false)));
                last = last->other.back().get();
                continue;
            }
            if (word == "else")
                last->other = bodyUntil("endif");
            else
                need(Sign::BlockEnd, {});
            return first;
        }
    }

    NodePtr forBlock()
    {
        NodePtr target = targets();
        if (!takeWord("in"))
            unexpected();
        NodePtr items = tuple(false, false);
        NodePtr filter = takeWord("if") ? expression() : nullptr;
        NodePtr node = make(Kind::For, {}, std::move(target), std::move(items), std::move(filter));
        node->flag = takeWord("recursive");
        need(Sign::BlockEnd, {});
        ++m_loops;
        node->body = statements({"else", "endfor"});
        --m_loops;
        next();
        if (next().text == "else")
            node->other = bodyUntil("endfor");
        else
            need(Sign::BlockEnd, {});
        return node;
    }

    /// What is assigned to: a name, name.attribute, or a list of these.
    NodePtr targets()
    {
        NodePtr first = target();
        if (!atSign(","))
            return first;
        NodePtr all = make(Kind::Tuple, {}, std::move(first));
        while (takeSign(",") && (peek().kind == Sign::Name || atSign("(")))
            if (atWord("in"))
                break;
            else
                all->parts.push_back(target());
        return all;
    }
    NodePtr target()
    {
        const Deeper deeper(*this);
        if (takeSign("(")) {
            NodePtr inner = targets();
            need(Sign::Operator, ")");
            return inner;
        }
        std::string name = needName();
        for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"})
            if (name == constant)
                fail(fmt::format("line {} assigns to '{}'", peek().line, name));
        NodePtr node = make(Kind::Name, std::move(name));
        if (takeSign("."))
            node = make(Kind::Attribute, needName(), std::move(node));
        return node;
    }

    NodePtr set()
    {
        NodePtr target = targets();
        if (takeSign("=")) {
            NodePtr node = make(Kind::Set, {}, std::move(target), tuple(true));
            need(Sign::BlockEnd, {});
            return node;
        }
        NodePtr filter = atSign("|") ? filters(nullptr, false) : nullptr;
        NodePtr node = make(Kind::SetBlock, {}, std::move(target), std::move(filter));
        node->body = bodyUntil("endset");
        return node;
    }

    void parameters(Node& node)
    {
        need(Sign::Operator, "(");
        while (!takeSign(")")) {
            if (!node.names.empty())
                need(Sign::Operator, ",");
            node.names.push_back(needName());
            if (takeSign("="))
                node.named.emplace_back(node.names.back(), expression());
            else if (!node.named.empty())
                unexpected();
        }
    }
    /// The body of a macro, and whether it reads arguments that it does not name.
    void macroBody(Node& node, std::string_view end)
    {
        const std::size_t begin = m_at;
        const int loops = std::exchange(m_loops, 0);
        node.body = bodyUntil(end);
        m_loops = loops;
        for (std::size_t i = begin; i < m_at; ++i)
            if (m_tokens[i].kind == Sign::Name)
                for (const std::string_view special : {"varargs", "kwargs", "caller"})
                    if (m_tokens[i].text == special)
                        node.other.push_back(make(Kind::Name, std::string(special)));
    }
    NodePtr macro()
    {
        NodePtr node = make(Kind::Macro, needName());
        parameters(*node);
        macroBody(*node, "endmacro");
        return node;
    }
    NodePtr callBlock()
    {
        NodePtr caller = make(Kind::Macro, "caller");
        if (atSign("("))
            parameters(*caller);
        NodePtr node = make(Kind::CallBlock, {}, expression());
        if (node->parts.front()->kind != Kind::Call)
            unexpected();
        macroBody(*caller, "endcall");
        node->body.push_back(std::move(caller));
        return node;
    }

    // Expressions, the loosest binding first

    /// Several expressions with commas make a tuple.
    NodePtr tuple(bool many, bool condition = true)
    {
        NodePtr first = condition ? expression() : either();
        if (!atSign(",") || (!many && condition))
            return first;
        NodePtr all = make(Kind::Tuple, {}, std::move(first));
        while (takeSign(",")) {
            if (peek().kind == Sign::PrintEnd || peek().kind == Sign::BlockEnd || atSign(")"))
                break;
            all->parts.push_back(condition ? expression() : either());
        }
        return all;
    }

    NodePtr expression()
    {
        const Deeper deeper(*this);
        NodePtr value = either();
        for (int count = 0; takeWord("if"); link(count)) {
            NodePtr condition = either();
            NodePtr other = takeWord("else") ? expression() : nullptr;
            value = make(Kind::Condition, {}, std::move(condition), std::move(value), std::move(other));
        }
        return value;
    }
    NodePtr either()
    {
        NodePtr left = both();
        for (int count = 0; takeWord("or"); link(count))
            left = make(Kind::Or, {}, std::move(left), both());
        return left;
    }
    NodePtr both()
    {
        NodePtr left = negated();
        for (int count = 0; takeWord("and"); link(count))
            left = make(Kind::And, {}, std::move(left), negated());
        return left;
    }
    NodePtr negated()
    {
        const Deeper deeper(*this);
        return takeWord("not") ? make(Kind::Unary, "not", negated()) : comparison();
    }
    NodePtr comparison()
    {
        NodePtr first = sum();
        NodePtr node;
        for (int count = 0;; link(count)) {
            std::string name;
            for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"})
                if (atSign(sign))
                    name = next().text;
            if (name.empty() && takeWord("in"))
                name = "in";
            if (name.empty() && atWord("not") && peek(1).kind == Sign::Name && peek(1).text == "in") {
                next();
                next();
                name = "not in";
            }
            if (name.empty())
                return node ? std::move(node) : std::move(first);
            if (!node)
                node = make(Kind::Compare, {}, std::move(first));
            node->names.push_back(name);
            node->parts.push_back(sum());
        }
    }
    template <typename Operand> NodePtr chain(std::initializer_list<const char*> signs, Operand operand)
    {
        NodePtr left = operand();
        for (int count = 0;; link(count)) {
            std::string name;
            for (const char* sign : signs)
                if (name.empty() && atSign(sign))
                    name = next().text;
            if (name.empty())
                return left;
            left = make(Kind::Binary, name, std::move(left), operand());
        }
    }
    NodePtr sum()
    {
        return chain({"+", "-"}, [this] {
            return chain({"~"}, [this] {
                return chain({"*", "/", "//", "%"}, [this] { return chain({"**"}, [this] { return unary(true); }); });
            });
        });
    }
    NodePtr unary(bool withFilters)
    {
        const Deeper deeper(*this);
        NodePtr node;
        if (atSign("-") || atSign("+")) {
            std::string name = next().text;
            node = make(Kind::Unary, std::move(name), unary(false));
        } else {
            node = primary();
        }
        node = postfix(std::move(node));
        return withFilters ? filters(std::move(node), false) : std::move(node);
    }

    NodePtr literal(Value value)
    {
        NodePtr node = make(Kind::Literal);
        node->value = std::move(value);
        return node;
    }
    NodePtr primary()
    {
        const Deeper deeper(*this);
        const Token t = next();
        switch (t.kind) {
        case Sign::Name:
            if (t.text == "true" || t.text == "True" || t.text == "false" || t.text == "False")
                return literal(t.text[0] == 't' || t.text[0] == 'T');
            if (t.text == "none" || t.text == "None")
                return literal(None{});
            return make(Kind::Name, t.text);
        case Sign::String: {
            std::string text = t.text;
            while (peek().kind == Sign::String)
                text += next().text;
            return literal(std::move(text));
        }
        case Sign::Integer: {
            std::int64_t value = 0;
            if (std::from_chars(t.text.data(), t.text.data() + t.text.size(), value).ec != std::errc())
                fail(fmt::format("line {} has an integer of more than 63 bits", t.line));
            return literal(value);
        }
        case Sign::Float: {
            double value = 0;
            std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
            return literal(value);
        }
        default: break;
        }
        --m_at;
        if (takeSign("(")) {
            if (takeSign(")"))
                return make(Kind::Tuple);
            NodePtr inner = tuple(true);
            need(Sign::Operator, ")");
            return inner;
        }
        if (takeSign("[")) {
            NodePtr node = make(Kind::List);
            while (!takeSign("]")) {
                if (!node->parts.empty())
                    need(Sign::Operator, ",");
                if (takeSign("]"))
                    break;
                node->parts.push_back(expression());
            }
            return node;
        }
        if (takeSign("{")) {
            NodePtr node = make(Kind::Dict);
            while (!takeSign("}")) {
                if (!node->parts.empty())
                    need(Sign::Operator, ",");
                if (takeSign("}"))
                    break;
                node->parts.push_back(expression());
                need(Sign::Operator, ":");
                node->parts.push_back(expression());
            }
            return node;
        }
        unexpected();
    }

    NodePtr postfix(NodePtr node)
    {
        for (int count = 0;; link(count)) {
            if (takeSign(".")) {
                if (peek().kind == Sign::Integer)
                    node = make(Kind::Subscript, {}, std::move(node), primary());
                else
                    node = make(Kind::Attribute, needName(), std::move(node));
            } else if (takeSign("[")) {
                node = subscripted(std::move(node));
            } else if (atSign("(")) {
                node = make(Kind::Call, {}, std::move(node));
                arguments(*node);
            } else {
                return node;
            }
        }
    }
    NodePtr subscripted(NodePtr node)
    {
        NodePtr bounds[3];
        int colons = 0;
        while (!atSign("]")) {
            if (takeSign(":")) {
                if (++colons > 2)
                    unexpected();
            } else if (!bounds[colons]) {
                bounds[colons] = expression();
            } else {
                unexpected();
            }
        }
        if (colons == 0 && !bounds[0])
            unexpected();
        next();
        if (colons == 0)
            return make(Kind::Subscript, {}, std::move(node), std::move(bounds[0]));
        return make(Kind::Slice, {}, std::move(node), std::move(bounds[0]), std::move(bounds[1]), std::move(bounds[2]));
    }
    void arguments(Node& node)
    {
        need(Sign::Operator, "(");
        for (bool first = true; !takeSign(")"); first = false) {
            if (!first)
                need(Sign::Operator, ",");
            if (takeSign(")"))
                return;
            if (takeSign("**")) {
                node.named.emplace_back("**", expression());
            } else if (takeSign("*")) {
                node.named.emplace_back("*", expression());
            } else if (peek().kind == Sign::Name && peek(1).kind == Sign::Operator && peek(1).text == "=") {
                std::string name = next().text;
                next();
                node.named.emplace_back(std::move(name), expression());
            } else if (node.named.empty()) {
                node.parts.push_back(expression());
            } else {
                unexpected();
            }
        }
    }

    /// Filters, tests and calls behind a value; in a block the first filter stands alone.
    NodePtr filters(NodePtr node, bool begun)
    {
        for (int count = 0;; link(count)) {
            if (begun || takeSign("|")) {
                begun = false;
                node = make(Kind::Filter, needName(), std::move(node));
                if (atSign("("))
                    arguments(*node);
            } else if (atWord("is")) {
                next();
                const bool negative = takeWord("not");
                std::string name = needName();
                node = make(Kind::Test, std::move(name), std::move(node));
                if (atSign("("))
                    arguments(*node);
                else if (testArgument())
                    node->parts.push_back(postfix(primary()));
                if (negative)
                    node = make(Kind::Unary, "not", std::move(node));
            } else if (node && atSign("(")) {
                node = make(Kind::Call, {}, std::move(node));
                arguments(*node);
            } else {
                return node;
            }
        }
    }
    [[nodiscard]] bool testArgument() const
    {
        const Token& t = peek();
        if (t.kind == Sign::Name)
            return t.text != "else" && t.text != "or" && t.text != "and" && t.text != "is" && t.text != "if"
                   && t.text != "in" && t.text != "not" && t.text != "recursive";
        return t.kind == Sign::String || t.kind == Sign::Integer || t.kind == Sign::Float || atSign("[") || atSign("{");
    }

    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    int m_depth = 0;
    int m_loops = 0;
};

} // namespace

Nodes parse(std::string_view source)
{
    return Parser(tokenize(source)).run();
}

} // namespace headscope::text::jinja
