// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A plain row-major float matrix on the host: the form of patterns outside the worker. Any thread.

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

struct Matrix {
    int rows = 0;
    int cols = 0;
    std::vector<float> values; ///< rows * cols, row-major

    Matrix() = default;
    Matrix(int r, int c) : rows(r), cols(c), values(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}

    [[nodiscard]] bool empty() const { return values.empty(); }
    [[nodiscard]] float at(int r, int c) const { return values[index(r, c)]; }
    [[nodiscard]] float& at(int r, int c) { return values[index(r, c)]; }
    [[nodiscard]] std::span<const float> row(int r) const
    {
        return {values.data() + index(r, 0), static_cast<std::size_t>(cols)};
    }

private:
    [[nodiscard]] std::size_t index(int r, int c) const
    {
        return static_cast<std::size_t>(r) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(c);
    }
};

} // namespace headscope
