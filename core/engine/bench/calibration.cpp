// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/calibration.h"

#include "core/engine/bench/benchclock.h"
#include "core/lm/kernels/cpulinear.h"

#include <ATen/ATen.h>
#include <torch/headeronly/version.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace headscope::engine {

namespace {

constexpr int kRounds = 5, kFindingRounds = 7;
constexpr const char* kLibtorch = "libtorch " TORCH_VERSION;
constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112; // of the interface that both libraries have
using Gemm = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha, const float* a, int lda,
                      const float* b, int ldb, float beta, float* c, int ldc);

/// A library of products that the system has: never closed, since it keeps threads.
struct Library {
    std::string name;
    Gemm gemm = nullptr;
};

template <typename Function> Function symbol(void* library, const std::string& name)
{
    return reinterpret_cast<Function>(dlsym(library, name.c_str()));
}

Library openBlas(const char* file, const std::string& prefix)
{
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return {};
    const auto gemm = symbol<Gemm>(library, prefix + "cblas_sgemm");
    const auto threads = symbol<void (*)(int)>(library, prefix + "openblas_set_num_threads");
    const auto about = symbol<const char* (*)()>(library, prefix + "openblas_get_config");
    if (!gemm || !threads || !about)
        return {};
    threads(1);
    std::string told = about(); // "OpenBLAS 0.3.34 DYNAMIC_ARCH ..."
    told = told.substr(0, told.find(' ', std::min(told.size(), told.find(' ') + 1)));
    return {told, gemm};
}

Library mkl()
{
    void* library = nullptr;
    for (const char* file : {"libmkl_rt.so.3", "libmkl_rt.so.2"})
        library = library ? library : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return {};
    const auto gemm = symbol<Gemm>(library, "cblas_sgemm");
    const auto layer = symbol<int (*)(int)>(library, "MKL_Set_Threading_Layer");
    const auto about = symbol<void (*)(char*, int)>(library, "mkl_get_version_string");
    if (!gemm || !layer || !about)
        return {};
    layer(1); // sequential
    std::array<char, 200> text{};
    about(text.data(), static_cast<int>(text.size()) - 1);
    // "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build ..."
    const std::string told = text.data();
    const std::size_t version = told.find("Version ");
    const std::size_t begin = version == std::string::npos ? told.size() : version + 8;
    return {"MKL " + told.substr(begin, told.find_first_of("- ", begin) - begin), gemm};
}

} // namespace

struct Calibration::Matrices {
    at::Tensor rows = at::empty({kWidth, kWidth}), weight = at::empty({kWidth, kWidth}); // fp32 [N, N] each
    at::Tensor out = at::empty({kWidth, kWidth});

    Matrices()
    {
        auto* a = rows.mutable_data_ptr<float>();
        auto* b = weight.mutable_data_ptr<float>();
        for (int i = 0; i < kWidth * kWidth; ++i) { // whole numbers: every order of a sum is exact
            a[i] = static_cast<float>(i % 7 - 3);
            b[i] = static_cast<float>(i % 11 - 5);
        }
    }
    void torch() { at::linear_out(out, rows, weight); }
    void ours()
    {
        const lm::LinearRows product{.x = rows.const_data_ptr<float>(),
                                     .weight = weight.const_data_ptr<float>(),
                                     .out = out.mutable_data_ptr<float>(),
                                     .xStride = kWidth,
                                     .outStride = kWidth,
                                     .outStep = kWidth,
                                     .inStep = 1,
                                     .rows = kWidth,
                                     .in = kWidth,
                                     .outs = kWidth};
        lm::linearKernel()(product, 0, kWidth / lm::kLinearPanel);
    }
    void library(Gemm gemm)
    {
        gemm(kRowMajor, kNoTranspose, kTranspose, kWidth, kWidth, kWidth, 1.0F, rows.const_data_ptr<float>(), kWidth,
             weight.const_data_ptr<float>(), kWidth, 0.0F, out.mutable_data_ptr<float>(), kWidth);
    }
};

Calibration::Calibration() : m_matrices(std::make_unique<Matrices>())
{
    Matrices* matrices = m_matrices.get();
    if (lm::linearKernel())
        m_products.push_back({kOurs, [matrices] { matrices->ours(); }});
    m_products.push_back({kLibtorch, [matrices] { matrices->torch(); }});
    const std::array libraries = {openBlas("libopenblas.so.0", ""), openBlas("libscipy_openblas.so", "scipy_"), mkl()};
    for (const Library& library : libraries)
        if (library.gemm && !find(library.name))
            m_products.push_back({library.name, [matrices, gemm = library.gemm] { matrices->library(gemm); }});
    // In turns, so that each finds the processor's clock and its neighbours alike.
    std::vector<std::vector<double>> times(m_products.size());
    for (int round = 0; round < kFindingRounds; ++round)
        for (std::size_t i = 0; i < m_products.size(); ++i)
            times[i].push_back(seconds(m_products[i]));
    for (std::size_t i = 0; i < m_products.size(); ++i)
        m_products[i].seconds = median(times[i]);
}

Calibration::~Calibration() = default;

const Calibration::Product& Calibration::fastest() const
{
    return *std::min_element(m_products.begin(), m_products.end(),
                             [](const Product& a, const Product& b) { return a.seconds < b.seconds; });
}

const Calibration::Product& Calibration::libtorch() const
{
    return *find(kLibtorch);
}

const Calibration::Product* Calibration::find(const std::string& name) const
{
    const auto found =
        std::find_if(m_products.begin(), m_products.end(), [&](const Product& one) { return one.name == name; });
    return found == m_products.end() ? nullptr : &*found;
}

double Calibration::seconds(const Product& product)
{
    product.multiply(); // its matrices are in the caches again
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
        const double begun = processSeconds();
        product.multiply();
        times.push_back(processSeconds() - begun);
    }
    return median(times);
}

std::vector<float> Calibration::made(const Product& product) const
{
    m_matrices->out.zero_();
    product.multiply();
    const float* values = m_matrices->out.const_data_ptr<float>();
    return {values, values + static_cast<std::ptrdiff_t>(kWidth) * kWidth};
}

} // namespace headscope::engine
