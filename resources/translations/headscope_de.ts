<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
<name>AblationWords</name>
<message>
<source>“%1” and “%2” exchanged before layer %3</source>
<translation>„%1“ und „%2“ vor Schicht %3 vertauscht</translation>
</message>
<message>
<source>%1 ablated</source>
<translation>%1 ausgeschaltet</translation>
</message>
<message>
<source>%1 replaced by its mean</source>
<translation>%1 durch den Mittelwert ersetzt</translation>
</message>
<message>
<source>%1 replaced by its output on another prompt</source>
<translation>%1 durch die Ausgabe bei einem anderen Prompt ersetzt</translation>
</message>
<message>
<source>%1 scaled by %2</source>
<translation>%1 mal %2</translation>
</message>
<message>
<source>%1 at the last token only</source>
<translation>%1 nur am letzten Token</translation>
</message>
<message>
<source>%1 before gate and norm</source>
<translation>%1 vor Gate und Norm</translation>
</message>
<message>
<source>%1 in every layer that shares its weights</source>
<translation>%1 in jeder Schicht mit denselben Gewichten</translation>
</message>
<message>
<source>no head kept in layer %1</source>
<translation>kein Kopf in Schicht %1 behalten</translation>
</message>
<message>
<source>%1 heads kept in layer %2, the others ablated</source>
<translation>%1 Köpfe in Schicht %2 behalten, die anderen ausgeschaltet</translation>
</message>
<message>
<source>all of layer %2 ablated except %1</source>
<translation>Schicht %2 bis auf %1 ausgeschaltet</translation>
</message>
<message>
<source>only layers 0 to %1</source>
<translation>nur Schichten 0 bis %1</translation>
</message>
<message>
<source>layer %1 skipped</source>
<translation>Schicht %1 übersprungen</translation>
</message>
<message>
<source>MLP of layer %1 skipped</source>
<translation>MLP der Schicht %1 übersprungen</translation>
</message>
<message>
<source>attention of layer %1 skipped</source>
<translation>Attention der Schicht %1 übersprungen</translation>
</message>
<message>
<source>SSM of layer %1 skipped</source>
<translation>SSM der Schicht %1 übersprungen</translation>
</message>
<message>
<source>mixer of layer %1 skipped</source>
<translation>Mixer der Schicht %1 übersprungen</translation>
</message>
<message>
<source>last token of layer %1 reads only itself</source>
<translation>letztes Token liest in Schicht %1 nur sich selbst</translation>
</message>
<message>
<source>last token of every layer reads only itself</source>
<translation>letztes Token liest in jeder Schicht nur sich selbst</translation>
</message>
<message>
<source>attention of every layer blocked from the last token</source>
<translation>Attention jeder Schicht für das letzte Token gesperrt</translation>
</message>
<message>
<source>SSM of layer %1 blocked from the last token</source>
<translation>SSM der Schicht %1 für das letzte Token gesperrt</translation>
</message>
<message>
<source>attention of layer %1 blocked from the last token</source>
<translation>Attention der Schicht %1 für das letzte Token gesperrt</translation>
</message>
<message>
<source>%1: token %2 may not read token %3</source>
<translation>%1: Token %2 darf Token %3 nicht lesen</translation>
</message>
<message>
<source>layer %1 of %2</source>
<translation>Schicht %1 von %2</translation>
</message>
<message>
<source>%1 changes</source>
<translation>%1 Änderungen</translation>
</message>
<message>
<source>token %1</source>
<translation>Token %1</translation>
</message>
<message>
<source>tokens %1 to %2</source>
<translation>Token %1 bis %2</translation>
</message>
<message>
<source>%1 at %2</source>
<translation>%1 bei %2</translation>
</message>
<message>
<source>layers %1 to %2</source>
<translation>Schichten %1 bis %2</translation>
</message>
<message>
<source>layer %1</source>
<translation>Schicht %1</translation>
</message>
<message>
<source>%1: %2 may not read %3</source>
<translation>%1: %2 darf %3 nicht lesen</translation>
</message>
<message>
<source>%1 times %2 added before layer %3</source>
<translation>%1 mal %2 addiert vor Schicht %3</translation>
</message>
<message>
<source>SSM of %1</source>
<translation>SSM von %1</translation>
</message>
<message>
<source>attention of %1</source>
<translation>Attention von %1</translation>
</message>
<message>
<source>%1 (before the softmax)</source>
<translation>%1 (vor dem Softmax)</translation>
</message>
<message>
<source>1 head</source>
<translation>1 Kopf</translation>
</message>
<message>
<source>%L1 heads</source>
<translation>%L1 Köpfe</translation>
</message>
<message>
<source>1 channel</source>
<translation>1 Kanal</translation>
</message>
<message>
<source>%L1 channels</source>
<translation>%L1 Kanäle</translation>
</message>
<message>
<source> and </source>
<translation> und </translation>
</message>
<message>
<source>no expert kept in layer %1</source>
<translation>kein Experte in Schicht %1 behalten</translation>
</message>
<message>
<source>%1 experts kept in layer %2, the others ablated</source>
<translation>%1 Experten in Schicht %2 behalten, die anderen ausgeschaltet</translation>
</message>
<message>
<source>1 expert</source>
<translation>1 Experte</translation>
</message>
<message>
<source>%L1 experts</source>
<translation>%L1 Experten</translation>
</message>
</context>
<context>
<name>ArrivalText</name>
<message>
<source>%1: %2 of %3</source>
<translation>%1: %2 von %3</translation>
</message>
<message>
<source>, %1 a second, %L2 s left</source>
<translation>, %1 in der Sekunde, noch %L2 s</translation>
</message>
</context>
<context>
<name>Comparison</name>
<message>
<source>benchmark</source>
<translation>Benchmark</translation>
</message>
<message>
<source>change</source>
<translation>Änderung</translation>
</message>
<message>
<source>95 % interval</source>
<translation>95-%-Intervall</translation>
</message>
<message>
<source>p</source>
<translation>p</translation>
</message>
<message>
<source>n</source>
<translation>n</translation>
</message>
<message>
<source>%1 against %2</source>
<translation>%1 gegen %2</translation>
</message>
<message>
<source>The two states have no example in common.</source>
<translation>Die zwei Zustände haben kein Beispiel gemeinsam.</translation>
</message>
<message>
<source>Paired on the examples that both were scored on; exact McNemar test.</source>
<translation>Gepaart auf den Beispielen, auf denen beide bewertet wurden; exakter McNemar-Test.</translation>
</message>
<message>
<source>Copy as Markdown</source>
<translation>Als Markdown kopieren</translation>
</message>
</context>
<context>
<name>EdgePresenters</name>
<message>
<source>Noise: one edge at a time from the other run</source>
<translation>Verrauschen: je eine Kante aus dem anderen Lauf</translation>
</message>
<message>
<source>Denoise: one edge at a time into the other run</source>
<translation>Entrauschen: je eine Kante in den anderen Lauf</translation>
</message>
<message>
<source>Strongest into %1: %2.</source>
<translation>Am stärksten nach %1: %2.</translation>
</message>
<message>
<source>Strongest from it: %1.</source>
<translation>Am stärksten von dort: %1.</translation>
</message>
<message>
<source>It writes nothing into the stream itself, so no part reads it.</source>
<translation>Er schreibt selbst nichts in den Strom, daher liest ihn niemand.</translation>
</message>
<message>
<source>Only the embedding writes before a head of the first layer.</source>
<translation>Vor einem Kopf der ersten Schicht schreibt nur die Einbettung.</translation>
</message>
<message>
<source>There is no part “%1” in this model; expected a head such as %2, an MLP such as L0.mlp, embed or logits.</source>
<translation>Einen Teil „%1“ hat dieses Modell nicht; erwartet wird ein Kopf wie %2, ein MLP wie L0.mlp, embed oder logits.</translation>
</message>
</context>
<context>
<name>ExamText</name>
<message>
<source>Time is up</source>
<translation>Die Zeit ist um</translation>
</message>
<message>
<source>%1 min left</source>
<translation>noch %1 min</translation>
</message>
<message>
<source>%1:%2 left</source>
<translation>noch %1:%2</translation>
</message>
</context>
<context>
<name>Exercise</name>
<message>
<source>%1 on %2 examples</source>
<translation>%1 auf %2 Beispielen</translation>
</message>
<message>
<source>interventions other than head ablation</source>
<translation>andere Eingriffe als die Ablation von Köpfen</translation>
</message>
<message>
<source>%1: %2 effective tokens</source>
<translation>%1: %2 effektive Token</translation>
</message>
<message>
<source>%1: %2 of the row</source>
<translation>%1: %2 der Zeile</translation>
</message>
<message>
<source>exactly %1</source>
<translation>genau %1</translation>
</message>
<message>
<source>at most %1</source>
<translation>höchstens %1</translation>
</message>
<message>
<source>at least %1</source>
<translation>mindestens %1</translation>
</message>
<message>
<source>%1 to %2</source>
<translation>%1 bis %2</translation>
</message>
<message>
<source>%1: ablated heads: %2</source>
<translation>%1: ausgeschaltete Köpfe: %2</translation>
</message>
<message>
<source>%1: effective tokens of the shown head&apos;s last row: %2</source>
<translation>%1: effektive Token der letzten Zeile des gezeigten Kopfes: %2</translation>
</message>
<message>
<source>%1: share of the shown head&apos;s last row on the answer: %2</source>
<translation>%1: Anteil der letzten Zeile des gezeigten Kopfes auf der Antwort: %2</translation>
</message>
<message>
<source>%1, and %2 of other layers</source>
<translation>%1, und %2 anderer Schichten</translation>
</message>
<message>
<source>%1: ablated heads, only of layer %2: %3</source>
<translation>%1: ausgeschaltete Köpfe, nur von Schicht %2: %3</translation>
</message>
</context>
<context>
<name>ExperimentFigures</name>
<message>
<source>Error bars and bands: 95 % intervals.</source>
<translation>Fehlerbalken und Bänder: 95-%-Intervalle.</translation>
</message>
<message>
<source>Dotted: guessing.</source>
<translation>Gepunktet: Raten.</translation>
</message>
<message>
<source>Grey: controls.</source>
<translation>Grau: Kontrollen.</translation>
</message>
<message>
<source>Hollow: the paper&apos;s own numbers, on its models.</source>
<translation>Hohl: die eigenen Zahlen des Papers, an seinen Modellen.</translation>
</message>
<message>
<source>Empty: not measured.</source>
<translation>Leer: nicht gemessen.</translation>
</message>
<message>
<source>Verdict: %1.</source>
<translation>Urteil: %1.</translation>
</message>
<message>
<source>The session does not contain the patterns of these heads (%1); running the experiment stores them.</source>
<translation>Die Sitzung enthält die Muster dieser Köpfe nicht (%1); ein Lauf des Experiments speichert sie.</translation>
</message>
</context>
<context>
<name>ExperimentGrids</name>
<message>
<source>the paper: %1</source>
<translation>das Paper: %1</translation>
</message>
<message>
<source>whole</source>
<translation>ganz</translation>
</message>
<message>
<source>pattern</source>
<translation>nur Muster</translation>
</message>
<message>
<source>random</source>
<translation>Zufall</translation>
</message>
<message>
<source>removed</source>
<translation>entfernt</translation>
</message>
<message>
<source>gather heads down, aggregate heads across</source>
<translation>Zeilen: Gather-Köpfe; Spalten: Aggregate-Köpfe</translation>
</message>
<message>
<source>%1: not by %2 heads</source>
<translation>%1: nicht durch %2 Köpfe</translation>
</message>
<message>
<source>%1: removed heads that halve it</source>
<translation>%1: Zahl der entfernten Köpfe, die es halbiert</translation>
</message>
</context>
<context>
<name>ExperimentPlots</name>
<message>
<source>the paper: %1</source>
<translation>das Paper: %1</translation>
</message>
<message>
<source> (not to scale)</source>
<translation> (nicht maßstäblich)</translation>
</message>
<message>
<source>the paper</source>
<translation>das Paper</translation>
</message>
<message>
<source>Spearman&apos;s rho %1, p = %2, n = %3</source>
<translation>Spearmans Rho %1, p = %2, n = %3</translation>
</message>
</context>
<context>
<name>ExperimentTexts</name>
<message>
<source> (n = %1)</source>
<translation> (n = %1)</translation>
</message>
<message>
<source>change</source>
<translation>Änderung</translation>
</message>
<message>
<source>paper: %1</source>
<translation>Paper: %1</translation>
</message>
<message>
<source>%1, n = %2</source>
<translation>%1, n = %2</translation>
</message>
</context>
<context>
<name>ExpertPresenters</name>
<message>
<source>%2 receives the most tokens (%L1)</source>
<translation>%2 erhält die meisten Token (%L1)</translation>
</message>
<message>
<source>%1; one expert receives none.</source>
<translation>%1; ein Experte erhält keines.</translation>
</message>
<message>
<source>%1; %2 experts receive none.</source>
<translation>%1; %2 Experten erhalten keines.</translation>
</message>
<message>
<source>Layer %1 of this model has no experts.</source>
<translation>Schicht %1 dieses Modells hat keine Experten.</translation>
</message>
<message>
<source>The experts of layer %1 do not run: the layer or its MLP is skipped.</source>
<translation>Die Experten von Schicht %1 laufen nicht: Die Schicht oder ihr MLP ist ausgelassen.</translation>
</message>
<message>
<source>Each of %L1 tokens goes to %2 of %3 experts of layer %4.</source>
<translation>Jedes von %L1 Token geht an %2 von %3 Experten der Schicht %4.</translation>
</message>
<message>
<source>A shared one runs for every token.</source>
<translation>Ein gemeinsamer läuft für jedes Token.</translation>
</message>
<message>
<source>Weights from %1 to %2.</source>
<translation>Gewichte von %1 bis %2.</translation>
</message>
<message>
<source>The ablation moves 1 token to other experts.</source>
<translation>Die Ablation führt 1 Token zu anderen Experten.</translation>
</message>
<message>
<source>The ablation moves %L1 tokens to other experts.</source>
<translation>Die Ablation führt %L1 Token zu anderen Experten.</translation>
</message>
<message>
<source>shared expert of layer %1</source>
<translation>gemeinsamer Experte der Schicht %1</translation>
</message>
<message>
<source>%1 (position %2)</source>
<translation>%1 (Position %2)</translation>
</message>
<message>
<source>%1: %2, weight %3; it runs for every token</source>
<translation>%1: %2, Gewicht %3; er läuft für jedes Token</translation>
</message>
<message>
<source>%1 is not routed to %2</source>
<translation>%1 wird nicht an %2 geleitet</translation>
</message>
<message>
<source>%1: %2, weight %3, choice %4 of %5</source>
<translation>%1: %2, Gewicht %3, Wahl %4 von %5</translation>
</message>
<message>
<source>; without ablation: weight %1, choice %2</source>
<translation>; ohne Ablation: Gewicht %1, Wahl %2</translation>
</message>
<message>
<source>; not chosen without the ablation</source>
<translation>; ohne Ablation nicht gewählt</translation>
</message>
<message>
<source>%1; ablated: its output is left out</source>
<translation>%1; ausgeschaltet: seine Ausgabe fehlt</translation>
</message>
<message>
<source>shared</source>
<translation>gemeinsam</translation>
</message>
<message>
<source>%1: runs for every token in addition to the chosen ones</source>
<translation>%1: läuft für jedes Token zusätzlich zu den gewählten</translation>
</message>
<message>
<source>%1 receives %L2 of %L3 tokens</source>
<translation>%1 erhält %L2 von %L3 Token</translation>
</message>
<message>
<source>%1; ablated: a click restores it</source>
<translation>%1; ausgeschaltet: ein Klick stellt ihn wieder her</translation>
</message>
<message>
<source>%1; a click ablates it</source>
<translation>%1; ein Klick schaltet ihn aus</translation>
</message>
<message>
<source>token</source>
<translation>Token</translation>
</message>
</context>
<context>
<name>FigureText</name>
<message>
<source>en</source>
<translation>de</translation>
</message>
<message>
<source>relative change of OV</source>
<translation>relative Änderung von OV</translation>
</message>
<message>
<source>relative change of QK</source>
<translation>relative Änderung von QK</translation>
</message>
<message>
<source>distance of the patterns</source>
<translation>Abstand der Muster</translation>
</message>
<message>
<source>change of the ablation effect, nats</source>
<translation>Änderung der Ablationswirkung, Nat</translation>
</message>
<message>
<source>Heads that changed</source>
<translation>Geänderte Köpfe</translation>
</message>
<message>
<source>Training checkpoints</source>
<translation>Checkpoints des Trainings</translation>
</message>
<message>
<source>comparison of heads</source>
<translation>Vergleich der Köpfe</translation>
</message>
<message>
<source>series</source>
<translation>Verlauf</translation>
</message>
<message>
<source>training step</source>
<translation>Trainingsschritt</translation>
</message>
<message>
<source>largest</source>
<translation>größter</translation>
</message>
<message>
<source>value</source>
<translation>Wert</translation>
</message>
<message>
<source>“%1” and “%2” exchanged before layer %3</source>
<translation>„%1“ und „%2“ vor Schicht %3 vertauscht</translation>
</message>
<message>
<source>effect of this patch alone (1: the other run)</source>
<translation>Wirkung dieses Patchs allein (1: der andere Lauf)</translation>
</message>
<message>
<source>the first %1 tokens</source>
<translation>die ersten %1 Token</translation>
</message>
<message>
<source>output</source>
<translation>Ausgabe</translation>
</message>
<message>
<source>most likely token by the stream before each layer; colour: its probability</source>
<translation>wahrscheinlichstes Token nach dem Strom vor jeder Schicht; Farbe: seine Wahrscheinlichkeit</translation>
</message>
<message>
<source>tokens without a change</source>
<translation>Token ohne Änderung</translation>
</message>
<message>
<source>adds to the answer&apos;s logit over the other&apos;s</source>
<translation>trägt zum Logit der Antwort gegenüber der anderen bei</translation>
</message>
<message>
<source>%1 others</source>
<translation>%1 andere</translation>
</message>
<message>
<source>sum</source>
<translation>Summe</translation>
</message>
<message>
<source>layers in which attention is blocked</source>
<translation>Schichten, in denen die Attention gesperrt ist</translation>
</message>
<message>
<source>logit difference</source>
<translation>Logit-Differenz</translation>
</message>
<message>
<source>knocked out</source>
<translation>mit Knockout</translation>
</message>
<message>
<source>no knockout</source>
<translation>ohne Knockout</translation>
</message>
<message>
<source>share of right answers</source>
<translation>Anteil richtiger Antworten</translation>
</message>
<message>
<source>right</source>
<translation>richtig</translation>
</message>
<message>
<source>Answers of the class</source>
<translation>Antworten der Klasse</translation>
</message>
<message>
<source>Share of right answers to each question, first answers; bars: 95 % intervals.</source>
<translation>Anteil richtiger Antworten auf jede Frage, erste Antworten; Balken: 95-%-Intervalle.</translation>
</message>
<message>
<source>rise of the next tokens&apos; loss without the head, nats</source>
<translation>Anstieg des Verlusts der nächsten Token ohne den Kopf in Nat</translation>
</message>
<message>
<source>rise of the loss without the head, %1 tokens, nats</source>
<translation>Anstieg des Verlusts ohne den Kopf in Nat, Token %1</translation>
</message>
<message>
<source>accuracy lost without the head</source>
<translation>Genauigkeit, die ohne den Kopf verloren geht</translation>
</message>
<message>
<source>%1, mean over the survey</source>
<translation>%1, Mittel über die Durchsicht</translation>
</message>
<message>
<source>rank correlation </source>
<translation>Rangkorrelation </translation>
</message>
<message>
<source>rank correlation:</source>
<translation>Rangkorrelation:</translation>
</message>
<message>
<source>heads not drawn, at or below 0: %1</source>
<translation>nicht gezeichnete Köpfe, bei oder unter 0: %1</translation>
</message>
<message>
<source>adds to the answer&apos;s logit over the wrong one&apos;s</source>
<translation>trägt zum Logit der Antwort gegenüber der falschen bei</translation>
</message>
<message>
<source>loss of %1 accuracy without the head</source>
<translation>Verlust an Genauigkeit ohne den Kopf, %1</translation>
</message>
<message>
<source>loss of %1 accuracy without the heads</source>
<translation>Verlust an Genauigkeit ohne die Köpfe, %1</translation>
</message>
<message>
<source>loss of %1 accuracy without the head and those before</source>
<translation>Verlust an Genauigkeit ohne den Kopf und die davor, %1</translation>
</message>
<message>
<source>loss of log odds without the head, estimated by gradients</source>
<translation>Verlust an Log-Odds ohne den Kopf, mit Gradienten geschätzt</translation>
</message>
<message>
<source>%1 score</source>
<translation>Wert: %1</translation>
</message>
<message>
<source> attention</source>
<translation> Attention</translation>
</message>
<message>
<source> SSM</source>
<translation> SSM</translation>
</message>
<message>
<source>rank</source>
<translation>Rang</translation>
</message>
<message>
<source>head</source>
<translation>Kopf</translation>
</message>
<message>
<source>accuracy without it</source>
<translation>Genauigkeit ohne ihn</translation>
</message>
<message>
<source>accuracy left</source>
<translation>verbliebene Genauigkeit</translation>
</message>
<message>
<source>change</source>
<translation>Änderung</translation>
</message>
<message>
<source>95 % interval</source>
<translation>95-%-Intervall</translation>
</message>
<message>
<source>The deeper the blue, the more probable the token.</source>
<translation>Je tiefer das Blau, desto wahrscheinlicher das Token.</translation>
</message>
<message>
<source>Gather and aggregate heads</source>
<translation>Gather- und Aggregate-Köpfe</translation>
</message>
<message>
<source>Patterns of the heads</source>
<translation>Muster der Köpfe</translation>
</message>
<message>
<source>gather head</source>
<translation>Gather-Kopf</translation>
</message>
<message>
<source>aggregate head</source>
<translation>Aggregate-Kopf</translation>
</message>
<message>
<source>Patterns of the last token</source>
<translation>Muster des letzten Tokens</translation>
</message>
<message>
<source>Accuracy against dictionary size</source>
<translation>Genauigkeit gegen Wörterbuchgröße</translation>
</message>
<message>
<source>Effect of each layer</source>
<translation>Wirkung jeder Schicht</translation>
</message>
<message>
<source>one layer left out</source>
<translation>eine Schicht ausgelassen</translation>
</message>
<message>
<source>only the first layers</source>
<translation>nur die ersten Schichten</translation>
</message>
<message>
<source>Cost of ablation against patterns on many texts</source>
<translation>Kosten der Ablation gegen Muster auf vielen Texten</translation>
</message>
<message>
<source>accuracy lost without the head, against its share on ends of segments before</source>
<translation>verlorene Genauigkeit ohne den Kopf gegen seinen Anteil auf Enden früherer Segmente</translation>
</message>
<message>
<source>Prediction at each layer</source>
<translation>Vorhersage in jeder Schicht</translation>
</message>
<message>
<source>Contributions to the answer</source>
<translation>Beiträge zur Antwort</translation>
</message>
<message>
<source>Effect of each patch</source>
<translation>Wirkung jedes Patchs</translation>
</message>
<message>
<source>Circuit: effect of each edge</source>
<translation>Schaltkreis: Wirkung jeder Kante</translation>
</message>
<message>
<source>Attention knockout by layer</source>
<translation>Attention-Knockout nach Schicht</translation>
</message>
<message>
<source>Copying scores of the weights</source>
<translation>Kopierwerte der Gewichte</translation>
</message>
<message>
<source>Heads on probe sequences: </source>
<translation>Köpfe auf Probefolgen: </translation>
</message>
<message>
<source>Cost of ablating each head</source>
<translation>Kosten der Ablation jedes Kopfs</translation>
</message>
<message>
<source>The heads that retrieval depends on</source>
<translation>Die Köpfe, von denen Retrieval abhängt</translation>
</message>
<message>
<source>Scores by state</source>
<translation>Ergebnisse nach Zustand</translation>
</message>
<message>
<source>benchmark</source>
<translation>Benchmark</translation>
</message>
<message>
<source>baseline</source>
<translation>Ausgangswert</translation>
</message>
<message>
<source>now</source>
<translation>jetzt</translation>
</message>
<message>
<source>model</source>
<translation>Modell</translation>
</message>
<message>
<source>state</source>
<translation>Zustand</translation>
</message>
<message>
<source>accuracy</source>
<translation>Genauigkeit</translation>
</message>
<message>
<source>pairs in the dictionary</source>
<translation>Paare im Wörterbuch</translation>
</message>
<message>
<source>guessing</source>
<translation>Raten</translation>
</message>
<message>
<source>last layer kept</source>
<translation>letzte behaltene Schicht</translation>
</message>
<message>
<source>layer skipped</source>
<translation>ausgelassene Schicht</translation>
</message>
<message>
<source>all</source>
<translation>alle</translation>
</message>
<message>
<source>minus %1 %2%3</source>
<translation>minus %1 %2%3</translation>
</message>
<message>
<source>MC (4 options)</source>
<translation>MC (4 Optionen)</translation>
</message>
<message>
<source>knowledge</source>
<translation>Wissen</translation>
</message>
<message>
<source>MC on a passage</source>
<translation>MC zu einem Text</translation>
</message>
<message>
<source>names</source>
<translation>Namen</translation>
</message>
<message>
<source>made-up facts</source>
<translation>erfundene Fakten</translation>
</message>
<message>
<source>last word of a paragraph</source>
<translation>letztes Wort eines Absatzes</translation>
</message>
<message>
<source> (from the longest common prefix)</source>
<translation> (vom längsten gemeinsamen Präfix an)</translation>
</message>
<message>
<source>KV retrieval, %1 pairs</source>
<translation>KV-Retrieval, %1 Paare</translation>
</message>
<message>
<source>KV retrieval</source>
<translation>KV-Retrieval</translation>
</message>
<message>
<source>Not drawn: </source>
<translation>Nicht gezeichnet: </translation>
</message>
<message>
<source>; and %1 more</source>
<translation>; und %1 weitere</translation>
</message>
<message>
<source>%1 with other inputs</source>
<translation>%1 mit anderen Eingaben</translation>
</message>
<message>
<source>%1 on other rows or by other rules</source>
<translation>%1 auf anderen Zeilen oder nach anderen Regeln</translation>
</message>
<message>
<source>nothing ablated</source>
<translation>nichts ausgeschaltet</translation>
</message>
<message>
<source>token %1</source>
<translation>Token %1</translation>
</message>
<message>
<source>tokens %1 to %2</source>
<translation>Token %1 bis %2</translation>
</message>
<message>
<source>SSM of %1</source>
<translation>SSM von %1</translation>
</message>
<message>
<source>attention of %1</source>
<translation>Attention von %1</translation>
</message>
<message>
<source> ablated</source>
<translation> ausgeschaltet</translation>
</message>
<message>
<source> replaced by its mean</source>
<translation> durch sein Mittel ersetzt</translation>
</message>
<message>
<source> replaced by its output on another prompt</source>
<translation> durch seine Ausgabe bei einem anderen Prompt ersetzt</translation>
</message>
<message>
<source> scaled by %1</source>
<translation> mit %1 skaliert</translation>
</message>
<message>
<source> at the last token only</source>
<translation> nur am letzten Token</translation>
</message>
<message>
<source> at </source>
<translation> an </translation>
</message>
<message>
<source> before gate and norm</source>
<translation> vor Gate und Norm</translation>
</message>
<message>
<source> in every layer that shares its weights</source>
<translation> in jeder Schicht, die seine Gewichte teilt</translation>
</message>
<message>
<source>no head</source>
<translation>kein Kopf</translation>
</message>
<message>
<source>only </source>
<translation>nur </translation>
</message>
<message>
<source>%1 heads</source>
<translation>%1 Köpfe</translation>
</message>
<message>
<source>%1 kept in layer %2</source>
<translation>%1 in Schicht %2 behalten</translation>
</message>
<message>
<source>only layers 0 to %1</source>
<translation>nur Schichten 0 bis %1</translation>
</message>
<message>
<source>layer %1</source>
<translation>Schicht %1</translation>
</message>
<message>
<source> skipped</source>
<translation> ausgelassen</translation>
</message>
<message>
<source>MLP of %1 skipped</source>
<translation>MLP von %1 ausgelassen</translation>
</message>
<message>
<source>mixer of </source>
<translation>Mixer von </translation>
</message>
<message>
<source>every layer</source>
<translation>jede Schicht</translation>
</message>
<message>
<source>last token of %1 reads only itself</source>
<translation>letztes Token liest nur sich selbst: %1</translation>
</message>
<message>
<source> blocked from the last token</source>
<translation> für das letzte Token gesperrt</translation>
</message>
<message>
<source>%1: token %2 may not read token %3</source>
<translation>%1: Token %2 darf Token %3 nicht lesen</translation>
</message>
<message>
<source>layers %1 to %2</source>
<translation>Schichten %1 bis %2</translation>
</message>
<message>
<source>%1: %2 may not read %3</source>
<translation>%1: %2 darf %3 nicht lesen</translation>
</message>
<message>
<source> (before the softmax)</source>
<translation> (vor dem Softmax)</translation>
</message>
<message>
<source>%1 times %2 added before layer %3</source>
<translation>%1 mal %2 addiert vor Schicht %3</translation>
</message>
<message>
<source>layer %1 of %2</source>
<translation>Schicht %1 von %2</translation>
</message>
<message>
<source>all heads on</source>
<translation>alle Köpfe an</translation>
</message>
<message>
<source>%1 changes</source>
<translation>%1 Änderungen</translation>
</message>
<message>
<source>%1 heads ablated</source>
<translation>%1 Köpfe ausgeschaltet</translation>
</message>
<message>
<source>without </source>
<translation>ohne </translation>
</message>
<message>
<source>%1 of %2 edges, with an effect of at least %3 alone; dashed: negative</source>
<translation>%1 von %2 Kanten mit einer Wirkung von mindestens %3 allein; gestrichelt: negativ</translation>
</message>
<message>
<source>… and %1 more</source>
<translation>… und %1 weitere</translation>
</message>
<message>
<source> (n&#xa0;≥&#xa0;%1&#xa0;each)</source>
<translation> (n&#xa0;≥&#xa0;%1&#xa0;je&#xa0;Punkt)</translation>
</message>
<message>
<source>survey of %1, %2 tokens</source>
<translation>Erhebung von %1, %2 Token</translation>
</message>
<message>
<source>ablated: %1</source>
<translation>ausgeschaltet: %1</translation>
</message>
<message>
<source>lens</source>
<translation>Linse</translation>
</message>
<message>
<source>patching</source>
<translation>Patching</translation>
</message>
<message>
<source>attribution</source>
<translation>Attribution</translation>
</message>
<message>
<source>edges</source>
<translation>Kanten</translation>
</message>
<message>
<source>prompt %1</source>
<translation>Prompt %1</translation>
</message>
<message>
<source>%1 of %2</source>
<comment>an analysis of a text</comment>
<translation>%1 von %2</translation>
</message>
<message>
<source>experiment %1</source>
<translation>Experiment %1</translation>
</message>
<message>
<source>%1 on %2</source>
<comment>number type, device</comment>
<translation>%1 auf %2</translation>
</message>
<message>
<source>exact ablation ranking on %1, n = %2</source>
<translation>exakte Ablationsrangliste auf %1, n = %2</translation>
</message>
<message>
<source>ranking by %1 on %2, n = %3</source>
<translation>Rangliste nach %1 auf %2, n = %3</translation>
</message>
<message>
<source>highest gather score of the stored heads</source>
<translation>höchster Gather-Wert der gespeicherten Köpfe</translation>
</message>
<message>
<source>largest share on the answer&apos;s value</source>
<translation>größter Anteil auf dem gefragten Wert</translation>
</message>
<message>
<source>Clean prompt: “%1”. Corrupt prompt: “%2”. Answer “%3” against “%4”.</source>
<translation>Sauberer Prompt: „%1“. Verfälschter Prompt: „%2“. Antwort „%3“ gegen „%4“.</translation>
</message>
<message>
<source>The first of %1 pairs.</source>
<translation>Das erste von %1 Paaren.</translation>
</message>
<message>
<source>Prompt: “%1”.</source>
<translation>Prompt: „%1“.</translation>
</message>
<message>
<source>Prompt: “%1”. Answer: “%2”.</source>
<translation>Prompt: „%1“. Antwort: „%2“.</translation>
</message>
<message>
<source>tokens that no head reads</source>
<translation>Token, die kein Kopf liest</translation>
</message>
<message>
<source>share of the row “%1” of each head</source>
<translation>Anteil der Zeile „%1“ jedes Kopfes</translation>
</message>
<message>
<source>What every head reads</source>
<translation>Was jeder Kopf liest</translation>
</message>
<message>
<source>one row of all heads</source>
<translation>eine Zeile aller Köpfe</translation>
</message>
</context>
<context>
<name>HandIn</name>
<message>
<source>open question</source>
<translation>offene Frage</translation>
</message>
<message>
<source>right</source>
<translation>richtig</translation>
</message>
<message>
<source>wrong</source>
<translation>falsch</translation>
</message>
<message>
<source>Question</source>
<translation>Frage</translation>
</message>
<message>
<source>Answer</source>
<translation>Antwort</translation>
</message>
<message>
<source>Confidence</source>
<translation>Sicherheit</translation>
</message>
<message>
<source>Seconds</source>
<translation>Sekunden</translation>
</message>
<message>
<source>State</source>
<translation>Zustand</translation>
</message>
<message>
<source>Benchmark</source>
<translation>Benchmark</translation>
</message>
<message>
<source>Accuracy</source>
<translation>Genauigkeit</translation>
</message>
<message>
<source>Headscope session %1</source>
<translation>Headscope-Sitzung %1</translation>
</message>
<message>
<source>Answers</source>
<translation>Antworten</translation>
</message>
<message>
<source>Scored states</source>
<translation>Bewertete Zustände</translation>
</message>
<message>
<source>Exam %1, started %2 (UTC): %3 of %4 min</source>
<translation>Prüfung %1, begonnen %2 (UTC): %3 von %4 min</translation>
</message>
<message>
<source>Exam %1, started %2 (UTC): %3 min</source>
<translation>Prüfung %1, begonnen %2 (UTC): %3 min</translation>
</message>
</context>
<context>
<name>HeadGrids</name>
<message>
<source>layer</source>
<translation>Schicht</translation>
</message>
<message>
<source>%1: the layer has no such head</source>
<translation>%1: die Schicht hat keinen solchen Kopf</translation>
</message>
<message>
<source>%1: no value</source>
<translation>%1: kein Wert</translation>
</message>
</context>
<context>
<name>HeadMarks</name>
<message>
<source>aggregates</source>
<translation>führt zusammen</translation>
</message>
<message>
<source>gathers</source>
<translation>sammelt</translation>
</message>
<message>
<source>KV %1</source>
<translation>KV %1</translation>
</message>
<message>
<source>≈ answer %1</source>
<translation>≈ Antwort %1</translation>
</message>
<message>
<source>answer %1</source>
<translation>Antwort %1</translation>
</message>
</context>
<context>
<name>HeadMetrics</name>
<message>
<source>A against B: OV</source>
<translation>A gegen B: OV</translation>
</message>
<message>
<source>relative change of OV (what the head copies) from model A to B</source>
<translation>relative Änderung von OV (was der Kopf kopiert) von Modell A zu B</translation>
</message>
<message>
<source>A against B: QK</source>
<translation>A gegen B: QK</translation>
</message>
<message>
<source>relative change of QK (what the head looks for) from model A to B</source>
<translation>relative Änderung von QK (wonach der Kopf sucht) von Modell A zu B</translation>
</message>
<message>
<source>A against B: pattern</source>
<translation>A gegen B: Muster</translation>
</message>
<message>
<source>distance of the patterns of A and B on this prompt, with all heads on</source>
<translation>Abstand der Muster von A und B bei diesem Prompt, mit allen Köpfen</translation>
</message>
<message>
<source>effect on KV</source>
<translation>Wirkung auf KV</translation>
</message>
<message>
<source>loss of KV retrieval when the head is ablated</source>
<translation>Verlust an KV-Retrieval, wenn der Kopf ausgeschaltet ist</translation>
</message>
<message>
<source>≈ estimated effect on KV (gradients)</source>
<translation>≈ geschätzte Wirkung auf KV (Gradienten)</translation>
</message>
<message>
<source>loss of log odds: estimated by gradients; exact where the head was ablated</source>
<translation>Verlust an Log-Odds: mit Gradienten geschätzt; genau, wo der Kopf ausgeschaltet wurde</translation>
</message>
<message>
<source>gather score</source>
<translation>Gather-Wert</translation>
</message>
<message>
<source>gather score: share of segments&apos; last tokens on their own segment</source>
<translation>Gather-Wert: Anteil der letzten Token von Abschnitten auf dem eigenen Abschnitt</translation>
</message>
<message>
<source>aggregate score</source>
<translation>Aggregate-Wert</translation>
</message>
<message>
<source>aggregate score: share of the last token on the ends of segments</source>
<translation>Aggregate-Wert: Anteil des letzten Tokens auf den Enden der Abschnitte</translation>
</message>
<message>
<source>mass on the answer</source>
<translation>Masse auf der Antwort</translation>
</message>
<message>
<source>retrieval score</source>
<translation>Retrieval-Wert</translation>
</message>
<message>
<source>retrieval score: share of the needle&apos;s tokens that the head copies</source>
<translation>Retrieval-Wert: Anteil der gesuchten Token, die der Kopf kopiert</translation>
</message>
<message>
<source>induction score</source>
<translation>Induktionswert</translation>
</message>
<message>
<source>induction score: share on what followed the same token before</source>
<translation>Induktionswert: Anteil an dem, was demselben Token zuvor folgte</translation>
</message>
<message>
<source>previous-token score</source>
<translation>Vorgängerwert</translation>
</message>
<message>
<source>share on the token before</source>
<translation>Anteil am Token davor</translation>
</message>
<message>
<source>diagonal mass</source>
<translation>Masse auf der Diagonale</translation>
</message>
<message>
<source>share on the token itself</source>
<translation>Anteil am Token selbst</translation>
</message>
<message>
<source>entropy, last row</source>
<translation>Entropie, letzte Zeile</translation>
</message>
<message>
<source>entropy of the last row, nats</source>
<translation>Entropie der letzten Zeile, Nat</translation>
</message>
<message>
<source>effective tokens</source>
<translation>effektive Token</translation>
</message>
<message>
<source>effective tokens of the last row</source>
<translation>effektive Token der letzten Zeile</translation>
</message>
<message>
<source>sink mass</source>
<translation>Masse am ersten Token</translation>
</message>
<message>
<source>share of the last row on the first token</source>
<translation>Anteil der letzten Zeile am ersten Token</translation>
</message>
<message>
<source>output norm</source>
<translation>Länge der Ausgabe</translation>
</message>
<message>
<source>norm of the head&apos;s output at the last token</source>
<translation>Länge der Ausgabe des Kopfes am letzten Token</translation>
</message>
<message>
<source>distance to baseline</source>
<translation>Abstand zum Ausgangswert</translation>
</message>
<message>
<source>distance of the pattern from that of the unmodified model</source>
<translation>Abstand des Musters von dem des unveränderten Modells</translation>
</message>
<message>
<source>adds to the answer</source>
<translation>trägt zur Antwort bei</translation>
</message>
<message>
<source>contribution of the head to the logit of the answer minus that of the wrong one</source>
<translation>Beitrag des Kopfs zum Logit der Antwort minus dem der falschen</translation>
</message>
<message>
<source>copying (weights)</source>
<translation>Kopieren (Gewichte)</translation>
</message>
<message>
<source>copying score of the weights: 1 copies, -1 suppresses</source>
<translation>Kopierwert der Gewichte: 1 kopiert, -1 unterdrückt</translation>
</message>
<message>
<source>patched</source>
<translation>eingesetzt</translation>
</message>
<message>
<source>effect of patching this head alone (1: the other run)</source>
<translation>Wirkung dieses Kopfs allein gepatcht (1: der andere Lauf)</translation>
</message>
<message>
<source>probe: induction</source>
<translation>Probe: Induktion</translation>
</message>
<message>
<source>induction on repeated random tokens</source>
<translation>Induktion auf wiederholten Zufallstoken</translation>
</message>
<message>
<source>probe: previous token</source>
<translation>Probe: vorheriges Token</translation>
</message>
<message>
<source>share on the token before, on random tokens</source>
<translation>Anteil auf dem Token davor, bei Zufallstoken</translation>
</message>
<message>
<source>probe: duplicate token</source>
<translation>Probe: gleiches Token</translation>
</message>
<message>
<source>share on the same token before, on repeated random tokens</source>
<translation>Anteil auf dem gleichen Token davor, bei wiederholten Zufallstoken</translation>
</message>
<message>
<source>probe: sink</source>
<translation>Probe: Senke</translation>
</message>
<message>
<source>share on the first token, on random tokens</source>
<translation>Anteil auf dem ersten Token, bei Zufallstoken</translation>
</message>
<message>
<source>probe: retrieval</source>
<translation>Probe: Nachschlagen</translation>
</message>
<message>
<source>retrieval score on rows of the task</source>
<translation>Nachschlagewert auf Zeilen der Aufgabe</translation>
</message>
<message>
<source>share of the last row on the answer: what is marked as answer or value, or the asked pair</source>
<translation>Anteil der letzten Zeile an der Antwort: was als Antwort oder Wert markiert ist, oder das gefragte Paar</translation>
</message>
<message>
<source>(a head that reads all tokens alike: %1)</source>
<translation>(ein Kopf, der alle Token gleich liest: %1)</translation>
</message>
<message>
<source>on this prompt</source>
<translation>auf diesem Prompt</translation>
</message>
<message>
<source>on this prompt: how much of its lead over the next best token the answer loses without the head, in logits; ≈ what the head adds directly</source>
<translation>auf diesem Prompt: wie viel von ihrem Vorsprung vor dem nächstbesten Token die Antwort ohne den Kopf verliert, in Logits; ≈ was der Kopf direkt beiträgt</translation>
</message>
<message>
<source>measured when this version was built</source>
<translation>gemessen, als diese Version gebaut wurde</translation>
</message>
</context>
<context>
<name>HeadSpans</name>
<message>
<source>shared block %1</source>
<translation>geteilter Block %1</translation>
</message>
<message>
<source>kv head %1</source>
<translation>KV-Kopf %1</translation>
</message>
<message>
<source>B/C group %1</source>
<translation>B/C-Gruppe %1</translation>
</message>
</context>
<context>
<name>KvCurveNames</name>
<message>
<source>ablated</source>
<translation>verändert</translation>
</message>
<message>
<source>%1 on %2</source>
<translation>%1 auf %2</translation>
</message>
<message>
<source>guessing</source>
<translation>Raten</translation>
</message>
</context>
<context>
<name>MatrixWords</name>
<message>
<source>softmax attention</source>
<translation>Softmax-Attention</translation>
</message>
<message>
<source>rows sum to 1</source>
<translation>Zeilensumme 1</translation>
</message>
<message>
<source>hidden attention of a channel</source>
<translation>verborgene Attention eines Kanals</translation>
</message>
<message>
<source>hidden attention</source>
<translation>verborgene Attention</translation>
</message>
<message>
<source>with D</source>
<translation>mit D</translation>
</message>
<message>
<source>without D</source>
<translation>ohne D</translation>
</message>
<message>
<source>without dt</source>
<translation>ohne dt</translation>
</message>
<message>
<source>times the gate</source>
<translation>mal das Gate</translation>
</message>
<message>
<source>signed</source>
<translation>mit Vorzeichen</translation>
</message>
<message>
<source>rows do not sum to 1</source>
<translation>Zeilensumme nicht 1</translation>
</message>
<message>
<source>times the norm of the value</source>
<translation>mal der Norm des Values</translation>
</message>
<message>
<source>now minus baseline</source>
<translation>jetzt minus Ausgangswert</translation>
</message>
<message>
<source>%1 ÷ row sum of magnitudes, signed</source>
<translation>%1 ÷ Zeilensumme der Beträge, mit Vorzeichen</translation>
</message>
<message>
<source>|%1| ÷ row sum</source>
<translation>|%1| ÷ Zeilensumme</translation>
</message>
</context>
<context>
<name>Messages</name>
<message>
<source>%1 needs the model %2, which is not here.</source>
<translation>%1 braucht das Modell %2, das nicht hier ist.</translation>
</message>
</context>
<context>
<name>ModelText</name>
<message>
<source>SSM</source>
<translation>SSM</translation>
</message>
<message>
<source>Hybrid</source>
<translation>Hybrid</translation>
</message>
<message>
<source>Transformer</source>
<translation>Transformer</translation>
</message>
<message>
<source>%1 layers</source>
<translation>%1 Schichten</translation>
</message>
<message>
<source>tokenizer only, no weights</source>
<translation>keine Gewichte, nur der Tokenizer</translation>
</message>
</context>
<context>
<name>PairPresenters</name>
<message>
<source>, one pair (no interval)</source>
<translation>, ein Paar (kein Intervall)</translation>
</message>
<message>
<source>, %L1 pairs</source>
<translation>, %L1 Paare</translation>
</message>
<message>
<source>: the logit of “%1” minus “%2” is %3 here and %4 there.</source>
<translation>: Logit von „%1“ minus dem von „%2“ ist hier %3 und dort %4.</translation>
</message>
<message>
<source>1 sample has no counterpart of its length.</source>
<translation>1 Beispiel hat kein Gegenstück seiner Länge.</translation>
</message>
<message>
<source>%L1 samples have no counterpart of their length.</source>
<translation>%L1 Beispiele haben kein Gegenstück ihrer Länge.</translation>
</message>
<message>
<source>The answer has %1 tokens; this is number %2, the first that differs from the other choice.</source>
<translation>Die Antwort hat %1 Token; dies ist Nummer %2, das erste, das sich von der anderen Wahl unterscheidet.</translation>
</message>
<message>
<source>up to %L1 passes × %L2 tokens</source>
<translation>bis %L1 Läufe × %L2 Token</translation>
</message>
<message>
<source>up to %L1 passes × up to %L2 tokens for %L3 pairs</source>
<translation>bis zu %L1 Läufe × bis zu %L2 Token für %L3 Paare</translation>
</message>
<message>
<source>, about %1</source>
<translation>, etwa %1</translation>
</message>
</context>
<context>
<name>PaperFigures</name>
<message>
<source>heads that changed: effect against weights</source>
<translation>geänderte Köpfe: Wirkung über Gewichten</translation>
</message>
<message>
<source>heads that changed, layers × heads</source>
<translation>geänderte Köpfe, Schichten × Köpfe</translation>
</message>
<message>
<source>a number through training checkpoints</source>
<translation>eine Zahl über die Checkpoints eines Trainings</translation>
</message>
<message>
<source>prediction at each layer and token</source>
<translation>Vorhersage in jeder Schicht an jedem Token</translation>
</message>
<message>
<source>contribution of each head, MLP and the embedding to the answer</source>
<translation>Beitrag jedes Kopfs, jedes MLPs und der Einbettung zur Antwort</translation>
</message>
<message>
<source>effect of each patch alone</source>
<translation>Wirkung jedes Patchs allein</translation>
</message>
<message>
<source>inputs and outputs of a head, as a circuit</source>
<translation>Ein- und Ausgänge eines Kopfs als Schaltkreis</translation>
</message>
<message>
<source>attention knockout by layer</source>
<translation>Attention-Knockout nach Schicht</translation>
</message>
<message>
<source>copying scores of the weights, layers × heads</source>
<translation>Kopierwerte der Gewichte, Schichten × Köpfe</translation>
</message>
<message>
<source>heads on probe sequences: induction</source>
<translation>Köpfe auf Probefolgen: Induktion</translation>
</message>
<message>
<source>heads on probe sequences: previous token</source>
<translation>Köpfe auf Probefolgen: vorheriges Token</translation>
</message>
<message>
<source>heads on probe sequences: duplicate token</source>
<translation>Köpfe auf Probefolgen: gleiches Token</translation>
</message>
<message>
<source>heads on probe sequences: sink</source>
<translation>Köpfe auf Probefolgen: Senke</translation>
</message>
<message>
<source>heads on probe sequences: retrieval</source>
<translation>Köpfe auf Probefolgen: Retrieval</translation>
</message>
<message>
<source>maps of gather and aggregate heads, model beside model</source>
<translation>Karten der Gather- und Aggregate-Köpfe, Modell neben Modell</translation>
</message>
<message>
<source>pattern of the last token, peaked or diffuse</source>
<translation>Muster des letzten Tokens, spitz oder diffus</translation>
</message>
<message>
<source>accuracy against dictionary size, with and without heads</source>
<translation>Genauigkeit gegen Wörterbuchgröße, mit und ohne Köpfe</translation>
</message>
<message>
<source>scores with one layer left out, and with the first layers only</source>
<translation>Ergebnisse ohne eine Schicht, und mit den ersten Schichten allein</translation>
</message>
<message>
<source>cost of ablating each head, layers × heads</source>
<translation>Kosten der Ablation jedes Kopfs, Schichten × Köpfe</translation>
</message>
<message>
<source>the heads whose ablation costs most, as bars</source>
<translation>die Köpfe, deren Ablation am meisten kostet, als Balken</translation>
</message>
<message>
<source>the same as a table</source>
<translation>dasselbe als Tabelle</translation>
</message>
<message>
<source>cost of ablating each head against its pattern on many texts</source>
<translation>Kosten der Ablation jedes Kopfs gegen sein Muster auf vielen Texten</translation>
</message>
<message>
<source>every benchmark before and after</source>
<translation>jeder Benchmark vorher und nachher</translation>
</message>
<message>
<source>one row per state and one column per benchmark, as in the paper&apos;s tables</source>
<translation>eine Zeile je Zustand, eine Spalte je Benchmark, wie in den Tabellen des Papers</translation>
</message>
<message>
<source>the same as bars</source>
<translation>dasselbe als Balken</translation>
</message>
<message>
<source>what every head reads from one token</source>
<translation>was jeder Kopf von einem Token aus liest</translation>
</message>
</context>
<context>
<name>PatchPresenters</name>
<message>
<source>No head alone takes away half of the answer.</source>
<translation>Kein Kopf allein nimmt die Hälfte der Antwort weg.</translation>
</message>
<message>
<source>No place alone takes away half of the answer.</source>
<translation>Keine Stelle allein nimmt die Hälfte der Antwort weg.</translation>
</message>
<message>
<source>No head alone brings back half of the answer.</source>
<translation>Kein Kopf allein bringt die Hälfte der Antwort zurück.</translation>
</message>
<message>
<source>No place alone brings back half of the answer.</source>
<translation>Keine Stelle allein bringt die Hälfte der Antwort zurück.</translation>
</message>
<message>
<source>Only %1 takes away more than half of the answer.</source>
<translation>Nur %1 nimmt mehr als die Hälfte der Antwort weg.</translation>
</message>
<message>
<source>Only %1 brings back more than half of the answer.</source>
<translation>Nur %1 bringt mehr als die Hälfte der Antwort zurück.</translation>
</message>
<message>
<source>%1: each takes away more than half of the answer.</source>
<translation>%1: Jeder Eintrag nimmt für sich mehr als die Hälfte der Antwort weg.</translation>
</message>
<message>
<source>%1: each brings back more than half of the answer.</source>
<translation>%1: jeder allein über die Hälfte der Antwort.</translation>
</message>
<message>
<source>stream before layer %1, token %2</source>
<translation>Strom vor Schicht %1, Token %2</translation>
</message>
<message>
<source>attention or SSM of layer %1, token %2</source>
<translation>Attention oder SSM von Schicht %1, Token %2</translation>
</message>
<message>
<source>MLP of layer %1, token %2</source>
<translation>MLP von Schicht %1, Token %2</translation>
</message>
<message>
<source>Noise: corrupted activations into the clean run</source>
<translation>Verrauschen: Aktivierungen des Gegenlaufs im Lauf</translation>
</message>
<message>
<source>Denoise: clean activations into the corrupted run</source>
<translation>Entrauschen: Aktivierungen des Laufs im Gegenlauf</translation>
</message>
<message>
<source>Largest effects: %1.</source>
<translation>Größte Wirkungen: %1.</translation>
</message>
<message>
<source>%1, token %2</source>
<translation>%1, Token %2</translation>
</message>
<message>
<source>state of layer %1 after token %2</source>
<translation>Zustand von Schicht %1 nach Token %2</translation>
</message>
<message>
<source> and %L1 more</source>
<translation> und %L1 weitere</translation>
</message>
<message>
<source>%1 patched together: effect %2 (1 is the other run); the logit of “%3” minus “%4” becomes %5.</source>
<translation>%1 zusammen gepatcht: Wirkung %2 (1 ist der andere Lauf); das Logit von „%3“ minus das von „%4“ wird %5.</translation>
</message>
<message>
<source>next token without: %1</source>
<translation>nächstes Token ohne: %1</translation>
</message>
<message>
<source>with the patch: %1</source>
<translation>mit dem Eingesetzten: %1</translation>
</message>
<message>
<source>in the other run: %1</source>
<translation>im anderen Lauf: %1</translation>
</message>
<message>
<source>%1: the model has no such part</source>
<translation>%1: das Modell hat diesen Teil nicht</translation>
</message>
<message>
<source>%1; logit difference %2</source>
<translation>%1; Logit-Differenz %2</translation>
</message>
<message>
<source>%1: effect %2, 95 % interval %3 to %4</source>
<translation>%1: Wirkung %2, 95-%-Intervall %3 bis %4</translation>
</message>
<message>
<source>%1: effect %2</source>
<translation>%1: Wirkung %2</translation>
</message>
<message>
<source>%1: here the two prompts differ</source>
<translation>%1: hier unterscheiden sich die beiden Prompts</translation>
</message>
<message>
<source>layer</source>
<translation>Schicht</translation>
</message>
<message>
<source>The model has no such part.</source>
<translation>Das Modell hat diesen Teil nicht.</translation>
</message>
</context>
<context>
<name>PatternPresenters</name>
<message>
<source>difference of shares: each row divided by the sum of its absolute values</source>
<translation>Unterschied der Anteile: jede Zeile durch die Summe ihrer Beträge geteilt</translation>
</message>
<message>
<source>difference of attention</source>
<translation>Unterschied der Attention</translation>
</message>
<message>
<source>%1 row “%2” (%3) in all heads</source>
<translation>%1 Zeile „%2“ (%3) in allen Köpfen</translation>
</message>
<message>
<source>softmax attention, one line per head</source>
<translation>Softmax-Attention, eine Linie je Kopf</translation>
</message>
<message>
<source>one line per head, divided by the sum of its absolute values</source>
<translation>eine Linie je Kopf, geteilt durch die Summe der Beträge</translation>
</message>
<message>
<source>output ablated</source>
<translation>Ausgabe ausgeschaltet</translation>
</message>
<message>
<source>pruned: its output is not used</source>
<translation>gestutzt: seine Ausgabe wird nicht benutzt</translation>
</message>
<message>
<source>first %1 of %2 tokens, reading the rest · %3</source>
<translation>die ersten %1 von %2 Token, der Rest wird gelesen · %3</translation>
</message>
</context>
<context>
<name>PromptHeat</name>
<message>
<source>“%1”: probability %2, log-probability %3</source>
<translation>„%1“: Wahrscheinlichkeit %2, Log-Wahrscheinlichkeit %3</translation>
</message>
<message>
<source>; with all heads on %1</source>
<translation>; mit allen Köpfen %1</translation>
</message>
<message>
<source>Most likely here: %1</source>
<translation>Am wahrscheinlichsten hier: %1</translation>
</message>
</context>
<context>
<name>RankingWords</name>
<message>
<source>%1 and %2 more</source>
<translation>%1 und %2 weitere</translation>
</message>
<message>
<source>n = %1 · p = %2, %3 by Holm, %4 by Benjamini-Hochberg</source>
<translation>n = %1 · p = %2, %3 nach Holm, %4 nach Benjamini-Hochberg</translation>
</message>
<message>
<source>%1: no head of %2 changes the score (Holm, 5 %).</source>
<translation>%1: keiner von %2 Köpfen ändert das Ergebnis (Holm, 5 %).</translation>
</message>
<message>
<source>%1: %2 of %3 heads change the score (Holm, 5 %): %4.</source>
<translation>%1: %2 von %3 Köpfen ändern das Ergebnis (Holm, 5 %): %4.</translation>
</message>
<message>
<source>By Benjamini-Hochberg %1.</source>
<translation>Nach Benjamini-Hochberg %1.</translation>
</message>
<message>
<source>Not distinguishable: %1.</source>
<translation>Nicht zu unterscheiden: %1.</translation>
</message>
<message>
<source>%1, on this prompt: the answer depends most on %2 (logits lost without the head).</source>
<translation>%1, auf diesem Prompt: Die Antwort hängt am meisten ab von %2 (Verlust in Logits ohne den Kopf).</translation>
</message>
</context>
<context>
<name>ScorePresenters</name>
<message>
<source> · continues while the program is idle</source>
<translation> · wird im Leerlauf fortgesetzt</translation>
</message>
<message>
<source>Undecided so far: %1.</source>
<translation>Bisher unentschieden: %1.</translation>
</message>
<message>
<source>no row could be scored</source>
<translation>keine Zeile war bewertbar</translation>
</message>
<message>
<source>sample %1</source>
<translation>Beispiel %1</translation>
</message>
<message>
<source>, guessing %1</source>
<translation>, Raten %1</translation>
</message>
<message>
<source>worse</source>
<translation>schlechter</translation>
</message>
<message>
<source>better</source>
<translation>besser</translation>
</message>
<message>
<source>%1 more changed</source>
<translation>%1 weitere änderten sich</translation>
</message>
<message>
<source>no change seen on %1 benchmarks (n = %2 or more)</source>
<translation>keine Änderung zu sehen bei %1 Benchmarks (n = %2 oder mehr)</translation>
</message>
<message>
<source>no change seen in %1</source>
<translation>keine Änderung zu sehen bei %1</translation>
</message>
<message>
<source>Worse: %1.</source>
<translation>Schlechter: %1.</translation>
</message>
<message>
<source>Better: %1.</source>
<translation>Besser: %1.</translation>
</message>
<message>
<source>No change seen: %1 (n = %2).</source>
<translation>Keine Änderung zu sehen: %1 (n = %2).</translation>
</message>
<message>
<source>No change seen: %1 (n = %2 or more).</source>
<translation>Keine Änderung zu sehen: %1 (n = %2 oder mehr).</translation>
</message>
<message>
<source>sample rows</source>
<translation>Probezeilen</translation>
</message>
<message>
<source>from the common prefix</source>
<translation>ab dem gemeinsamen Präfix</translation>
</message>
<message>
<source>1 row</source>
<translation>1 Zeile</translation>
</message>
<message>
<source>%L1 rows</source>
<translation>%L1 Zeilen</translation>
</message>
<message>
<source>row %1 of %2</source>
<translation>Zeile %1 von %2</translation>
</message>
<message>
<source>In %1 the tokenizer merges the end of the context with the beginning of an answer (the first: %2). They are scored from the longest common prefix on.</source>
<translation>In %1 verschmilzt der Tokenizer das Ende des Kontexts mit dem Anfang einer Antwort (die erste: %2). Sie sind ab dem längsten gemeinsamen Präfix bewertet.</translation>
</message>
<message>
<source>In %1 the tokenizer merges the end of the context with the beginning of an answer (the first: %2). As in the reference harness, other tokens than the answer&apos;s are scored there; the settings offer the longest common prefix instead.</source>
<translation>In %1 verschmilzt der Tokenizer das Ende des Kontexts mit dem Anfang einer Antwort (die erste: %2). Wie im Referenz-Harness sind dort andere Token als die der Antwort bewertet; die Einstellungen bieten statt dessen den längsten gemeinsamen Präfix an.</translation>
</message>
<message>
<source>%1 · %L2 s</source>
<translation>%1 · %L2 s</translation>
</message>
<message>
<source>1 example</source>
<translation>1 Beispiel</translation>
</message>
<message>
<source>%L1 examples</source>
<translation>%L1 Beispiele</translation>
</message>
<message>
<source>%L1 of %L2 examples · %L3 s</source>
<translation>%L1 von %L2 Beispielen · %L3 s</translation>
</message>
<message>
<source> · from layer %1</source>
<translation> · ab Schicht %1</translation>
</message>
<message>
<source>%1 cannot fall</source>
<translation>%1 kann nicht fallen</translation>
</message>
<message>
<source>Cannot fall: %1.</source>
<translation>Kann nicht fallen: %1.</translation>
</message>
</context>
<context>
<name>SettingsText</name>
<message>
<source>The open models will be scored again.</source>
<translation>Die offenen Modelle werden neu bewertet.</translation>
</message>
<message>
<source>The language changes at the next start.</source>
<translation>Die Sprache wechselt beim nächsten Start.</translation>
</message>
<message>
<source>The open models are reopened; ablations are kept.</source>
<translation>Die offenen Modelle werden neu geöffnet; Ablationen bleiben erhalten.</translation>
</message>
</context>
<context>
<name>SideNames</name>
<message>
<source>%1 with %2 ablated</source>
<translation>%1, ausgeschaltet: %2</translation>
</message>
<message>
<source>%1, all heads on</source>
<translation>%1, alle Köpfe an</translation>
</message>
<message>
<source>%1 against %2</source>
<translation>%1 gegen %2</translation>
</message>
<message>
<source>%1 · all heads on</source>
<translation>%1 · alle Köpfe an</translation>
</message>
<message>
<source>%1 · %2</source>
<translation>%1 · %2</translation>
</message>
<message>
<source>baseline</source>
<translation>Ausgangswert</translation>
</message>
<message>
<source>%1 with %2</source>
<translation>%1 mit %2</translation>
</message>
<message>
<source>%1 in %2</source>
<translation>%1 in %2</translation>
</message>
</context>
<context>
<name>SurveyPresenters</name>
<message>
<source>Means over %1 tokens of %2.</source>
<translation>Mittel über %1 Token von %2.</translation>
</message>
<message>
<source>Means over the first %1 tokens of %2.</source>
<translation>Mittel über die ersten %1 Token von %2.</translation>
</message>
<message>
<source>%1 % of the first words are not in the vocabulary.</source>
<translation>%1 % der ersten Wörter stehen nicht im Vokabular.</translation>
</message>
<message>
<source>Rank correlation over %1 heads: %2</source>
<translation>Rangkorrelation über %1 Köpfe: %2</translation>
</message>
<message>
<source>all tokens</source>
<translation>alle Token</translation>
</message>
<message>
<source>new in the text</source>
<translation>neu im Text</translation>
</message>
<message>
<source>seen before, after another token</source>
<translation>schon da, nach einem anderen Token</translation>
</message>
<message>
<source>seen before, after the same token</source>
<translation>schon da, nach demselben Token</translation>
</message>
<message>
<source>position below 16</source>
<translation>Position unter 16</translation>
</message>
<message>
<source>position 16 to 63</source>
<translation>Position 16 bis 63</translation>
</message>
<message>
<source>position from 64 on</source>
<translation>Position ab 64</translation>
</message>
<message>
<source>the 10 most frequent</source>
<translation>die 10 häufigsten</translation>
</message>
<message>
<source>the next 90</source>
<translation>die nächsten 90</translation>
</message>
<message>
<source>less frequent ones</source>
<translation>seltenere</translation>
</message>
<message>
<source>Without %1 the loss of next tokens rises by %2 nats; of tokens that follow the same token as before by %3, of new ones by %4.</source>
<translation>Ohne %1 steigt der Verlust der nächsten Token um %2 Nat; der von Token, die demselben Token folgen wie zuvor, um %3, der von neuen um %4.</translation>
</message>
<message>
<source>Head</source>
<translation>Kopf</translation>
</message>
<message>
<source>Tokens</source>
<translation>Token</translation>
</message>
<message>
<source>n</source>
<translation>n</translation>
</message>
<message>
<source>Loss</source>
<translation>Verlust</translation>
</message>
<message>
<source>Without it</source>
<translation>Ohne ihn</translation>
</message>
<message>
<source>Change, 95 %</source>
<translation>Änderung, 95 %</translation>
</message>
<message>
<source>Rise</source>
<translation>Anstieg</translation>
</message>
<message>
<source>Token</source>
<translation>Token</translation>
</message>
<message>
<source>After</source>
<translation>Nach</translation>
</message>
<message>
<source>Source</source>
<translation>Quelle</translation>
</message>
<message>
<source>no correlation: too few heads, or all alike</source>
<translation>keine Korrelation: zu wenige Köpfe, oder alle gleich</translation>
</message>
<message>
<source>A head that reads all tokens alike: gather %1, aggregate %2.</source>
<translation>Ein Kopf, der alle Token gleich liest: Gather %1, Aggregate %2.</translation>
</message>
</context>
<context>
<name>TaskNames</name>
<message>
<source>KV retrieval, %1 pairs</source>
<translation>KV-Retrieval, %1 Paare</translation>
</message>
<message>
<source>KV retrieval</source>
<translation>KV-Retrieval</translation>
</message>
<message>
<source>MC (4 options)</source>
<translation>MC (4 Optionen)</translation>
</message>
<message>
<source>MC on a passage</source>
<translation>MC zu einem Text</translation>
</message>
<message>
<source>names</source>
<translation>Namen</translation>
</message>
<message>
<source>induction</source>
<translation>Induktion</translation>
</message>
<message>
<source>made-up facts</source>
<translation>erfundene Fakten</translation>
</message>
<message>
<source>last word of a paragraph</source>
<translation>letztes Wort eines Absatzes</translation>
</message>
<message>
<source>knowledge</source>
<translation>Wissen</translation>
</message>
<message>
<source>MMLU</source>
<translation>MMLU</translation>
</message>
<message>
<source>LAMBADA</source>
<translation>LAMBADA</translation>
</message>
<message>
<source>knowledge</source>
<comment>short name of a benchmark</comment>
<translation>Wissen</translation>
</message>
</context>
<context>
<name>TaskTitles</name>
<message>
<source>the paper&apos;s mean of six multiple-choice tasks (acc)</source>
<translation>das Mittel des Papers über sechs Multiple-Choice-Aufgaben (acc)</translation>
</message>
<message>
<source>grade-school science questions, hard for simple methods</source>
<translation>Fragen aus dem Sachunterricht, schwer für einfache Verfahren</translation>
</message>
<message>
<source>grade-school science questions</source>
<translation>Fragen aus dem Sachunterricht</translation>
</message>
<message>
<source>the better of two ways to reach a goal</source>
<translation>der bessere von zwei Wegen zu einem Ziel</translation>
</message>
<message>
<source>whom a pronoun means, by the likelihood of the rest of the sentence</source>
<translation>wen ein Pronomen meint, nach der Wahrscheinlichkeit des Satzrests</translation>
</message>
<message>
<source>which ending continues a scene</source>
<translation>welches Ende eine Szene fortsetzt</translation>
</message>
<message>
<source>elementary science facts applied</source>
<translation>einfache naturwissenschaftliche Fakten angewandt</translation>
</message>
<message>
<source>the last word of a passage</source>
<translation>das letzte Wort eines Textes</translation>
</message>
<message>
<source>grade-school arithmetic in words</source>
<translation>Textaufgaben aus dem Rechenunterricht</translation>
</message>
<message>
<source>a value out of a web page (version 0)</source>
<translation>ein Wert aus einer Webseite (Version 0)</translation>
</message>
<message>
<source>ARC-Challenge answered by letter, as harness v0.4.8 asks it</source>
<translation>ARC-Challenge, mit einem Buchstaben beantwortet, wie der Harness v0.4.8 fragt</translation>
</message>
<message>
<source>57 school and professional subjects, four options</source>
<translation>57 Fächer aus Schule und Beruf, vier Antworten</translation>
</message>
<message>
<source>BIG-Bench Hard: 27 tasks that need steps</source>
<translation>BIG-Bench Hard: 27 Aufgaben, die mehrere Schritte brauchen</translation>
</message>
<message>
<source>the value of a key in a list; kv_retrieval:pairs=16</source>
<translation>der Wert eines Schlüssels in einer Liste; kv_retrieval:pairs=16</translation>
</message>
<message>
<source>the tiny models&apos; dictionary task; toy_kv:pairs=8</source>
<translation>die Wörterbuchaufgabe der kleinsten Modelle; toy_kv:pairs=8</translation>
</message>
<message>
<source>the tiny models&apos; multiple-choice task</source>
<translation>die Multiple-Choice-Aufgabe der kleinsten Modelle</translation>
</message>
<message>
<source>the tiny models&apos; facts</source>
<translation>die Fakten der kleinsten Modelle</translation>
</message>
<message>
<source>a dictionary of any words; word_kv:pairs=8, word_kv_plain, word_kv_short</source>
<translation>ein Wörterbuch beliebiger Wörter; word_kv:pairs=8, word_kv_plain, word_kv_short</translation>
</message>
<message>
<source>facts in a passage, answered by the letter of an option</source>
<translation>Fakten in einem Text, mit dem Buchstaben einer Antwort</translation>
</message>
<message>
<source>the one of two people who receives something</source>
<translation>die von zwei Personen, die etwas bekommt</translation>
</message>
<message>
<source>the next word of a list that is repeated</source>
<translation>das nächste Wort einer Liste, die wiederholt wird</translation>
</message>
<message>
<source>the small English models&apos; made-up facts</source>
<translation>die erfundenen Fakten der kleinen englischen Modelle</translation>
</message>
<message>
<source>the last word of a paragraph, which also occurs earlier in it</source>
<translation>das letzte Wort eines Absatzes, das schon vorher in ihm vorkommt</translation>
</message>
</context>
<context>
<name>TitleText</name>
<message>
<source>A %1</source>
<translation>A %1</translation>
</message>
<message>
<source>B %1</source>
<translation>B %1</translation>
</message>
</context>
<context>
<name>Tour</name>
<message>
<source>the gather head</source>
<translation>der Gather-Kopf</translation>
</message>
<message>
<source>the aggregate head</source>
<translation>der Aggregate-Kopf</translation>
</message>
<message>
<source>B&apos;s gather head</source>
<translation>der Gather-Kopf von B</translation>
</message>
<message>
<source>B&apos;s aggregate head</source>
<translation>der Aggregate-Kopf von B</translation>
</message>
</context>
<context>
<name>VerdictText</name>
<message>
<source>appears</source>
<translation>tritt auf</translation>
</message>
<message>
<source>appears in part</source>
<translation>tritt teilweise auf</translation>
</message>
<message>
<source>does not appear</source>
<translation>tritt nicht auf</translation>
</message>
<message>
<source>inconclusive</source>
<translation>unentschieden</translation>
</message>
</context>
<context>
<name>WeightPresenters</name>
<message>
<source>induction</source>
<translation>Induktion</translation>
</message>
<message>
<source>previous token</source>
<translation>vorheriges Token</translation>
</message>
<message>
<source>duplicate token</source>
<translation>gleiches Token</translation>
</message>
<message>
<source>sink</source>
<translation>Senke</translation>
</message>
<message>
<source>retrieval</source>
<translation>Nachschlagen</translation>
</message>
<message>
<source>No other head composes with %1.</source>
<translation>Kein anderer Kopf ist mit %1 verkettet.</translation>
</message>
<message>
<source>Strongest with %1: %2 into %3 through %4, %5; random matrices of this width give %6.</source>
<translation>Am stärksten mit %1: %2 in %3 über %4, %5; Zufallsmatrizen dieser Breite ergeben %6.</translation>
</message>
<message>
<source>head</source>
<translation>Kopf</translation>
</message>
<message>
<source>label</source>
<translation>Bezeichnung</translation>
</message>
<message>
<source>%1 sequences: a start token, then %2 random tokens, twice; seed %3; %4.</source>
<translation>%1 Folgen: ein Starttoken, dann %2 zufällige Token, zweimal; Startwert %3; %4.</translation>
</message>
<message>
<source>%1 rows of %2 for retrieval</source>
<translation>%1 Zeilen von %2 für das Nachschlagen</translation>
</message>
<message>
<source>no rows for retrieval</source>
<translation>keine Zeilen für das Nachschlagen</translation>
</message>
<message>
<source>No head reaches %1.</source>
<translation>Kein Kopf erreicht %1.</translation>
</message>
<message>
<source>%1 %2 (a label from %3 on)</source>
<translation>%1 %2 (eine Bezeichnung ab %3)</translation>
</message>
<message>
<source>Heads from %1 on, in the map: %2.</source>
<translation>Köpfe ab %1, in der Karte: %2.</translation>
</message>
<message>
<source>copying</source>
<translation>Kopieren</translation>
</message>
<message>
<source>sender</source>
<translation>Sender</translation>
</message>
<message>
<source>receiver</source>
<translation>Empfänger</translation>
</message>
<message>
<source>through</source>
<translation>über</translation>
</message>
<message>
<source>composition</source>
<translation>Komposition</translation>
</message>
<message>
<source>above random</source>
<translation>über Zufall</translation>
</message>
<message>
<source>matrix</source>
<translation>Matrix</translation>
</message>
<message>
<source>singular value</source>
<translation>Singulärwert</translation>
</message>
<message>
<source>reads</source>
<translation>liest</translation>
</message>
<message>
<source>writes</source>
<translation>schreibt</translation>
</message>
<message>
<source>composition with %1 through %2</source>
<translation>Komposition mit %1 über %2</translation>
</message>
<message>
<source>through %1</source>
<translation>über %1</translation>
</message>
</context>
<context>
<name>WhyPresenters</name>
<message>
<source>Jacobian lens: %1</source>
<translation>Jacobi-Linse: %1</translation>
</message>
<message>
<source>%1; about %2 and %3 of memory in addition to the model.</source>
<translation>%1; etwa %2 und %3 Speicher zusätzlich zum Modell.</translation>
</message>
<message>
<source>1 prompt</source>
<translation>1 Prompt</translation>
</message>
<message>
<source>%L1 prompts</source>
<translation>%L1 Prompts</translation>
</message>
<message>
<source>1 prompt of an interrupted fit is done and kept.</source>
<translation>1 Prompt einer unterbrochenen Anpassung ist fertig und bleibt erhalten.</translation>
</message>
<message>
<source>%L1 prompts of an interrupted fit are done and kept.</source>
<translation>%L1 Prompts einer unterbrochenen Anpassung sind fertig und bleiben erhalten.</translation>
</message>
<message>
<source>1 piece of text is too short and left out.</source>
<translation>1 Textstück ist zu kurz und wird ausgelassen.</translation>
</message>
<message>
<source>%L1 pieces of text are too short and left out.</source>
<translation>%L1 Textstücke sind zu kurz und werden ausgelassen.</translation>
</message>
<message>
<source>before layer %1: %2 % (logit lens %3 %)</source>
<translation>vor Schicht %1: %2 % (Logit-Linse %3 %)</translation>
</message>
<message>
<source>Fitted to %1. Share of positions at which the lens has the model&apos;s own top token on top, on other text (%2): %3.</source>
<translation>Angepasst: %1. Anteil der Positionen, an denen die Linse das oberste Token des Modells an der Spitze hat, an anderem Text (%2): %3.</translation>
</message>
<message>
<source>“%1” is not on top at the end; the model says “%2”.</source>
<translation>„%1“ steht am Ende nicht oben; das Modell sagt „%2“.</translation>
</message>
<message>
<source>“%1” is on top only in the output.</source>
<translation>„%1“ steht erst in der Ausgabe oben.</translation>
</message>
<message>
<source>“%1” is on top from the stream before layer %2 on.</source>
<translation>„%1“ steht ab dem Strom vor Schicht %2 oben.</translation>
</message>
<message>
<source>Logit of “%1” minus “%2”: %3; the parts add up to it.</source>
<translation>Logit von „%1“ minus Logit von „%2“: %3; die Teile ergeben zusammen diese Differenz.</translation>
</message>
<message>
<source>The model caps its logits; this is the difference before that.</source>
<translation>Das Modell begrenzt seine Logits; dies ist die Differenz davor.</translation>
</message>
<message>
<source>Heads that only feed the other mixer of their layer have no contribution of their own.</source>
<translation>Köpfe, die nur den anderen Mixer ihrer Schicht speisen, haben keinen eigenen Anteil.</translation>
</message>
<message>
<source>“%1”: through it %2 adds %3 to the logit of “%4” minus “%5”</source>
<translation>„%1“: dadurch trägt %2 %3 zum Logit von „%4“ minus dem von „%5“ bei</translation>
</message>
<message>
<source>Mean over %L1 samples of the logit of the answer minus that of the best wrong one: %2 (95 % interval %3 to %4); the parts add up to it.</source>
<translation>Mittel über %L1 Beispiele des Logits der Antwort minus dem der besten falschen: %2 (95-%-Intervall %3 bis %4); die Teile ergeben es zusammen.</translation>
</message>
<message>
<source>1 sample has no answer that differs from the other choices.</source>
<translation>1 Beispiel hat keine Antwort, die sich von den anderen Optionen unterscheidet.</translation>
</message>
<message>
<source>%L1 samples have no answer that differs from the other choices.</source>
<translation>%L1 Beispiele haben keine Antwort, die sich von den anderen Optionen unterscheidet.</translation>
</message>
<message>
<source>output</source>
<translation>Ausgabe</translation>
</message>
<message>
<source>before layer %1</source>
<translation>vor Schicht %1</translation>
</message>
<message>
<source>%1: this lens has no matrix for it</source>
<translation>%1: diese Linse hat dafür keine Matrix</translation>
</message>
<message>
<source>rank of the final token: %1</source>
<translation>Rang des letztlich gewählten Tokens: %1</translation>
</message>
<message>
<source>rank of “%1”: %2</source>
<translation>Rang von „%1“: %2</translation>
</message>
<message>
<source>; with all heads on %1</source>
<translation>; mit allen Köpfen %1</translation>
</message>
<message>
<source>%1, “%2” (position %3): “%4” with probability %5, entropy %6 nats; %7, log-probability %8</source>
<translation>%1, „%2“ (Position %3): „%4“ mit Wahrscheinlichkeit %5, Entropie %6 Nat; %7, Log-Wahrscheinlichkeit %8</translation>
</message>
<message>
<source>layer</source>
<translation>Schicht</translation>
</message>
</context>
<context>
<name>Work</name>
<message>
<source>Comparing the heads of A and B</source>
<translation>Vergleiche die Köpfe von A und B</translation>
</message>
<message>
<source>Fitting a Jacobian lens of %1</source>
<translation>Jacobi-Linse von %1 wird angepasst</translation>
</message>
<message>
<source>Opening the session</source>
<translation>Sitzung wird geöffnet</translation>
</message>
<message>
<source>Opening model %1</source>
<translation>Modell %1 wird geöffnet</translation>
</message>
<message>
<source>Scoring %1</source>
<translation>%1 wird bewertet</translation>
</message>
<message>
<source>KV retrieval of %1 at other sizes</source>
<translation>KV-Retrieval von %1 bei anderen Größen</translation>
</message>
<message>
<source>Scores of all heads of %1</source>
<translation>Werte aller Köpfe von %1</translation>
</message>
<message>
<source>Estimating the effect of each head of %1</source>
<translation>Die Wirkung jedes Kopfes von %1 wird geschätzt</translation>
</message>
<message>
<source>Heads of %1 on many texts</source>
<translation>Köpfe von %1 auf vielen Texten</translation>
</message>
<message>
<source>Cost of ablating heads of %1</source>
<translation>Kosten der Ablation von Köpfen von %1</translation>
</message>
<message>
<source>Tracing edges of %1</source>
<translation>Kanten von %1 werden verfolgt</translation>
</message>
<message>
<source>Reading the weights of %1</source>
<translation>Die Gewichte von %1 werden gelesen</translation>
</message>
<message>
<source>Probing the heads of %1</source>
<translation>Die Köpfe von %1 werden erprobt</translation>
</message>
<message>
<source>Knocking out in %1, layer by layer</source>
<translation>In %1 wird Schicht um Schicht gesperrt</translation>
</message>
<message>
<source>Patching %1</source>
<translation>Patching in %1</translation>
</message>
<message>
<source>%1 continues</source>
<translation>%1 schreibt weiter</translation>
</message>
<message>
<source>Reading the prompt with %1</source>
<translation>%1 liest den Prompt</translation>
</message>
<message>
<source>Saving maps of %1</source>
<translation>Karten von %1 werden gespeichert</translation>
</message>
<message>
<source>Ranking heads of %1 on this prompt</source>
<translation>Köpfe von %1 auf diesem Prompt ordnen</translation>
</message>
<message>
<source>%1 answers</source>
<translation>%1 antwortet</translation>
</message>
</context>
<context>
<name>headscope::gui::BenchmarksController</name>
<message>
<source>A benchmark of your own</source>
<translation>Ein eigener Benchmark</translation>
</message>
<message>
<source>%1 is scored from now on.</source>
<translation>%1 wird von jetzt an bewertet.</translation>
</message>
<message>
<source>%1: rows %L2, left out %L3. %4</source>
<translation>%1: Zeilen %L2, ausgelassen %L3. %4</translation>
</message>
<message>
<source>Task files and tables (*.json *.yaml *.yml *.csv *.tsv *.jsonl);;All files (*)</source>
<translation>Aufgabendateien und Tabellen (*.json *.yaml *.yml *.csv *.tsv *.jsonl);;Alle Dateien (*)</translation>
</message>
</context>
<context>
<name>headscope::gui::BenchmarksDialog</name>
<message>
<source>Files in the data folder: %1</source>
<translation>Dateien im Datenordner: %1</translation>
</message>
<message>
<source>From %1; licence: %2</source>
<translation>Von %1; Lizenz: %2</translation>
</message>
<message>
<source>%L1 rows; without its files the included sample rows are used and marked.</source>
<translation>%L1 Zeilen; ohne die Dateien werden die mitgelieferten Beispielzeilen benutzt und gekennzeichnet.</translation>
</message>
<message>
<source>&amp;Remove</source>
<translation>&amp;Entfernen</translation>
</message>
<message>
<source>Benchmarks</source>
<translation>Benchmarks</translation>
</message>
<message>
<source>Part of a name</source>
<translation>Teil eines Namens</translation>
</message>
<message>
<source>Search the benchmarks</source>
<translation>Benchmarks durchsuchen</translation>
</message>
<message>
<source>&amp;Add a file …</source>
<translation>Datei &amp;hinzufügen …</translation>
</message>
<message>
<source>A task of your own: %1</source>
<translation>Eine eigene Aufgabe: %1</translation>
</message>
</context>
<context>
<name>headscope::gui::CommandFinder</name>
<message>
<source>show this head of %1</source>
<translation>diesen Kopf von %1 zeigen</translation>
</message>
<message>
<source>samples of this task</source>
<translation>Beispiele dieser Aufgabe</translation>
</message>
<message>
<source>restore this run</source>
<translation>diesen Lauf wiederherstellen</translation>
</message>
<message>
<source>lock the row of this token</source>
<translation>Zeile dieses Tokens feststellen</translation>
</message>
</context>
<context>
<name>headscope::gui::ContinuationController</name>
<message>
<source>stopped</source>
<translation>angehalten</translation>
</message>
<message>
<source>failed</source>
<translation>fehlgeschlagen</translation>
</message>
<message>
<source>There is nothing to continue yet; open a model and write a prompt.</source>
<translation>Es gibt noch nichts fortzusetzen; öffnen Sie ein Modell und schreiben Sie einen Prompt.</translation>
</message>
<message>
<source>all heads on</source>
<translation>alle Köpfe an</translation>
</message>
<message>
<source>the model ended here</source>
<translation>das Modell endete hier</translation>
</message>
<message>
<source>maximum length of this model</source>
<translation>Höchstlänge dieses Modells</translation>
</message>
<message>
<source>Append to the prompt</source>
<translation>An den Prompt anhängen</translation>
</message>
</context>
<context>
<name>headscope::gui::ConversationController</name>
<message>
<source>Stopped.</source>
<translation>Angehalten.</translation>
</message>
<message>
<source>Conversation</source>
<translation>Gespräch</translation>
</message>
<message>
<source>Change the conversation</source>
<translation>Das Gespräch ändern</translation>
</message>
<message>
<source>%1 has no chat template; it reads what the other model&apos;s template writes.</source>
<translation>%1 hat keine Chat-Vorlage und liest, was die Vorlage des anderen Modells schreibt.</translation>
</message>
<message>
<source>%1 has no chat template; open a chat model to change the conversation.</source>
<translation>%1 hat keine Chat-Vorlage; öffnen Sie ein Chat-Modell, um das Gespräch zu ändern.</translation>
</message>
<message>
<source>B reads the conversation as its own template writes it.</source>
<translation>B liest das Gespräch so, wie seine eigene Vorlage es schreibt.</translation>
</message>
<message>
<source>%1 is answering …</source>
<translation>%1 antwortet …</translation>
</message>
<message>
<source>The answer reached its maximum number of tokens; Answer continues it.</source>
<translation>Die Höchstzahl der Token ist erreicht; „Antworten“ setzt die Antwort fort.</translation>
</message>
<message>
<source>The model ended its answer here.</source>
<translation>Das Modell hat seine Antwort hier beendet.</translation>
</message>
<message>
<source>The conversation has the maximum length that %1 reads.</source>
<translation>Das Gespräch hat die größte Länge, die %1 liest.</translation>
</message>
<message>
<source>Answer</source>
<translation>Antwort</translation>
</message>
<message>
<source>No open model has a chat template; open a chat model to write a conversation.</source>
<translation>Kein geöffnetes Modell hat eine Chat-Vorlage; öffnen Sie ein Chat-Modell, um ein Gespräch zu schreiben.</translation>
</message>
<message>
<source>There is no conversation to answer; choose Run &gt; Make the prompt a conversation.</source>
<translation>Es gibt kein Gespräch, auf das zu antworten wäre; wählen Sie Lauf &gt; Den Prompt zu einem Gespräch machen.</translation>
</message>
</context>
<context>
<name>headscope::gui::DockLayout</name>
<message>
<source>head</source>
<translation>Kopf</translation>
</message>
<message>
<source>run</source>
<translation>Lauf</translation>
</message>
<message>
<source>benchmark</source>
<translation>Benchmark</translation>
</message>
<message>
<source>dictionary size</source>
<translation>Wörterbuchgröße</translation>
</message>
<message>
<source>Heads</source>
<translation>Köpfe</translation>
</message>
<message>
<source>Runs</source>
<translation>Läufe</translation>
</message>
<message>
<source>Scores</source>
<translation>Ergebnisse</translation>
</message>
<message>
<source>Charts</source>
<translation>Diagramme</translation>
</message>
<message>
<source>Tour</source>
<translation>Tour</translation>
</message>
</context>
<context>
<name>headscope::gui::EdgeController</name>
<message>
<source>Tracing edges …</source>
<translation>Kanten werden verfolgt …</translation>
</message>
<message>
<source>Stopped before the first pair was finished.</source>
<translation>Angehalten, bevor das erste Paar fertig war.</translation>
</message>
<message>
<source>Choose a head in the map or enter a part, then press Trace.</source>
<translation>Wählen Sie einen Kopf in der Karte oder geben Sie einen Teil ein; dann drücken Sie Verfolgen.</translation>
</message>
<message>
<source>Open a model and enter a prompt.</source>
<translation>Öffnen Sie ein Modell und geben Sie einen Prompt ein.</translation>
</message>
<message>
<source>Save the edges</source>
<translation>Kanten speichern</translation>
</message>
<message>
<source>Graph (*.pdf *.svg *.png);;Numbers (*.csv)</source>
<translation>Graph (*.pdf *.svg *.png);;Zahlen (*.csv)</translation>
</message>
</context>
<context>
<name>headscope::gui::ExamDesk</name>
<message>
<source>&amp;Hand in …</source>
<translation>A&amp;bgeben …</translation>
</message>
<message>
<source>&amp;Undo</source>
<translation>&amp;Rückgängig</translation>
</message>
<message>
<source>&amp;Redo</source>
<translation>&amp;Wiederholen</translation>
</message>
<message>
<source>&amp;All heads on</source>
<translation>&amp;Alle Köpfe an</translation>
</message>
<message>
<source>Ctrl+0</source>
<translation>Ctrl+0</translation>
</message>
<message>
<source>All heads on</source>
<translation>Alle Köpfe an</translation>
</message>
<message>
<source>&amp;Larger text</source>
<translation>&amp;Größere Schrift</translation>
</message>
<message>
<source>&amp;Smaller text</source>
<translation>&amp;Kleinere Schrift</translation>
</message>
<message>
<source>&amp;Full screen</source>
<translation>V&amp;ollbild</translation>
</message>
<message>
<source>&amp;Quit</source>
<translation>&amp;Beenden</translation>
</message>
<message>
<source>Exam time</source>
<translation>Prüfungszeit</translation>
</message>
<message>
<source>Hand in …</source>
<translation>Abgeben …</translation>
</message>
<message>
<source>Time is up. Your answers are saved; hand them in now.</source>
<translation>Die Zeit ist um. Ihre Antworten sind gespeichert; geben Sie sie jetzt ab.</translation>
</message>
<message>
<source>Handing in ends the exam.</source>
<translation>Mit der Abgabe endet die Prüfung.</translation>
</message>
<message>
<source>Handed in</source>
<translation>Abgegeben</translation>
</message>
</context>
<context>
<name>headscope::gui::ExperimentControls</name>
<message>
<source>as defined by the experiment</source>
<translation>wie im Experiment festgelegt</translation>
</message>
<message>
<source>&amp;Examples of each benchmark</source>
<translation>&amp;Beispiele je Benchmark</translation>
</message>
<message>
<source>Estima&amp;te cost</source>
<translation>Auf&amp;wand schätzen</translation>
</message>
<message>
<source>&amp;Run</source>
<translation>&amp;Lauf</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
<message>
<source>Models</source>
<translation>Modelle</translation>
</message>
<message>
<source>&amp;Other…</source>
<translation>A&amp;ndere …</translation>
</message>
<message>
<source>Folder of a model</source>
<translation>Ordner eines Modells</translation>
</message>
<message>
<source>&amp;Folder of a model …</source>
<translation>&amp;Ordner eines Modells …</translation>
</message>
<message>
<source>no limit</source>
<translation>ohne Grenze</translation>
</message>
<message>
<source>at most %1 min</source>
<translation>höchstens %1 min</translation>
</message>
<message>
<source>As many examples as fit the forecast time</source>
<translation>Höchstens die Beispiele, die laut Vorhersage in die Zeit passen</translation>
</message>
<message>
<source>Time</source>
<translation>Zeit</translation>
</message>
<message>
<source>Sho&amp;wn: the result on</source>
<translation>&amp;Gezeigt: das Ergebnis an</translation>
</message>
</context>
<context>
<name>headscope::gui::ExperimentGallery</name>
<message>
<source>included</source>
<translation>mitgeliefert</translation>
</message>
<message>
<source>date unknown</source>
<translation>Datum unbekannt</translation>
</message>
<message>
<source>today</source>
<translation>heute</translation>
</message>
<message>
<source>yesterday</source>
<translation>gestern</translation>
</message>
<message>
<source>%1 days ago</source>
<translation>vor %1 Tagen</translation>
</message>
<message>
<source>Run &amp;all</source>
<translation>&amp;Alle ausführen</translation>
</message>
<message>
<source>Re&amp;port …</source>
<translation>Be&amp;richt …</translation>
</message>
<message>
<source>One document of all results, as PDF or as Markdown with pictures</source>
<translation>Ein Dokument aller Ergebnisse, als PDF oder als Markdown mit Bildern</translation>
</message>
<message>
<source>&amp;Resume</source>
<translation>&amp;Fortsetzen</translation>
</message>
<message>
<source>&amp;Discard</source>
<translation>&amp;Verwerfen</translation>
</message>
<message>
<source>All experiments</source>
<translation>Alle Experimente</translation>
</message>
<message>
<source>%1, %L2 s</source>
<translation>%1, %L2 s</translation>
</message>
<message>
<source>%1. Models: %2. %3, %4.</source>
<translation>%1. Modelle: %2. %3, %4.</translation>
</message>
<message>
<source>1 example</source>
<translation>1 Beispiel</translation>
</message>
<message>
<source>%L1 examples</source>
<translation>%L1 Beispiele</translation>
</message>
<message>
<source>not run yet</source>
<translation>noch nicht ausgeführt</translation>
</message>
<message>
<source>%1 Not run yet.</source>
<translation>%1 Noch nicht ausgeführt.</translation>
</message>
</context>
<context>
<name>headscope::gui::ExperimentView</name>
<message>
<source>This result comes with the program; it was measured on %1 with models that are not included.</source>
<translation>Dieses Ergebnis gehört zum Programm; es wurde am %1 mit Modellen gemessen, die nicht mitgeliefert werden.</translation>
</message>
<message>
<source>This result comes with the program; it was measured on %1 with the included models. Press Run to measure it on this computer.</source>
<translation>Dieses Ergebnis gehört zum Programm; es wurde am %1 mit den mitgelieferten Modellen gemessen. „Lauf“ misst es auf diesem Rechner.</translation>
</message>
<message>
<source>Results</source>
<translation>Ergebnisse</translation>
</message>
<message>
<source>An open question of the paper (%1).</source>
<translation>Eine offene Frage des Papers (%1).</translation>
</message>
<message>
<source>The paper: %1 (%2)</source>
<translation>Das Paper: %1 (%2)</translation>
</message>
<message>
<source>In the paper: %1</source>
<translation>Im Paper: %1</translation>
</message>
<message>
<source>With the included models: %1</source>
<translation>Mit den mitgelieferten Modellen: %1</translation>
</message>
<message>
<source>Assumed: %1</source>
<translation>Angenommen: %1</translation>
</message>
<message>
<source>The rule of the verdict. %1</source>
<translation>Die Regel des Urteils. %1</translation>
</message>
<message>
<source>Here, the effect %1.</source>
<translation>Hier: Der Effekt %1.</translation>
</message>
<message>
<source>Measured on %1.</source>
<translation>Gemessen an %1.</translation>
</message>
<message>
<source>Measured: %1</source>
<translation>Gemessen: %1</translation>
</message>
<message>
<source>%1 scored in %L2 s, %L3 taken from the session.</source>
<translation>%1 in %L2 s bewertet, %L3 aus der Sitzung genommen.</translation>
</message>
<message>
<source>1 example</source>
<translation>1 Beispiel</translation>
</message>
<message>
<source>%L1 examples</source>
<translation>%L1 Beispiele</translation>
</message>
<message>
<source>Experiment</source>
<translation>Experiment</translation>
</message>
</context>
<context>
<name>headscope::gui::ExperimentsMenu</name>
<message>
<source>E&amp;xperiments</source>
<translation>E&amp;xperimente</translation>
</message>
<message>
<source>&amp;Open study …</source>
<translation>Studie &amp;öffnen …</translation>
</message>
<message>
<source>&amp;All at a glance</source>
<translation>&amp;Alle auf einen Blick</translation>
</message>
</context>
<context>
<name>headscope::gui::ExperimentsPage</name>
<message>
<source>&amp;Back to the heads</source>
<translation>&amp;Zurück zu den Köpfen</translation>
</message>
<message>
<source>Experiments</source>
<translation>Experimente</translation>
</message>
<message>
<source>Choose at least one model.</source>
<translation>Wählen Sie mindestens ein Modell.</translation>
</message>
<message>
<source>Experiments of the session that was open before are still running.</source>
<translation>Experimente der vorher geöffneten Sitzung laufen noch.</translation>
</message>
<message>
<source>Finished.</source>
<translation>Fertig.</translation>
</message>
<message>
<source>Open stu&amp;dy …</source>
<translation>Stu&amp;die öffnen …</translation>
</message>
<message>
<source>a study of your own</source>
<translation>eine eigene Studie</translation>
</message>
<message>
<source>Finished. The session is read-only, so this result is not stored.</source>
<translation>Fertig. Die Sitzung ist schreibgeschützt, daher wird dieses Ergebnis nicht gespeichert.</translation>
</message>
<message>
<source>All at a &amp;glance</source>
<translation>Alle auf einen &amp;Blick</translation>
</message>
<message>
<source>Waiting: %1 ahead in the queue.</source>
<translation>Wartet: %1 davor in der Warteschlange.</translation>
</message>
<message>
<source>Starting.</source>
<translation>Startet.</translation>
</message>
<message>
<source>Running: %1</source>
<translation>Läuft: %1</translation>
</message>
<message>
<source>Running: %1 (%2 more waiting)</source>
<translation>Läuft: %1 (%2 weitere warten)</translation>
</message>
<message>
<source>Not finished when the window was closed: %1 (%2 in all)</source>
<translation>Beim Schließen des Fensters nicht fertig: %1 (%2 insgesamt)</translation>
</message>
<message>
<source>Report of all experiments</source>
<translation>Bericht über alle Experimente</translation>
</message>
<message>
<source>PDF (*.pdf);;Markdown with pictures (*.md)</source>
<translation>PDF (*.pdf);;Markdown mit Bildern (*.md)</translation>
</message>
<message>
<source>A report needs a session, and none is open.</source>
<translation>Ein Bericht braucht eine Sitzung, und es ist keine offen.</translation>
</message>
<message>
<source>Writing the report …</source>
<translation>Der Bericht wird geschrieben …</translation>
</message>
<message>
<source>Saved the report as %1.</source>
<translation>Bericht gespeichert als %1.</translation>
</message>
<message>
<source>Resuming unfinished experiments: %1.</source>
<translation>Unvollendete Experimente werden fortgesetzt: %1.</translation>
</message>
</context>
<context>
<name>headscope::gui::ExpertController</name>
<message>
<source>Enter a prompt to see the experts of its tokens.</source>
<translation>Geben Sie einen Prompt ein, um die Experten seiner Token zu sehen.</translation>
</message>
<message>
<source>Ablate %1</source>
<translation>%1 ausschalten</translation>
</message>
<message>
<source>Restore %1</source>
<translation>%1 wiederherstellen</translation>
</message>
<message>
<source>Save the choices of experts</source>
<translation>Wahl der Experten speichern</translation>
</message>
<message>
<source>Numbers (*.csv)</source>
<translation>Zahlen (*.csv)</translation>
</message>
</context>
<context>
<name>headscope::gui::Explorer</name>
<message>
<source>All heads on</source>
<translation>Alle Köpfe an</translation>
</message>
</context>
<context>
<name>headscope::gui::ExplorerPage</name>
<message>
<source>Dictionary size</source>
<translation>Wörterbuch</translation>
</message>
<message>
<source>Charts</source>
<translation>Diagramme</translation>
</message>
<message>
<source>Rows read columns: a bright cell means that the token of the row reads the token of the column.</source>
<translation>Zeilen lesen Spalten: Eine helle Zelle heißt, dass das Token der Zeile das Token der Spalte liest.</translation>
</message>
<message>
<source>Every benchmark before and now, the difference with its 95 % interval, and the p value of a paired test on the same examples.</source>
<translation>Jeder Benchmark vorher und jetzt, der Unterschied mit seinem 95-%-Intervall und der p-Wert eines gepaarten Tests auf denselben Beispielen.</translation>
</message>
<message>
<source>All examples whose answer changed, with both log-likelihoods of their choices. Double-click one to make it the prompt.</source>
<translation>Alle Beispiele, deren Antwort sich geändert hat, mit beiden Log-Likelihoods ihrer Optionen. Ein Doppelklick macht eines zum Prompt.</translation>
</message>
<message>
<source>The models, and the text they read. Alternating tints are tokens, colours are segments: select text and right click to mark a key, a value, a question. [ and ] step through the samples of a benchmark.</source>
<translation>Die Modelle und der Text, den sie lesen. Wechselnde Tönungen sind Token, Farben sind Abschnitte: Wählen Sie Text aus und markieren Sie mit der rechten Maustaste einen Schlüssel, einen Wert, eine Frage. [ und ] gehen durch die Beispiele eines Benchmarks.</translation>
</message>
<message>
<source>Back to the maps</source>
<translation>Zurück zu den Karten</translation>
</message>
<message>
<source>Rows are layers, columns are heads, both counted from zero. Click a head to ablate or restore it; the scores follow. A crossed cell is ablated.</source>
<translation>Zeilen sind Schichten, Spalten sind Köpfe, beide von null an gezählt. Ein Klick schaltet einen Kopf aus oder stellt ihn wieder her; die Werte folgen. Eine durchkreuzte Zelle ist ausgeschaltet.</translation>
</message>
<message>
<source>Heads ablated</source>
<translation>Ablation</translation>
</message>
</context>
<context>
<name>headscope::gui::FigureDesk</name>
<message>
<source>Maps on the screen</source>
<translation>Karten auf dem Bildschirm</translation>
</message>
<message>
<source>Last rows as bars</source>
<translation>Letzte Zeilen als Balken</translation>
</message>
<message>
<source>The map of %1</source>
<translation>Die Karte von %1</translation>
</message>
<message>
<source>Scores on the screen</source>
<translation>Ergebnisse auf dem Bildschirm</translation>
</message>
<message>
<source>On the screen</source>
<translation>Auf dem Bildschirm</translation>
</message>
<message>
<source>Stored in the session</source>
<translation>In der Sitzung gespeichert</translation>
</message>
<message>
<source>Maps</source>
<translation>Karten</translation>
</message>
<message>
<source>Scores</source>
<translation>Ergebnisse</translation>
</message>
<message>
<source>Analyses</source>
<translation>Analysen</translation>
</message>
<message>
<source>Experiments</source>
<translation>Experimente</translation>
</message>
<message>
<source>Heads</source>
<translation>Köpfe</translation>
</message>
<message>
<source>Not measured yet</source>
<translation>Noch nicht gemessen</translation>
</message>
<message>
<source>Choose two to four figures from the list.</source>
<translation>Zwei bis vier Grafiken aus der Liste wählen.</translation>
</message>
</context>
<context>
<name>headscope::gui::FigureMenu</name>
<message>
<source>C&amp;ompose a figure of several …</source>
<translation>Grafik aus mehreren &amp;zusammenstellen …</translation>
</message>
<message>
<source>Fi&amp;gure</source>
<translation>&amp;Grafik</translation>
</message>
<message>
<source>&amp;Figure for a paper or a talk …</source>
<translation>&amp;Grafik für Paper oder Vortrag …</translation>
</message>
<message>
<source>Ctrl+E</source>
<translation>Ctrl+E</translation>
</message>
<message>
<source>&amp;Store the maps on the screen</source>
<translation>Karten auf dem Bildschirm &amp;speichern</translation>
</message>
<message>
<source>Ctrl+Shift+E</source>
<translation>Ctrl+Shift+E</translation>
</message>
<message>
<source>Save the &amp;chart …</source>
<translation>Das &amp;Diagramm speichern …</translation>
</message>
<message>
<source>There is no chart to save yet; open a model first.</source>
<translation>Es gibt noch kein Diagramm zu speichern; öffnen Sie zuerst ein Modell.</translation>
</message>
<message>
<source>Save the chart</source>
<translation>Das Diagramm speichern</translation>
</message>
<message>
<source>Charts (*.pdf *.svg *.png);;Numbers (*.csv)</source>
<translation>Diagramme (*.pdf *.svg *.png);;Zahlen (*.csv)</translation>
</message>
<message>
<source>Saved %1</source>
<translation>%1 gespeichert</translation>
</message>
<message>
<source>Save the numbers</source>
<translation>Die Zahlen speichern</translation>
</message>
<message>
<source>Numbers (*.csv);;NumPy (*.npz);;LaTeX (*.tex)</source>
<translation>Zahlen (*.csv);;NumPy (*.npz);;LaTeX (*.tex)</translation>
</message>
</context>
<context>
<name>headscope::gui::FileMenu</name>
<message>
<source>&amp;File</source>
<translation>&amp;Datei</translation>
</message>
<message>
<source>&amp;Welcome page</source>
<translation>&amp;Willkommensseite</translation>
</message>
<message>
<source>Open &amp;model folder …</source>
<translation>&amp;Modellordner öffnen …</translation>
</message>
<message>
<source>Open model folder as &amp;B …</source>
<translation>Modellordner als &amp;B öffnen …</translation>
</message>
<message>
<source>Ctrl+Shift+O</source>
<translation>Ctrl+Shift+O</translation>
</message>
<message>
<source>&amp;New session …</source>
<translation>&amp;Neue Sitzung …</translation>
</message>
<message>
<source>Open &amp;session …</source>
<translation>&amp;Sitzung öffnen …</translation>
</message>
<message>
<source>Open a &amp;text as the prompt …</source>
<translation>Einen &amp;Text als Prompt öffnen …</translation>
</message>
<message>
<source>Benchmark &amp;data folder …</source>
<translation>Ordner der &amp;Benchmarks …</translation>
</message>
<message>
<source>&amp;Quit</source>
<translation>&amp;Beenden</translation>
</message>
<message>
<source>Sett&amp;ings …</source>
<translation>&amp;Einstellungen …</translation>
</message>
<message>
<source>Ctrl+,</source>
<translation>Ctrl+,</translation>
</message>
<message>
<source>&amp;Get a model …</source>
<translation>Modell &amp;holen …</translation>
</message>
<message>
<source>Benchmar&amp;ks …</source>
<translation>Benchmar&amp;ks …</translation>
</message>
<message>
<source>Mode&amp;ls …</source>
<translation>Mode&amp;lle …</translation>
</message>
</context>
<context>
<name>headscope::gui::FileOpener</name>
<message>
<source>Headscope sessions (*.headscope)</source>
<translation>Headscope-Sitzungen (*.headscope)</translation>
</message>
<message>
<source>%1 is not UTF-8 text.</source>
<translation>%1 ist kein UTF-8-Text.</translation>
</message>
<message>
<source>The prompt is the text of %1.</source>
<translation>Der Prompt ist der Text von %1.</translation>
</message>
<message>
<source>The prompt is the text of %1 without its last line break.</source>
<translation>Der Prompt ist der Text von %1 ohne den letzten Zeilenumbruch.</translation>
</message>
<message>
<source>Open a model folder</source>
<translation>Einen Modellordner öffnen</translation>
</message>
<message>
<source>Open a model folder as B</source>
<translation>Einen Modellordner als B öffnen</translation>
</message>
<message>
<source>Open a session</source>
<translation>Eine Sitzung öffnen</translation>
</message>
<message>
<source>New session file</source>
<translation>Neue Sitzungsdatei</translation>
</message>
<message>
<source>Open a text as the prompt</source>
<translation>Einen Text als Prompt öffnen</translation>
</message>
<message>
<source>Texts (*.txt *.md);;All files (*)</source>
<translation>Texte (*.txt *.md);;Alle Dateien (*)</translation>
</message>
<message>
<source>Where is the model?</source>
<translation>Wo ist das Modell?</translation>
</message>
<message>
<source>Which tokenizer does the model use?</source>
<translation>Welchen Tokenizer benutzt das Modell?</translation>
</message>
<message>
<source>Tokenizers (tokenizer.json vocab.json);;All files (*)</source>
<translation>Tokenizer (tokenizer.json vocab.json);;Alle Dateien (*)</translation>
</message>
<message>
<source>Open a study of your own</source>
<translation>Eigene Studie öffnen</translation>
</message>
<message>
<source>Studies (*.json);;All files (*)</source>
<translation>Studien (*.json);;Alle Dateien (*)</translation>
</message>
<message>
<source>%1 cannot be opened; expected a model folder, GGUF file, session, text, task file, table (CSV, JSON Lines) or study.</source>
<translation>%1 lässt sich nicht öffnen; erwartet wird ein Modellordner, eine GGUF-Datei, Sitzung, Textdatei, Aufgabendatei, Tabelle (CSV, JSON Lines) oder Studie.</translation>
</message>
</context>
<context>
<name>headscope::gui::GetBenchmarkDialog</name>
<message>
<source>Licence: see its page</source>
<translation>Lizenz: siehe seine Seite</translation>
</message>
<message>
<source>Licence: %1</source>
<translation>Lizenz: %1</translation>
</message>
<message>
<source>From %1</source>
<translation>Von %1</translation>
</message>
<message>
<source>%L1 files with %L2 rows, %3 in total; %4 to download</source>
<translation>%L1 Dateien mit %L2 Zeilen, zusammen %3; %4 herunterzuladen</translation>
</message>
<message>
<source>&amp;Get it</source>
<translation>&amp;Holen</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
<message>
<source>Get a benchmark</source>
<translation>Benchmark holen</translation>
</message>
<message>
<source>Progress of the file</source>
<translation>Fortschritt der Datei</translation>
</message>
<message>
<source>Its files go into %1.</source>
<translation>Seine Dateien kommen nach %1.</translation>
</message>
<message>
<source>Nothing is downloaded until you confirm.</source>
<translation>Vor Ihrer Bestätigung wird nichts heruntergeladen.</translation>
</message>
<message>
<source>Downloaded to the data folder with all rows; scoring starts again.</source>
<translation>In den Datenordner geladen, mit allen Zeilen; die Messung beginnt neu.</translation>
</message>
<message>
<source>Stopped. Downloaded parts are kept, and the download resumes next time.</source>
<translation>Angehalten. Geladene Teile bleiben erhalten, und das Laden wird beim nächsten Mal fortgesetzt.</translation>
</message>
<message>
<source>Get a benchmark: %1</source>
<translation>Benchmark holen: %1</translation>
</message>
<message>
<source>Asking the hub …</source>
<translation>Der Hub wird gefragt …</translation>
</message>
<message>
<source>Downloading …</source>
<translation>Wird heruntergeladen …</translation>
</message>
</context>
<context>
<name>headscope::gui::GetModelDialog</name>
<message>
<source>Family %1, %L2 million parameters</source>
<translation>Familie %1, %L2 Millionen Parameter</translation>
</message>
<message>
<source>Weights packed as %1</source>
<translation>Gewichte gepackt als %1</translation>
</message>
<message>
<source>As %1 it needs %2 of memory, which is available.</source>
<translation>Als %1 braucht es %2 Speicher; so viel ist frei.</translation>
</message>
<message>
<source>As %1 it needs %2 of memory, which is NOT available.</source>
<translation>Als %1 braucht es %2 Speicher; so viel ist NICHT frei.</translation>
</message>
<message>
<source>It has no tokenizer; the program asks for one when you open it.</source>
<translation>Es hat keinen Tokenizer; beim Öffnen wird danach gefragt.</translation>
</message>
<message>
<source>&amp;Look</source>
<translation>Nach&amp;sehen</translation>
</message>
<message>
<source>&amp;Get it</source>
<translation>&amp;Holen</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>S&amp;topp</translation>
</message>
<message>
<source>Open as &amp;A</source>
<translation>Als &amp;A öffnen</translation>
</message>
<message>
<source>Open as &amp;B</source>
<translation>Als &amp;B öffnen</translation>
</message>
<message>
<source>Get a model</source>
<translation>Modell holen</translation>
</message>
<message>
<source>organisation/name of a model on the Hugging Face hub</source>
<translation>Organisation/Name eines Modells auf dem Hugging-Face-Hub</translation>
</message>
<message>
<source>Name of the model</source>
<translation>Name des Modells</translation>
</message>
<message>
<source>Progress of the file</source>
<translation>Fortschritt der Datei</translation>
</message>
<message>
<source>The model is in the cache and can be opened.</source>
<translation>Das Modell liegt im Cache und kann geöffnet werden.</translation>
</message>
<message>
<source>Stopped. Downloaded parts are kept, and the download resumes next time.</source>
<translation>Angehalten. Geladene Teile bleiben erhalten, und das Laden wird beim nächsten Mal fortgesetzt.</translation>
</message>
<message>
<source>Asking the hub …</source>
<translation>Der Hub wird gefragt …</translation>
</message>
<message>
<source>Downloading …</source>
<translation>Wird heruntergeladen …</translation>
</message>
<message>
<source>Already downloaded.</source>
<translation>Bereits heruntergeladen.</translation>
</message>
<message>
<source>The disk of the cache is too full for it.</source>
<translation>Auf dem Datenträger des Caches ist dafür zu wenig Platz.</translation>
</message>
<message>
<source>Files: %1, %2 in total; %3 to download, %4 free on the disk</source>
<translation>Dateien: %1, zusammen %2; %3 herunterzuladen, %4 auf dem Datenträger frei</translation>
</message>
</context>
<context>
<name>headscope::gui::HandInDesk</name>
<message>
<source>Hand in</source>
<translation>Abgeben</translation>
</message>
<message>
<source>Your name, as printed on the pages:</source>
<translation>Ihr Name, wie er auf den Seiten gedruckt wird:</translation>
</message>
<message>
<source>Headscope sessions (*.headscope)</source>
<translation>Headscope-Sitzungen (*.headscope)</translation>
</message>
<message>
<source>No session is open, so there are no answers to hand in.</source>
<translation>Es ist keine Sitzung offen, daher gibt es keine Antworten zum Abgeben.</translation>
</message>
<message>
<source>%1 exists already; choose another name.</source>
<translation>%1 gibt es schon; wählen Sie einen anderen Namen.</translation>
</message>
<message>
<source>Hand in these two files: %1 and %2.</source>
<translation>Geben Sie diese zwei Dateien ab: %1 und %2.</translation>
</message>
</context>
<context>
<name>headscope::gui::HeadActions</name>
<message>
<source>&amp;Compare</source>
<translation>&amp;Vergleich</translation>
</message>
<message>
<source>All heads &amp;on</source>
<translation>Alle Köpfe &amp;an</translation>
</message>
<message>
<source>Ctrl+0</source>
<translation>Ctrl+0</translation>
</message>
<message>
<source>&amp;Mask the last row of this layer</source>
<translation>Die letzte Zeile dieser Schicht &amp;maskieren</translation>
</message>
<message>
<source>Ctrl+L</source>
<translation>Ctrl+L</translation>
</message>
<message>
<source>Mask the last row of &amp;all layers</source>
<translation>Die letzte Zeile aller S&amp;chichten maskieren</translation>
</message>
<message>
<source>Ctrl+Alt+L</source>
<translation>Ctrl+Alt+L</translation>
</message>
<message>
<source>&amp;Skip this layer</source>
<translation>Diese Schicht über&amp;springen</translation>
</message>
<message>
<source>M&amp;inimal model: end after this layer</source>
<translation>M&amp;inimales Modell: nach dieser Schicht enden</translation>
</message>
<message>
<source>Ctrl+M</source>
<translation>Ctrl+M</translation>
</message>
<message>
<source>Ctrl+T</source>
<translation>Ctrl+T</translation>
</message>
<message>
<source>Ctrl+Shift+T</source>
<translation>Ctrl+Shift+T</translation>
</message>
<message>
<source>&amp;Colour by a column of a file …</source>
<translation>Nach einer Spalte einer Datei &amp;färben …</translation>
</message>
<message>
<source>The chosen &amp;heads</source>
<translation>Die gewählten &amp;Köpfe</translation>
</message>
<message>
<source>&amp;Before and after: the same model as B</source>
<translation>V&amp;orher und nachher: dasselbe Modell als B</translation>
</message>
<message>
<source>Ctrl+B</source>
<translation>Ctrl+B</translation>
</message>
<message>
<source>Attention beside &amp;SSM heads of this hybrid</source>
<translation>Attention- neben &amp;SSM-Köpfen dieses Hybriden</translation>
</message>
<message>
<source>Ctrl+Shift+B</source>
<translation>Ctrl+Shift+B</translation>
</message>
<message>
<source>B &amp;keeps its prompt</source>
<translation>B &amp;behält seinen Prompt</translation>
</message>
<message>
<source>Keep the current prompt for B while you choose another one for A</source>
<translation>B behält seinen Prompt, während Sie für A einen anderen wählen</translation>
</message>
<message>
<source>&amp;Close B</source>
<translation>B &amp;schließen</translation>
</message>
<message>
<source>Ctrl+Shift+W</source>
<translation>Ctrl+Shift+W</translation>
</message>
<message>
<source>Show the &amp;pattern</source>
<translation>Das &amp;Muster zeigen</translation>
</message>
<message>
<source>Alt+1</source>
<translation>Alt+1</translation>
</message>
<message>
<source>Show it &amp;weighted by value norm</source>
<translation>Mit der &amp;Länge der Werte gewichtet zeigen</translation>
</message>
<message>
<source>Alt+2</source>
<translation>Alt+2</translation>
</message>
<message>
<source>Show &amp;now − baseline</source>
<translation>&amp;Jetzt − Ausgangswert zeigen</translation>
</message>
<message>
<source>Alt+3</source>
<translation>Alt+3</translation>
</message>
<message>
<source>Show &amp;A − B</source>
<translation>&amp;A − B zeigen</translation>
</message>
<message>
<source>Alt+4</source>
<translation>Alt+4</translation>
</message>
<message>
<source>Show one &amp;row of all heads</source>
<translation>Eine &amp;Zeile aller Köpfe zeigen</translation>
</message>
<message>
<source>Alt+5</source>
<translation>Alt+5</translation>
</message>
<message>
<source>A table of heads and numbers</source>
<translation>Eine Tabelle mit Köpfen und Zahlen</translation>
</message>
<message>
<source>Tables (*.csv *.tsv *.txt)</source>
<translation>Tabellen (*.csv *.tsv *.txt)</translation>
</message>
<message>
<source>All heads on</source>
<translation>Alle Köpfe an</translation>
</message>
<message>
<source>Last row of layer %1</source>
<translation>Letzte Zeile von Schicht %1</translation>
</message>
<message>
<source>Last row of all layers</source>
<translation>Letzte Zeile aller Schichten</translation>
</message>
<message>
<source>Skip layer %1</source>
<translation>Schicht %1 überspringen</translation>
</message>
<message>
<source>Minimal model up to layer %1</source>
<translation>Minimales Modell bis Schicht %1</translation>
</message>
<message>
<source>Hea&amp;ds</source>
<translation>&amp;Köpfe</translation>
</message>
<message>
<source>Ablate &amp;top heads by this metric</source>
<translation>Die &amp;ersten Köpfe nach dieser Größe ausschalten</translation>
</message>
<message>
<source>Ablate &amp;random heads (control)</source>
<translation>&amp;Zufällige Köpfe ausschalten (Kontrolle)</translation>
</message>
</context>
<context>
<name>headscope::gui::HeadCardController</name>
<message>
<source>Measure the heads first: a head&apos;s page shows what it does on these texts.</source>
<translation>Messen Sie zuerst die Köpfe: Die Seite eines Kopfs zeigt, was er auf diesen Texten tut.</translation>
</message>
<message>
<source>Change the prompt</source>
<translation>Prompt ändern</translation>
</message>
</context>
<context>
<name>headscope::gui::HeadMapController</name>
<message>
<source>%1 heads</source>
<translation>%1 Köpfe</translation>
</message>
<message>
<source>Replace head output</source>
<translation>Ausgabe des Kopfes ersetzen</translation>
</message>
<message>
<source>Keep only the selection</source>
<translation>Nur die Auswahl behalten</translation>
</message>
<message>
<source>Ablate at the last position</source>
<translation>An der letzten Position ausschalten</translation>
</message>
<message>
<source>Ablate %1</source>
<translation>%1 ausschalten</translation>
</message>
<message>
<source>Restore %1</source>
<translation>%1 wiederherstellen</translation>
</message>
<message>
<source>Ablate top %1</source>
<translation>Die ersten %1 ausschalten</translation>
</message>
<message>
<source>Ablate 1 random head (seed %1)</source>
<translation>1 zufälligen Kopf ausschalten (Startwert %1)</translation>
</message>
<message>
<source>Ablate %L2 random heads (seed %1)</source>
<translation>%L2 zufällige Köpfe ausschalten (Startwert %1)</translation>
</message>
</context>
<context>
<name>headscope::gui::HelpMenu</name>
<message>
<source>&amp;Manual</source>
<translation>&amp;Handbuch</translation>
</message>
<message>
<source>What is &amp;new</source>
<translation>Was ist &amp;neu</translation>
</message>
<message>
<source>&amp;Help</source>
<translation>&amp;Hilfe</translation>
</message>
<message>
<source>&amp;Tours</source>
<translation>&amp;Touren</translation>
</message>
<message>
<source>&amp;Explain where I am</source>
<translation>&amp;Erklären, wo ich bin</translation>
</message>
<message>
<source>&amp;Keys</source>
<translation>&amp;Tasten</translation>
</message>
<message>
<source>&amp;About Headscope</source>
<translation>Ü&amp;ber Headscope</translation>
</message>
<message>
<source>About Headscope</source>
<translation>Über Headscope</translation>
</message>
<message>
<source>E&amp;xercises</source>
<translation>Üb&amp;ungen</translation>
</message>
<message>
<source>&amp;Hand in …</source>
<translation>A&amp;bgeben …</translation>
</message>
<message>
<source>&lt;b&gt;Headscope %1&lt;/b&gt;&lt;p&gt;See every head&apos;s pattern, ablate heads, and watch the benchmarks change.&lt;/p&gt;&lt;p&gt;After Bick, Xing and Gu: &lt;i&gt;Understanding the Skill Gap in Recurrent Language Models: The Role of the Gather-and-Aggregate Mechanism&lt;/i&gt;, 2025, arXiv:2504.18574.&lt;/p&gt;&lt;p&gt;GPL-3.0-or-later.&lt;/p&gt;</source>
<translation>&lt;b&gt;Headscope %1&lt;/b&gt;&lt;p&gt;Das Muster jedes Kopfes sehen, Köpfe ausschalten, Benchmarks sofort neu bewertet sehen.&lt;/p&gt;&lt;p&gt;Nach Bick, Xing und Gu: &lt;i&gt;Understanding the Skill Gap in Recurrent Language Models: The Role of the Gather-and-Aggregate Mechanism&lt;/i&gt;, 2025, arXiv:2504.18574.&lt;/p&gt;&lt;p&gt;GPL-3.0-or-later.&lt;/p&gt;</translation>
</message>
</context>
<context>
<name>headscope::gui::KeepController</name>
<message>
<source>No session is open; create one with File &gt; New session.</source>
<translation>Es ist keine Sitzung offen; Datei &gt; Neue Sitzung legt eine an.</translation>
</message>
<message>
<source>Stored the maps on the screen in %1.</source>
<translation>Karten auf dem Bildschirm in %1 gespeichert.</translation>
</message>
</context>
<context>
<name>headscope::gui::LabelsController</name>
<message>
<source>Label %1</source>
<translation>%1 beschriften</translation>
</message>
<message>
<source>Label heads</source>
<translation>Köpfe beschriften</translation>
</message>
</context>
<context>
<name>headscope::gui::LectureController</name>
<message>
<source>Headscope: lecture</source>
<translation>Headscope: Vortrag</translation>
</message>
<message>
<source>Space: next · X: ablate · H: hide numbers · Esc</source>
<translation>Leertaste: weiter · X: ausschalten · H: Zahlen verbergen · Esc</translation>
</message>
<message>
<source>%1 restored</source>
<translation>%1 wiederhergestellt</translation>
</message>
<message>
<source>%1 ablated</source>
<translation>%1 ausgeschaltet</translation>
</message>
<message>
<source>Lecture: this is the last step.</source>
<translation>Vortrag: das ist der letzte Schritt.</translation>
</message>
<message>
<source>Lecture, next: %1</source>
<translation>Vortrag, als Nächstes: %1</translation>
</message>
<message>
<source>the answer</source>
<translation>die Antwort</translation>
</message>
</context>
<context>
<name>headscope::gui::LensFitController</name>
<message>
<source>Texts</source>
<translation>Texte</translation>
</message>
<message>
<source>Texts (*.txt *.jsonl)</source>
<translation>Texte (*.txt *.jsonl)</translation>
</message>
<message>
<source>A folder of texts</source>
<translation>Ein Ordner mit Texten</translation>
</message>
<message>
<source>File of the lens</source>
<translation>Datei der Linse</translation>
</message>
<message>
<source>Jacobian lenses (*.pt)</source>
<translation>Jacobi-Linsen (*.pt)</translation>
</message>
<message>
<source>Stopped. The prompts that are done are kept beside the file; press “Fit” to continue.</source>
<translation>Angehalten. Die fertigen Prompts bleiben neben der Datei erhalten; „Anpassen“ setzt fort.</translation>
</message>
<message>
<source>Choose texts of the kind that the model reads. The fit needs no training, only backward passes; its time and memory are shown here before it starts.</source>
<translation>Wählen Sie Texte der Art, die das Modell liest. Die Anpassung braucht kein Training, nur Rückwärtsläufe; Zeit und Speicher stehen hier, bevor sie beginnt.</translation>
</message>
<message>
<source>Estimating …</source>
<translation>Wird geschätzt …</translation>
</message>
<message>
<source>The model is no longer open; open it again and choose “Fit a Jacobian lens…”.</source>
<translation>Das Modell ist nicht mehr geöffnet; öffnen Sie es wieder und wählen Sie „Jacobi-Linse anpassen …“.</translation>
</message>
<message>
<source>Fitting. The window can be used meanwhile, and this dialog can be closed.</source>
<translation>Die Linse wird angepasst. Das Programm ist dabei benutzbar, und dieses Fenster darf geschlossen werden.</translation>
</message>
<message>
<source>Open a model first.</source>
<translation>Öffnen Sie zuerst ein Modell.</translation>
</message>
</context>
<context>
<name>headscope::gui::MachineController</name>
<message>
<source>memory %1 of %2 GB</source>
<translation>Speicher %1 von %2 GB</translation>
</message>
<message>
<source>%1: weights %2 GB, and at most %3 GB of activations kept so that a click restarts from them.</source>
<translation>%1: Gewichte %2 GB und höchstens %3 GB Aktivierungen, damit ein Klick auf ihnen aufbauen kann.</translation>
</message>
</context>
<context>
<name>headscope::gui::MainWindow</name>
<message>
<source>All %1 tours and %2 exercises</source>
<translation>Alle %1 Touren und %2 Übungen</translation>
</message>
<message>
<source>&amp;Edit</source>
<translation>&amp;Bearbeiten</translation>
</message>
<message>
<source>&amp;Undo</source>
<translation>&amp;Rückgängig</translation>
</message>
<message>
<source>&amp;Redo</source>
<translation>&amp;Wiederholen</translation>
</message>
<message>
<source>Ctrl+Y</source>
<translation>Ctrl+Y</translation>
</message>
<message>
<source>&amp;Window</source>
<translation>&amp;Fenster</translation>
</message>
<message>
<source>&amp;Reset the layout</source>
<translation>Anordnung &amp;zurücksetzen</translation>
</message>
<message>
<source>Ctrl+Shift+Z</source>
<translation>Ctrl+Shift+Z</translation>
</message>
<message>
<source>&amp;Find a command, a head or a token …</source>
<translation>&amp;Finden: Befehl, Kopf oder Token …</translation>
</message>
<message>
<source>L&amp;ecture</source>
<translation>&amp;Vortrag</translation>
</message>
<message>
<source>&amp;Full screen</source>
<translation>V&amp;ollbild</translation>
</message>
<message>
<source>&amp;Go to</source>
<translation>&amp;Gehe zu</translation>
</message>
<message>
<source>&amp;Prompt</source>
<translation>&amp;Prompt</translation>
</message>
<message>
<source>Head map &amp;A</source>
<translation>Kopfkarte &amp;A</translation>
</message>
<message>
<source>Head map &amp;B</source>
<translation>Kopfkarte &amp;B</translation>
</message>
<message>
<source>Pa&amp;tterns</source>
<translation>&amp;Muster</translation>
</message>
<message>
<source>&amp;Scores</source>
<translation>&amp;Werte</translation>
</message>
<message>
<source>&amp;Next part</source>
<translation>&amp;Nächster Teil</translation>
</message>
<message>
<source>Find …</source>
<translation>Finden …</translation>
</message>
<message>
<source>Find a command, a head or a token</source>
<translation>Einen Befehl, einen Kopf oder ein Token finden</translation>
</message>
<message>
<source>Find a command, a head, a task, a run or a token (Ctrl+K)</source>
<translation>Einen Befehl, einen Kopf, eine Aufgabe, einen Lauf oder ein Token finden (Strg+K)</translation>
</message>
<message>
<source>Lecture</source>
<translation>Vortrag</translation>
</message>
<message>
<source>Large maps for a lecture (F11)</source>
<translation>Große Karten für den Hörsaal (F11)</translation>
</message>
<message>
<source>Colour the prompt by log-&amp;probability</source>
<translation>Prompt nach Log-&amp;Wahrscheinlichkeit färben</translation>
</message>
<message>
<source>Open a model to compare its forms.</source>
<translation>Öffnen Sie ein Modell, um seine Formen zu vergleichen.</translation>
</message>
<message>
<source>experiments</source>
<translation>Experimente</translation>
</message>
<message>
<source>No menu contains the command &quot;%1&quot;.</source>
<translation>Kein Menü enthält den Befehl „%1“.</translation>
</message>
<message>
<source>Share</source>
<translation>Teilen</translation>
</message>
<message>
<source>A figure, or the session as a web page</source>
<translation>Eine Grafik oder die Sitzung als Webseite</translation>
</message>
</context>
<context>
<name>headscope::gui::ManualWindow</name>
<message>
<source>Manual</source>
<translation>Handbuch</translation>
</message>
<message>
<source>Search all pages</source>
<translation>Alle Seiten durchsuchen</translation>
</message>
<message>
<source>Search the manual</source>
<translation>Das Handbuch durchsuchen</translation>
</message>
<message>
<source>Pages</source>
<translation>Seiten</translation>
</message>
<message>
<source>Page</source>
<translation>Seite</translation>
</message>
</context>
<context>
<name>headscope::gui::MapMenu</name>
<message>
<source>Copy as &amp;picture</source>
<translation>Als &amp;Bild kopieren</translation>
</message>
<message>
<source>Copy &amp;values</source>
<translation>&amp;Werte kopieren</translation>
</message>
<message>
<source>&amp;Save the matrix …</source>
<translation>Matrix &amp;speichern …</translation>
</message>
<message>
<source>&amp;Figure of this …</source>
<translation>Gr&amp;afik davon …</translation>
</message>
<message>
<source>Save the matrix</source>
<translation>Matrix speichern</translation>
</message>
<message>
<source>NumPy (*.npy);;safetensors (*.safetensors);;Table (*.csv)</source>
<translation>NumPy (*.npy);;safetensors (*.safetensors);;Tabelle (*.csv)</translation>
</message>
<message>
<source>Saved %1</source>
<translation>%1 gespeichert</translation>
</message>
<message>
<source>Bloc&amp;k attention …</source>
<translation>Attention &amp;sperren …</translation>
</message>
<message>
<source>Save all heads of &amp;layer %1 …</source>
<translation>Alle Köpfe von &amp;Schicht %1 speichern …</translation>
</message>
<message>
<source>Save all heads of the &amp;model …</source>
<translation>Alle Köpfe des &amp;Modells speichern …</translation>
</message>
<message>
<source>Save all heads</source>
<translation>Alle Köpfe speichern</translation>
</message>
<message>
<source>NumPy archive (*.npz)</source>
<translation>NumPy-Archiv (*.npz)</translation>
</message>
<message>
<source>Saved the maps of %1 as %2</source>
<translation>Karten gespeichert (%1): %2</translation>
</message>
<message>
<source>1 head</source>
<translation>1 Kopf</translation>
</message>
<message>
<source>%L1 heads</source>
<translation>%L1 Köpfe</translation>
</message>
<message>
<source>; without a map, as their layer is skipped: %1</source>
<translation>; ohne Karte, da ihre Schicht übersprungen ist: %1</translation>
</message>
</context>
<context>
<name>headscope::gui::MenuButton</name>
<message>
<source>Menu</source>
<translation>Menü</translation>
</message>
<message>
<source>All menus (F10)</source>
<translation>Alle Menüs (F10)</translation>
</message>
<message>
<source>Menu &amp;bar</source>
<translation>&amp;Menüleiste</translation>
</message>
</context>
<context>
<name>headscope::gui::MessageController</name>
<message>
<source>Undo (Ctrl+Z)</source>
<translation>Rückgängig (Strg+Z)</translation>
</message>
<message>
<source>Compare with all heads on</source>
<translation>Mit allen Köpfen vergleichen</translation>
</message>
<message>
<source>Locate the model …</source>
<translation>Das Modell suchen …</translation>
</message>
<message>
<source>Choose the tokenizer …</source>
<translation>Den Tokenizer wählen …</translation>
</message>
<message>
<source>Open quantized</source>
<translation>Quantisiert öffnen</translation>
</message>
<message>
<source>Cut to fit</source>
<translation>Passend kürzen</translation>
</message>
<message>
<source>Open the small English models</source>
<translation>Die kleinen englischen Modelle öffnen</translation>
</message>
<message>
<source>Measure again</source>
<translation>Neu messen</translation>
</message>
</context>
<context>
<name>headscope::gui::MetricController</name>
<message>
<source>This metric for every head</source>
<translation>Diese Größe für jeden Kopf</translation>
</message>
</context>
<context>
<name>headscope::gui::ModelController</name>
<message>
<source>Opening %1 …</source>
<translation>%1 wird geöffnet …</translation>
</message>
<message>
<source>This model has heads of one kind only; open a hybrid such as tiny-hybrid as A.</source>
<translation>Dieses Modell hat nur Köpfe einer Art; öffnen Sie einen Hybriden wie tiny-hybrid als A.</translation>
</message>
<message>
<source>Click a head to ablate it. The scores on the right follow. Layers and heads count from zero.</source>
<translation>Klicken Sie auf einen Kopf, um ihn auszuschalten. Die Werte rechts folgen. Schichten und Köpfe zählen von null an.</translation>
</message>
</context>
<context>
<name>headscope::gui::ModelsDialog</name>
<message>
<source>included</source>
<translation>mitgeliefert</translation>
</message>
<message>
<source>cache</source>
<translation>Cache</translation>
</message>
<message>
<source>folder added</source>
<translation>hinzugefügter Ordner</translation>
</message>
<message>
<source>%L1 billion</source>
<translation>%L1 Mrd.</translation>
</message>
<message>
<source>%L1 million</source>
<translation>%L1 Mio.</translation>
</message>
<message>
<source>%L1 thousand</source>
<translation>%L1 Tsd.</translation>
</message>
<message>
<source>%1: too much</source>
<translation>%1: zu viel</translation>
</message>
<message>
<source>cannot be opened</source>
<translation>lässt sich nicht öffnen</translation>
</message>
<message>
<source>As %1 it needs %2 of memory.</source>
<translation>Als %1 braucht es %2 Speicher.</translation>
</message>
<message>
<source>As %1 it needs %2 of memory; %3 are free.</source>
<translation>Als %1 braucht es %2 Speicher; %3 sind frei.</translation>
</message>
<message>
<source>Quantized weights need less.</source>
<translation>Quantisierte Gewichte brauchen weniger.</translation>
</message>
<message>
<source>Open as &amp;A</source>
<translation>Als &amp;A öffnen</translation>
</message>
<message>
<source>Open as &amp;B</source>
<translation>Als &amp;B öffnen</translation>
</message>
<message>
<source>A&amp;dd a folder …</source>
<translation>Or&amp;dner hinzufügen …</translation>
</message>
<message>
<source>&amp;Remove the folder</source>
<translation>O&amp;rdner entfernen</translation>
</message>
<message>
<source>&amp;Get a model …</source>
<translation>Modell &amp;holen …</translation>
</message>
<message>
<source>Models</source>
<translation>Modelle</translation>
</message>
<message>
<source>Part of a name, family or place</source>
<translation>Teil von Name, Familie oder Ort</translation>
</message>
<message>
<source>Search the models</source>
<translation>Modelle durchsuchen</translation>
</message>
<message>
<source>in the type of the settings</source>
<translation>im Typ der Einstellungen</translation>
</message>
<message>
<source>in %1</source>
<translation>als %1</translation>
</message>
<message>
<source>Type of the weights</source>
<translation>Typ der Gewichte</translation>
</message>
<message>
<source>Model</source>
<translation>Modell</translation>
</message>
<message>
<source>Kind</source>
<translation>Art</translation>
</message>
<message>
<source>Family</source>
<translation>Familie</translation>
</message>
<message>
<source>Layers</source>
<translation>Schichten</translation>
</message>
<message>
<source>Parameters</source>
<translation>Parameter</translation>
</message>
<message>
<source>Files</source>
<translation>Dateien</translation>
</message>
<message>
<source>Memory</source>
<translation>Speicher</translation>
</message>
<message>
<source>Where</source>
<translation>Ort</translation>
</message>
<message>
<source>Searching …</source>
<translation>Wird gesucht …</translation>
</message>
<message>
<source>No model fits the search.</source>
<translation>Kein Modell passt zur Suche.</translation>
</message>
<message>
<source>A model, or a folder of models</source>
<translation>Ein Modell oder ein Ordner von Modellen</translation>
</message>
</context>
<context>
<name>headscope::gui::PageDialog</name>
<message>
<source>&amp;Save page …</source>
<translation>Seite &amp;speichern …</translation>
</message>
<message>
<source>S&amp;top</source>
<translation>An&amp;halten</translation>
</message>
<message>
<source>Export as a web page</source>
<translation>Als Webseite exportieren</translation>
</message>
<message>
<source>The names of the models</source>
<translation>Die Namen der Modelle</translation>
</message>
<message>
<source>All heads</source>
<translation>Alle Köpfe</translation>
</message>
<message>
<source>The first eight of each ranking</source>
<translation>Die ersten acht jeder Rangliste</translation>
</message>
<message>
<source>Contents of the page</source>
<translation>Inhalt der Seite</translation>
</message>
<message>
<source>T&amp;itle</source>
<translation>T&amp;itel</translation>
</message>
<message>
<source>&amp;Prompts with patterns</source>
<translation>&amp;Prompts mit Mustern</translation>
</message>
<message>
<source>P&amp;atterns of</source>
<translation>&amp;Muster von</translation>
</message>
<message>
<source>&amp;Guided story</source>
<translation>&amp;Geführte Tour</translation>
</message>
<message>
<source>none</source>
<translation>keine</translation>
</message>
<message>
<source>Web pages (*.html)</source>
<translation>Webseiten (*.html)</translation>
</message>
<message>
<source>Previewing the page …</source>
<translation>Vorschau der Seite wird erstellt …</translation>
</message>
<message>
<source>Writing %1 …</source>
<translation>%1 wird geschrieben …</translation>
</message>
<message>
<source>The page is in %1.</source>
<translation>Die Seite ist in %1.</translation>
</message>
<message>
<source>Stopped.</source>
<translation>Angehalten.</translation>
</message>
<message>
<source>The page has %L1 MB and opens without a network.</source>
<translation>Die Seite hat %L1 MB und öffnet sich ohne Netz.</translation>
</message>
<message>
<source>heads with patterns</source>
<translation>Köpfe mit Mustern</translation>
</message>
<message>
<source>prompts</source>
<translation>Prompts</translation>
</message>
<message>
<source>measured states</source>
<translation>gemessene Zustände</translation>
</message>
<message>
<source>rankings</source>
<translation>Ranglisten</translation>
</message>
<message>
<source>analyses</source>
<translation>Analysen</translation>
</message>
<message>
<source>questions of the story</source>
<translation>Fragen der Tour</translation>
</message>
<message>
<source>Models:</source>
<translation>Modelle:</translation>
</message>
<message>
<source>Names and notes that readers will see:</source>
<translation>Namen und Notizen, die Leser sehen:</translation>
</message>
<message>
<source>Folders of this computer that are left out:</source>
<translation>Ordner dieses Rechners, die wegbleiben:</translation>
</message>
<message>
<source>Not on the page:</source>
<translation>Nicht auf der Seite:</translation>
</message>
</context>
<context>
<name>headscope::gui::PatchController</name>
<message>
<source>Stopped before the first pair was finished.</source>
<translation>Angehalten, bevor das erste Paar fertig war.</translation>
</message>
<message>
<source>Choose what to patch and the other prompt, then press Patch.</source>
<translation>Wählen Sie, was gepatcht wird, und den anderen Prompt; dann drücken Sie Patchen.</translation>
</message>
<message>
<source>Open a model and enter a prompt.</source>
<translation>Öffnen Sie ein Modell und geben Sie einen Prompt ein.</translation>
</message>
<message>
<source>Patching … Stop keeps the finished pairs.</source>
<translation>Patching … Anhalten behält die fertigen Paare.</translation>
</message>
<message>
<source>Patching …</source>
<translation>Patching …</translation>
</message>
</context>
<context>
<name>headscope::gui::PatternController</name>
<message>
<source>Reading the pattern …</source>
<translation>Das Muster wird gelesen …</translation>
</message>
<message>
<source>Type a prompt, or choose a benchmark sample above.</source>
<translation>Schreiben Sie einen Prompt oder wählen Sie oben ein Beispiel.</translation>
</message>
<message>
<source>a prompt of its own · %1</source>
<translation>eigener Prompt · %1</translation>
</message>
<message>
<source>A − B needs whole maps, which are not available above 4,096 tokens. Choose another view above.</source>
<translation>A − B braucht ganze Karten, die es über 4.096 Token nicht gibt. Wählen Sie oben eine andere Ansicht.</translation>
</message>
</context>
<context>
<name>headscope::gui::Photographer</name>
<message>
<source>Off</source>
<translation>Aus</translation>
</message>
</context>
<context>
<name>headscope::gui::PreviewController</name>
<message>
<source>Layer %1 of %2</source>
<translation>Schicht %1 von %2</translation>
</message>
<message>
<source>Head %1 in every layer of %2</source>
<translation>Kopf %1 in jeder Schicht von %2</translation>
</message>
<message>
<source>All heads of A and B</source>
<translation>Alle Köpfe von A und B</translation>
</message>
<message>
<source>All heads of %1</source>
<translation>Alle Köpfe von %1</translation>
</message>
<message>
<source>Top heads of %1 by this metric</source>
<translation>Die ersten Köpfe von %1 nach dieser Größe</translation>
</message>
<message>
<source>%1 · reading the text for thumbnails</source>
<translation>%1 · liest den Text für die Miniaturen</translation>
</message>
<message>
<source>%1 · reading the text …</source>
<translation>%1 · liest den Text …</translation>
</message>
</context>
<context>
<name>headscope::gui::ProbeController</name>
<message>
<source>Probing every head …</source>
<translation>Jeder Kopf wird erprobt …</translation>
</message>
<message>
<source>Press Probe: ten sequences of random tokens, each repeated once, show what each head does where text repeats.</source>
<translation>Drücken Sie Erproben: Zehn Folgen zufälliger Token, jede einmal wiederholt, zeigen, was jeder Kopf bei Wiederholungen tut.</translation>
</message>
<message>
<source>Open a model.</source>
<translation>Öffnen Sie ein Modell.</translation>
</message>
</context>
<context>
<name>headscope::gui::PromptController</name>
<message>
<source>free text</source>
<translation>freier Text</translation>
</message>
<message>
<source>Type or paste a prompt</source>
<translation>Prompt schreiben oder einfügen</translation>
</message>
<message>
<source>Change the prompt</source>
<translation>Prompt ändern</translation>
</message>
<message>
<source>Mark a segment</source>
<translation>Abschnitt markieren</translation>
</message>
<message>
<source>Clear the segments</source>
<translation>Abschnitte löschen</translation>
</message>
<message>
<source>Free text</source>
<translation>Freier Text</translation>
</message>
<message>
<source>%1, sample %2</source>
<translation>%1, Beispiel %2</translation>
</message>
<message>
<source>The prompt has %L1 tokens; %2 reads at most %L3.</source>
<translation>Der Prompt hat %L1 Token; %2 liest höchstens %L3.</translation>
</message>
<message>
<source>Cut the prompt to fit</source>
<translation>Prompt passend kürzen</translation>
</message>
<message>
<source>%1 cannot read this prompt: %2 The small English models read any word.</source>
<translation>%1 kann diesen Prompt nicht lesen: %2 Die kleinen englischen Modelle lesen beliebige Wörter.</translation>
</message>
<message>
<source>conversation</source>
<translation>Gespräch</translation>
</message>
<message>
<source>Turns with roles, written by the model&apos;s chat template</source>
<translation>Beiträge mit Rollen, geschrieben nach der Chat-Vorlage des Modells</translation>
</message>
</context>
<context>
<name>headscope::gui::RankEntries</name>
<message>
<source>&amp;Rank all heads (exact ablation)</source>
<translation>Alle Köpfe &amp;ordnen (exakte Ablation)</translation>
</message>
<message>
<source>F5</source>
<translation>F5</translation>
</message>
<message>
<source>Find the top ten heads (ra&amp;ce)</source>
<translation>Die besten zehn Köpfe suchen (&amp;Rennen)</translation>
</message>
<message>
<source>Shift+F5</source>
<translation>Shift+F5</translation>
</message>
<message>
<source>&amp;Estimate all heads by gradients</source>
<translation>Alle Köpfe durch Gradienten &amp;schätzen</translation>
</message>
<message>
<source>Ctrl+F5</source>
<translation>Ctrl+F5</translation>
</message>
<message>
<source>Rank by &amp;gather score</source>
<translation>Nach &amp;Gather-Wert ordnen</translation>
</message>
<message>
<source>Rank by &amp;aggregate score</source>
<translation>Nach A&amp;ggregate-Wert ordnen</translation>
</message>
<message>
<source>%1: at most %2, %3</source>
<translation>%1: höchstens %2, %3</translation>
</message>
<message>
<source>%1: about %2, %3</source>
<translation>%1: etwa %2, %3</translation>
</message>
</context>
<context>
<name>headscope::gui::RankingController</name>
<message>
<source>Ranking heads</source>
<translation>Das Ordnen der Köpfe</translation>
</message>
<message>
<source>Race for the first ten heads of %1</source>
<translation>Rennen um die ersten zehn Köpfe von %1</translation>
</message>
<message>
<source>Rank all heads of %1 (exact ablation)</source>
<translation>Alle Köpfe von %1 ordnen (exakte Ablation)</translation>
</message>
<message>
<source>heads</source>
<translation>Köpfe</translation>
</message>
<message>
<source>%1: the head costs were measured when this version was built.</source>
<translation>%1: Was jeder Kopf kostet, wurde gemessen, als diese Version gebaut wurde.</translation>
</message>
<message>
<source>Measuring the cost of each head …</source>
<translation>Es wird gemessen, was jeder Kopf kostet …</translation>
</message>
</context>
<context>
<name>headscope::gui::RemovalController</name>
<message>
<source>Ablate the top k heads of %1, and k random ones</source>
<translation>Die ersten k Köpfe von %1 ausschalten, und k zufällige</translation>
</message>
<message>
<source>scores</source>
<translation>Messungen</translation>
</message>
<message>
<source>Rank the heads first: Run &gt; Rank all heads (F5).</source>
<translation>Ordnen Sie zuerst die Köpfe: Lauf &gt; Alle Köpfe ordnen (F5).</translation>
</message>
<message>
<source>%1, top k</source>
<translation>%1, die ersten k</translation>
</message>
<message>
<source>%1, k random (mean of %2)</source>
<translation>%1, k zufällige (Mittel aus %2)</translation>
</message>
<message>
<source>accuracy</source>
<translation>Genauigkeit</translation>
</message>
<message>
<source>Heads ablated</source>
<translation>Köpfe ausgeschaltet</translation>
</message>
<message>
<source>%1 with k heads ablated</source>
<translation>%1 mit k ausgeschalteten Köpfen</translation>
</message>
<message>
<source>heads ablated, k</source>
<translation>ausgeschaltete Köpfe, k</translation>
</message>
</context>
<context>
<name>headscope::gui::RestoreController</name>
<message>
<source>Showing %1 from the command line in place of the session&apos;s model, %2.</source>
<translation>%1 von der Kommandozeile wird statt des Modells der Sitzung gezeigt, %2.</translation>
</message>
<message>
<source>%1 has other weights than the model of this session (%2, not %3); stored results do not apply to it.</source>
<translation>%1 hat andere Gewichte als das Modell dieser Sitzung (%2, nicht %3); gespeicherte Ergebnisse gelten nicht dafür.</translation>
</message>
<message>
<source>The session uses a model at %1, which you have not opened before; open it only if you trust the source of the session.</source>
<translation>Die Sitzung verwendet ein Modell in %1, das Sie hier noch nicht geöffnet haben. Öffnen Sie es nur, wenn Sie der Herkunft der Sitzung vertrauen.</translation>
</message>
</context>
<context>
<name>headscope::gui::RunMenu</name>
<message>
<source>&amp;Run</source>
<translation>&amp;Lauf</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
<message>
<source>&amp;Continue the prompt</source>
<translation>Den Prompt &amp;fortsetzen</translation>
</message>
<message>
<source>Ctrl+Return</source>
<translation>Ctrl+Return</translation>
</message>
<message>
<source>&amp;Previous sample</source>
<translation>&amp;Voriges Beispiel</translation>
</message>
<message>
<source>[</source>
<translation>[</translation>
</message>
<message>
<source>Alt+[</source>
<translation>Alt+[</translation>
</message>
<message>
<source>&amp;Next sample</source>
<translation>&amp;Nächstes Beispiel</translation>
</message>
<message>
<source>]</source>
<translation>]</translation>
</message>
<message>
<source>Alt+]</source>
<translation>Alt+]</translation>
</message>
<message>
<source>Ablate the top k heads, and k random &amp;ones</source>
<translation>Die ersten k Köpfe ausschalten, und k zu&amp;fällige</translation>
</message>
<message>
<source>Compare &amp;quantized weights …</source>
<translation>&amp;Quantisierte Gewichte vergleichen …</translation>
</message>
<message>
<source>Score until &amp;decided</source>
<translation>Bewerten, bis es ent&amp;schieden ist</translation>
</message>
<message>
<source>Rank heads on this &amp;prompt</source>
<translation>Köpfe auf diesem &amp;Prompt ordnen</translation>
</message>
<message>
<source>Make the prompt a con&amp;versation</source>
<translation>Den Prompt zu einem Gesprä&amp;ch machen</translation>
</message>
<message>
<source>Ans&amp;wer the conversation</source>
<translation>Das Gespräch &amp;beantworten</translation>
</message>
</context>
<context>
<name>headscope::gui::RunsController</name>
<message>
<source>Compare %1 with %2</source>
<translation>%1 mit %2 vergleichen</translation>
</message>
<message>
<source>The scoreboard compares %1 with %2 on the same examples.</source>
<translation>Die Tafel vergleicht %1 mit %2 auf denselben Beispielen.</translation>
</message>
<message>
<source>Back to %1</source>
<translation>Zurück zu %1</translation>
</message>
<message>
<source>Describe a run</source>
<translation>Lauf beschreiben</translation>
</message>
<message>
<source>Sort the runs</source>
<translation>Läufe sortieren</translation>
</message>
</context>
<context>
<name>headscope::gui::ScoreController</name>
<message>
<source>%1. Measuring the effect.</source>
<translation>%1. Die Wirkung wird gerade gemessen.</translation>
</message>
</context>
<context>
<name>headscope::gui::ScorePartsController</name>
<message>
<source>position</source>
<translation>Position</translation>
</message>
<message>
<source>Open a model, enter a prompt and right-click a cell of a map.</source>
<translation>Öffnen Sie ein Modell, geben Sie einen Prompt ein und klicken Sie mit der rechten Maustaste auf eine Zelle einer Karte.</translation>
</message>
<message>
<source>%1 at “%2” (%3) attends to “%4” (%5) with weight %6: its score is %7 above the mean over the keys it sees. Each list adds up to that.</source>
<translation>%1 liest bei „%2“ (%3) das Token „%4“ (%5) mit Gewicht %6: Sein Score liegt um %7 über dem Mittel der sichtbaren Keys. Jede Liste ergibt diesen Wert.</translation>
</message>
<message>
<source>Query and key norms are held at their scale in this run.</source>
<translation>Query- und Key-Norm bleiben bei ihrer Skala in diesem Lauf.</translation>
</message>
<message>
<source>The model caps its scores; this is the score before the cap.</source>
<translation>Das Modell begrenzt seine Scores; dies ist der Wert vor der Begrenzung.</translation>
</message>
<message>
<source>%1 at “%2” (%3) reads “%4” (%5) with %6 of its row: C · B times the decay is %7 above the mean over the keys it sees. The writers count to first order in this run; the residue is what that leaves.</source>
<translation>%1 liest bei „%2“ (%3) das Token „%4“ (%5) mit %6 seiner Zeile: C · B mal dem Abklingen liegt um %7 über dem Mittel der sichtbaren Keys. Die Schreiber zählen in erster Ordnung dieses Laufs; der Rest ist, was davon übrig bleibt.</translation>
</message>
</context>
<context>
<name>headscope::gui::SessionMenu</name>
<message>
<source>Headscope sessions (*.headscope)</source>
<translation>Headscope-Sitzungen (*.headscope)</translation>
</message>
<message>
<source>Save session &amp;as …</source>
<translation>Sitzung speichern &amp;unter …</translation>
</message>
<message>
<source>&amp;Duplicate session …</source>
<translation>Sitzung &amp;duplizieren …</translation>
</message>
<message>
<source>Me&amp;rge another session into this …</source>
<translation>Eine andere Sitzung in diese aufn&amp;ehmen …</translation>
</message>
<message>
<source>Tables (*.csv *.json *.tex *.md)</source>
<translation>Tabellen (*.csv *.json *.tex *.md)</translation>
</message>
<message>
<source>&amp;Check the session</source>
<translation>Die Sitzung &amp;prüfen</translation>
</message>
<message>
<source>Com&amp;pact the session</source>
<translation>Die Sitzung &amp;verdichten</translation>
</message>
<message>
<source>No session is open.</source>
<translation>Es ist keine Sitzung geöffnet.</translation>
</message>
<message>
<source>The session is now %1.</source>
<translation>Die Sitzung ist jetzt %1.</translation>
</message>
<message>
<source>Duplicate without &amp;folders …</source>
<translation>Ohne &amp;Ordner duplizieren …</translation>
</message>
<message>
<source>Without the &amp;folders of this computer</source>
<translation>Ohne die &amp;Ordner dieses Rechners</translation>
</message>
<message>
<source>Saved a copy without local folders as %1. It still contains prompts and texts.</source>
<translation>Eine Kopie ohne lokale Ordner liegt in %1. Prompts und Texte sind darin.</translation>
</message>
<message>
<source>Saved a copy as %1; the window continues with %2.</source>
<translation>Kopie gespeichert als %1; das Fenster arbeitet weiter mit %2.</translation>
</message>
<message>
<source>Added: results %1, runs %2, patterns %3, figures %4. Differences kept side by side: %5.</source>
<translation>Hinzugefügt: Ergebnisse %1, Läufe %2, Muster %3, Grafiken %4. Nebeneinander behaltene Unterschiede: %5.</translation>
</message>
<message>
<source>The session has %1; the first: %2</source>
<translation>Die Sitzung hat %1; der erste: %2</translation>
</message>
<message>
<source>1 problem</source>
<translation>1 Fehler</translation>
</message>
<message>
<source>%L1 problems</source>
<translation>%L1 Fehler</translation>
</message>
<message>
<source>No problems found. Checked: examples %1, results %2, patterns %3.</source>
<translation>Keine Fehler gefunden. Geprüft: Beispiele %1, Ergebnisse %2, Muster %3.</translation>
</message>
<message>
<source>The session has %1 bytes; before, %2.</source>
<translation>Die Sitzung hat %1 Byte; vorher %2.</translation>
</message>
<message>
<source>&amp;Export</source>
<translation>E&amp;xportieren</translation>
</message>
<message>
<source>&amp;Scores …</source>
<translation>&amp;Ergebnisse …</translation>
</message>
<message>
<source>E&amp;xamples with their answers …</source>
<translation>&amp;Beispiele mit ihren Antworten …</translation>
</message>
<message>
<source>&amp;Rankings …</source>
<translation>&amp;Ranglisten …</translation>
</message>
<message>
<source>&amp;Heads, their names and numbers …</source>
<translation>&amp;Köpfe, ihre Namen und Zahlen …</translation>
</message>
<message>
<source>&amp;Ablations …</source>
<translation>&amp;Ablationen …</translation>
</message>
<message>
<source>R&amp;uns …</source>
<translation>&amp;Läufe …</translation>
</message>
<message>
<source>Export</source>
<translation>Exportieren</translation>
</message>
<message>
<source>Saved %1 as %2.</source>
<translation>%1 gespeichert als %2.</translation>
</message>
<message>
<source>1 row</source>
<translation>1 Zeile</translation>
</message>
<message>
<source>%L1 rows</source>
<translation>%L1 Zeilen</translation>
</message>
<message>
<source>&amp;Web page …</source>
<translation>&amp;Webseite …</translation>
</message>
<message>
<source>&amp;Patterns …</source>
<translation>&amp;Muster …</translation>
</message>
<message>
<source>Sur&amp;veys …</source>
<translation>Erhebun&amp;gen …</translation>
</message>
<message>
<source>A&amp;nalyses …</source>
<translation>A&amp;nalysen …</translation>
</message>
<message>
<source>His&amp;tory …</source>
<translation>&amp;Verlauf …</translation>
</message>
<message>
<source>&amp;Models …</source>
<translation>Mo&amp;delle …</translation>
</message>
</context>
<context>
<name>headscope::gui::SettingsController</name>
<message>
<source>Benchmarks are read from %1.</source>
<translation>Benchmarks werden aus %1 gelesen.</translation>
</message>
<message>
<source>Folder of the benchmark files (mmlu, piqa, …)</source>
<translation>Ordner der Benchmark-Dateien (mmlu, piqa, …)</translation>
</message>
</context>
<context>
<name>headscope::gui::SettingsDialog</name>
<message>
<source> s</source>
<translation> s</translation>
</message>
<message>
<source>Time for a &amp;click</source>
<translation>Zeit für einen &amp;Klick</translation>
</message>
<message>
<source>Time for scoring after a click, until its benchmarks are decided. Undecided ones continue while the program is idle.</source>
<translation>Zeit zum Messen nach einem Klick, bis die Benchmarks entschieden sind. Unentschiedene werden im Leerlauf fortgesetzt.</translation>
</message>
<message>
<source>Settings</source>
<translation>Einstellungen</translation>
</message>
<message>
<source>Models</source>
<translation>Modelle</translation>
</message>
<message>
<source>automatic</source>
<translation>automatisch</translation>
</message>
<message>
<source>processor</source>
<translation>Prozessor</translation>
</message>
<message>
<source>GPU</source>
<translation>GPU</translation>
</message>
<message>
<source>as needed by the model</source>
<translation>wie vom Modell verlangt</translation>
</message>
<message>
<source>all free memory, or an amount such as 12GB</source>
<translation>aller freie Speicher, oder eine Angabe wie 12GB</translation>
</message>
<message>
<source>as set by tokenizer and benchmark</source>
<translation>wie von Tokenizer und Benchmark vorgegeben</translation>
</message>
<message>
<source>never</source>
<translation>nie</translation>
</message>
<message>
<source>as set by the tokenizer</source>
<translation>wie vom Tokenizer vorgegeben</translation>
</message>
<message>
<source>always</source>
<translation>immer</translation>
</message>
<message>
<source>&amp;Device</source>
<translation>&amp;Gerät</translation>
</message>
<message>
<source>&amp;Numbers</source>
<translation>&amp;Zahlen</translation>
</message>
<message>
<source>&amp;Threads</source>
<translation>&amp;Threads</translation>
</message>
<message>
<source>&amp;Memory</source>
<translation>&amp;Speicher</translation>
</message>
<message>
<source>Keep &amp;quantized weights</source>
<translation>&amp;Quantisierte Gewichte behalten</translation>
</message>
<message>
<source> GB</source>
<translation> GB</translation>
</message>
<message>
<source>none</source>
<translation>keine</translation>
</message>
<message>
<source>Disk space for the quantized weights of large models, which then open faster the next time. Folder: %1</source>
<translation>Plattenplatz für die quantisierten Gewichte großer Modelle, die sich dann beim nächsten Mal schneller öffnen. Ordner: %1</translation>
</message>
<message>
<source>Start t&amp;oken</source>
<translation>Start-T&amp;oken</translation>
</message>
<message>
<source>Benchmarks</source>
<translation>Benchmarks</translation>
</message>
<message>
<source>in order</source>
<translation>der Reihe nach</translation>
</message>
<message>
<source>Shuffles the order in which examples run. No result depends on it.</source>
<translation>Mischt die Reihenfolge, in der Beispiele laufen. Kein Ergebnis hängt davon ab.</translation>
</message>
<message>
<source>each model&apos;s own</source>
<translation>je Modell</translation>
</message>
<message>
<source>Seeds generated examples and drawn words.</source>
<translation>Für erzeugte Beispiele und gezogene Wörter.</translation>
</message>
<message>
<source>D&amp;ata folder</source>
<translation>D&amp;atenordner</translation>
</message>
<message>
<source>the included sample rows</source>
<translation>die mitgelieferten Beispielzeilen</translation>
</message>
<message>
<source>&amp;Word lists</source>
<translation>&amp;Wortlisten</translation>
</message>
<message>
<source>the default folder</source>
<translation>im Standardordner</translation>
</message>
<message>
<source>Se&amp;ed</source>
<translation>Startwe&amp;rt</translation>
</message>
<message>
<source>Order of e&amp;xamples</source>
<translation>Rei&amp;henfolge der Beispiele</translation>
</message>
<message>
<source>Window</source>
<translation>Fenster</translation>
</message>
<message>
<source>as the system</source>
<translation>wie das System</translation>
</message>
<message>
<source>light</source>
<translation>hell</translation>
</message>
<message>
<source>dark</source>
<translation>dunkel</translation>
</message>
<message>
<source> %</source>
<translation> %</translation>
</message>
<message>
<source>&amp;Look</source>
<translation>Aussehe&amp;n</translation>
</message>
<message>
<source>Text &amp;size</source>
<translation>Schri&amp;ftgröße</translation>
</message>
<message>
<source>Lan&amp;guage</source>
<translation>S&amp;prache</translation>
</message>
<message>
<source>Choose …</source>
<translation>Wählen …</translation>
</message>
<message>
<source>A seed is a whole number of 0 or more.</source>
<translation>Ein Startwert ist eine ganze Zahl ab 0.</translation>
</message>
<message>
<source>There is no folder %1.</source>
<translation>Den Ordner %1 gibt es nicht.</translation>
</message>
<message>
<source>all</source>
<translation>alle</translation>
</message>
<message>
<source>Number of rows scored per task; for groups such as MMLU, per part.</source>
<translation>Zahl der bewerteten Zeilen je Aufgabe, bei Gruppen wie MMLU je Teil.</translation>
</message>
<message>
<source>Exa&amp;mples, at most</source>
<translation>Beispiele, &amp;höchstens</translation>
</message>
<message>
<source>weights in 8 bits (int8), on the processor</source>
<translation>Gewichte in 8 Bits (int8), auf dem Prozessor</translation>
</message>
<message>
<source>weights in 4 bits (int4), on the processor</source>
<translation>Gewichte in 4 Bits (int4), auf dem Prozessor</translation>
</message>
<message>
<source>as the reference harness</source>
<translation>wie das Referenz-Harness</translation>
</message>
<message>
<source>from the longest common prefix</source>
<translation>ab dem längsten gemeinsamen Präfix</translation>
</message>
<message>
<source>Which tokens are scored if the tokenizer merges the beginning of an answer with the end of the context. Scores of the two rules are stored and compared separately.</source>
<translation>Welche Token bewertet werden, wenn der Tokenizer den Anfang einer Antwort mit dem Ende des Kontexts verschmilzt. Ergebnisse beider Regeln werden getrennt gespeichert und verglichen.</translation>
</message>
<message>
<source>Merged to&amp;kens</source>
<translation>&amp;Verschmolzene Token</translation>
</message>
<message>
<source>&amp;Fade in changes</source>
<translation>Änderungen &amp;einblenden</translation>
</message>
<message>
<source>Motion</source>
<translation>Bewegung</translation>
</message>
<message>
<source>Heads</source>
<translation>Köpfe</translation>
</message>
<message>
<source>A click only s&amp;hows a head; Ctrl+click ablates it</source>
<translation>Ein Klick zeigt einen Kopf nur; Strg+Kl&amp;ick schaltet ihn aus</translation>
</message>
<message>
<source>all examples are in</source>
<translation>alle Beispiele da sind</translation>
</message>
<message>
<source>decided, or ± </source>
<translation>entschieden, oder ± </translation>
</message>
<message>
<source>Scoring ends when the sign of the change is decided by a test that is valid under continuous monitoring, or when the change is known to this precision.</source>
<translation>Die Messung endet, wenn das Vorzeichen der Änderung durch einen bei ständigem Zusehen gültigen Test entschieden ist oder die Änderung mit dieser Genauigkeit bekannt ist.</translation>
</message>
<message>
<source>Score &amp;until</source>
<translation>Bewerten, &amp;bis</translation>
</message>
<message>
<source>Dec&amp;ided at</source>
<translation>Entsch&amp;ieden bei</translation>
</message>
</context>
<context>
<name>headscope::gui::ShortcutsDialog</name>
<message>
<source>Keys</source>
<translation>Tasten</translation>
</message>
<message>
<source>Part of a key or a command</source>
<translation>Teil einer Taste oder eines Befehls</translation>
</message>
<message>
<source>Search the keys</source>
<translation>Tasten durchsuchen</translation>
</message>
<message>
<source>Actions</source>
<translation>Aktionen</translation>
</message>
<message>
<source>Where</source>
<translation>Wo</translation>
</message>
<message>
<source>head map</source>
<translation>Kopfkarte</translation>
</message>
<message>
<source>pattern</source>
<translation>Muster</translation>
</message>
<message>
<source>everywhere</source>
<translation>überall</translation>
</message>
<message>
<source>lecture</source>
<translation>Vortrag</translation>
</message>
<message>
<source>Tab, Shift+Tab</source>
<translation>Tab, Umschalt+Tab</translation>
</message>
<message>
<source>next or previous part</source>
<translation>nächster oder vorheriger Teil</translation>
</message>
<message>
<source>arrows</source>
<translation>Pfeile</translation>
</message>
<message>
<source>move from head to head</source>
<translation>von Kopf zu Kopf gehen</translation>
</message>
<message>
<source>Space</source>
<translation>Leertaste</translation>
</message>
<message>
<source>ablate the head or restore it</source>
<translation>den Kopf ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>Shift+Space</source>
<translation>Umschalt+Leertaste</translation>
</message>
<message>
<source>ablate or restore the selection</source>
<translation>die Auswahl ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>ablate or restore the whole layer</source>
<translation>die ganze Schicht ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>keep only the selection</source>
<translation>nur die Auswahl behalten</translation>
</message>
<message>
<source>replace the output by zero, its mean, or its output on another prompt</source>
<translation>die Ausgabe durch null, ihr Mittel oder ihre Ausgabe bei einem anderen Prompt ersetzen</translation>
</message>
<message>
<source>name the head</source>
<translation>den Kopf benennen</translation>
</message>
<message>
<source>arrows, Home, End, PgUp, PgDn</source>
<translation>Pfeile, Pos1, Ende, Bild auf, Bild ab</translation>
</message>
<message>
<source>move the crosshair</source>
<translation>das Fadenkreuz bewegen</translation>
</message>
<message>
<source>Enter</source>
<translation>Eingabe</translation>
</message>
<message>
<source>lock the row</source>
<translation>die Zeile feststellen</translation>
</message>
<message>
<source>zoom in, zoom out, whole map</source>
<translation>vergrößern, verkleinern, ganze Karte</translation>
</message>
<message>
<source>Space, Backspace</source>
<translation>Leertaste, Rücktaste</translation>
</message>
<message>
<source>next or previous step</source>
<translation>nächster oder vorheriger Schritt</translation>
</message>
<message>
<source>ablate, hide the numbers, one map alone, leave</source>
<translation>ausschalten, Zahlen verbergen, eine Karte allein, verlassen</translation>
</message>
<message>
<source>analysis page</source>
<translation>Analyseseite</translation>
</message>
<message>
<source>switch between picture and table</source>
<translation>zwischen Bild und Tabelle umschalten</translation>
</message>
<message>
<source>zoom in, zoom out, reset zoom</source>
<translation>vergrößern, verkleinern, Zoom zurücksetzen</translation>
</message>
<message>
<source>choose the cell</source>
<translation>die Zelle wählen</translation>
</message>
</context>
<context>
<name>headscope::gui::StartedProgram</name>
<message>
<source>The program %1 could not be started.</source>
<translation>Das Programm %1 konnte nicht gestartet werden.</translation>
</message>
</context>
<context>
<name>headscope::gui::SteerController</name>
<message>
<source>Open a model to steer.</source>
<translation>Öffnen Sie ein Modell, um es zu lenken.</translation>
</message>
<message>
<source>“%1” contains a space; expected a path without spaces.</source>
<translation>„%1“ enthält ein Leerzeichen; erwartet wird ein Pfad ohne Leerzeichen.</translation>
</message>
<message>
<source>Steer before layer %1</source>
<translation>Vor Schicht %1 lenken</translation>
</message>
<message>
<source>Steer with strength %1</source>
<translation>Mit Stärke %1 lenken</translation>
</message>
<message>
<source>Remove steering</source>
<translation>Steuerung entfernen</translation>
</message>
<message>
<source>Steering vector</source>
<translation>Steuervektor</translation>
</message>
<message>
<source>Tensors (*.safetensors)</source>
<translation>Tensoren (*.safetensors)</translation>
</message>
<message>
<source>Enter the name of the tensor between the brackets; its width must be that of the stream.</source>
<translation>Geben Sie den Namen des Tensors zwischen den Klammern ein; er muss so breit sein wie der Strom.</translation>
</message>
<message>
<source>The direction is the mean difference between the two lists of prompts in this layer, at their last token. Strength 1 adds it once at every token.</source>
<translation>Die Richtung ist die Differenz der Mittel beider Promptlisten in dieser Schicht, an ihrem letzten Token. Stärke 1 addiert sie einmal an jedem Token.</translation>
</message>
<message>
<source>%1 times the direction is added to the stream before layer %2. Scores, maps and continuations follow.</source>
<translation>Das %1-Fache der Richtung wird vor Schicht %2 zum Strom addiert. Ergebnisse, Karten und Fortsetzungen folgen.</translation>
</message>
<message>
<source>answers “%1”</source>
<translation>antwortet „%1“</translation>
</message>
<message>
<source>Try the example on the prompt “The food of Bruno is”.</source>
<translation>Probieren Sie das Beispiel mit dem Prompt „The food of Bruno is“ aus.</translation>
</message>
</context>
<context>
<name>headscope::gui::StoredExamplesController</name>
<message>
<source>Change the prompt</source>
<translation>Prompt ändern</translation>
</message>
</context>
<context>
<name>headscope::gui::StoredModelController</name>
<message>
<source>%1 is not here (it was at %2). Stored results are shown; to measure more, choose its folder.</source>
<translation>%1 ist nicht hier (es lag in %2). Gespeicherte Ergebnisse werden gezeigt; um weiter zu messen, wählen Sie den Ordner.</translation>
</message>
<message>
<source>The pattern of %1 was not kept for this prompt and state; it needs the model, which is not here.</source>
<translation>Das Muster von %1 wurde für diesen Prompt und Zustand nicht aufgehoben; es braucht das Modell, das nicht hier ist.</translation>
</message>
<message>
<source>The score with %1</source>
<translation>Das Ergebnis mit %1</translation>
</message>
<message>
<source>The session says that %1 is at %2, which you have not opened here before. Stored results are shown; to measure more, choose its folder.</source>
<translation>Laut Sitzung liegt %1 in %2; dieser Ordner wurde hier noch nicht geöffnet. Gespeicherte Ergebnisse werden gezeigt; um weiter zu messen, wählen Sie den Ordner.</translation>
</message>
<message>
<source>The session was using %1, which was at %2; %3 stays open. To continue with %1, choose its folder.</source>
<translation>Die Sitzung verwendete %1 in %2; %3 bleibt offen. Um mit %1 weiterzuarbeiten, wählen Sie den Ordner.</translation>
</message>
</context>
<context>
<name>headscope::gui::SurveyController</name>
<message>
<source>A folder of texts</source>
<translation>Ein Ordner mit Texten</translation>
</message>
<message>
<source>Choose texts, then press Measure to see what every head does there on average, and where most.</source>
<translation>Wählen Sie Texte und drücken Sie Messen, um zu sehen, was jeder Kopf dort im Mittel tut und wo am meisten.</translation>
</message>
<message>
<source>Open a model to measure its heads.</source>
<translation>Öffnen Sie ein Modell, um seine Köpfe zu messen.</translation>
</message>
<message>
<source>Choose a folder of texts, or a sample of a benchmark whose prompts are read.</source>
<translation>Wählen Sie einen Ordner mit Texten oder ein Beispiel eines Benchmarks, dessen Prompts gelesen werden.</translation>
</message>
<message>
<source>Reading the texts…</source>
<translation>Liest die Texte…</translation>
</message>
<message>
<source>Save the table</source>
<translation>Tabelle speichern</translation>
</message>
<message>
<source>Texts</source>
<translation>Texte</translation>
</message>
<message>
<source>Texts (*.txt *.jsonl)</source>
<translation>Texte (*.txt *.jsonl)</translation>
</message>
<message>
<source>Tables (*.csv *.tex)</source>
<translation>Tabellen (*.csv *.tex)</translation>
</message>
<message>
<source>Save the dots</source>
<translation>Die Punkte speichern</translation>
</message>
<message>
<source>Pictures (*.pdf *.svg *.png);;Numbers (*.csv)</source>
<translation>Bilder (*.pdf *.svg *.png);;Zahlen (*.csv)</translation>
</message>
<message>
<source>Save the similar heads</source>
<translation>Die ähnlichen Köpfe speichern</translation>
</message>
<message>
<source>Measure the heads first; ablation costs are measured on the same texts.</source>
<translation>Messen Sie zuerst die Köpfe; Ablationskosten werden auf denselben Texten gemessen.</translation>
</message>
<message>
<source>Ablating heads, one at a time…</source>
<translation>Köpfe werden einzeln ausgeschaltet …</translation>
</message>
<message>
<source>Select heads and press “Ablate each” to see the next-token loss with and without them.</source>
<translation>Wählen Sie Köpfe und drücken Sie „Alle einzeln ausschalten“, um den Verlust auf den nächsten Token mit und ohne sie zu sehen.</translation>
</message>
<message>
<source>Open two models and measure both to compare the heads of A and B.</source>
<translation>Öffnen und messen Sie zwei Modelle, um die Köpfe von A und B zu vergleichen.</translation>
</message>
<message>
<source>No head of both models has a cost on the same benchmarks yet; press “Ablate each”.</source>
<translation>Noch hat kein Kopf beider Modelle Kosten auf denselben Benchmarks; drücken Sie „Alle einzeln ausschalten“.</translation>
</message>
<message>
<source>%1 of %2 heads of A are the nearest of their nearest in B.</source>
<translation>%1 von %2 Köpfen von A sind die nächsten ihres Nächsten in B.</translation>
</message>
</context>
<context>
<name>headscope::gui::SweepController</name>
<message>
<source>Sweeping the knockout over the layers …</source>
<translation>Der Knockout wandert durch die Schichten …</translation>
</message>
<message>
<source>model</source>
<translation>Modell</translation>
</message>
<message>
<source>layers</source>
<translation>Schichten</translation>
</message>
<message>
<source>logit difference</source>
<translation>Logit-Differenz</translation>
</message>
<message>
<source>change</source>
<translation>Änderung</translation>
</message>
<message>
<source>%1 has only SSM heads; their entries become zero.</source>
<translation>%1 hat nur SSM-Köpfe; deren Einträge werden null.</translation>
</message>
<message>
<source>%1 has no token for “%2” and is not swept.</source>
<translation>%1 hat kein Token für „%2“ und wird ausgelassen.</translation>
</message>
<message>
<source>%1: the logit of “%2” minus “%3” is %4; lowest in %5: %6.</source>
<translation>%1: Das Logit von „%2“ minus das von „%3“ ist %4; am niedrigsten in %5: %6.</translation>
</message>
<message>
<source>Entries of %1&apos;s SSM heads become zero.</source>
<translation>Einträge der SSM-Köpfe von %1 werden null.</translation>
</message>
</context>
<context>
<name>headscope::gui::TableDialog</name>
<message>
<source>Meaning of the columns</source>
<translation>Bedeutung der Spalten</translation>
</message>
<message>
<source>choose among options</source>
<translation>unter Optionen wählen</translation>
</message>
<message>
<source>continue the prompt with the answer</source>
<translation>den Prompt mit der Antwort fortsetzen</translation>
</message>
<message>
<source>write the answer</source>
<translation>die Antwort schreiben</translation>
</message>
<message>
<source>the text of the option</source>
<translation>der Text der Option</translation>
</message>
<message>
<source>a letter: A, B, …</source>
<translation>ein Buchstabe: A, B, …</translation>
</message>
<message>
<source>a number: 0, 1, …</source>
<translation>eine Zahl: 0, 1, …</translation>
</message>
<message>
<source>a number: 1, 2, …</source>
<translation>eine Zahl: 1, 2, …</translation>
</message>
<message>
<source>{{column}} is replaced by the row&apos;s value of that column.</source>
<translation>{{Spalte}} wird durch den Wert der Zeile in dieser Spalte ersetzt.</translation>
</message>
<message>
<source>&amp;Name</source>
<translation>&amp;Name</translation>
</message>
<message>
<source>&amp;The model must</source>
<translation>Das &amp;Modell muss</translation>
</message>
<message>
<source>&amp;Prompt</source>
<translation>&amp;Prompt</translation>
</message>
<message>
<source>O&amp;ptions</source>
<translation>&amp;Optionen</translation>
</message>
<message>
<source>&amp;Answer</source>
<translation>&amp;Antwort</translation>
</message>
<message>
<source>The answer &amp;is</source>
<translation>Die Antwort &amp;ist</translation>
</message>
<message>
<source>Preview</source>
<translation>Vorschau</translation>
</message>
<message>
<source>There is a benchmark with this name; it will be replaced.</source>
<translation>Es gibt einen Benchmark dieses Namens; er wird ersetzt.</translation>
</message>
<message>
<source>%L1 of the first %L2 rows can be used.</source>
<translation>%L1 der ersten %L2 Zeilen lassen sich verwenden.</translation>
</message>
<message>
<source>%L1 of %L2 rows can be used.</source>
<translation>%L1 von %L2 Zeilen lassen sich verwenden.</translation>
</message>
<message>
<source>The file is not UTF-8; it is read as Windows-1252 (Western European).</source>
<translation>Die Datei ist nicht in UTF-8; sie wird als Windows-1252 (westeuropäisch) gelesen.</translation>
</message>
</context>
<context>
<name>headscope::gui::TourGuide</name>
<message>
<source>The heads are still being ranked; try again in a moment.</source>
<translation>Die Köpfe werden noch geordnet; versuchen Sie es gleich noch einmal.</translation>
</message>
<message>
<source>The tour resumes at step %1 of %2.</source>
<translation>Die Tour wird bei Schritt %1 von %2 fortgesetzt.</translation>
</message>
<message>
<source>step of the tour</source>
<translation>Schritt der Tour</translation>
</message>
<message>
<source>%1 ablated</source>
<translation>%1 ausgeschaltet</translation>
</message>
</context>
<context>
<name>headscope::gui::TourMark</name>
<message>
<source>Hidden until a later step</source>
<translation>Verdeckt bis zu einem späteren Schritt</translation>
</message>
<message>
<source>Hidden until you answer</source>
<translation>Verdeckt bis zur Antwort</translation>
</message>
<message>
<source>A later step asks about this.</source>
<translation>Danach fragt ein späterer Schritt.</translation>
</message>
<message>
<source>Answer the question first.</source>
<translation>Beantworten Sie zuerst die Frage.</translation>
</message>
</context>
<context>
<name>headscope::gui::TrustDialog</name>
<message>
<source>&amp;Compare</source>
<translation>&amp;Vergleich</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
<message>
<source>Quantized and full precision</source>
<translation>Quantisiert und in voller Genauigkeit</translation>
</message>
<message>
<source>Compare quantized weights</source>
<translation>Quantisierte Gewichte vergleichen</translation>
</message>
<message>
<source>8 bits (int8)</source>
<translation>8 Bits (int8)</translation>
</message>
<message>
<source>4 bits (int4)</source>
<translation>4 Bits (int4)</translation>
</message>
<message>
<source>&amp;Weights in</source>
<translation>&amp;Gewichte in</translation>
</message>
<message>
<source>compared &amp;with</source>
<translation>verglichen &amp;mit</translation>
</message>
<message>
<source>&amp;on</source>
<translation>&amp;auf</translation>
</message>
<message>
<source>&amp;Examples</source>
<translation>&amp;Beispiele</translation>
</message>
<message>
<source>all of these</source>
<translation>allen diesen</translation>
</message>
<message>
<source>Scores the same examples in both forms and estimates each head&apos;s cost in both. Loads a second copy of the model.</source>
<translation>Bewertet dieselben Beispiele in beiden Formen und schätzt in beiden die Kosten jedes Kopfs. Lädt eine zweite Kopie des Modells.</translation>
</message>
<message>
<source>Comparing …</source>
<translation>Wird verglichen …</translation>
</message>
<message>
<source>Stopped.</source>
<translation>Angehalten.</translation>
</message>
<message>
<source>benchmark</source>
<translation>Benchmark</translation>
</message>
<message>
<source>examples</source>
<translation>Beispiele</translation>
</message>
<message>
<source>changed</source>
<translation>anders</translation>
</message>
<message>
<source>changed, %</source>
<translation>anders, %</translation>
</message>
<message>
<source>lost</source>
<translation>verloren</translation>
</message>
<message>
<source>gained</source>
<translation>gewonnen</translation>
</message>
<message>
<source>|Δ log-likelihood|, nats</source>
<translation>|Δ Log-Likelihood|, Nat</translation>
</message>
<message>
<source>largest</source>
<translation>größte</translation>
</message>
<message>
<source>head costs, rho</source>
<translation>Kosten der Köpfe, rho</translation>
</message>
<message>
<source>In %1 the weights need %2 of their memory in %3. %L4 of %L5 answers differ.</source>
<translation>In %1 brauchen die Gewichte %2 ihres Speichers in %3. %L4 von %L5 Antworten sind anders.</translation>
</message>
</context>
<context>
<name>headscope::gui::TypeButton</name>
<message>
<source>The model runs in %1 (%2 of weights); a click opens it in %3 (%4).</source>
<translation>Das Modell läuft in %1 (%2 Gewichte); ein Klick öffnet es in %3 (%4).</translation>
</message>
<message>
<source>as in the settings</source>
<translation>wie in den Einstellungen</translation>
</message>
</context>
<context>
<name>headscope::gui::ViewMenu</name>
<message>
<source>&amp;View</source>
<translation>&amp;Ansicht</translation>
</message>
<message>
<source>Light or dark as the &amp;system</source>
<translation>Hell oder dunkel wie das &amp;System</translation>
</message>
<message>
<source>&amp;Light</source>
<translation>&amp;Hell</translation>
</message>
<message>
<source>&amp;Dark</source>
<translation>&amp;Dunkel</translation>
</message>
<message>
<source>L&amp;arger text</source>
<translation>&amp;Größere Schrift</translation>
</message>
<message>
<source>S&amp;maller text</source>
<translation>&amp;Kleinere Schrift</translation>
</message>
<message>
<source>&amp;Normal text</source>
<translation>&amp;Normale Schrift</translation>
</message>
<message>
<source>Ctrl+1</source>
<translation>Ctrl+1</translation>
</message>
</context>
<context>
<name>headscope::gui::WeightsController</name>
<message>
<source>Open a model to analyse its weights.</source>
<translation>Öffnen Sie ein Modell, um seine Gewichte zu analysieren.</translation>
</message>
<message>
<source>This reads all weights of a large model once. Press the button to start.</source>
<translation>Liest einmal alle Gewichte eines großen Modells. Drücken Sie den Knopf, um zu beginnen.</translation>
</message>
</context>
<context>
<name>headscope::gui::WelcomeController</name>
<message>
<source>%1 steps</source>
<translation>%1 Schritte</translation>
</message>
<message>
<source>%1 of %2 right</source>
<translation>%1 von %2 richtig</translation>
</message>
<message>
<source>step %1 of %2</source>
<translation>Schritt %1 von %2</translation>
</message>
<message>
<source>Where you left off</source>
<translation>Zuletzt geöffnet</translation>
</message>
<message>
<source>unfinished download; run the download again</source>
<translation>unfertiger Download; laden Sie noch einmal</translation>
</message>
<message>
<source>The included models are missing from this installation.</source>
<translation>Die mitgelieferten Modelle fehlen in dieser Installation.</translation>
</message>
<message>
<source>The included SSM is missing from this installation; open any model as B instead.</source>
<translation>Das mitgelieferte SSM fehlt in dieser Installation; öffnen Sie stattdessen ein beliebiges Modell als B.</translation>
</message>
</context>
<context>
<name>headscope::gui::WelcomeDemo</name>
<message>
<source>reads 1 token</source>
<translation>liest 1 Token</translation>
</message>
<message>
<source>reads %L1 tokens</source>
<translation>liest %L1 Token</translation>
</message>
<message>
<source>peaked: %1</source>
<translation>spitz: %1</translation>
</message>
<message>
<source>diffuse: %1</source>
<translation>diffus: %1</translation>
</message>
</context>
<context>
<name>headscope::gui::WhyController</name>
<message>
<source>Open a Jacobian lens</source>
<translation>Jacobi-Linse öffnen</translation>
</message>
<message>
<source>Jacobian lenses (*.pt)</source>
<translation>Jacobi-Linsen (*.pt)</translation>
</message>
<message>
<source>There is no Jacobian lens for %1 yet. Choose “Fit or open a lens” to fit one to texts or to open a .pt file.</source>
<translation>Für %1 gibt es noch keine Jacobi-Linse. „Linse anpassen oder öffnen“ passt eine an Texte an oder öffnet eine .pt-Datei.</translation>
</message>
<message>
<source>Open a model and enter a prompt.</source>
<translation>Öffnen Sie ein Modell und geben Sie einen Prompt ein.</translation>
</message>
</context>
<context>
<name>headscope::gui::WhyMenu</name>
<message>
<source>Fit a &amp;Jacobian lens…</source>
<translation>&amp;Jacobi-Linse anpassen …</translation>
</message>
<message>
<source>&amp;Analyse</source>
<translation>&amp;Analyse</translation>
</message>
<message>
<source>&amp;Why this answer</source>
<translation>&amp;Warum diese Antwort</translation>
</message>
<message>
<source>Back to the &amp;maps</source>
<translation>Zurück zu den &amp;Karten</translation>
</message>
<message>
<source>&amp;Survey of heads on many texts</source>
<translation>&amp;Erhebung der Köpfe auf vielen Texten</translation>
</message>
<message>
<source>Activation &amp;patching</source>
<translation>Aktivierungs-&amp;Patching</translation>
</message>
<message>
<source>&amp;Edges of a head (path patching)</source>
<translation>&amp;Kanten eines Kopfs (Path-Patching)</translation>
</message>
<message>
<source>Bloc&amp;k attention …</source>
<translation>Attention &amp;sperren …</translation>
</message>
<message>
<source>Attention knockout by &amp;layer</source>
<translation>Attention-Knockout nach &amp;Schicht</translation>
</message>
<message>
<source>We&amp;ights of a head</source>
<translation>&amp;Gewichte eines Kopfs</translation>
</message>
<message>
<source>P&amp;robes of all heads</source>
<translation>Pr&amp;oben aller Köpfe</translation>
</message>
<message>
<source>S&amp;teering</source>
<translation>S&amp;teuerung</translation>
</message>
<message>
<source>E&amp;xperts of each token</source>
<translation>E&amp;xperten jedes Tokens</translation>
</message>
<message>
<source>S&amp;core of a cell</source>
<translation>S&amp;core einer Zelle</translation>
</message>
<message>
<source>&amp;Table of numbers</source>
<translation>&amp;Tabelle der Zahlen</translation>
</message>
</context>
<context>
<name>headscope::widgets::AnalysisPage</name>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
</context>
<context>
<name>headscope::widgets::AnswersView</name>
<message>
<source>answers</source>
<translation>antwortet</translation>
</message>
<message>
<source>right</source>
<translation>richtig</translation>
</message>
<message>
<source>wrong</source>
<translation>falsch</translation>
</message>
<message>
<source>in the prompt</source>
<translation>im Prompt</translation>
</message>
<message>
<source>was right</source>
<translation>war richtig</translation>
</message>
<message>
<source>Answers</source>
<translation>Antworten</translation>
</message>
<message>
<source>%1 answers %2</source>
<translation>%1 antwortet %2</translation>
</message>
<message>
<source>with all heads on %1</source>
<translation>mit allen Köpfen %1</translation>
</message>
<message>
<source>Click to continue the prompt (Ctrl+Return)</source>
<translation>Klicken, um den Prompt fortzusetzen (Strg+Eingabe)</translation>
</message>
</context>
<context>
<name>headscope::widgets::BarsView</name>
<message>
<source>%1: %2 (95 % interval %3 to %4)</source>
<translation>%1: %2 (95-%-Intervall %3 bis %4)</translation>
</message>
<message>
<source>part</source>
<translation>Teil</translation>
</message>
<message>
<source>sum</source>
<translation>Summe</translation>
</message>
<message>
<source>95 % low</source>
<translation>95 % von</translation>
</message>
<message>
<source>95 % high</source>
<translation>95 % bis</translation>
</message>
</context>
<context>
<name>headscope::widgets::BusyStrip</name>
<message>
<source>Work in progress</source>
<translation>Laufende Arbeit</translation>
</message>
<message>
<source>Progress</source>
<translation>Fortschritt</translation>
</message>
<message>
<source>Stop (Esc); finished work is kept</source>
<translation>Anhalten (Esc); Fertiges bleibt erhalten</translation>
</message>
<message>
<source>Stop</source>
<translation>Anhalten</translation>
</message>
</context>
<context>
<name>headscope::widgets::CardDock</name>
<message>
<source>Place of &quot;%1&quot;</source>
<translation>Platz von „%1“</translation>
</message>
<message>
<source>Float or hide this card; drag it by its heading</source>
<translation>Diese Karte lösen oder ausblenden; ziehen Sie sie an ihrer Überschrift</translation>
</message>
<message>
<source>Float or dock</source>
<translation>Lösen oder andocken</translation>
</message>
<message>
<source>Hide</source>
<translation>Ausblenden</translation>
</message>
<message>
<source>Fold the side with &quot;%1&quot;</source>
<translation>Seite mit „%1“ einklappen</translation>
</message>
<message>
<source>Fold this side of the window to make room for the analysis</source>
<translation>Diese Fensterseite einklappen, um Platz für die Analyse zu schaffen</translation>
</message>
</context>
<context>
<name>headscope::widgets::ColorMap</name>
<message>
<source>viridis</source>
<translation>viridis</translation>
</message>
<message>
<source>cividis</source>
<translation>cividis</translation>
</message>
<message>
<source>blue-white-red</source>
<translation>blau-weiß-rot</translation>
</message>
</context>
<context>
<name>headscope::widgets::ContinuationText</name>
<message>
<source>Continuation of model A</source>
<translation>Fortsetzung von Modell A</translation>
</message>
<message>
<source>Continuation of model B</source>
<translation>Fortsetzung von Modell B</translation>
</message>
<message>
<source>Arrow keys move from token to token and show the alternatives.</source>
<translation>Die Pfeiltasten gehen von Token zu Token und zeigen die Alternativen.</translation>
</message>
<message>
<source>&lt;b&gt;Token %1&lt;/b&gt;: probability %2</source>
<translation>&lt;b&gt;Token %1&lt;/b&gt;: Wahrscheinlichkeit %2</translation>
</message>
<message>
<source>The model&apos;s continuation of the prompt, with heads ablated as in the head map. The stronger the shade of a token, the less certain the model was. Point at a token to see the alternatives.</source>
<translation>Die Fortsetzung des Prompts durch das Modell, ohne die in der Kopfkarte ausgeschalteten Köpfe. Je stärker ein Token getönt ist, desto unsicherer war das Modell. Zeigen Sie auf ein Token, um die Alternativen zu sehen.</translation>
</message>
</context>
<context>
<name>headscope::widgets::ContinuationView</name>
<message>
<source>Continuation</source>
<translation>Fortsetzung</translation>
</message>
<message>
<source>Tokens to add</source>
<translation>Neue Token</translation>
</message>
<message>
<source>Maximum number of tokens to add</source>
<translation>Höchstzahl neuer Token</translation>
</message>
<message>
<source>Close</source>
<translation>Schließen</translation>
</message>
<message>
<source>Close the continuation</source>
<translation>Die Fortsetzung schließen</translation>
</message>
<message>
<source>append to prompt</source>
<translation>an den Prompt anhängen</translation>
</message>
<message>
<source>Append this text to the prompt</source>
<translation>Diesen Text an den Prompt hängen</translation>
</message>
<message>
<source>Append the continuation of A to the prompt</source>
<translation>Die Fortsetzung von A an den Prompt anhängen</translation>
</message>
<message>
<source>Append the continuation of B to the prompt</source>
<translation>Die Fortsetzung von B an den Prompt anhängen</translation>
</message>
<message>
<source>A continues</source>
<translation>A setzt fort</translation>
</message>
<message>
<source>B continues</source>
<translation>B setzt fort</translation>
</message>
<message>
<source>Stop</source>
<translation>Anhalten</translation>
</message>
<message>
<source>Again</source>
<translation>Noch einmal</translation>
</message>
<message>
<source>Stop; the text so far is kept</source>
<translation>Anhalten; der bisherige Text bleibt erhalten</translation>
</message>
<message>
<source>Continue the prompt again (Ctrl+Return)</source>
<translation>Den Prompt noch einmal fortsetzen (Strg+Eingabe)</translation>
</message>
<message>
<source>Stop the continuation</source>
<translation>Die Fortsetzung anhalten</translation>
</message>
<message>
<source>Continue the prompt again</source>
<translation>Den Prompt noch einmal fortsetzen</translation>
</message>
<message>
<source>append as it appears</source>
<translation>beim Erscheinen anhängen</translation>
</message>
<message>
<source>Append each token to the prompt as it appears, so that it becomes a row of the maps; where two models are open, the chosen one continues</source>
<translation>Jedes Token an den Prompt hängen, sobald es erscheint, sodass es eine Zeile der Karten wird; sind zwei Modelle geöffnet, setzt das gewählte fort</translation>
</message>
</context>
<context>
<name>headscope::widgets::ConversationView</name>
<message>
<source>Conversation</source>
<translation>Gespräch</translation>
</message>
<message>
<source>Add turn</source>
<translation>Neuer Beitrag</translation>
</message>
<message>
<source>Add a turn at the end of the conversation</source>
<translation>Am Ende des Gesprächs einen Beitrag hinzufügen</translation>
</message>
<message>
<source>Tokens of an answer</source>
<translation>Token einer Antwort</translation>
</message>
<message>
<source>Maximum number of tokens of an answer</source>
<translation>Höchstzahl der Token einer Antwort</translation>
</message>
<message>
<source>Stop</source>
<translation>Anhalten</translation>
</message>
<message>
<source>Stop the answer</source>
<translation>Die Antwort anhalten</translation>
</message>
<message>
<source>Stop; the text so far is kept</source>
<translation>Anhalten; der bisherige Text bleibt erhalten</translation>
</message>
<message>
<source>Let model A write the assistant&apos;s next turn, or the rest of it</source>
<translation>Modell A den nächsten Beitrag des Assistenten schreiben oder zu Ende schreiben lassen</translation>
</message>
<message>
<source>Let model B write the assistant&apos;s next turn, or the rest of it</source>
<translation>Modell B den nächsten Beitrag des Assistenten schreiben oder zu Ende schreiben lassen</translation>
</message>
<message>
<source>Answer</source>
<translation>Antworten</translation>
</message>
<message>
<source>Answer with A</source>
<translation>A antwortet</translation>
</message>
<message>
<source>Answer with B</source>
<translation>B antwortet</translation>
</message>
</context>
<context>
<name>headscope::widgets::CostView</name>
<message>
<source>Scores of the ablation</source>
<translation>Ergebnisse der Ablation</translation>
</message>
<message>
<source>%L1 of %L2 examples</source>
<translation>%L1 von %L2 Beispielen</translation>
</message>
<message>
<source>decided · %1</source>
<translation>entschieden · %1</translation>
</message>
<message>
<source>undecided · %1</source>
<translation>unentschieden · %1</translation>
</message>
<message>
<source>waiting</source>
<translation>wartet</translation>
</message>
<message>
<source>%1 examples</source>
<translation>%1 Beispiele</translation>
</message>
<message>
<source>no change seen (n = %1)</source>
<translation>keine Änderung zu sehen (n = %1)</translation>
</message>
<message>
<source>%L1 of %L2 now wrong</source>
<translation>%L1 von %L2 nun falsch</translation>
</message>
<message>
<source>%L1 now right</source>
<translation>%L1 nun richtig</translation>
</message>
<message>
<source>%L1 now wrong</source>
<translation>%L1 nun falsch</translation>
</message>
<message>
<source>%L1 of %L2 now right</source>
<translation>%L1 von %L2 nun richtig</translation>
</message>
<message>
<source>first · %1</source>
<translation>zuerst · %1</translation>
</message>
<message>
<source>%1 merged</source>
<translation>%1 verschmolzen</translation>
</message>
<message>
<source>One row per benchmark, from the baseline (open dot) to now (filled dot), with the 95 % interval and, if a task has options, a dotted tick at guessing. Red: worse, green: better by the paired test on the same examples; grey: no change seen.</source>
<translation>Eine Zeile je Benchmark, vom Ausgangswert (offener Punkt) bis jetzt (voller Punkt), mit dem 95-%-Intervall und, wenn eine Aufgabe Optionen hat, einem gepunkteten Strich bei Raten. Rot: schlechter, grün: besser nach dem gepaarten Test auf denselben Beispielen; grau: keine Änderung zu sehen.</translation>
</message>
</context>
<context>
<name>headscope::widgets::EdgeGraph</name>
<message>
<source>Edges as a graph; the table beside it has the same</source>
<translation>Kanten als Graph; die Tabelle daneben hat dieselben</translation>
</message>
<message>
<source>Layers go from the top down. The thickness of an edge is its effect alone (1 is the other run); dashed edges are negative. Click an edge for its numbers, double-click a head to trace it.</source>
<translation>Die Schichten gehen von oben nach unten. Die Dicke einer Kante ist ihre Wirkung allein (1 ist der andere Lauf); gestrichelte Kanten sind negativ. Ein Klick auf eine Kante zeigt ihre Zahlen, ein Doppelklick auf einen Kopf verfolgt ihn.</translation>
</message>
<message>
<source>%L1 of %L2 edges</source>
<translation>%L1 von %L2 Kanten</translation>
</message>
<message>
<source>%1 into %2: effect %3</source>
<translation>%1 in %2: Wirkung %3</translation>
</message>
<message>
<source> (95 % interval %1 to %2)</source>
<translation> (95-%-Intervall %1 bis %2)</translation>
</message>
<message>
<source>, logit difference %1.</source>
<translation>, Logit-Differenz %1.</translation>
</message>
<message>
<source>from</source>
<translation>von</translation>
</message>
<message>
<source>into</source>
<translation>nach</translation>
</message>
<message>
<source>share</source>
<translation>Anteil</translation>
</message>
<message>
<source>95 % low</source>
<translation>95 % von</translation>
</message>
<message>
<source>95 % high</source>
<translation>95 % bis</translation>
</message>
<message>
<source>logits</source>
<translation>Logits</translation>
</message>
</context>
<context>
<name>headscope::widgets::EdgePage</name>
<message>
<source>&amp;Trace</source>
<translation>&amp;Verfolgen</translation>
</message>
<message>
<source>Which edges</source>
<translation>Welche Kanten</translation>
</message>
<message>
<source>inputs and outputs</source>
<translation>Ein- und Ausgänge</translation>
</message>
<message>
<source>inputs</source>
<translation>Eingänge</translation>
</message>
<message>
<source>outputs</source>
<translation>Ausgänge</translation>
</message>
<message>
<source>Weakest edge shown</source>
<translation>Schwächste gezeigte Kante</translation>
</message>
<message>
<source>from %1</source>
<translation>ab %1</translation>
</message>
</context>
<context>
<name>headscope::widgets::EdgeView</name>
<message>
<source>&amp;Around:</source>
<translation>&amp;Um:</translation>
</message>
<message>
<source>Head or part whose edges are shown</source>
<translation>Kopf oder Teil, dessen Kanten gezeigt werden</translation>
</message>
<message>
<source>A head such as L2H5, an MLP such as L1.mlp, embed or logits</source>
<translation>Ein Kopf wie L2H5, ein MLP wie L1.mlp, embed oder logits</translation>
</message>
<message>
<source>Save …</source>
<translation>Speichern …</translation>
</message>
</context>
<context>
<name>headscope::widgets::ExercisePart</name>
<message>
<source>Save this answer</source>
<translation>Antwort speichern</translation>
</message>
<message>
<source>Your answer</source>
<translation>Ihre Antwort</translation>
</message>
<message>
<source>Your answer, in a sentence or two</source>
<translation>Ihre Antwort, in ein, zwei Sätzen</translation>
</message>
<message>
<source>now: %1</source>
<translation>jetzt: %1</translation>
</message>
<message>
<source>not measured yet</source>
<translation>noch nicht gemessen</translation>
</message>
<message>
<source>holds</source>
<translation>gilt</translation>
</message>
<message>
<source>does not hold yet</source>
<translation>gilt noch nicht</translation>
</message>
</context>
<context>
<name>headscope::widgets::ExpertPage</name>
<message>
<source>&amp;Layer:</source>
<translation>&amp;Schicht:</translation>
</message>
<message>
<source>Layer whose experts are shown</source>
<translation>Schicht, deren Experten gezeigt werden</translation>
</message>
<message>
<source>&amp;Experts by:</source>
<translation>&amp;Experten nach:</translation>
</message>
<message>
<source>Order of the experts</source>
<translation>Reihenfolge der Experten</translation>
</message>
<message>
<source>number</source>
<translation>Nummer</translation>
</message>
<message>
<source>number of tokens</source>
<translation>Zahl der Token</translation>
</message>
</context>
<context>
<name>headscope::widgets::ExpertView</name>
<message>
<source>Save …</source>
<translation>Speichern …</translation>
</message>
<message>
<source>Tokens and their experts</source>
<translation>Token und ihre Experten</translation>
</message>
<message>
<source>One row per token, one column per expert: the colour shows the router&apos;s weight; empty cells are experts that the token is not sent to. The number above an expert counts its tokens. Click an expert, or press Space, to ablate or restore it. A frame marks where a token goes because of the ablation, a dashed frame where it went before.</source>
<translation>Eine Zeile je Token, eine Spalte je Experte: Die Farbe zeigt das Gewicht des Routers; leere Zellen sind Experten, an die das Token nicht geht. Die Zahl über einem Experten zählt seine Token. Ein Klick auf einen Experten oder die Leertaste schaltet ihn aus oder stellt ihn wieder her. Ein Rahmen markiert, wohin ein Token wegen der Ablation geht, ein gestrichelter, wohin es vorher ging.</translation>
</message>
<message>
<source>Ablate this expert or &amp;restore it</source>
<translation>Diesen Experten ausschalten oder &amp;wiederherstellen</translation>
</message>
</context>
<context>
<name>headscope::widgets::Figure</name>
<message>
<source>One column, 85 mm</source>
<translation>Eine Spalte, 85 mm</translation>
</message>
<message>
<source>Two columns, 175 mm</source>
<translation>Zwei Spalten, 175 mm</translation>
</message>
<message>
<source>Slide, 16:9</source>
<translation>Folie, 16:9</translation>
</message>
<message>
<source>Poster, 400 mm</source>
<translation>Poster, 400 mm</translation>
</message>
</context>
<context>
<name>headscope::widgets::FigureDialog</name>
<message>
<source>Figure for a paper or a talk</source>
<translation>Grafik für Paper oder Vortrag</translation>
</message>
<message>
<source>custom size</source>
<translation>eigene Größe</translation>
</message>
<message>
<source>Size</source>
<translation>Größe</translation>
</message>
<message>
<source>mm</source>
<translation>mm</translation>
</message>
<message>
<source>Width</source>
<translation>Breite</translation>
</message>
<message>
<source>Height</source>
<translation>Höhe</translation>
</message>
<message>
<source>as needed</source>
<translation>nach Bedarf</translation>
</message>
<message>
<source>pt</source>
<translation>pt</translation>
</message>
<message>
<source>Font size</source>
<translation>Schriftgröße</translation>
</message>
<message>
<source>DejaVu Sans, the same everywhere</source>
<translation>DejaVu Sans, überall gleich</translation>
</message>
<message>
<source>Font</source>
<translation>Schriftart</translation>
</message>
<message>
<source>light</source>
<translation>hell</translation>
</message>
<message>
<source>dark</source>
<translation>dunkel</translation>
</message>
<message>
<source>transparent</source>
<translation>durchsichtig</translation>
</message>
<message>
<source>Background</source>
<translation>Hintergrund</translation>
</message>
<message>
<source>Scale of maps</source>
<translation>Skala der Karten</translation>
</message>
<message>
<source>Colours of maps</source>
<translation>Farben der Karten</translation>
</message>
<message>
<source>Maps</source>
<translation>Karten</translation>
</message>
<message>
<source>first token excluded from the scale</source>
<translation>erstes Token nicht in der Skala</translation>
</message>
<message>
<source>segments</source>
<translation>Abschnitte</translation>
</message>
<message>
<source>colour bar</source>
<translation>Farbbalken</translation>
</message>
<message>
<source>as many as fit</source>
<translation>möglichst viele</translation>
</message>
<message>
<source>none</source>
<translation>keine</translation>
</message>
<message>
<source>every k-th</source>
<translation>jedes k-te</translation>
</message>
<message>
<source>Token labels</source>
<translation>Namen der Token</translation>
</message>
<message>
<source>Tokens per label</source>
<translation>Token je Beschriftung</translation>
</message>
<message>
<source>Tokens</source>
<translation>Token</translation>
</message>
<message>
<source>a, b, c</source>
<translation>a, b, c</translation>
</message>
<message>
<source>Columns</source>
<translation>Spalten</translation>
</message>
<message>
<source>Title</source>
<translation>Titel</translation>
</message>
<message>
<source>Caption</source>
<translation>Bildunterschrift</translation>
</message>
<message>
<source>print what was measured</source>
<translation>drucken, was gemessen wurde</translation>
</message>
<message>
<source>PNG dpi</source>
<translation>PNG dpi</translation>
</message>
<message>
<source>true size</source>
<translation>wahre Größe</translation>
</message>
<message>
<source>half</source>
<translation>halb</translation>
</message>
<message>
<source>double</source>
<translation>doppelt</translation>
</message>
<message>
<source>fit</source>
<translation>einpassen</translation>
</message>
<message>
<source>Size of the preview</source>
<translation>Größe der Vorschau</translation>
</message>
<message>
<source>Copy picture</source>
<translation>Bild kopieren</translation>
</message>
<message>
<source>PNG, SVG and numbers on the clipboard</source>
<translation>PNG, SVG und Zahlen in der Zwischenablage</translation>
</message>
<message>
<source>Copy text</source>
<translation>Text kopieren</translation>
</message>
<message>
<source>Numbers as CSV, LaTeX or Markdown</source>
<translation>Zahlen als CSV, LaTeX oder Markdown</translation>
</message>
<message>
<source>CSV</source>
<translation>CSV</translation>
</message>
<message>
<source>LaTeX (booktabs)</source>
<translation>LaTeX (booktabs)</translation>
</message>
<message>
<source>Markdown</source>
<translation>Markdown</translation>
</message>
<message>
<source>Store in the session …</source>
<translation>In der Sitzung speichern …</translation>
</message>
<message>
<source>Store the recipe; headscope-cli figure draws it again</source>
<translation>Rezept speichern; headscope-cli figure zeichnet die Grafik erneut</translation>
</message>
<message>
<source>Forget</source>
<translation>Vergessen</translation>
</message>
<message>
<source>Remove this figure from the session</source>
<translation>Diese Grafik aus der Sitzung entfernen</translation>
</message>
<message>
<source>Save as …</source>
<translation>Speichern unter …</translation>
</message>
<message>
<source>PDF, SVG, PNG, CSV, LaTeX or Markdown</source>
<translation>PDF, SVG, PNG, CSV, LaTeX oder Markdown</translation>
</message>
<message>
<source>Close</source>
<translation>Schließen</translation>
</message>
<message>
<source>Back to the window</source>
<translation>Zurück zum Fenster</translation>
</message>
<message>
<source>Copied.</source>
<translation>Kopiert.</translation>
</message>
<message>
<source>Saved %1</source>
<translation>%1 gespeichert</translation>
</message>
<message>
<source>Save the figure</source>
<translation>Die Grafik speichern</translation>
</message>
<message>
<source>Figures and their numbers (*.pdf *.svg *.png *.csv *.tex *.md)</source>
<translation>Grafiken und ihre Zahlen (*.pdf *.svg *.png *.csv *.tex *.md)</translation>
</message>
<message>
<source>The session has another figure named %1. Replace it?</source>
<translation>Die Sitzung enthält schon eine andere Grafik mit dem Namen %1. Soll sie ersetzt werden?</translation>
</message>
<message>
<source>Name of the figure in the session</source>
<translation>Name der Grafik in der Sitzung</translation>
</message>
<message>
<source>signed maps blue-white-red, not for grey print</source>
<translation>Karten mit Vorzeichen blau-weiß-rot, nicht für Graudruck</translation>
</message>
<message>
<source>Lines of a chart, at most</source>
<translation>Linien eines Diagramms, höchstens</translation>
</message>
<message>
<source>Lines</source>
<translation>Linien</translation>
</message>
<message>
<source>all, or names separated by ;</source>
<translation>alle, oder Namen mit ; getrennt</translation>
</message>
<message>
<source>Models of a chart or table</source>
<translation>Modelle eines Diagramms oder einer Tabelle</translation>
</message>
<message>
<source>those that differ most; or L2H5; L1H3 L2H5</source>
<translation>die sich am meisten unterscheiden; oder L2H5; L1H3 L2H5</translation>
</message>
<message>
<source>States of a chart or table</source>
<translation>Zustände eines Diagramms oder einer Tabelle</translation>
</message>
<message>
<source>Models</source>
<translation>Modelle</translation>
</message>
<message>
<source>States</source>
<translation>Zustände</translation>
</message>
<message>
<source>Preview</source>
<translation>Vorschau</translation>
</message>
<message>
<source>Compose several figures</source>
<translation>Mehrere Grafiken zusammenstellen</translation>
</message>
<message>
<source>Combines two to four of the figures below as parts a to d; starts with those on the screen, or with the parts of the stored composition that is shown</source>
<translation>Fasst zwei bis vier der Grafiken unten als Teile a bis d zusammen; beginnt mit denen auf dem Bildschirm oder mit den Teilen der gespeicherten Zusammenstellung, die gezeigt wird</translation>
</message>
<message>
<source>A composed figure has at most four parts; remove one first.</source>
<translation>Eine zusammengestellte Grafik hat höchstens vier Teile; zuerst einen entfernen.</translation>
</message>
</context>
<context>
<name>headscope::widgets::FigureGallery</name>
<message>
<source>What to draw</source>
<translation>Was gezeichnet wird</translation>
</message>
</context>
<context>
<name>headscope::widgets::FigurePreview</name>
<message>
<source>Preview of the figure</source>
<translation>Vorschau der Grafik</translation>
</message>
</context>
<context>
<name>headscope::widgets::Finder</name>
<message>
<source>A command, a head (L2H5), a task, a run or a token …</source>
<translation>Ein Befehl, ein Kopf (L2H5), eine Aufgabe, ein Lauf oder ein Token …</translation>
</message>
<message>
<source>Find</source>
<translation>Finden</translation>
</message>
<message>
<source>Results</source>
<translation>Treffer</translation>
</message>
<message>
<source>Nothing found. Try a command, a head such as L2H5, a task or a token.</source>
<translation>Nichts gefunden. Versuchen Sie einen Befehl, einen Kopf wie L2H5, eine Aufgabe oder ein Token.</translation>
</message>
</context>
<context>
<name>headscope::widgets::FlipsModel</name>
<message>
<source>reading …</source>
<translation>wird gelesen …</translation>
</message>
<message>
<source>, now wrong</source>
<translation>, nun falsch</translation>
</message>
<message>
<source>, now right</source>
<translation>, nun richtig</translation>
</message>
<message>
<source>example, choices</source>
<translation>Beispiel, Optionen</translation>
</message>
<message>
<source>baseline</source>
<translation>Ausgangswert</translation>
</message>
<message>
<source>now</source>
<translation>jetzt</translation>
</message>
<message>
<source>other</source>
<translation>andere</translation>
</message>
<message>
<source>, as before</source>
<translation>, wie zuvor</translation>
</message>
</context>
<context>
<name>headscope::widgets::FlipsView</name>
<message>
<source>Changed answers</source>
<translation>Geänderte Antworten</translation>
</message>
<message>
<source>Changes to list</source>
<translation>Gezeigte Änderungen</translation>
</message>
<message>
<source>all</source>
<translation>alle</translation>
</message>
<message>
<source>now wrong</source>
<translation>nun falsch</translation>
</message>
<message>
<source>now right</source>
<translation>nun richtig</translation>
</message>
<message>
<source>%1: %2 now wrong, %3 now right</source>
<translation>%1: %2 nun falsch, %3 nun richtig</translation>
</message>
<message>
<source>every example</source>
<translation>alle Beispiele</translation>
</message>
</context>
<context>
<name>headscope::widgets::GridHeader</name>
<message>
<source>Rows</source>
<translation>Zeilen</translation>
</message>
<message>
<source>Columns</source>
<translation>Spalten</translation>
</message>
</context>
<context>
<name>headscope::widgets::GridModel</name>
<message>
<source>%1, columns %2 to %3: zoom in to read them</source>
<translation>%1, Spalten %2 bis %3: zum Lesen vergrößern</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadCardDialog</name>
<message>
<source>Head %1</source>
<translation>Kopf %1</translation>
</message>
<message>
<source>What this head does</source>
<translation>Was dieser Kopf tut</translation>
</message>
<message>
<source>&amp;Save…</source>
<translation>&amp;Speichern…</translation>
</message>
<message>
<source>Save the head</source>
<translation>Kopf speichern</translation>
</message>
<message>
<source>Pages (*.html *.pdf)</source>
<translation>Seiten (*.html *.pdf)</translation>
</message>
<message>
<source>The file could not be written; the earlier file is unchanged.</source>
<translation>Die Datei konnte nicht geschrieben werden; die frühere Datei ist unverändert.</translation>
</message>
<message>
<source>label above </source>
<translation>Bezeichnung ab </translation>
</message>
<message>
<source>Score above which a head gets a label</source>
<translation>Wert, ab dem ein Kopf eine Bezeichnung bekommt</translation>
</message>
<message>
<source>Click a place to make it the prompt.</source>
<translation>Ein Klick auf eine Stelle macht sie zum Prompt.</translation>
</message>
<message>
<source>Losses of each benchmark and of the next tokens of these texts without this head</source>
<translation>Verluste jedes Benchmarks und der nächsten Token dieser Texte ohne diesen Kopf</translation>
</message>
<message>
<source>Measuring…</source>
<translation>Wird gemessen…</translation>
</message>
<message>
<source>&amp;Ablation cost</source>
<translation>&amp;Ablationskosten</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadMapHeader</name>
<message>
<source>Layers</source>
<translation>Schichten</translation>
</message>
<message>
<source>Heads</source>
<translation>Köpfe</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadMapModel</name>
<message>
<source>≈ %1 (estimate)</source>
<translation>≈ %1 (Schätzung)</translation>
</message>
<message>
<source>, off</source>
<translation>, aus</translation>
</message>
<message>
<source>, partly ablated</source>
<translation>, teilweise ausgeschaltet</translation>
</message>
<message>
<source>, changed in part</source>
<translation>, teilweise verändert</translation>
</message>
<message>
<source>gather head</source>
<translation>Gather-Kopf</translation>
</message>
<message>
<source>aggregate head</source>
<translation>Aggregate-Kopf</translation>
</message>
<message>
<source>attention</source>
<translation>Attention</translation>
</message>
<message>
<source>SSM, hidden attention</source>
<translation>SSM, verborgene Attention</translation>
</message>
<message>
<source>not measured</source>
<translation>nicht gemessen</translation>
</message>
<message>
<source>%1 channels; the strongest decides the colour</source>
<translation>%1 Kanäle; der stärkste bestimmt die Farbe</translation>
</message>
<message>
<source>Layer %1: click to ablate or restore all heads</source>
<translation>Schicht %1: Ein Klick schaltet alle Köpfe aus oder stellt sie wieder her</translation>
</message>
<message>
<source>ablated: zero before the output projection</source>
<translation>ausgeschaltet: null vor der Ausgabeprojektion</translation>
</message>
<message>
<source>ablated: zero after any gate and norm, before the output projection</source>
<translation>ausgeschaltet: null nach Gate und Norm (falls vorhanden), vor der Ausgabeprojektion</translation>
</message>
<message>
<source>ablated: zero after the gate, before the output projection</source>
<translation>ausgeschaltet: null nach dem Gate, vor der Ausgabeprojektion</translation>
</message>
<message>
<source>changed at some tokens only, or by a factor</source>
<translation>nur an einigen Token verändert, oder um einen Faktor</translation>
</message>
<message>
<source>ablated</source>
<translation>ausgeschaltet</translation>
</message>
<message>
<source>%1 of %2 ablated</source>
<translation>%1 von %2 ausgeschaltet</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadMapOverview</name>
<message>
<source>Overview of the head map</source>
<translation>Übersicht der Kopfkarte</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadMapPanel</name>
<message>
<source>Heads of model A</source>
<translation>Köpfe von Modell A</translation>
</message>
<message>
<source>Heads of model B</source>
<translation>Köpfe von Modell B</translation>
</message>
<message>
<source>Colour of the heads</source>
<translation>Farbe der Köpfe</translation>
</message>
<message>
<source>Choose a model above.</source>
<translation>Wählen Sie oben ein Modell.</translation>
</message>
<message>
<source>Sort each layer by strength; cells show head numbers</source>
<translation>Jede Schicht nach Stärke sortieren; die Zellen zeigen Kopfnummern</translation>
</message>
<message>
<source>Drag to hide weaker heads; double-click to show all</source>
<translation>Ziehen blendet schwächere Köpfe aus; ein Doppelklick zeigt alle</translation>
</message>
<message>
<source>How many heads</source>
<translation>Wie viele Köpfe</translation>
</message>
<message>
<source>Seed of the random heads</source>
<translation>Startwert der zufälligen Köpfe</translation>
</message>
<message>
<source>column of a file …</source>
<translation>Spalte einer Datei …</translation>
</message>
<message>
<source>Ablate top</source>
<translation>ausschalten</translation>
</message>
<message>
<source>Ablate the top N heads by the current metric (Ctrl+T)</source>
<translation>Die ersten N Köpfe nach der gewählten Größe ausschalten (Strg+T)</translation>
</message>
<message>
<source>random</source>
<translation>Zufall</translation>
</message>
<message>
<source>Ablate the same number of random heads as a control; the same seed gives the same heads (Ctrl+Shift+T)</source>
<translation>Zur Kontrolle ebenso viele zufällige Köpfe ausschalten; derselbe Startwert wählt dieselben Köpfe (Strg+Umschalt+T)</translation>
</message>
<message>
<source>all %1 channels on</source>
<translation>alle %1 Kanäle an</translation>
</message>
<message>
<source>all %1 heads on</source>
<translation>alle %1 Köpfe an</translation>
</message>
<message>
<source>Click: look only · Ctrl+click: ablate or restore</source>
<translation>Klick: nur ansehen · Strg+Klick: ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>Click: ablate or restore · Ctrl+click: look only</source>
<translation>Klick: ausschalten oder wiederherstellen · Strg+Klick: nur ansehen</translation>
</message>
<message>
<source>drag: select · K: keep only the selection</source>
<translation>Ziehen: auswählen · K: nur die Auswahl behalten</translation>
</message>
<message>
<source>%1 of %2 ablated</source>
<translation>%1 von %2 ausgeschaltet</translation>
</message>
<message>
<source>, %1 in part</source>
<translation>, %1 teilweise</translation>
</message>
<message>
<source>all on</source>
<translation>alle an</translation>
</message>
<message>
<source>%1 ablated</source>
<translation>%1 ausgeschaltet</translation>
</message>
<message>
<source>%1 off</source>
<translation>%1 aus</translation>
</message>
<message>
<source>%1 changed in part</source>
<translation>%1 teilweise verändert</translation>
</message>
<message>
<source>%1 in part</source>
<translation>%1 teilweise</translation>
</message>
<message>
<source>%1 changed</source>
<translation>%1 anders</translation>
</message>
<message>
<source>no model</source>
<translation>kein Modell</translation>
</message>
<message>
<source>Sort the heads of each layer</source>
<translation>Köpfe jeder Schicht sortieren</translation>
</message>
<message>
<source>Ablate several heads</source>
<translation>Mehrere Köpfe ausschalten</translation>
</message>
<message>
<source>Ablate the top heads, or as many random ones</source>
<translation>Schaltet die stärksten Köpfe aus oder ebenso viele zufällige</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadMapView</name>
<message>
<source>Head map</source>
<translation>Kopfkarte</translation>
</message>
<message>
<source>Keep only the selection</source>
<translation>Nur die Auswahl behalten</translation>
</message>
<message>
<source>Replace the output by zero</source>
<translation>Die Ausgabe durch null ersetzen</translation>
</message>
<message>
<source>Replace the output by its mean</source>
<translation>Die Ausgabe durch ihr Mittel ersetzen</translation>
</message>
<message>
<source>Replace the output by that of another prompt</source>
<translation>Die Ausgabe durch die eines anderen Prompts ersetzen</translation>
</message>
<message>
<source>Open or close this block of channels</source>
<translation>Diesen Block von Kanälen öffnen oder schließen</translation>
</message>
<message>
<source>Name this head …</source>
<translation>Diesen Kopf benennen …</translation>
</message>
<message>
<source>Copy the name</source>
<translation>Namen kopieren</translation>
</message>
<message>
<source>Mark with a colour</source>
<translation>Mit einer Farbe markieren</translation>
</message>
<message>
<source>orange</source>
<translation>orange</translation>
</message>
<message>
<source>sky blue</source>
<translation>himmelblau</translation>
</message>
<message>
<source>green</source>
<translation>grün</translation>
</message>
<message>
<source>blue</source>
<translation>blau</translation>
</message>
<message>
<source>vermilion</source>
<translation>zinnoberrot</translation>
</message>
<message>
<source>purple</source>
<translation>purpur</translation>
</message>
<message>
<source>no colour</source>
<translation>keine Farbe</translation>
</message>
<message>
<source>Ablate this head or restore it</source>
<translation>Diesen Kopf ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>Ablate the selection or restore it</source>
<translation>Die Auswahl ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>Ablate the whole layer or restore it</source>
<translation>Die ganze Schicht ausschalten oder wiederherstellen</translation>
</message>
<message>
<source>Ablate at the last token only</source>
<translation>Nur am letzten Token ausschalten</translation>
</message>
<message>
<source>Layers from top to bottom, heads from left to right. Click a head to ablate or restore it, Ctrl+click to view it only. Drag to select, Alt+drag to select with a lasso, Shift+click to extend. K keeps only the selection, Space ablates the current head, Enter opens a block of channels. Ctrl+wheel zooms, the middle button moves the map.</source>
<translation>Schichten von oben nach unten, Köpfe von links nach rechts. Ein Klick schaltet einen Kopf aus oder stellt ihn wieder her, Strg+Klick zeigt ihn nur, Ziehen wählt aus, Alt+Ziehen wählt in einer Schlinge aus, Umschalt+Klick erweitert, K behält nur die Auswahl, die Leertaste schaltet den jetzigen Kopf aus, Eingabe öffnet einen Block von Kanälen. Strg+Rad vergrößert, die mittlere Taste verschiebt die Karte.</translation>
</message>
<message>
<source>Zoom in</source>
<translation>Vergrößern</translation>
</message>
<message>
<source>Zoom out</source>
<translation>Verkleinern</translation>
</message>
<message>
<source>Fit the map</source>
<translation>Ganze Karte</translation>
</message>
<message>
<source>What this head does on many texts</source>
<translation>Was dieser Kopf auf vielen Texten tut</translation>
</message>
</context>
<context>
<name>headscope::widgets::HeadStrip</name>
<message>
<source>Thumbnails of the heads</source>
<translation>Miniaturen der Köpfe</translation>
</message>
<message>
<source>%1, off</source>
<translation>%1, aus</translation>
</message>
</context>
<context>
<name>headscope::widgets::JobStrip</name>
<message>
<source>Stop; finished work is kept</source>
<translation>Anhalten; Fertiges bleibt erhalten</translation>
</message>
<message>
<source>stopping…</source>
<translation>hält an …</translation>
</message>
<message>
<source>paused</source>
<translation>pausiert</translation>
</message>
<message>
<source>%1 %2/s</source>
<translation>%1 %2/s</translation>
</message>
<message>
<source>Stop %1</source>
<translation>%1 anhalten</translation>
</message>
<message>
<source>Continue %1</source>
<translation>%1 fortsetzen</translation>
</message>
<message>
<source>Pause %1</source>
<translation>%1 pausieren</translation>
</message>
<message>
<source>Continue</source>
<translation>Fortsetzen</translation>
</message>
<message>
<source>Pause</source>
<translation>Pause</translation>
</message>
</context>
<context>
<name>headscope::widgets::KnockoutDialog</name>
<message>
<source>First blocked query</source>
<translation>Erste gesperrte Query</translation>
</message>
<message>
<source>Last blocked query</source>
<translation>Letzte gesperrte Query</translation>
</message>
<message>
<source>First blocked key</source>
<translation>Erster gesperrter Key</translation>
</message>
<message>
<source>Last blocked key</source>
<translation>Letzter gesperrter Key</translation>
</message>
<message>
<source>First layer</source>
<translation>Erste Schicht</translation>
</message>
<message>
<source>Last layer</source>
<translation>Letzte Schicht</translation>
</message>
<message>
<source>Block attention</source>
<translation>Attention sperren</translation>
</message>
<message>
<source>Scores follow, as with any ablation: attention is blocked at the same positions in every example of a benchmark.</source>
<translation>Die Ergebnisse folgen wie bei jeder Ablation: Die Attention ist in jedem Beispiel eines Benchmarks an denselben Positionen gesperrt.</translation>
</message>
<message>
<source>&amp;Knock out</source>
<translation>&amp;Sperren</translation>
</message>
<message>
<source>to</source>
<translation>bis</translation>
</message>
<message>
<source>&amp;Tokens</source>
<translation>&amp;Token</translation>
</message>
<message>
<source>stop &amp;reading</source>
<translation>&amp;lesen nicht mehr</translation>
</message>
<message>
<source>Where</source>
<translation>Wo</translation>
</message>
<message>
<source>in %1</source>
<translation>in %1</translation>
</message>
<message>
<source>in every head of layer %1</source>
<translation>in jedem Kopf von Schicht %1</translation>
</message>
<message>
<source>in every head of these layers</source>
<translation>in jedem Kopf dieser Schichten</translation>
</message>
<message>
<source>in every head of the model</source>
<translation>in jedem Kopf des Modells</translation>
</message>
<message>
<source>How</source>
<translation>Wie</translation>
</message>
<message>
<source>before the softmax: the rest sums to 1</source>
<translation>vor dem Softmax: der Rest ergibt 1</translation>
</message>
<message>
<source>after the softmax: the entries become zero</source>
<translation>nach dem Softmax: die Einträge werden null</translation>
</message>
<message>
<source>Entries of SSM heads become zero; they have no softmax.</source>
<translation>Einträge von SSM-Köpfen werden null; sie haben keinen Softmax.</translation>
</message>
<message>
<source>A span ends before it begins; expected the lower number first.</source>
<translation>Eine Spanne endet, bevor sie beginnt; die kleinere Zahl steht zuerst.</translation>
</message>
<message>
<source>The spans %1 to %2 and %3 to %4 overlap; expected tokens to be read that end before token %1, the first that reads.</source>
<translation>Die Spannen %1 bis %2 und %3 bis %4 überlappen sich; was gelesen wird, muss vor Token %1 enden, dem ersten, das liest.</translation>
</message>
<message>
<source>Token %1 follows token %2 and is never read by it; expected earlier tokens.</source>
<translation>Token %1 folgt auf Token %2 und wird von ihm nie gelesen; erwartet werden frühere Token.</translation>
</message>
<message>
<source>The last layer is before the first; expected the lower number first.</source>
<translation>Die letzte Schicht liegt vor der ersten; erwartet wird die kleinere Zahl zuerst.</translation>
</message>
</context>
<context>
<name>headscope::widgets::KvChart</name>
<message>
<source>KV retrieval against dictionary size</source>
<translation>KV-Retrieval gegen Wörterbuchgröße</translation>
</message>
<message>
<source>pairs in the dictionary</source>
<translation>Paare im Wörterbuch</translation>
</message>
<message>
<source>accuracy</source>
<translation>Genauigkeit</translation>
</message>
<message>
<source>Accuracy of KV retrieval as the dictionary grows. Measured after the scores.</source>
<translation>Genauigkeit des KV-Retrievals bei wachsendem Wörterbuch. Wird nach den Benchmarks gemessen.</translation>
</message>
<message>
<source>Accuracy of KV retrieval as the dictionary in the prompt grows. Solid: all heads on; dashed: with heads ablated; dotted: guessing, if a task has options. Bars: 95 % intervals (Wilson). Click a name below to hide its line.</source>
<translation>Genauigkeit des KV-Retrievals bei wachsendem Wörterbuch im Prompt. Durchgezogen: alle Köpfe an; gestrichelt: mit ausgeschalteten Köpfen; gepunktet: Raten, wenn eine Aufgabe Optionen hat. Balken: 95-%-Intervalle (Wilson). Ein Klick auf einen Namen unten verbirgt seine Linie.</translation>
</message>
</context>
<context>
<name>headscope::widgets::LectureView</name>
<message>
<source>Lecture</source>
<translation>Vortrag</translation>
</message>
<message>
<source>Space: the next step, Backspace: the one before, X: ablate the marked head or restore it, H: hide or show the numbers, 1 and 2: one map alone, Esc: leave.</source>
<translation>Leertaste: der nächste Schritt, Rücktaste: der vorige, X: den markierten Kopf ausschalten oder wiederherstellen, H: die Zahlen verbergen oder zeigen, 1 und 2: eine Karte allein, Esc: verlassen.</translation>
</message>
<message>
<source>peaked</source>
<translation>spitz</translation>
</message>
<message>
<source>diffuse</source>
<translation>diffus</translation>
</message>
<message>
<source>%1 effective tokens</source>
<translation>%1 effektive Token</translation>
</message>
<message>
<source>no change seen (n = %1)</source>
<translation>keine Änderung zu sehen (n = %1)</translation>
</message>
<message>
<source>paired test, %1 examples</source>
<translation>gepaarter Test, %1 Beispiele</translation>
</message>
<message>
<source>Predict first, then look at the map.</source>
<translation>Erst die Vorhersage, dann die Karte.</translation>
</message>
</context>
<context>
<name>headscope::widgets::LensFitDialog</name>
<message>
<source>Fit a Jacobian lens</source>
<translation>Jacobi-Linse anpassen</translation>
</message>
<message>
<source>Number of prompts</source>
<translation>Anzahl der Prompts</translation>
</message>
<message>
<source>Takes at most this many prompts from the texts</source>
<translation>Nimmt höchstens so viele Prompts aus den Texten</translation>
</message>
<message>
<source>Tokens of a prompt</source>
<translation>Tokens eines Prompts</translation>
</message>
<message>
<source>Cuts the texts into prompts of at most this length</source>
<translation>Schneidet die Texte in Prompts von höchstens dieser Länge</translation>
</message>
<message>
<source>Tokens to skip</source>
<translation>Ausgelassene Tokens</translation>
</message>
<message>
<source>Leaves out the first positions of each prompt</source>
<translation>Lässt die ersten Positionen jedes Prompts aus</translation>
</message>
<message>
<source>Progress of the fit</source>
<translation>Fortschritt der Anpassung</translation>
</message>
<message>
<source>&amp;Fit</source>
<translation>&amp;Anpassen</translation>
</message>
<message>
<source>S&amp;top</source>
<translation>An&amp;halten</translation>
</message>
<message>
<source>text files (.txt, .jsonl) or folders, one a line</source>
<translation>Textdateien (.txt, .jsonl) oder Ordner, je Zeile einer</translation>
</message>
<message>
<source>Texts</source>
<translation>Texte</translation>
</message>
<message>
<source>File of the lens</source>
<translation>Datei der Linse</translation>
</message>
<message>
<source>F&amp;iles…</source>
<translation>Date&amp;ien …</translation>
</message>
<message>
<source>F&amp;older…</source>
<translation>&amp;Ordner …</translation>
</message>
<message>
<source>&amp;Save as…</source>
<translation>&amp;Speichern unter …</translation>
</message>
<message>
<source>Prompts</source>
<translation>Prompts</translation>
</message>
<message>
<source>File</source>
<translation>Datei</translation>
</message>
</context>
<context>
<name>headscope::widgets::LiveDemo</name>
<message>
<source>Bright: what the token of this row takes from the token of this column.</source>
<translation>Hell: was das Token dieser Zeile vom Token dieser Spalte nimmt.</translation>
</message>
<message>
<source>%1 on</source>
<translation>%1 an</translation>
</message>
<message>
<source>%1 off</source>
<translation>%1 aus</translation>
</message>
<message>
<source>switched off</source>
<translation>ausgeschaltet</translation>
</message>
<message>
<source>One head finds the answer.</source>
<translation>Ein Kopf findet die Antwort.</translation>
</message>
<message>
<source>Switch it off.</source>
<translation>Schalten Sie ihn aus.</translation>
</message>
<message>
<source>Two models read the same small dictionary. This is running now, on your computer.</source>
<translation>Zwei Modelle lesen dasselbe kleine Wörterbuch. Das läuft gerade auf Ihrem Rechner.</translation>
</message>
<message>
<source>Prompt</source>
<translation>Prompt</translation>
</message>
<message>
<source>Head %1 of the %2</source>
<translation>Kopf %1 des Modells „%2“</translation>
</message>
<message>
<source>Switches this head off and on; the answer follows</source>
<translation>Schaltet diesen Kopf aus und ein; die Antwort folgt</translation>
</message>
<message>
<source>%1, right</source>
<translation>%1, richtig</translation>
</message>
<message>
<source>%1, wrong</source>
<translation>%1, falsch</translation>
</message>
<message>
<source>Pattern of %1</source>
<translation>Muster von %1</translation>
</message>
</context>
<context>
<name>headscope::widgets::LossView</name>
<message>
<source>Loss of next tokens by group</source>
<translation>Verlust der nächsten Token nach Gruppen</translation>
</message>
<message>
<source>Tokens whose loss rises most</source>
<translation>Token, deren Verlust am meisten steigt</translation>
</message>
</context>
<context>
<name>headscope::widgets::MatchPanel</name>
<message>
<source>similar patterns</source>
<translation>ähnliche Muster</translation>
</message>
<message>
<source>similar ablation costs</source>
<translation>ähnliche Ablationskosten</translation>
</message>
<message>
<source>Measure of similarity</source>
<translation>Maß der Ähnlichkeit</translation>
</message>
<message>
<source>Save…</source>
<translation>Speichern …</translation>
</message>
<message>
<source>Save as a picture or as numbers</source>
<translation>Als Bild oder als Zahlen speichern</translation>
</message>
</context>
<context>
<name>headscope::widgets::MatchView</name>
<message>
<source>Similar heads of two models</source>
<translation>Ähnliche Köpfe zweier Modelle</translation>
</message>
<message>
<source>Each line connects a head of A with the most similar head of B. Lines of mutual nearest neighbours are dark; thicker lines mean more similar heads. Click a line to select both heads.</source>
<translation>Jede Linie verbindet einen Kopf von A mit dem ähnlichsten Kopf von B. Linien zwischen gegenseitig nächsten Köpfen sind dunkel; dickere Linien bedeuten ähnlichere Köpfe. Ein Klick auf eine Linie wählt beide Köpfe.</translation>
</message>
</context>
<context>
<name>headscope::widgets::MessageBar</name>
<message>
<source>Back to the error before</source>
<translation>Zurück zum Fehler davor</translation>
</message>
<message>
<source>Close this message</source>
<translation>Diese Meldung schließen</translation>
</message>
<message>
<source>Message</source>
<translation>Meldung</translation>
</message>
</context>
<context>
<name>headscope::widgets::Numbers</name>
<message>
<source>%1 s</source>
<translation>%1 s</translation>
</message>
<message>
<source>%1 min</source>
<translation>%1 min</translation>
</message>
<message>
<source>%1 h %2 min</source>
<translation>%1 h %2 min</translation>
</message>
</context>
<context>
<name>headscope::widgets::PairBox</name>
<message>
<source>File of pairs</source>
<translation>Datei mit Paaren</translation>
</message>
<message>
<source>&amp;up to 64 pairs of the task</source>
<translation>bis zu 64 Paare der &amp;Aufgabe</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
<message>
<source>The other prompt</source>
<translation>Der andere Prompt</translation>
</message>
<message>
<source>other prompt: automatic</source>
<translation>anderer Prompt: automatisch</translation>
</message>
<message>
<source>exchange the queried key</source>
<translation>gefragten Schlüssel tauschen</translation>
</message>
<message>
<source>exchange the value</source>
<translation>Wert tauschen</translation>
</message>
<message>
<source>exchange the bindings</source>
<translation>Bindungen tauschen</translation>
</message>
<message>
<source>most similar sample</source>
<translation>ähnlichste Beispielzeile</translation>
</message>
<message>
<source>as written below</source>
<translation>wie unten geschrieben</translation>
</message>
<message>
<source>Direction of the patch</source>
<translation>Richtung des Patchs</translation>
</message>
<message>
<source>denoise: clean into corrupted run</source>
<translation>entrauschen: Lauf in Gegenlauf</translation>
</message>
<message>
<source>noise: corrupted into clean run</source>
<translation>verrauschen: Gegenlauf in Lauf</translation>
</message>
<message>
<source>the other prompt, with the same number of tokens</source>
<translation>der andere Prompt, mit gleicher Tokenzahl</translation>
</message>
<message>
<source>&amp;Choose…</source>
<translation>&amp;Wählen …</translation>
</message>
<message>
<source>pairs of a file (.jsonl)</source>
<translation>Paare einer Datei (.jsonl)</translation>
</message>
<message>
<source>Pairs of prompts</source>
<translation>Paare von Prompts</translation>
</message>
<message>
<source>Pairs, one per line (*.jsonl)</source>
<translation>Paare, eines je Zeile (*.jsonl)</translation>
</message>
<message>
<source>lines with clean, corrupt, and optionally answer and distractor</source>
<translation>Zeilen mit clean, corrupt und wahlweise answer und distractor</translation>
</message>
</context>
<context>
<name>headscope::widgets::PartsStrip</name>
<message>
<source>Parts of the figure, in their order</source>
<translation>Teile der Grafik in ihrer Reihenfolge</translation>
</message>
<message>
<source>Drag a part to another place, or move it with Ctrl+Left and Ctrl+Right; Del removes it.</source>
<translation>Einen Teil an eine andere Stelle ziehen oder mit Strg+Links und Strg+Rechts verschieben; Entf entfernt ihn.</translation>
</message>
<message>
<source>Move left</source>
<translation>Nach links</translation>
</message>
<message>
<source>Move right</source>
<translation>Nach rechts</translation>
</message>
<message>
<source>Remove</source>
<translation>Entfernen</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatchPage</name>
<message>
<source>&amp;Patch</source>
<translation>&amp;Einsetzen</translation>
</message>
<message>
<source>Activations to patch</source>
<translation>Zu patchende Aktivierungen</translation>
</message>
<message>
<source>heads, all tokens</source>
<translation>Köpfe, alle Token</translation>
</message>
<message>
<source>stream, each token</source>
<translation>Strom, jedes Token</translation>
</message>
<message>
<source>attention or SSM, each token</source>
<translation>Attention oder SSM, jedes Token</translation>
</message>
<message>
<source>MLP, each token</source>
<translation>MLP, jedes Token</translation>
</message>
<message>
<source>heads, each token</source>
<translation>Köpfe, jedes Token</translation>
</message>
<message>
<source>SSM state after each token</source>
<translation>SSM-Zustand nach jedem Token</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatchView</name>
<message>
<source>Patching: layers and heads or tokens</source>
<translation>Patching: Schichten und Köpfe oder Token</translation>
</message>
<message>
<source>Each cell is one run with this part replaced by that of the other run. 0: no effect; 1: the answer of the other run; hatched: negative. Drag over cells to patch them together.</source>
<translation>Jede Zelle ist ein Lauf, in dem dieser Teil durch den des anderen Laufs ersetzt ist. 0: keine Wirkung; 1: die Antwort des anderen Laufs; schraffiert: negativ. Ziehen Sie über Zellen, um sie zusammen zu patchen.</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatchedRunView</name>
<message>
<source>with the patch</source>
<translation>mit dem Eingesetzten</translation>
</message>
<message>
<source>without</source>
<translation>ohne</translation>
</message>
<message>
<source>Choose a cell of the map, or drag over several to patch them together.</source>
<translation>Wählen Sie eine Zelle der Karte, oder ziehen Sie über mehrere, um sie zusammen zu patchen.</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatternFooter</name>
<message>
<source>Peaked: the row reads at most %1 effective tokens (the exponential of its entropy), however long it is. Diffuse: more.</source>
<translation>Spitz: Die Zeile liest höchstens %1 effektive Token (das Exponential ihrer Entropie), wie lang sie auch ist. Diffus: mehr.</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatternPage</name>
<message>
<source>Pattern</source>
<translation>Muster</translation>
</message>
<message>
<source>linked</source>
<translation>verknüpft</translation>
</message>
<message>
<source>without sink</source>
<translation>ohne erstes Token</translation>
</message>
<message>
<source>with D (skip term)</source>
<translation>mit D (Direktanteil)</translation>
</message>
<message>
<source>times dt (the step size of each column)</source>
<translation>mal dt (die Schrittweite jeder Spalte)</translation>
</message>
<message>
<source>times the gate of each row</source>
<translation>mal das Gate jeder Zeile</translation>
</message>
<message>
<source>Pattern of model A</source>
<translation>Muster von Modell A</translation>
</message>
<message>
<source>Pattern of model B</source>
<translation>Muster von Modell B</translation>
</message>
<message>
<source>View of the maps</source>
<translation>Ansicht der Karten</translation>
</message>
<message>
<source>The pattern of each token</source>
<translation>Das Muster jedes Tokens</translation>
</message>
<message>
<source>Each column times the norm of that token&apos;s value</source>
<translation>Jede Spalte mal der Norm des Values dieses Tokens</translation>
</message>
<message>
<source>Aligns B to the tokens of A and subtracts it</source>
<translation>Richtet B an den Token von A aus und zieht es ab</translation>
</message>
<message>
<source>The locked row (or the last one) in every head of every layer, one line per head; click a line to see its head</source>
<translation>Die festgehaltene Zeile (oder die letzte) in jedem Kopf jeder Schicht, eine Linie je Kopf; ein Klick auf eine Linie zeigt ihren Kopf</translation>
</message>
<message>
<source>Colour scale of the patterns</source>
<translation>Farbskala der Muster</translation>
</message>
<message>
<source>Thumbnails of heads</source>
<translation>Miniaturen der Köpfe</translation>
</message>
<message>
<source>All heads of the chosen head&apos;s layer</source>
<translation>Alle Köpfe der Schicht des gewählten Kopfes</translation>
</message>
<message>
<source>The head of the same number in every layer</source>
<translation>Der Kopf derselben Nummer in jeder Schicht</translation>
</message>
<message>
<source>Link crosshair, locked row and zoom of A and B by their text</source>
<translation>Fadenkreuz, festgehaltene Zeile und Zoom von A und B über ihren Text verbinden</translation>
</message>
<message>
<source>Exclude the first token, often a sink, from the colour scale</source>
<translation>Erstes Token, oft eine Senke, nicht in die Farbskala aufnehmen</translation>
</message>
<message>
<source>whole map</source>
<translation>ganze Karte</translation>
</message>
<message>
<source>Show the whole map (R in the map)</source>
<translation>Die ganze Karte zeigen (R in der Karte)</translation>
</message>
<message>
<source>Ctrl+Shift+L</source>
<translation>Ctrl+Shift+L</translation>
</message>
<message>
<source>signed</source>
<translation>mit Vorzeichen</translation>
</message>
<message>
<source>Show signed values of SSM heads, red and blue, instead of shares of each row (V)</source>
<translation>Werte von SSM-Köpfen mit Vorzeichen zeigen, rot und blau, statt der Anteile jeder Zeile (V)</translation>
</message>
<message>
<source>Ctrl+Shift+K</source>
<translation>Ctrl+Shift+K</translation>
</message>
<message>
<source>The top heads by the metric that colours the head map</source>
<translation>Die ersten Köpfe nach der Größe, die die Kopfkarte färbt</translation>
</message>
<message>
<source>Change of this head&apos;s pattern by the ablation</source>
<translation>Änderung des Musters dieses Kopfs durch die Ablation</translation>
</message>
<message>
<source>pattern</source>
<translation>Muster</translation>
</message>
<message>
<source>weighted by value norm</source>
<translation>gewichtet mit der Norm der Values</translation>
</message>
<message>
<source>now − baseline</source>
<translation>jetzt − Ausgangswert</translation>
</message>
<message>
<source>A − B</source>
<translation>A − B</translation>
</message>
<message>
<source>one row, all heads</source>
<translation>eine Zeile, alle Köpfe</translation>
</message>
<message>
<source>none</source>
<translation>keine</translation>
</message>
<message>
<source>&amp;Maps of all heads</source>
<translation>Muster aller Köp&amp;fe</translation>
</message>
<message>
<source>Maps of all heads of A</source>
<translation>Muster aller Köpfe von A</translation>
</message>
<message>
<source>Maps of all heads of B</source>
<translation>Muster aller Köpfe von B</translation>
</message>
<message>
<source>all heads</source>
<translation>alle Köpfe</translation>
</message>
<message>
<source>Every head of every layer, in place of the maps; click one to see its map (G)</source>
<translation>Jeder Kopf jeder Schicht an Stelle der Muster; ein Klick zeigt das Muster eines Kopfes (G)</translation>
</message>
<message>
<source>all heads by metric</source>
<translation>alle Köpfe nach der Messgröße</translation>
</message>
<message>
<source>Every head, sorted by the metric that colours the head map</source>
<translation>Jeder Kopf, sortiert nach der Messgröße, die die Kopfkarte färbt</translation>
</message>
<message>
<source>this layer</source>
<translation>diese Schicht</translation>
</message>
<message>
<source>all layers</source>
<translation>alle Schichten</translation>
</message>
<message>
<source>top heads by metric</source>
<translation>stärkste Köpfe nach der Messgröße</translation>
</message>
<message>
<source>More about the maps</source>
<translation>Mehr zu den Karten</translation>
</message>
<message>
<source>Whole map, first token, and the factors in the matrix of an SSM head</source>
<translation>Ganze Karte, erstes Token und die Faktoren in der Matrix eines SSM-Kopfs</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatternScale</name>
<message>
<source>raw, around 0</source>
<translation>roh, um 0</translation>
</message>
<message>
<source>raw</source>
<translation>roh</translation>
</message>
<message>
<source>row-normalised (max = 1)</source>
<translation>zeilennormiert (Max = 1)</translation>
</message>
<message>
<source>min to max</source>
<translation>Minimum bis Maximum</translation>
</message>
<message>
<source>log of |value|</source>
<translation>Logarithmus von |Wert|</translation>
</message>
<message>
<source>log</source>
<translation>Log</translation>
</message>
<message>
<source>signed, around 0</source>
<translation>mit Vorzeichen, um 0</translation>
</message>
<message>
<source>%1, first token left out</source>
<translation>%1, ohne das erste Token</translation>
</message>
<message>
<source>row</source>
<translation>Zeile</translation>
</message>
<message>
<source>min-max</source>
<translation>Min-Max</translation>
</message>
<message>
<source>signed</source>
<translation>mit Vorzeichen</translation>
</message>
</context>
<context>
<name>headscope::widgets::PatternView</name>
<message>
<source>Choose a head to see its pattern.</source>
<translation>Wählen Sie einen Kopf, um sein Muster zu sehen.</translation>
</message>
<message>
<source>Pattern</source>
<translation>Muster</translation>
</message>
<message>
<source>Pattern of %1</source>
<translation>Muster von %1</translation>
</message>
<message>
<source>masked (future)</source>
<translation>maskiert (Zukunft)</translation>
</message>
<message>
<source>at most %1 (strongest of %2 × %2 cells)</source>
<translation>höchstens %1 (stärkste von %2 × %2 Zellen)</translation>
</message>
<message>
<source>%1 of the row (M = %2)</source>
<translation>%1 der Zeile (M = %2)</translation>
</message>
<message>
<source>Pattern of a head: rows are the reading tokens (queries), columns the tokens they read (keys). The wheel zooms, dragging pans, a click locks a row, R shows everything. Arrow keys move the crosshair, Enter locks its row. Draw a rectangle with Shift held to mark edges for a knockout.</source>
<translation>Muster eines Kopfs: Zeilen sind die lesenden Token (Queries), Spalten die gelesenen (Keys). Das Mausrad zoomt, Ziehen verschiebt, ein Klick hält eine Zeile fest, R zeigt alles. Pfeiltasten bewegen das Fadenkreuz, Eingabe hält seine Zeile fest. Ein Rechteck, mit gedrückter Umschalttaste gezogen, markiert Kanten für einen Knockout.</translation>
</message>
<message>
<source>Row %1 is locked</source>
<translation>Zeile %1 ist festgehalten</translation>
</message>
<message>
<source>not read yet</source>
<translation>noch nicht gelesen</translation>
</message>
<message>
<source>&amp;Why does it look here?</source>
<translation>&amp;Warum blickt er hierher?</translation>
</message>
</context>
<context>
<name>headscope::widgets::ProbePage</name>
<message>
<source>Threshold of a label</source>
<translation>Schwelle einer Bezeichnung</translation>
</message>
<message>
<source>seed </source>
<translation>Startwert </translation>
</message>
<message>
<source>Seed of the probe sequences</source>
<translation>Startwert der Probefolgen</translation>
</message>
<message>
<source>a label from %1 on</source>
<translation>Bezeichnung ab %1</translation>
</message>
<message>
<source>&amp;Probe every head</source>
<translation>Jeden Kopf er&amp;proben</translation>
</message>
</context>
<context>
<name>headscope::widgets::ProbeView</name>
<message>
<source>Scores of heads on probe sequences</source>
<translation>Werte der Köpfe auf Probefolgen</translation>
</message>
<message>
<source>Shares on repeated random tokens: the token after the same token earlier (induction), the previous token, the same token earlier (duplicate), the first token (sink). Retrieval: how often the head reads most from the token of the answer.</source>
<translation>Anteile auf wiederholten zufälligen Token: das Token nach dem früheren gleichen Token (Induktion), das vorherige Token, das frühere gleiche Token (gleiches Token), das erste Token (Senke). Retrieval: wie oft der Kopf am meisten vom Token der Antwort liest.</translation>
</message>
</context>
<context>
<name>headscope::widgets::PromptBar</name>
<message>
<source>Model A</source>
<translation>Modell A</translation>
</message>
<message>
<source>Model B</source>
<translation>Modell B</translation>
</message>
<message>
<source>Where the prompt comes from</source>
<translation>Woher der Prompt kommt</translation>
</message>
<message>
<source>Previous sample ([)</source>
<translation>Voriges Beispiel ([)</translation>
</message>
<message>
<source>Next sample (])</source>
<translation>Nächstes Beispiel (])</translation>
</message>
<message>
<source>Previous sample</source>
<translation>Voriges Beispiel</translation>
</message>
<message>
<source>Next sample</source>
<translation>Nächstes Beispiel</translation>
</message>
<message>
<source>Prompt</source>
<translation>Prompt</translation>
</message>
<message>
<source>Enter a prompt, or choose a benchmark sample above.</source>
<translation>Geben Sie einen Prompt ein oder wählen Sie oben ein Beispiel.</translation>
</message>
<message>
<source>Earlier prompts (Ctrl+Up)</source>
<translation>Frühere Prompts (Strg+Hoch)</translation>
</message>
<message>
<source>Earlier prompts</source>
<translation>Frühere Prompts</translation>
</message>
<message>
<source>Continue</source>
<translation>Fortsetzen</translation>
</message>
<message>
<source>Let the model continue the prompt (Ctrl+Return)</source>
<translation>Das Modell den Prompt fortsetzen lassen (Strg+Eingabe)</translation>
</message>
<message>
<source>Continue the prompt</source>
<translation>Den Prompt fortsetzen</translation>
</message>
<message>
<source>A</source>
<translation>A</translation>
</message>
<message>
<source>B</source>
<translation>B</translation>
</message>
<message>
<source>none</source>
<translation>keines</translation>
</message>
<message>
<source>Show one model only</source>
<translation>Nur ein Modell zeigen</translation>
</message>
<message>
<source>sample %1 of %2</source>
<translation>Beispiel %1 von %2</translation>
</message>
<message>
<source>counting…</source>
<translation>zählt …</translation>
</message>
<message>
<source>A %1, B %2 tokens</source>
<translation>A %1, B %2 Token</translation>
</message>
<message>
<source>1 token</source>
<translation>1 Token</translation>
</message>
<message>
<source>%L1 tokens</source>
<translation>%L1 Token</translation>
</message>
<message>
<source>Alternating tints in the prompt show where tokens begin.</source>
<translation>Wechselnde Tönungen im Prompt zeigen, wo Token beginnen.</translation>
</message>
<message>
<source>Mark the selected text as</source>
<translation>Den ausgewählten Text markieren als</translation>
</message>
<message>
<source>Remove all marks</source>
<translation>Alle Markierungen entfernen</translation>
</message>
<message>
<source>Ablate this layer at these tokens</source>
<translation>Diese Schicht an diesen Token ausschalten</translation>
</message>
<message>
<source>Block attention from these tokens …</source>
<translation>Attention von diesen Token sperren …</translation>
</message>
<message>
<source>Block attention to these tokens …</source>
<translation>Attention auf diese Token sperren …</translation>
</message>
<message>
<source>All models …</source>
<translation>Alle Modelle …</translation>
</message>
<message>
<source>Ablate %1 at these tokens</source>
<translation>%1 an diesen Token ausschalten</translation>
</message>
<message>
<source>Rank heads</source>
<translation>Köpfe ordnen</translation>
</message>
<message>
<source>Colours every head by what the answer to this prompt loses without it (Alt+F5)</source>
<translation>Färbt jeden Kopf danach, was die Antwort auf diesen Prompt ohne ihn verliert (Alt+F5)</translation>
</message>
<message>
<source>Rank heads on this prompt</source>
<translation>Köpfe auf diesem Prompt ordnen</translation>
</message>
<message>
<source>The conversation as the model reads it appears here.</source>
<translation>Hier erscheint das Gespräch so, wie das Modell es liest.</translation>
</message>
</context>
<context>
<name>headscope::widgets::PromptDifference</name>
<message>
<source>Other prompt of the first pair:</source>
<translation>Anderer Prompt des ersten Paars:</translation>
</message>
<message>
<source>Other prompt:</source>
<translation>Anderer Prompt:</translation>
</message>
</context>
<context>
<name>headscope::widgets::PromptEdit</name>
<message>
<source>click to edit</source>
<translation>zum Ändern klicken</translation>
</message>
</context>
<context>
<name>headscope::widgets::Rail</name>
<message>
<source>Unfold %1</source>
<translation>%1 ausklappen</translation>
</message>
</context>
<context>
<name>headscope::widgets::RankingChart</name>
<message>
<source>accuracy</source>
<translation>Genauigkeit</translation>
</message>
<message>
<source>Cost of the first k heads of the ranking together, beside k random heads. Press F6 to measure.</source>
<translation>Kosten der ersten k Köpfe der Rangliste zusammen, neben k zufälligen Köpfen. F6 misst sie.</translation>
</message>
<message>
<source>The score with the first k heads of the ranking ablated, beside the mean over k random heads. A meaningful ranking falls long before random heads do. Click a name below to hide its line, right-click to save.</source>
<translation>Das Ergebnis, wenn die ersten k Köpfe der Rangliste ausgeschaltet sind, neben dem Mittel über k zufällige. Eine brauchbare Rangliste fällt lange vor den zufälligen Köpfen. Ein Klick auf einen Namen unten verbirgt seine Linie, die rechte Maustaste speichert.</translation>
</message>
<message>
<source>Heads ablated</source>
<translation>Köpfe ausgeschaltet</translation>
</message>
<message>
<source>heads ablated, k</source>
<translation>ausgeschaltete Köpfe, k</translation>
</message>
</context>
<context>
<name>headscope::widgets::Role</name>
<message>
<source>key</source>
<translation>Schlüssel</translation>
</message>
<message>
<source>value</source>
<translation>Wert</translation>
</message>
<message>
<source>query</source>
<translation>Frage</translation>
</message>
<message>
<source>question</source>
<translation>Frage</translation>
</message>
<message>
<source>option</source>
<translation>Option</translation>
</message>
<message>
<source>answer</source>
<translation>Antwort</translation>
</message>
</context>
<context>
<name>headscope::widgets::RowProfile</name>
<message>
<source>%1 %</source>
<translation>%1 %</translation>
</message>
<message>
<source>Row “%1” changed most at “%2”</source>
<translation>Zeile „%1“ änderte sich am meisten bei „%2“</translation>
</message>
<message>
<source>Row “%1” reads “%2” most</source>
<translation>Zeile „%1“ liest am meisten „%2“</translation>
</message>
<message>
<source>Row “%1” reads “%2”: peaked, %3 effective tokens</source>
<translation>Zeile „%1“ liest „%2“: spitz, %3 effektive Token</translation>
</message>
<message>
<source>Row “%1” reads “%2” most: diffuse, %3 effective tokens</source>
<translation>Zeile „%1“ liest am meisten „%2“: diffus, %3 effektive Token</translation>
</message>
<message>
<source>entropy %1 nats</source>
<translation>Entropie %1 Nat</translation>
</message>
<message>
<source>first token %1</source>
<translation>erstes Token %1</translation>
</message>
<message>
<source>peaked</source>
<translation>spitz</translation>
</message>
<message>
<source>diffuse</source>
<translation>diffus</translation>
</message>
<message>
<source>%1 effective tokens</source>
<translation>%1 effektive Token</translation>
</message>
<message>
<source>%1 on “%2”</source>
<translation>%1 auf „%2“</translation>
</message>
<message>
<source>sink %1</source>
<translation>Senke %1</translation>
</message>
<message>
<source>entropy %1</source>
<translation>Entropie %1</translation>
</message>
<message>
<source>“%1” → “%2”: peaked, %3 tokens</source>
<translation>„%1“ → „%2“: spitz, %3 Token</translation>
</message>
<message>
<source>“%1” → “%2”: diffuse, %3 tokens</source>
<translation>„%1“ → „%2“: diffus, %3 Token</translation>
</message>
<message>
<source>%1 on the answer “%2”</source>
<translation>%1 auf der Antwort „%2“</translation>
</message>
</context>
<context>
<name>headscope::widgets::RowProfileView</name>
<message>
<source>Row profile of A</source>
<translation>Zeilenprofil von A</translation>
</message>
<message>
<source>Row profile of B</source>
<translation>Zeilenprofil von B</translation>
</message>
<message>
<source>How much one token reads of each earlier token: a peaked head reads one, a diffuse head many. Rows of an SSM do not sum to 1 and are divided by the sum of their absolute values. Click a row of the map to choose the token. If tokens are narrower than a pixel, a bar shows the largest value in it.</source>
<translation>Wie viel ein Token von jedem früheren liest: Ein spitzer Kopf liest eines, ein diffuser viele. Zeilen eines SSM haben nicht die Summe 1 und werden durch die Summe ihrer Beträge geteilt. Klicken Sie auf eine Zeile der Karte, um das Token zu wählen. Sind Token schmaler als ein Pixel, zeigt ein Balken den größten Wert darin.</translation>
</message>
</context>
<context>
<name>headscope::widgets::RunsModel</name>
<message>
<source>%1, shown now</source>
<translation>%1, jetzt zu sehen</translation>
</message>
<message>
<source>state</source>
<translation>Zustand</translation>
</message>
<message>
<source>scores</source>
<translation>Messungen</translation>
</message>
<message>
<source>time</source>
<translation>Zeit</translation>
</message>
<message>
<source>note</source>
<translation>Notiz</translation>
</message>
</context>
<context>
<name>headscope::widgets::RunsView</name>
<message>
<source>Scored states are stored here. Double-click one to restore it.</source>
<translation>Bewertete Zustände werden hier gespeichert. Ein Doppelklick stellt einen wieder her.</translation>
</message>
<message>
<source>Runs</source>
<translation>Läufe</translation>
</message>
<message>
<source>Compare the two ticked states</source>
<translation>Die zwei angehakten Zustände vergleichen</translation>
</message>
<message>
<source>Double-click a state to restore it, tick two to compare them, drag to reorder, press F2 to rename it, and double-click the last column to write a note.</source>
<translation>Ein Doppelklick stellt einen Zustand wieder her, zwei Häkchen vergleichen, Ziehen ordnet um, F2 benennt um, und ein Doppelklick in der letzten Spalte schreibt eine Notiz.</translation>
</message>
<message>
<source>States scored by a ranking or sweep; they can be restored and compared like the others.</source>
<translation>Zustände, die eine Rangliste oder ein Durchlauf bewertet hat; sie lassen sich wie die anderen wiederherstellen und vergleichen.</translation>
</message>
<message>
<source>From rankings: %1</source>
<translation>aus Ranglisten: %1</translation>
</message>
<message>
<source>Jobs</source>
<translation>Aufträge</translation>
</message>
<message>
<source>Restore this state</source>
<translation>Zustand wiederherstellen</translation>
</message>
<message>
<source>Rename</source>
<translation>Umbenennen</translation>
</message>
<message>
<source>Write a note</source>
<translation>Notiz schreiben</translation>
</message>
<message>
<source>Exclude from comparison</source>
<translation>Vom Vergleich ausschließen</translation>
</message>
<message>
<source>Select for comparison</source>
<translation>Zum Vergleich auswählen</translation>
</message>
</context>
<context>
<name>headscope::widgets::SamplingFields</name>
<message>
<source> tokens</source>
<translation> Token</translation>
</message>
<message>
<source>T = </source>
<translation>T = </translation>
</message>
<message>
<source>Temperature</source>
<translation>Temperatur</translation>
</message>
<message>
<source>Temperature. 0: always the likeliest token; higher: sampled, the same each time</source>
<translation>Temperatur. 0: immer das wahrscheinlichste Token; höher: gezogen, jedes Mal gleich</translation>
</message>
</context>
<context>
<name>headscope::widgets::ScatterPanel</name>
<message>
<source>log</source>
<translation>log</translation>
</message>
<message>
<source>Horizontal axis</source>
<translation>Waagerechte Achse</translation>
</message>
<message>
<source>Vertical axis</source>
<translation>Senkrechte Achse</translation>
</message>
<message>
<source>Logarithmic horizontal axis</source>
<translation>Waagerechte Achse logarithmisch</translation>
</message>
<message>
<source>Logarithmic vertical axis</source>
<translation>Senkrechte Achse logarithmisch</translation>
</message>
<message>
<source>Save…</source>
<translation>Speichern …</translation>
</message>
<message>
<source>Save as a picture or as numbers</source>
<translation>Als Bild oder als Zahlen speichern</translation>
</message>
</context>
<context>
<name>headscope::widgets::ScatterView</name>
<message>
<source>Scatter plot of heads</source>
<translation>Streudiagramm der Köpfe</translation>
</message>
<message>
<source>One dot per head: circles are A, squares B. Draw a loop around dots to select them in the table and in the head maps, or click near one.</source>
<translation>Ein Punkt je Kopf: Kreise sind A, Quadrate B. Eine Schlinge um Punkte wählt sie in der Tabelle und in den Kopfkarten, ein Klick den nächsten.</translation>
</message>
</context>
<context>
<name>headscope::widgets::ScorePartsView</name>
<message>
<source>Pairs of writers that add most</source>
<translation>Paare von Schreibern, die am meisten beitragen</translation>
</message>
<message>
<source>How much of the score comes from what one writer left at the query combined with what another left at the key.</source>
<translation>Wie viel des Scores aus der Verbindung dessen kommt, was der eine an der Query und der andere am Key hinterlassen hat.</translation>
</message>
<message>
<source>Written at the query</source>
<translation>An der Query geschrieben</translation>
</message>
<message>
<source>The score is a sum over everything written into the stream at the query token: the embedding, earlier heads and MLPs. The key is held fixed. Double-click a head to see its pattern.</source>
<translation>Der Score ist eine Summe über alles, was am Query-Token in den Strom geschrieben wurde: die Einbettung, frühere Köpfe und MLPs. Der Key bleibt fest. Ein Doppelklick zeigt die Karte eines Kopfes.</translation>
</message>
<message>
<source>Written at the key</source>
<translation>Am Key geschrieben</translation>
</message>
<message>
<source>The same for the key token, minus the mean over all tokens that the head sees. The query is held fixed.</source>
<translation>Dasselbe für das Key-Token, abzüglich des Mittels über alle Token, die der Kopf sieht. Die Query bleibt fest.</translation>
</message>
<message>
<source>Query: written at “%1”</source>
<translation>Query: geschrieben bei „%1“</translation>
</message>
<message>
<source>Key: written at “%1”</source>
<translation>Key: geschrieben bei „%1“</translation>
</message>
<message>
<source>query</source>
<translation>Query</translation>
</message>
<message>
<source>key</source>
<translation>Key</translation>
</message>
<message>
<source>both add</source>
<translation>zusammen</translation>
</message>
<message>
<source>adds to the score</source>
<translation>trägt zum Score bei</translation>
</message>
</context>
<context>
<name>headscope::widgets::ScoreboardModel</name>
<message>
<source>Estimated from %1 of %2 examples.</source>
<translation>Geschätzt aus %1 von %2 Beispielen.</translation>
</message>
<message>
<source>Result of the previous state; new results are being measured.</source>
<translation>Ergebnis des vorigen Zustands; neue werden gemessen.</translation>
</message>
<message>
<source>Worse by the paired test on the same examples.</source>
<translation>Schlechter nach dem gepaarten Test auf denselben Beispielen.</translation>
</message>
<message>
<source>Better by the paired test on the same examples.</source>
<translation>Besser nach dem gepaarten Test auf denselben Beispielen.</translation>
</message>
<message>
<source>%1: baseline %2, now %3, difference %4, p %5</source>
<translation>%1: Ausgangswert %2, jetzt %3, Unterschied %4, p %5</translation>
</message>
<message>
<source>benchmark</source>
<translation>Benchmark</translation>
</message>
<message>
<source>baseline</source>
<translation>Ausgangswert</translation>
</message>
<message>
<source>before</source>
<translation>vorher</translation>
</message>
<message>
<source>now</source>
<translation>jetzt</translation>
</message>
<message>
<source>p</source>
<translation>p</translation>
</message>
<message>
<source>n</source>
<translation>n</translation>
</message>
<message>
<source>The model with all heads on</source>
<translation>Das Modell mit allen Köpfen</translation>
</message>
<message>
<source>Now minus baseline on the same examples, with its 95 % interval</source>
<translation>Jetzt minus Ausgangswert auf denselben Beispielen, mit 95-%-Intervall</translation>
</message>
<message>
<source>Two-sided exact McNemar test for accuracies, paired t test for log-likelihoods</source>
<translation>Zweiseitiger exakter McNemar-Test für Genauigkeiten, gepaarter t-Test für Log-Likelihoods</translation>
</message>
<message>
<source>%1: baseline %2</source>
<translation>%1: Ausgangswert %2</translation>
</message>
<message>
<source>No change seen by the paired test on the same examples.</source>
<translation>Keine Änderung zu sehen nach dem gepaarten Test über dieselben Beispiele.</translation>
</message>
<message>
<source>(%1 merged)</source>
<translation>(%1 verschmolzen)</translation>
</message>
<message>
<source>at 0.00: cannot fall</source>
<translation>bei 0,00: kann nicht fallen</translation>
</message>
<message>
<source>not above guessing: a loss is not informative</source>
<translation>nicht über Raten: Ein Verlust hat keine Aussage</translation>
</message>
<message>
<source>at 1.00: cannot rise</source>
<translation>bei 1.00: kann nicht steigen</translation>
</message>
<message>
<source>95 %, %1</source>
<translation>95 %, %1</translation>
</message>
<message>
<source>95 %</source>
<translation>95 %</translation>
</message>
<message>
<source>95 % interval: %1</source>
<translation>95-%-Intervall: %1</translation>
</message>
</context>
<context>
<name>headscope::widgets::ScoreboardView</name>
<message>
<source>Show as a table</source>
<translation>Als Tabelle zeigen</translation>
</message>
<message>
<source>Save as run…</source>
<translation>Als Lauf speichern …</translation>
</message>
<message>
<source>Scores</source>
<translation>Ergebnisse</translation>
</message>
<message>
<source>Copy as</source>
<translation>Kopieren als</translation>
</message>
<message>
<source>LaTeX</source>
<translation>LaTeX</translation>
</message>
<message>
<source>Markdown</source>
<translation>Markdown</translation>
</message>
<message>
<source>Copy with provenance</source>
<translation>Mit Herkunft kopieren</translation>
</message>
<message>
<source>One row per benchmark. Tick the ones to score after each click. Red: worse by the paired test on the same examples; green: better; grey: no change seen. Ctrl+C copies a cell with its provenance.</source>
<translation>Eine Zeile je Benchmark. Haken Sie an, was nach jedem Klick bewertet wird. Rot: schlechter nach dem gepaarten Test auf denselben Beispielen; grün: besser; grau: keine Änderung zu sehen. Strg+C kopiert eine Zelle mit ihrer Herkunft.</translation>
</message>
<message>
<source>○ baseline   ● now   ┊ guessing</source>
<translation>○ Ausgangswert   ● jetzt   ┊ Raten</translation>
</message>
<message>
<source>Show the scores as a table with intervals, in place of the maps</source>
<translation>Ergebnisse als Tabelle mit Intervallen zeigen, anstelle der Karten</translation>
</message>
<message>
<source>Changed answers</source>
<translation>Geänderte Antworten</translation>
</message>
<message>
<source>Click a head to ablate it. The effect on each benchmark appears here.</source>
<translation>Klicken Sie auf einen Kopf, um ihn auszuschalten. Die Wirkung auf jeden Benchmark erscheint hier.</translation>
</message>
<message>
<source>Benchmarks …</source>
<translation>Benchmarks …</translation>
</message>
<message>
<source>Choose the benchmarks to score, and add your own files</source>
<translation>Benchmarks wählen und eigene Dateien hinzufügen</translation>
</message>
<message>
<source>Score first, to the last example</source>
<translation>Zuerst bewerten, bis zum letzten Beispiel</translation>
</message>
<message>
<source>Get this benchmark …</source>
<translation>Diesen Benchmark holen …</translation>
</message>
<message>
<source>This row uses the included sample rows; download the real ones</source>
<translation>Diese Zeile verwendet die mitgelieferten Beispielzeilen; laden Sie die echten herunter</translation>
</message>
<message>
<source>Changed answers: %1</source>
<translation>Geänderte Antworten: %1</translation>
</message>
<message>
<source>Paired tests on the same examples.</source>
<translation>Gepaarte Tests auf denselben Beispielen.</translation>
</message>
<message>
<source>○ baseline   ● now</source>
<translation>○ Ausgangswert   ● jetzt</translation>
</message>
</context>
<context>
<name>headscope::widgets::SteerPage</name>
<message>
<source>&amp;Steer</source>
<translation>&amp;Steuern</translation>
</message>
<message>
<source>&amp;Remove</source>
<translation>&amp;Entfernen</translation>
</message>
<message>
<source>before layer </source>
<translation>vor Schicht </translation>
</message>
<message>
<source>The layer before which the direction is added</source>
<translation>Die Schicht, vor der die Richtung addiert wird</translation>
</message>
<message>
<source>prompts to steer towards, one a line</source>
<translation>Prompts, zu denen hin gelenkt wird, einer je Zeile</translation>
</message>
<message>
<source>Prompts to steer towards</source>
<translation>Prompts, zu denen hin gelenkt wird</translation>
</message>
<message>
<source>prompts to steer away from, one a line</source>
<translation>Prompts, von denen weg gelenkt wird, einer je Zeile</translation>
</message>
<message>
<source>Prompts to steer away from</source>
<translation>Prompts, von denen weg gelenkt wird</translation>
</message>
<message>
<source>or a vector: FILE.safetensors[NAME]</source>
<translation>oder ein Vektor: DATEI.safetensors[NAME]</translation>
</message>
<message>
<source>Vector from a file</source>
<translation>Vektor aus einer Datei</translation>
</message>
<message>
<source>&amp;File…</source>
<translation>&amp;Datei …</translation>
</message>
<message>
<source>Strength</source>
<translation>Stärke</translation>
</message>
<message>
<source>towards</source>
<translation>hin zu</translation>
</message>
<message>
<source>away from</source>
<translation>weg von</translation>
</message>
<message>
<source>strength</source>
<translation>Stärke</translation>
</message>
<message>
<source>What the model answers now</source>
<translation>Die jetzige Antwort des Modells</translation>
</message>
</context>
<context>
<name>headscope::widgets::SurveyModel</name>
<message>
<source>Head</source>
<translation>Kopf</translation>
</message>
</context>
<context>
<name>headscope::widgets::SurveyPage</name>
<message>
<source>Back to the maps</source>
<translation>Zurück zu den Karten</translation>
</message>
<message>
<source>Save the table…</source>
<translation>Tabelle speichern…</translation>
</message>
<message>
<source> tokens</source>
<translation> Token</translation>
</message>
<message>
<source>Number of tokens to read</source>
<translation>Zahl der zu lesenden Token</translation>
</message>
<message>
<source>Filter of heads</source>
<translation>Filter der Köpfe</translation>
</message>
<message>
<source>Heads and metrics</source>
<translation>Köpfe und Größen</translation>
</message>
<message>
<source>&amp;Stop</source>
<translation>&amp;Anhalten</translation>
</message>
<message>
<source>&amp;Measure</source>
<translation>&amp;Messen</translation>
</message>
<message>
<source>Add a &amp;folder…</source>
<translation>Einen &amp;Ordner hinzufügen …</translation>
</message>
<message>
<source>Add f&amp;iles…</source>
<translation>&amp;Dateien hinzufügen …</translation>
</message>
<message>
<source>&amp;None of them</source>
<translation>&amp;Keine davon</translation>
</message>
<message>
<source>&amp;Texts</source>
<translation>&amp;Texte</translation>
</message>
<message>
<source>Folders of .txt and .jsonl files, and such files; several at once</source>
<translation>Ordner mit .txt- und .jsonl-Dateien, und solche Dateien; auch mehrere zugleich</translation>
</message>
<message>
<source>in windows of </source>
<translation>in Fenstern von </translation>
</message>
<message>
<source>Tokens per window</source>
<translation>Token je Fenster</translation>
</message>
<message>
<source>filter, e.g. cost &gt; 0.1 and induction &gt; 0.5</source>
<translation>Filter, z. B. cost &gt; 0.1 and induction &gt; 0.5</translation>
</message>
<message>
<source>Ablate each selected head (or every head if none is selected) and measure the loss on next tokens of these texts and on each benchmark, with scores of weights and probes</source>
<translation>Jeden gewählten Kopf (oder alle, wenn keiner gewählt ist) ausschalten und den Verlust auf den nächsten Token dieser Texte und auf jedem Benchmark messen, mit Werten der Gewichte und Proben</translation>
</message>
<message>
<source>Scatter plot</source>
<translation>Streudiagramm</translation>
</message>
<message>
<source>Loss by group</source>
<translation>Verlust nach Gruppen</translation>
</message>
<message>
<source>Similar heads</source>
<translation>Ähnliche Köpfe</translation>
</message>
<message>
<source>Heads of the table</source>
<translation>Köpfe der Tabelle</translation>
</message>
<message>
<source>S&amp;top ablating</source>
<translation>Ablation s&amp;toppen</translation>
</message>
<message>
<source>Abl&amp;ate each</source>
<translation>Alle &amp;einzeln ausschalten</translation>
</message>
<message>
<source>&amp;benchmark&apos;s prompts</source>
<translation>Prompts des &amp;Benchmarks</translation>
</message>
</context>
<context>
<name>headscope::widgets::SweepChart</name>
<message>
<source>Knockout by layer</source>
<translation>Knockout nach Schicht</translation>
</message>
<message>
<source>middle layer of the window</source>
<translation>mittlere Schicht des Fensters</translation>
</message>
<message>
<source>logit difference</source>
<translation>Logit-Differenz</translation>
</message>
<message>
<source>Choose both spans above and press Sweep to find the layers in which these tokens need to read the others.</source>
<translation>Wählen Sie oben beide Abschnitte und drücken Sie „Alle Schichten“, um die Schichten zu finden, in denen diese Token die anderen lesen müssen.</translation>
</message>
<message>
<source>no knockout</source>
<translation>ohne Knockout</translation>
</message>
<message>
<source>Logit difference with attention from the first to the second tokens blocked in a window of layers, against the window&apos;s middle layer (Geva et al. 2023). Dotted or dashed: no knockout.</source>
<translation>Logit-Differenz, wenn die Attention von den ersten auf die zweiten Token in einem Fenster von Schichten gesperrt ist, über dessen mittlerer Schicht (Geva et al. 2023). Gepunktet oder gestrichelt: kein Knockout.</translation>
</message>
<message>
<source>%1, intact</source>
<translation>%1, intakt</translation>
</message>
</context>
<context>
<name>headscope::widgets::SweepPage</name>
<message>
<source>First blocked query</source>
<translation>Erste gesperrte Query</translation>
</message>
<message>
<source>Last blocked query</source>
<translation>Letzte gesperrte Query</translation>
</message>
<message>
<source>First blocked key</source>
<translation>Erster gesperrter Key</translation>
</message>
<message>
<source>Last blocked key</source>
<translation>Letzter gesperrter Key</translation>
</message>
<message>
<source>&amp;before the softmax</source>
<translation>&amp;vor dem Softmax</translation>
</message>
<message>
<source>Layers in a window</source>
<translation>Schichten in einem Fenster</translation>
</message>
<message>
<source>Attention only: the rest of a row sums to 1 again. Otherwise entries become zero, also those of SSM heads.</source>
<translation>Nur Attention: Der Rest einer Zeile ergibt wieder 1. Sonst werden Einträge null, auch die von SSM-Köpfen.</translation>
</message>
<message>
<source>tokens</source>
<translation>Token</translation>
</message>
<message>
<source>to</source>
<translation>bis</translation>
</message>
<message>
<source>do not read tokens</source>
<translation>lesen nicht die Token</translation>
</message>
<message>
<source>S&amp;weep over layers</source>
<translation>&amp;Alle Schichten</translation>
</message>
<message>
<source>“%1” stops reading “%2”</source>
<translation>„%1“ liest „%2“ nicht mehr</translation>
</message>
<message>
<source>layers in a window: </source>
<translation>Schichten im Fenster: </translation>
</message>
<message>
<source>Save the c&amp;hart …</source>
<translation>Das &amp;Diagramm speichern …</translation>
</message>
</context>
<context>
<name>headscope::widgets::TabledView</name>
<message>
<source>Table: %1</source>
<translation>Tabelle: %1</translation>
</message>
<message>
<source>&amp;Copy</source>
<translation>&amp;Kopieren</translation>
</message>
<message>
<source>Copy &amp;all numbers</source>
<translation>&amp;Alle Zahlen kopieren</translation>
</message>
<message>
<source>&amp;Save the numbers …</source>
<translation>Die Zahlen &amp;speichern …</translation>
</message>
<message>
<source>&amp;Table of numbers</source>
<translation>&amp;Tabelle der Zahlen</translation>
</message>
<message>
<source>Zoom &amp;in</source>
<translation>Ver&amp;größern</translation>
</message>
<message>
<source>Zoom &amp;out</source>
<translation>Verk&amp;leinern</translation>
</message>
<message>
<source>Reset &amp;zoom</source>
<translation>Zoom &amp;zurücksetzen</translation>
</message>
<message>
<source>Ma&amp;ke a figure …</source>
<translation>Grafik erst&amp;ellen …</translation>
</message>
</context>
<context>
<name>headscope::widgets::TermButton</name>
<message>
<source>What is &quot;%1&quot;?</source>
<translation>Was ist „%1“?</translation>
</message>
</context>
<context>
<name>headscope::widgets::ThemedChart</name>
<message>
<source>Save the chart…</source>
<translation>Das Diagramm speichern …</translation>
</message>
<message>
<source>Copy the numbers (CSV)</source>
<translation>Die Zahlen kopieren (CSV)</translation>
</message>
</context>
<context>
<name>headscope::widgets::TourPanel</name>
<message>
<source>Back</source>
<translation>Zurück</translation>
</message>
<message>
<source>Next</source>
<translation>Weiter</translation>
</message>
<message>
<source>Steps of the tour</source>
<translation>Schritte der Tour</translation>
</message>
<message>
<source>Close the tour</source>
<translation>Die Tour schließen</translation>
</message>
<message>
<source>Tour</source>
<translation>Tour</translation>
</message>
<message>
<source>Finish</source>
<translation>Fertig</translation>
</message>
<message>
<source>Step of the tour</source>
<translation>Schritt der Tour</translation>
</message>
<message>
<source>How sure are you?</source>
<translation>Wie sicher sind Sie?</translation>
</message>
<message>
<source>guessing</source>
<translation>geraten</translation>
</message>
<message>
<source>fairly sure</source>
<translation>ziemlich sicher</translation>
</message>
<message>
<source>certain</source>
<translation>ganz sicher</translation>
</message>
<message>
<source>Confidence: %1</source>
<translation>Sicherheit: %1</translation>
</message>
<message>
<source>%1 of %2 · %3</source>
<translation>%1 von %2 · %3</translation>
</message>
<message>
<source>Hand in …</source>
<translation>Abgeben …</translation>
</message>
</context>
<context>
<name>headscope::widgets::TurnRow</name>
<message>
<source>Remove this turn</source>
<translation>Diesen Beitrag entfernen</translation>
</message>
<message>
<source>Role of turn %1</source>
<translation>Rolle von Beitrag %1</translation>
</message>
<message>
<source>Text of turn %1</source>
<translation>Text von Beitrag %1</translation>
</message>
<message>
<source>Remove turn %1</source>
<translation>Beitrag %1 entfernen</translation>
</message>
</context>
<context>
<name>headscope::widgets::WeightsView</name>
<message>
<source>Copying score of every head</source>
<translation>Kopierwert jedes Kopfes</translation>
</message>
<message>
<source>Heads that compose with the one that is shown</source>
<translation>Köpfe, die mit dem gezeigten verkettet sind</translation>
</message>
<message>
<source>Singular directions of the head and their tokens</source>
<translation>Singulärrichtungen des Kopfes und ihre Token</translation>
</message>
<message>
<source>1: the head raises the logit of the token that it reads (copies); −1: it lowers it (suppresses). From the eigenvalues of unembedding × output × value × embedding.</source>
<translation>1: Der Kopf erhöht das Logit des gelesenen Tokens (er kopiert); −1: Er senkt es (er unterdrückt). Aus den Eigenwerten von Unembedding × Output × Value × Embedding.</translation>
</message>
<message>
<source>How strongly the receiver reads what the sender writes, through its query, key or value (C, B or x of an SSM), compared with random matrices of this width.</source>
<translation>Wie stark der Empfänger liest, was der Sender schreibt, über Query, Key oder Value (bei einem SSM C, B oder x), verglichen mit Zufallsmatrizen dieser Breite.</translation>
</message>
<message>
<source>The strongest singular directions of the head&apos;s output (OV) and of its attention (QK), each with the nearest tokens at both ends. An SSM head has x in place of the value, and B and C in place of key and query.</source>
<translation>Die stärksten singulären Richtungen der Ausgabe des Kopfs (OV) und seiner Attention (QK), jede mit den nächsten Token an beiden Enden. Ein SSM-Kopf hat x anstelle von Value, B und C anstelle von Key und Query.</translation>
</message>
<message>
<source>Copying</source>
<translation>Kopieren</translation>
</message>
</context>
<context>
<name>headscope::widgets::WelcomePage</name>
<message>
<source>Find a model, a tour, a head …</source>
<translation>Modell, Tour oder Kopf suchen …</translation>
</message>
<message>
<source>Open …</source>
<translation>Öffnen …</translation>
</message>
<message>
<source>Model &amp;folder …</source>
<translation>Modell&amp;ordner …</translation>
</message>
<message>
<source>&amp;Get a model …</source>
<translation>Modell &amp;holen …</translation>
</message>
<message>
<source>&amp;All models …</source>
<translation>&amp;Alle Modelle …</translation>
</message>
<message>
<source>&amp;Session …</source>
<translation>&amp;Sitzung …</translation>
</message>
<message>
<source>A folder or a session can be dropped here, too</source>
<translation>Ordner und Sitzungen lassen sich auch hierher ziehen</translation>
</message>
<message>
<source>Settings</source>
<translation>Einstellungen</translation>
</message>
<message>
<source>you predict, then you see</source>
<translation>erst vorhersagen, dann sehen</translation>
</message>
<message>
<source>Learn</source>
<translation>Lernen</translation>
</message>
<message>
<source>The paper, experiment by experiment</source>
<translation>Das Paper, Experiment für Experiment</translation>
</message>
<message>
<source>Models on this computer</source>
<translation>Modelle auf diesem Rechner</translation>
</message>
<message>
<source>Nothing is sent anywhere: models and sessions stay on this computer.</source>
<translation>Nichts wird verschickt: Modelle und Sitzungen bleiben auf diesem Rechner.</translation>
</message>
<message>
<source>Teaching? Lecture, exercises, hand-ins</source>
<translation>Sie unterrichten? Vortrag, Übungen, Abgaben</translation>
</message>
<message>
<source>%1 more …</source>
<translation>%1 weitere …</translation>
</message>
<message>
<source>+ a folder or GGUF file</source>
<translation>+ Ordner oder GGUF-Datei</translation>
</message>
<message>
<source>+ a Hugging Face name</source>
<translation>+ Name bei Hugging Face</translation>
</message>
<message>
<source>Explore these two</source>
<translation>Diese beiden erkunden</translation>
</message>
<message>
<source>Continue</source>
<translation>Fortsetzen</translation>
</message>
<message>
<source>Welcome</source>
<translation>Willkommen</translation>
</message>
<message>
<source>Type your own dictionary</source>
<translation>Ein eigenes Wörterbuch tippen</translation>
</message>
<message>
<source>Opens a small model that reads any word, with an example to edit</source>
<translation>Öffnet ein kleines Modell, das jedes Wort liest, mit einem Beispiel zum Bearbeiten</translation>
</message>
</context>
<context>
<name>headscope::widgets::WhyPage</name>
<message>
<source>logit lens</source>
<translation>Logit-Linse</translation>
</message>
<message>
<source>patching</source>
<translation>Patching</translation>
</message>
<message>
<source>path patching</source>
<translation>Path-Patching</translation>
</message>
<message>
<source>knockout</source>
<translation>Knockout</translation>
</message>
<message>
<source>query, key, value</source>
<translation>Query, Key, Value</translation>
</message>
<message>
<source>composition</source>
<translation>Komposition</translation>
</message>
<message>
<source>probe</source>
<translation>Probe</translation>
</message>
<message>
<source>steering</source>
<translation>Steuerung</translation>
</message>
<message>
<source>expert</source>
<translation>Experte</translation>
</message>
<message>
<source>Lens</source>
<translation>Linse</translation>
</message>
<message>
<source>Logit lens</source>
<translation>Logit-Linse</translation>
</message>
<message>
<source>Jacobian lens</source>
<translation>Jacobi-Linse</translation>
</message>
<message>
<source>Reads the stream before each layer as if the layers above did nothing, or through their average first-order effect, fitted to texts</source>
<translation>Liest den Strom vor jeder Schicht, als täten die Schichten darüber nichts, oder durch deren mittlere Wirkung erster Ordnung, an Texten angepasst</translation>
</message>
<message>
<source>Fit or open a lens</source>
<translation>Linse anpassen oder öffnen</translation>
</message>
<message>
<source>Fits a Jacobian lens to texts of yours, or opens one from a file</source>
<translation>Passt eine Jacobi-Linse an eigene Texte an oder öffnet eine aus einer Datei</translation>
</message>
<message>
<source>&amp;Fit a Jacobian lens…</source>
<translation>Jacobi-Linse an&amp;passen …</translation>
</message>
<message>
<source>&amp;Open a Jacobian lens…</source>
<translation>Jacobi-Linse ö&amp;ffnen …</translation>
</message>
<message>
<source>probability of the token</source>
<translation>Wahrscheinlichkeit des Tokens</translation>
</message>
<message>
<source>rank of the answer</source>
<translation>Rang der Antwort</translation>
</message>
<message>
<source>certainty (low entropy)</source>
<translation>Sicherheit (niedrige Entropie)</translation>
</message>
<message>
<source>&amp;Colour:</source>
<translation>&amp;Farbe:</translation>
</message>
<message>
<source>Patching</source>
<translation>Patching</translation>
</message>
<message>
<source>Edges</source>
<translation>Kanten</translation>
</message>
<message>
<source>Weights</source>
<translation>Gewichte</translation>
</message>
<message>
<source>Probes</source>
<translation>Proben</translation>
</message>
<message>
<source>Steering</source>
<translation>Steuerung</translation>
</message>
<message>
<source>change of the answer by the ablation</source>
<translation>Änderung der Antwort durch die Ablation</translation>
</message>
<message>
<source>&amp;Average over up to 64 samples</source>
<translation>&amp;Mittel über bis zu 64 Zeilen</translation>
</message>
<message>
<source>Why a head matters</source>
<translation>Warum ein Kopf zählt</translation>
</message>
<message>
<source>Maps</source>
<translation>Karten</translation>
</message>
<message>
<source>Layers</source>
<translation>Schichten</translation>
</message>
<message>
<source>Knockout</source>
<translation>Knockout</translation>
</message>
<message>
<source>Experts</source>
<translation>Experten</translation>
</message>
<message>
<source>Score</source>
<translation>Score</translation>
</message>
<message>
<source>Colour of the lens</source>
<translation>Farbe der Linse</translation>
</message>
<message>
<source>&amp;Weights of the shown head</source>
<translation>&amp;Gewichte des gezeigten Kopfes</translation>
</message>
</context>
<context>
<name>headscope::widgets::WhyView</name>
<message>
<source>Lens: layers and tokens</source>
<translation>Linse: Schichten und Token</translation>
</message>
<message>
<source>The next token that the model would predict if the layers above a row did nothing (logit lens) or had their average first-order effect (Jacobian lens): the stream before the layer, through the model&apos;s final norm and head. A frame marks where the answer is already on top. Double-click a token to follow it, right-click to compare with it; Ctrl and the wheel zoom.</source>
<translation>Das nächste Token, das das Modell vorhersagte, wenn die Schichten über einer Zeile nichts täten (Logit-Linse) oder ihre mittlere Wirkung erster Ordnung hätten (Jacobi-Linse): der Strom vor der Schicht durch die letzte Norm und den Ausgang des Modells. Ein Rahmen zeigt, wo die Antwort schon vorn liegt. Ein Doppelklick auf ein Token verfolgt es, ein Rechtsklick vergleicht mit ihm; Strg und das Mausrad zoomen.</translation>
</message>
<message>
<source>Direct attribution</source>
<translation>Direkte Attribution</translation>
</message>
<message>
<source>The contribution of each head, MLP and the embedding to the logit difference of the two answers, with the final norm held fixed. All contributions add up to the difference.</source>
<translation>Der Beitrag jedes Kopfs, jedes MLPs und der Einbettung zur Logit-Differenz der beiden Antworten, bei festgehaltener letzter Norm. Alle Beiträge zusammen ergeben die Differenz.</translation>
</message>
<message>
<source>&amp;Follow “%1” as the answer</source>
<translation>„%1“ als Antwort ver&amp;folgen</translation>
</message>
<message>
<source>Co&amp;mpare with “%1”</source>
<translation>Mit „%1“ &amp;vergleichen</translation>
</message>
<message>
<source>Use the sam&amp;ple&apos;s answers</source>
<translation>Antworten des &amp;Beispiels verwenden</translation>
</message>
<message>
<source>adds to the difference</source>
<translation>trägt zur Differenz bei</translation>
</message>
</context>
</TS>
