// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/modelchoice.h"

#include "core/io/modelfolder.h"
#include "core/lm/config.h"
#include "core/lm/familykind.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QLocale>

namespace headscope::gui {

namespace {

struct ModelText {
    Q_DECLARE_TR_FUNCTIONS(ModelText)
};

/// Families call the number of layers by different names.
QString layersText(const nlohmann::json& config)
{
    for (const char* place : {"/num_hidden_layers", "/n_layer", "/num_layers", "/MixerModel/input/n_layer"})
        if (const nlohmann::json::json_pointer at(place); config.contains(at) && config[at].is_number_integer())
            return ModelText::tr("%1 layers").arg(config[at].get<int>());
    return {};
}

widgets::ChipTint tintOf(lm::FamilyKind kind)
{
    switch (kind) {
    case lm::FamilyKind::Ssm: return widgets::ChipTint::Ssm;
    case lm::FamilyKind::Hybrid: return widgets::ChipTint::Hybrid;
    case lm::FamilyKind::Transformer: break;
    }
    return widgets::ChipTint::Transformer;
}

} // namespace

QString kindText(lm::FamilyKind kind)
{
    switch (kind) {
    case lm::FamilyKind::Ssm: return ModelText::tr("SSM");
    case lm::FamilyKind::Hybrid: return ModelText::tr("Hybrid");
    case lm::FamilyKind::Transformer: break;
    }
    return ModelText::tr("Transformer");
}

std::optional<lm::FamilyKind> modelKind(const std::filesystem::path& folder)
{
    const auto config = lm::Config::load(folder);
    if (!config.has_value())
        return {};
    const auto family = config->family();
    return family.has_value() ? lm::familyKind(*family) : std::nullopt;
}

widgets::ModelOffer modelOffer(const io::ModelFolder& folder)
{
    widgets::ModelOffer offer;
    QStringList parts;
    if (const auto config = lm::Config::load(folder.path); config.has_value()) {
        if (const auto family = config->family(); family.has_value()) {
            if (const auto kind = lm::familyKind(*family)) {
                offer.tint = tintOf(*kind);
                parts << kindText(*kind);
            }
            parts << QString::fromStdString(*family);
        }
        parts << layersText(config->json());
    }
    if (const auto bytes = static_cast<qint64>(io::weightFileBytes(folder.path)); bytes > 0)
        parts << QLocale().formattedDataSize(bytes, 1, QLocale::DataSizeSIFormat);
    else if (folder.origin != io::ModelOrigin::Folder)
        parts << ModelText::tr("tokenizer only, no weights");
    parts.removeAll(QString());
    const QString name = QString::fromStdString(folder.name);
    offer.choice = {name, name, parts.join(QStringLiteral(" · "))};
    return offer;
}

widgets::Choice modelChoice(const io::ModelFolder& folder)
{
    return modelOffer(folder).choice;
}

} // namespace headscope::gui
