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
    mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '.github/*.yml' '.github/*.yaml' \
        '.github/scripts/*.sh' scripts .ci | while IFS= read -r file; do
        case $file in
        .github/*) echo "$file" ;;
        *) ! grep -qsE '^#!.*\b(ba)?sh$' "$file" || echo "$file" ;;
        esac
    done)
fi

found=0
refuse() { # REASON, then what grep takes
    local reason=$1 lines line status=0
    shift
    lines=$(grep --with-filename --line-number "$@" "${files[@]}") || status=$?
    [ "$status" -le 1 ] || exit "$status" # grep itself
    while IFS= read -r line; do
        case $line in
        '' | .github/scripts/forbidden.sh:*) ;; # this file has to name what it looks for
        *)
            echo "$line    <- $reason"
            found=1
            ;;
        esac
    done <<<"$lines"
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
