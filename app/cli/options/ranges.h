// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Validators for numeric options. CLI11's own checks print the 309 digits of the largest double as the upper limit.

#include <CLI/CLI.hpp>

#include <string>

namespace headscope::cli {

inline CLI::Validator numberFrom(double least, bool itself, const char* expected)
{
    const auto check = [=](const std::string& text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && (itself ? value >= least : value > least);
        return fits ? std::string() : "'" + text + "' does not fit; expected " + expected + ".";
    };
    return {check, "", "number"};
}

inline const CLI::Validator kNotNegative = numberFrom(0, true, "0 or more");
inline const CLI::Validator kPositive = numberFrom(0, false, "a number above 0");

} // namespace headscope::cli
