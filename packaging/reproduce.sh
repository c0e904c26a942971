#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds what packages are made of twice, in two folders of different names and without a compiler's cache, lays both out as packages do
# and compares every file: reproduce.sh [NINJA_TARGET ...]. With targets only these are built, and the objects compared (minutes
# instead of an hour). Ends with "N passed, N failed, 0 skipped", counted in files.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "${BASH_SOURCE[0]}")/stage.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1 HEADSCOPE_PRESET=package
for folder in one another-folder; do
    mkdir "$work/$folder"
    (cd "$headscope_root" && git ls-files -z | xargs -0 cp --parents -t "$work/$folder")
    # Files are not as old in one as in the other.
    if [ "$folder" != one ]; then find "$work/$folder" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +; fi
    if [ $# -gt 0 ]; then
        bash "$work/$folder/packaging/build.sh" "$@"
    else
        bash "$work/$folder/packaging/build.sh" headscope headscope-cli
        headscope_build="$work/$folder/build/package" stage_programs "$work/$folder/staged"
    fi
done

what=staged
pattern='*'
if [ $# -gt 0 ]; then what=build/package pattern='*.o'; fi
passed=0
failed=0
while read -r -d '' file; do
    if cmp -s "$work/one/$what/$file" "$work/another-folder/$what/$file"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $file differs"
    fi
done < <(cd "$work/one/$what" && find . -type f -name "$pattern" -print0 | LC_ALL=C sort -z)
if [ $# -eq 0 ]; then (cd "$work/one/staged/usr/bin" && sha256sum headscope headscope-cli); fi
# Nothing of what is compared names the folder that it was made in.
if grep -rlE "$work|$headscope_cache" "$work/one/$what" --include="$pattern" | sed 's/^/failed: a folder is named in /' | grep .; then failed=$((failed + 1)); fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
