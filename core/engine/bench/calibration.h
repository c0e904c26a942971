// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// fp32 matrix products of all available implementations: Headscope's kernel, libtorch's, and OpenBLAS or MKL if
// installed. One thread, in CPU time. Any thread; changes only the thread counts of OpenBLAS and MKL.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headscope::engine {

class Calibration
{
public:
    /// Width of the square product, and its number of operations.
    static constexpr int kWidth = 1024;
    static constexpr const char* kOurs = "ours";
    static constexpr double kOperations = 2.0 * kWidth * kWidth * kWidth;

    /// Finds the products. Searches for libraries where the system does (LD_LIBRARY_PATH too).
    Calibration();
    ~Calibration();
    Calibration(const Calibration&) = delete;
    Calibration& operator=(const Calibration&) = delete;

    struct Product {
        std::string name; ///< "ours", "libtorch 2.11.0", "OpenBLAS 0.3.34"
        std::function<void()> multiply;
        double seconds = 0; ///< median of several runs
    };
    [[nodiscard]] const std::vector<Product>& products() const { return m_products; }
    [[nodiscard]] const Product& fastest() const;
    [[nodiscard]] const Product& libtorch() const;
    /// Returns the product of that name; null if it does not exist here.
    [[nodiscard]] const Product* find(const std::string& name) const;

    /// Measures one product now: seconds, median of a few runs.
    [[nodiscard]] static double seconds(const Product& product);
    /// Returns the result of a product, to check that all agree.
    [[nodiscard]] std::vector<float> made(const Product& product) const;

private:
    struct Matrices;
    std::unique_ptr<Matrices> m_matrices;
    std::vector<Product> m_products;
};

} // namespace headscope::engine
