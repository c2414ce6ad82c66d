#!/usr/bin/env bash
# What no linter forbids and this repository does: a failure that is not one (`continue-on-error`, `|| true`), a pipe into
# `grep -q`, a name that scheduled events do not have, and foreign code next to a token that can write. Looks at all workflows and scripts, or
# at those named. That actions are pinned and no token stays on disk, zizmor says.
#
#   .github/scripts/forbidden.sh [FILE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    # But for this file, which has to name what it looks for.
    listed=(git ls-files -z --cached --others --exclude-standard -- ':!.github/scripts/forbidden.sh')
    mapfile -t files < <("${listed[@]}" '.github/*.yml' '.github/*.yaml' | xargs -0 printf '%s\n' &&
        "${listed[@]}" .github/scripts scripts .ci | xargs -0 grep -lsE '^#!.*\b(ba)?sh$')
fi

found=0
refuse() { # REASON, then what grep takes
    local reason=$1 lines status=0
    shift
    lines=$(grep --with-filename --line-number "$@" "${files[@]}") || status=$?
    [ "$status" -le 1 ] || exit "$status" # grep itself
    [ -z "$lines" ] || {
        awk -v reason="$reason" '{ print $0 "    <- " reason }' <<<"$lines"
        found=1
    }
}
refuse 'a step that fails must fail' --extended-regexp '^[^#]*continue-on-error'
refuse 'a failure must not pass for a success' --extended-regexp '^[^#]*\|\|[[:space:]]*(true|:)([[:space:];)]|$)'
refuse 'grep -q leaves early and kills the writer, which pipefail takes for an answer: use <<<' --extended-regexp \
    '^[^#]*\|[[:space:]]*grep -[a-zA-Z]*q'
refuse 'empty on a schedule: GITHUB_REPOSITORY is always there' --fixed-strings 'github.event.repository.name'

# Scripts that compile: `bench`, where BENCH names none.
compiling=$(grep --files-with-matches --extended-regexp '^[^#]*scripts/(bench|test)|(^|[;&(])[[:space:]]*(cargo|npm) [a-z]' .github/scripts/*.sh | tr '\n' ' ')
for file in "${files[@]}"; do
    [[ $file == *.yml || $file == *.yaml ]] || continue
    lines=$(awk -v compiling="$compiling" -f .github/scripts/privileged.awk "$file")
    [ -z "$lines" ] || {
        echo "$lines"
        found=1
    }
done
[ "$found" = 0 ] || exit 1
echo "${#files[@]} files: nothing forbidden"
