#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the modules of resources/page: that they parse, keep the form in which they are joined, never make HTML of text,
that their JSDoc types hold (where there is a tsc), and that every sentence has its German.

  checkpage.py [FOLDER]     prints a line for each fault; the exit status is 1 where there is one
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

LONGEST = 230
FORBIDDEN = {
    r"\binnerHTML\b|\bouterHTML\b|\binsertAdjacentHTML\b|\bdocument\.write\b|\bDOMParser\b": "text is inserted by dom.js, never as HTML",
    r"\beval\b|\bnew Function\b": "code is not made of text",
    r"\bfetch\(|\bXMLHttpRequest\b|\bWebSocket\b|\bimport\(": "a page loads nothing",
    r"\t|[ \t]+$": "indented by blanks, none at the end of a line",
    r"\bvar\b": "use const or let",
    r"[^=!]==[^=]|!=[^=]": "compare with === or !==",
}
IMPORT = re.compile(r"^import \{ [\w, ]+ \} from '\./(\w+)\.js';$")
EXPORT = re.compile(r"^export (?:async )?(?:function|const) (\w+)")
SENTENCE = re.compile(r"\btr\('((?:[^'\\]|\\.)*)'")
NAMED = re.compile(r"'((?:[^'\\]|\\.)*)'")
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "app/page"
LEFT_OUT = re.compile(r'"(\{0\}[^"]*)"')  # what the program says of data that is not on the page


def without_comment(line):
    return re.sub(r"(^|\s)//.*$|/\*.*?\*/|^ ?/?\*.*$", "", line)


def parse_faults(module):
    """What node says of a module that does not parse."""
    done = subprocess.run(["node", "--input-type=module", "--check"], input=module.read_text(), capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"{module.name}: {done.stderr.strip().splitlines()[-1]}"]


def form_faults(module):
    faults = []
    lines = module.read_text().splitlines()
    if not lines[0].startswith("// SPDX-License-Identifier:") or not lines[1].startswith("// "):
        faults.append(f"{module.name}: begins with its licence and a sentence that says what it is for")
    for number, line in enumerate(lines, 1):
        where = f"{module.name}:{number}"
        code = without_comment(line)
        faults += [f"{where}: {why}" for pattern, why in FORBIDDEN.items() if re.search(pattern, code)]
        if len(line) > LONGEST:
            faults.append(f"{where}: longer than {LONGEST} characters")
        if line.startswith("import") and not IMPORT.match(line):
            faults.append(f"{where}: an import is one line, import {{ a, b }} from './module.js';")
        if line.startswith("export") and not EXPORT.match(line):
            faults.append(f"{where}: a function or a constant is exported")
    return faults


def import_faults(modules):
    """Names that are imported and that nobody exports, or that are not used."""
    exported = {module.stem: set(EXPORT.findall(line)[0] for line in module.read_text().splitlines() if EXPORT.match(line)) for module in modules}
    faults = []
    for module in modules:
        text = module.read_text()
        for line in text.splitlines():
            found = IMPORT.match(line)
            for name in re.findall(r"\w+", line[line.index("{") + 1:line.index("}")]) if found else []:
                if name not in exported.get(found[1], set()):
                    faults.append(f"{module.name}: {found[1]}.js does not export {name}")
                elif len(re.findall(rf"\b{name}\b", text)) < 2:
                    faults.append(f"{module.name}: {name} is not used")
    return faults


def type_faults(folder):
    """What a TypeScript compiler says of the types; nothing without one."""
    if not shutil.which("tsc"):
        return []
    options = "--noEmit --allowJs --checkJs --strict --noUnusedLocals --noUnusedParameters --target es2022 --module es2022 --lib es2022,dom,dom.iterable".split()
    done = subprocess.run(["tsc", *options, str(folder / "main.js")], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode else []


def word_faults(folder, modules):
    german = json.loads((folder / "words.de.json").read_text())
    texts = {module.name: module.read_text() for module in modules}
    sentences = {found: name for name, text in texts.items() for found in SENTENCE.findall(text)}
    sentences |= {found: source.name for source in PROGRAM.glob("*.cpp") for found in LEFT_OUT.findall(source.read_text())}
    spoken = {word for text in texts.values() for line in text.splitlines() for word in NAMED.findall(line)} | sentences.keys()
    faults = [f"{name}: no German for '{sentence}'" for sentence, name in sentences.items() if sentence not in german]
    faults += [f"words.de.json: '{sentence}' is said nowhere" for sentence in german if sentence not in spoken]
    faults += [f"words.de.json: '{english}' has other places" for english, word in german.items()
               if sorted(re.findall(r"\{\d\}", english)) != sorted(re.findall(r"\{\d\}", word))]
    return faults


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "resources/page"
    modules = sorted(folder.glob("*.js"))
    faults = [fault for module in modules for fault in parse_faults(module) + form_faults(module)]
    faults += import_faults(modules) + type_faults(folder) + word_faults(folder, modules)
    types = "with types" if shutil.which("tsc") else "without types: there is no tsc (node-typescript)"
    print("\n".join(faults) if faults else f"{len(modules)} modules, no fault, {types}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
