#!/usr/bin/env bash
# What a change asks of continuous integration: lines `name=value`, as $GITHUB_OUTPUT takes them.
#
#   .github/scripts/plan.sh checks             everything
#   .github/scripts/plan.sh checks main        what differs from the merge-base with main
#   .github/scripts/plan.sh nothing            no job at all: a title was edited
#   .github/scripts/plan.sh measured main      can the change move a figure?
#
# `checks` prints `jobs`, the jobs of cargo-checks.yml that are to run, and `apps`, those that are to be built. The
# apps come from `bench list`: a new folder is checked without being named anywhere. A file of a kind that is not known
# here counts as Rust: the mistake must be to check too much.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
    echo "usage: plan.sh checks|nothing|measured [BASE]" >&2
    exit 2
}

# Files that differ between the merge-base with $1 and HEAD.
changed() {
    git diff --name-only --no-renames "$1...HEAD"
}

# Can `bench compare` find a difference? It decides exactly; this only spares it the start.
measured() {
    local base=$1 file files moved=false
    files=$(changed "$base")
    while IFS= read -r file; do
        case $file in
        *.md) ;;
        apps/* | Cargo.toml | Cargo.lock | rust-toolchain.toml | .cargo/*) moved=true ;;
        esac
    done <<<"$files"
    echo "measured=$moved"
    echo "base=$(git merge-base "$base" HEAD)"
    echo "head=$(git rev-parse HEAD)"
}

checks() {
    local base=$1 file files rust=false workflows=false harness=false dashboard=false all_apps=false apps='[]' touched=()
    if [ -z "$base" ]; then
        rust=true workflows=true harness=true dashboard=true all_apps=true
        files=
    else
        files=$(changed "$base")
    fi
    while IFS= read -r file; do
        case $file in
        '') ;;
        # What checks everything else.
        .github/workflows/cargo-checks.yml | .github/scripts/* | scripts/test) rust=true workflows=true harness=true dashboard=true all_apps=true ;;
        .github/*) workflows=true ;;
        # Text, and results that were measured.
        apps/*.md | bench-results/*/* | bench-results/*.md | LICENSE-*) ;;
        apps/contract/*) rust=true harness=true all_apps=true ;;
        apps/*) rust=true harness=true touched+=("$file") ;;
        # The site is tried on what the harness publishes.
        scripts/harness/*) rust=true harness=true dashboard=true ;;
        scripts/oha/*) rust=true harness=true ;;
        scripts/dashboard/*) workflows=true dashboard=true ;;
        scripts/*) rust=true workflows=true harness=true ;;
        */*) rust=true harness=true all_apps=true ;;
        *.md) ;;
        *) rust=true harness=true all_apps=true ;;
        esac
    done <<<"$files"

    if [ "$all_apps" = true ] || [ ${#touched[@]} -gt 0 ]; then
        apps=$("${BENCH:-./scripts/bench}" list --format json | jq --compact-output '[.apps[] | {id, package, manifest}]')
    fi
    # A file that lies in no app's folder is shared by the apps beside and below it, as apps/legacy/Cargo.lock is; where there
    # are none, by all.
    [ "$all_apps" = true ] || apps=$(printf '%s\n' "${touched[@]}" | jq --null-input --raw-input --compact-output \
        --argjson apps "$apps" '[inputs | select(. != "")] as $files
            | [$apps[] | . + {folder: (.manifest | rtrimstr("Cargo.toml"))}] as $apps
            | [$files[] | . as $file | sub("[^/]*$"; "") as $beside
                | [$apps[] | select(.folder as $folder | $file | startswith($folder))]
                | if . == [] then [$apps[] | select(.folder | startswith($beside))] else . end] as $owners
            | if any($owners[]; . == []) then $apps else $owners | add // [] | unique_by(.id) end
            | map(del(.folder))')
    jq --null-input --raw-output --argjson apps "$apps" \
        --argjson rust "$rust" --argjson workflows "$workflows" --argjson harness "$harness" --argjson dashboard "$dashboard" '
        [ if $workflows then "workflows" else empty end,
          if $rust then "fmt", "deny" else empty end,
          if $harness then "harness" else empty end,
          if $dashboard then "dashboard" else empty end,
          if $apps != [] then "app" else empty end ]
        | "jobs=\(tojson)\napps=\($apps | tojson)"'
}

case ${1:-} in
checks) checks "${2:-}" ;;
nothing) printf '%s\n' 'jobs=[]' 'apps=[]' ;;
measured) measured "${2:?a base belongs to it}" ;;
*) usage ;;
esac
