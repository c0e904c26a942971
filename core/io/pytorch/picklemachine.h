// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The stack machine of pickles, protocols 2 to 5, as far as tables of tensors need it (see Python's pickletools).
// Private to core/io/pytorch. One thread.

#include "core/io/pytorch/pickle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope::io {

/// One object of a pickle. Refers to others by index, so that shared objects are never copied.
struct PickleValue {
    enum class Kind { None, Integer, Real, Text, Tuple, List, Dict, Global, Storage, Tensor, Mark };
    Kind kind = Kind::None;
    std::int64_t integer = 0; ///< also: elements of a storage; dtype of a global that denotes one
    double real = 0;
    std::string_view text = {};         ///< view into the pickle; the name of a global, the key of a storage
    std::vector<std::uint32_t> items{}; ///< of a tuple or list; of a dict: key, value, key, value ...
};

class PickleMachine
{
public:
    using Index = std::uint32_t;

    /// `pickle` must outlive this.
    explicit PickleMachine(std::string_view pickle) : m_rest(pickle) {}

    /// Runs to STOP and returns the top of the stack. The message is a clause that follows the name of the file.
    [[nodiscard]] Result<Index> run();
    [[nodiscard]] const PickleValue& at(Index index) const { return m_values[index]; }
    /// Returns a member of a dict by a string key.
    [[nodiscard]] std::optional<Index> member(Index dict, std::string_view key) const;
    /// Returns the tensor described by a value of kind Tensor, without a name.
    [[nodiscard]] PickledTensor tensor(const PickleValue& value) const;

private:
    using Kind = PickleValue::Kind;
    void step(unsigned char code);
    bool stepValue(unsigned char code);
    bool stepMemo(unsigned char code);
    bool stepCollection(unsigned char code);
    /// `instead`: what may hold the same weights, as the error's detail.
    void fail(std::string why, std::string instead = {});

    [[nodiscard]] std::string_view take(std::uint64_t size);
    template <typename T> [[nodiscard]] T number();
    [[nodiscard]] std::string_view line();
    Index push(PickleValue value);
    [[nodiscard]] Index pop();
    [[nodiscard]] std::vector<Index> popToMark();
    void tuple(std::size_t count);
    void append(const std::vector<Index>& items, Kind kind);
    void memoize(std::uint64_t key);
    void recall(std::uint64_t key);
    void global(std::string_view module, std::string_view name);
    void storage();
    void reduce();
    void rebuildTensor(const std::vector<Index>& arguments);
    [[nodiscard]] bool isIntegers(Index tuple) const;

    std::string_view m_rest;
    std::vector<PickleValue> m_values;
    std::vector<Index> m_stack;
    std::unordered_map<std::uint64_t, Index> m_memo;
    std::optional<Error> m_error;
};

} // namespace headscope::io
