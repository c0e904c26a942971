// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matrix products in fp32 by everybody who makes them here: our own kernel, libtorch's, and OpenBLAS or MKL where the
// system has them. One thread, in processor time. Any thread; sets no number of threads but OpenBLAS's and MKL's.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headscope::engine {

class Calibration
{
public:
    /// Width of the square product, and its operations.
    static constexpr int kWidth = 1024;
    static constexpr const char* kOurs = "ours";
    static constexpr double kOperations = 2.0 * kWidth * kWidth * kWidth;

    /// Finds the products. Libraries are looked for where the system looks (LD_LIBRARY_PATH too).
    Calibration();
    ~Calibration();
    Calibration(const Calibration&) = delete;
    Calibration& operator=(const Calibration&) = delete;

    struct Product {
        std::string name; ///< "ours", "libtorch 2.11.0", "OpenBLAS 0.3.34"
        std::function<void()> multiply;
        double seconds = 0; ///< the median of some
    };
    [[nodiscard]] const std::vector<Product>& products() const { return m_products; }
    [[nodiscard]] const Product& fastest() const;
    [[nodiscard]] const Product& libtorch() const;
    /// Null where none of that name is here.
    [[nodiscard]] const Product* find(const std::string& name) const;

    /// Seconds of one product now: the median of a few.
    [[nodiscard]] static double seconds(const Product& product);
    /// What the product made, for anyone who wants to know whether all make the same.
    [[nodiscard]] std::vector<float> made(const Product& product) const;

private:
    struct Matrices;
    std::unique_ptr<Matrices> m_matrices;
    std::vector<Product> m_products;
};

} // namespace headscope::engine
