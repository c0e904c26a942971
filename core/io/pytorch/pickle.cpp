// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pytorch/pickle.h"

#include "core/io/pytorch/picklemachine.h"
#include "core/io/textfiles/quote.h"

#include <fmt/format.h>

#include <set>

namespace headscope::io {

namespace {

/// The sizes of a tensor against each other and its storage.
Result<void> check(const PickledTensor& tensor)
{
    const std::string who = "its tensor " + inQuotes(tensor.name);
    const auto wrong = [&](const std::string& why) { return Result<void>(inputError(who + " " + why)); };
    if (tensor.shape.size() != tensor.strides.size())
        return wrong("has " + std::to_string(tensor.shape.size()) + " sizes and "
                     + std::to_string(tensor.strides.size()) + " strides");
    if (const auto bytes = tensorBytes(tensor.dtype, tensor.shape); !bytes.has_value())
        return wrong(bytes.error().message);
    std::uint64_t last = tensor.offset;
    bool empty = false;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        const std::int64_t size = tensor.shape[i], stride = tensor.strides[i];
        if (stride < 0)
            return wrong("has a negative stride");
        std::uint64_t step = 0;
        if (size > 0
            && (__builtin_mul_overflow(static_cast<std::uint64_t>(size - 1), static_cast<std::uint64_t>(stride), &step)
                || __builtin_add_overflow(last, step, &last)))
            return wrong("has strides that do not fit 64 bits");
        empty = empty || size == 0;
    }
    if (!empty && last >= tensor.storageElements)
        return wrong("ends after its storage, which has " + std::to_string(tensor.storageElements) + " elements");
    return {};
}

/// Walks the tables below the top.
class TensorTable
{
public:
    TensorTable(const PickleMachine& machine, PickleScope scope) : m_machine(machine), m_scope(scope) {}

    Result<void> add(PickleMachine::Index table, const std::string& prefix)
    {
        // A table can hold itself; no state dict nests deep.
        constexpr std::size_t kDeepestTuple = 8, kMostItems = 2'000'000;
        if (++m_depth > kDeepestTuple)
            return inputError("its tables nest deeper than " + std::to_string(kDeepestTuple) + " levels");
        const auto& items = m_machine.at(table).items;
        m_seen += items.size(); // one table can stand in many places
        if (m_seen > kMostItems)
            return inputError("its tables contain more than " + std::to_string(kMostItems) + " items");
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            const PickleValue& key = m_machine.at(items[i]);
            const PickleValue& value = m_machine.at(items[i + 1]);
            const bool everything = m_scope == PickleScope::Everything;
            if (key.kind != PickleValue::Kind::Text && !(everything && key.kind == PickleValue::Kind::Integer))
                continue;
            const std::string name = prefix + textOf(key);
            if (value.kind == PickleValue::Kind::Dict) {
                if (auto added = add(items[i + 1], name + "."); !added.has_value())
                    return added;
            } else if (value.kind == PickleValue::Kind::Tensor) {
                if (auto added = addTensor(name, value); !added.has_value())
                    return added;
            } else if (everything) {
                found.values[name] = textOf(value);
            }
        }
        --m_depth;
        return {};
    }

    PickledTables found;

private:
    [[nodiscard]] std::string textOf(const PickleValue& value) const
    {
        using Kind = PickleValue::Kind;
        constexpr std::size_t kLongest = 4096;
        switch (value.kind) {
        case Kind::Integer: return std::to_string(value.integer);
        case Kind::Real: return fmt::format("{}", value.real);
        case Kind::Text:
        case Kind::Global: return std::string(value.text);
        case Kind::Tuple:
        case Kind::List: break;
        default: return {};
        }
        std::string text = "[";
        for (const PickleMachine::Index item : value.items) {
            const PickleValue& one = m_machine.at(item);
            if (text.size() > kLongest || one.kind == Kind::Tuple || one.kind == Kind::List)
                return text + "...";
            text += (text.size() > 1 ? ", " : "") + textOf(one);
        }
        return text + "]";
    }

    Result<void> addTensor(std::string name, const PickleValue& value)
    {
        PickledTensor tensor = m_machine.tensor(value);
        tensor.name = std::move(name);
        if (!m_names.insert(tensor.name).second)
            return inputError("it has the tensor " + inQuotes(tensor.name) + " twice");
        if (auto sound = check(tensor); !sound.has_value())
            return sound;
        found.tensors.push_back(std::move(tensor));
        return {};
    }

    const PickleMachine& m_machine;
    PickleScope m_scope;
    std::set<std::string> m_names;
    std::size_t m_depth = 0, m_seen = 0;
};

} // namespace

Result<PickledTables> readPickle(std::string_view pickle, PickleScope scope)
{
    PickleMachine machine(pickle);
    const auto top = machine.run();
    if (!top.has_value())
        return top.error();
    using Kind = PickleValue::Kind;
    PickleMachine::Index table = *top;
    if (machine.at(table).kind != Kind::Dict)
        return inputError(
            "it contains no table of tensors at its top; expected what torch.save(model.state_dict(), ...) "
            "writes");
    // Training programs keep the table beside what they go on from.
    for (const char* key : {"state_dict", "model_state_dict", "model"})
        if (const auto inner = machine.member(table, key);
            scope == PickleScope::Weights && inner && machine.at(*inner).kind == Kind::Dict) {
            table = *inner;
            break;
        }
    TensorTable tables(machine, scope);
    if (auto added = tables.add(table, {}); !added.has_value())
        return added.error();
    if (tables.found.tensors.empty())
        return inputError("it contains no tensors");
    return std::move(tables.found);
}

} // namespace headscope::io
