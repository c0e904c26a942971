# SPDX-License-Identifier: GPL-3.0-or-later
# What an interactive zsh offers for a line of headscope-cli, each as <word>: completion.zsh FOLDER LINE, with _headscope-cli in FOLDER.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPS1= fpath=(${(q)1} \$fpath); unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D"
zpty -w shell 'compadd() { local -a found; builtin compadd -O found "$@"; (($#found)) && print -rn -- "<${(j:><:)found}>"; builtin compadd "$@" }'
# Only once the editor has the line: before that the terminal takes the line away at the control character below.
zpty -w shell "zle-line-init() { print -rn -- st''art }; zle -N zle-line-init"
zpty -r shell told '*start*'
zpty -w -n shell "headscope-cli $2"$'\t'$'\x15'"echo en''d"$'\n'
zpty -r shell told '*end*'
print -r -- $told
