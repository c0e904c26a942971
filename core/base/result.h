// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Result<T>: a value or one Error; the only way expected failures travel. Any thread.

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

/// A failure, described for the person who runs the program.
struct Error {
    enum class Kind { Input, Io, Memory, Cancelled, Internal };
    Kind kind = Kind::Input;
    std::string message; ///< one sentence: what failed, expected, got
    std::string detail;  ///< optional, for the log
};

/// Shorthand for the common case: a bad input described in one sentence.
[[nodiscard]] inline Error inputError(std::string message)
{
    return {Error::Kind::Input, std::move(message), {}};
}
[[nodiscard]] inline Error ioError(std::string message)
{
    return {Error::Kind::Io, std::move(message), {}};
}
[[nodiscard]] inline Error cancelledError()
{
    return {Error::Kind::Cancelled, "Stopped by the user.", {}};
}

/// Implements a subset of std::expected. `operator bool` is deleted so that a Result<bool> cannot be misread.
template <typename T> class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const = delete;

    [[nodiscard]] const T& value() const&
    {
        assert(has_value());
        return std::get<0>(m_state);
    }
    [[nodiscard]] T& value() &
    {
        assert(has_value());
        return std::get<0>(m_state);
    }
    /// Returned by value, so that it lives long enough in a range-based for over the result of a call.
    [[nodiscard]] T value() &&
    {
        assert(has_value());
        return std::get<0>(std::move(m_state));
    }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] T operator*() && { return std::move(*this).value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }
    [[nodiscard]] T* operator->() { return &value(); }
    [[nodiscard]] const Error& error() const
    {
        assert(!has_value());
        return std::get<1>(m_state);
    }

private:
    std::variant<T, Error> m_state;
};

template <> class [[nodiscard]] Result<void>
{
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_failed(true) {}

    [[nodiscard]] bool has_value() const { return !m_failed; }
    explicit operator bool() const = delete;
    [[nodiscard]] const Error& error() const
    {
        assert(m_failed);
        return m_error;
    }

private:
    Error m_error;
    bool m_failed = false;
};

} // namespace headscope
