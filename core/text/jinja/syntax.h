// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The syntax tree of a template, and its parser. Private to core/text/jinja; immutable once made.

#include "core/text/jinja/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::text::jinja {

struct Node;
using NodePtr = std::unique_ptr<Node>;
using Nodes = std::vector<NodePtr>;

struct Node {
    enum class Kind {
        // Expressions: operands and arguments are `parts`
        Literal, ///< value
        Name,    ///< name
        List,
        Tuple,
        Dict,      ///< key, value, key, value ...
        Attribute, ///< parts[0].name
        Subscript, ///< parts[0][parts[1]]
        Slice,     ///< parts[0][parts[1] : parts[2] : parts[3]], each of the three may be null
        Call,      ///< parts[0](the others, named)
        Filter,    ///< parts[0] | name(the others, named); parts[0] is null in a block
        Test,      ///< parts[0] is name(the others, named)
        Unary,     ///< name is the operator
        Binary,
        Compare, ///< parts[0] names[0] parts[1] names[1] parts[2] ...
        And,
        Or,
        Condition, ///< parts[1] if parts[0] else parts[2], which may be null
        // Statements
        Text,      ///< value
        Print,     ///< parts[0]
        If,        ///< parts[0]: body, else other
        For,       ///< for parts[0] in parts[1] if parts[2]: body, else other; flag: recursive
        Set,       ///< parts[0] = parts[1]
        SetBlock,  ///< parts[0] = body through the filter parts[1], which may be null
        Macro,     ///< name, names and named (defaults of the last) are its parameters; flag: takes any arguments
        CallBlock, ///< parts[0] with the macro body as caller
        FilterBlock,
        Scope, ///< body with its own variables; named ones are set first
        Break,
        Continue,
    };
    Kind kind = Kind::Literal;
    int line = 0;
    bool flag = false;
    std::string name;
    Value value;
    Nodes parts;
    Nodes body;
    Nodes other;
    std::vector<std::string> names;
    std::vector<std::pair<std::string, NodePtr>> named;
};

/// Parses a template. Throws Failure.
[[nodiscard]] Nodes parse(std::string_view source);

} // namespace headscope::text::jinja
