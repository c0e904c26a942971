// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// In which type the active model runs, at the end of the bottom line: a click opens it in the other one, the arrow
// names all. The other model stays as it is, so a model can be compared with its quantized form. GUI thread.

#include <QToolButton>

class QActionGroup;

namespace headscope::gui {

class ModelController;
class WindowState;

class TypeButton : public QToolButton
{
    Q_OBJECT

public:
    TypeButton(WindowState& state, ModelController& models, QWidget* parent);

private:
    void refresh();
    void use(const QString& type);

    WindowState& m_state;
    ModelController& m_models;
    QActionGroup* m_types;
    QString m_other; ///< what a click changes to
};

} // namespace headscope::gui
