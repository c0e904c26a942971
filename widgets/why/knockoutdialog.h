// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Configures attention knockout: the tokens that stop reading others, the part of the model, the method. GUI thread.

#include <QDialog>
#include <QStringList>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headscope::widgets {

/// The prompt and the model in which edges are selected.
struct KnockoutPlace {
    QStringList tokens;                 ///< of the prompt
    QString head;                       ///< "L2H5", the shown head
    int layer = 0;                      ///< of this head
    int layers = 1;                     ///< of the model
    bool attention = true, ssm = false; ///< the model has heads of this kind
};

struct KnockoutChoice {
    enum class Where { Head, Layer, Layers, Everywhere };
    int firstQuery = 0, lastQuery = 0, firstKey = 0, lastKey = 0; ///< tokens, ends included
    Where where = Where::Head;
    int firstLayer = 0, lastLayer = 0; ///< for Where::Layers
    bool beforeSoftmax = true;         ///< for attention; entries of SSM heads become zero

    bool operator==(const KnockoutChoice&) const = default;
};

class KnockoutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit KnockoutDialog(KnockoutPlace place, QWidget* parent = nullptr);

    [[nodiscard]] KnockoutChoice choice() const;
    void setChoice(const KnockoutChoice& choice);
    /// Returns why these edges cannot be knocked out; empty: they can.
    [[nodiscard]] QString problem() const;

private:
    [[nodiscard]] QWidget* makeTokens();
    [[nodiscard]] QWidget* makePlace();
    void refresh();
    [[nodiscard]] QString words(int first, int last) const;

    KnockoutPlace m_place;
    QSpinBox *m_firstQuery, *m_lastQuery, *m_firstKey, *m_lastKey, *m_firstLayer, *m_lastLayer;
    QLabel *m_queryWords, *m_keyWords, *m_problem;
    QComboBox *m_where, *m_how;
    QPushButton* m_apply;
};

} // namespace headscope::widgets
