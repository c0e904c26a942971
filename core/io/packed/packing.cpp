// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/packing.h"

#include "core/io/packed/packedforms.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>

namespace headscope::io {

namespace {

// Rounded up.
std::int64_t shares(std::int64_t all, std::int64_t each)
{
    return each == 0 ? 1 : all / each + (all % each != 0 ? 1 : 0);
}

bool applies(const PackedForm& form, const Checkpoint& checkpoint, const std::string& name)
{
    const auto main = checkpoint.find(partName(name, form.main));
    const bool told = main
                      && (form.codes.empty()
                          || std::find(form.codes.begin(), form.codes.end(), main->info.dtype) != form.codes.end());
    return told || std::any_of(form.marks.begin(), form.marks.end(), [&](std::string_view part) {
               return checkpoint.find(partName(name, part)).has_value();
           });
}

const PackedForm* formOf(const Checkpoint& checkpoint, const Packing& packing, const std::string& name)
{
    const auto& forms = packedForms();
    const auto found = std::find_if(forms.begin(), forms.end(), [&](const PackedForm& form) {
        return form.packer == packing.packer && applies(form, checkpoint, name);
    });
    return found == forms.end() ? nullptr : &*found;
}

} // namespace

std::int64_t PackedScheme::groups(std::int64_t inputs) const
{
    return shares(inputs, groupInputs);
}

std::int64_t PackedScheme::rows(std::int64_t outputs) const
{
    return shares(outputs, groupOutputs);
}

void PackedTensor::release() const
{
    for (const std::span<const std::byte>& part : bytes)
        WeightsFile::release(part);
}

bool isPacked(const Checkpoint& checkpoint, const Packing& packing, const std::string& name)
{
    return formOf(checkpoint, packing, name) != nullptr;
}

Result<std::optional<PackedTensor>> packedTensor(const Checkpoint& checkpoint, const Packing& packing,
                                                 const std::string& name)
{
    const PackedForm* form = formOf(checkpoint, packing, name);
    if (!form)
        return std::optional<PackedTensor>();
    const std::string main = partName(name, form->main);
    if (main != name && checkpoint.find(name))
        return inputError("The file has both " + inQuotes(name) + " and " + inQuotes(main)
                          + "; expected one of them, as they are one map.");
    PackedParts parts(checkpoint, packing, name);
    auto view = form->unpack(parts);
    if (!view.has_value())
        return view.error();
    PackedTensor tensor{.view = std::move(*view), .turned = form->turned};
    const auto add = [&](std::string_view part) {
        if (const auto found = checkpoint.find(partName(name, part))) {
            tensor.names.push_back(found->info.name);
            tensor.bytes.push_back(found->bytes);
        }
    };
    add(form->main);
    for (const auto& list : {form->marks, form->others})
        for (const std::string_view part : list)
            add(part);
    return std::optional(std::move(tensor));
}

std::string packedName(const Packing& packing, const std::string& name)
{
    const auto& forms = packedForms();
    const auto found =
        std::find_if(forms.begin(), forms.end(), [&](const PackedForm& form) { return form.packer == packing.packer; });
    return found == forms.end() ? name : partName(name, found->main);
}

} // namespace headscope::io
