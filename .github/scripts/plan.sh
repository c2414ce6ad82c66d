#!/usr/bin/env bash
# What a change needs from continuous integration, by the names of its files alone: lines `name=value`, as $GITHUB_OUTPUT takes them.
#
#   git diff --name-status --no-renames main...HEAD | .github/scripts/plan.sh
#   echo 'M everything' | .github/scripts/plan.sh        all that there is
#
# `jobs` are ci.yml's jobs to run besides the one that asks, and `skipped` the others; `workspaces` those whose apps may be touched (`bench ci touched`
# says which are); `compare` is `none`, `one` if only one app can have become slower, or `many`. A file of a kind that is not known here
# needs everything: the mistake must be to check too much.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

all=(workflows deny harness site apps)
workspaces=(. apps/legacy apps/postgres apps/reference apps/services)
declare -A jobs=() of=() folders=()
shared=false

apps() { # WORKSPACE...
    local workspace
    jobs[apps]=1
    for workspace in "$@"; do of[$workspace]=1; done
}
everyone() {
    shared=true
    apps "${workspaces[@]}"
}
app() { # FOLDER below apps/
    local user
    folders[$1]=1
    # What is no app is a part of several, and so is an app whose library others name by its path.
    grep -qs '^\[package.metadata.bench\]' "apps/$1/Cargo.toml" || shared=true
    while read -r user; do
        shared=true
        apps "${user%/*/*}"
    done < <(grep -ls "path = \"[./]*/${1##*/}\"" apps/*/*/Cargo.toml)
}
checked() { # JOB...
    local job
    for job in "$@"; do jobs[$job]=1; done
}

while read -r _ file; do
    case $file in
    # What checks everything else.
    .github/workflows/ci.yml | .github/scripts/plan.sh | scripts/test) checked "${all[@]}" && apps . ;;
    # Tests read these, or make a part of them.
    scripts/harness/docs/compare.md) checked harness ;;
    # A lane's figures follow from a published record.
    bench-results/*/figures.json) ;;
    bench-results/*.json | bench-results/*.json.gz) checked harness ;;
    *.md | *.svg | LICENSE-* | .github/CITATION.cff) ;;
    .github/workflows/* | .github/scripts/*) checked workflows harness ;;
    .github/*) checked workflows ;;
    # No run is without it, and no app is built from it. The harness contains a part of it.
    apps/control/*) checked deny harness ;;
    apps/contract/* | apps/contract-tokio/* | apps/*/contract/* | apps/*.sql) checked deny harness && everyone ;;
    apps/*/Cargo.lock | apps/*/deny.toml) checked deny && shared=true ;;&
    apps/*/Cargo.toml) checked deny harness && shared=true ;;&
    apps/legacy/* | apps/postgres/* | apps/reference/* | apps/services/*)
        IFS=/ read -r _ workspace folder _ <<<"$file"
        apps "apps/$workspace"
        if [ "$workspace" = reference ]; then app reference; else app "$workspace/$folder"; fi
        ;;
    apps/*/*)
        IFS=/ read -r _ folder _ <<<"$file"
        apps .
        app "$folder"
        ;;
    Cargo.toml | Cargo.lock) checked deny harness && shared=true && apps . ;;
    deny.toml) checked deny ;;
    scripts/harness/docs/published/*) checked harness site ;;
    # What workflows call is rehearsed.
    scripts/harness/bench/src/cli/* | scripts/harness/bench/tests/fake_gh/*) checked workflows harness ;;
    scripts/harness/*/Cargo.toml | scripts/oha/Cargo.toml) checked deny harness ;;
    scripts/harness/* | scripts/oha/*) checked harness ;;
    scripts/dashboard/test) checked workflows site ;;
    scripts/dashboard/*) checked site ;;
    scripts/*) checked workflows harness ;;
    *) checked "${all[@]}" && everyone ;;
    esac
done

array() {
    jq --null-input --compact-output '$ARGS.positional' --args "$@"
}
planned=() left=() touched=()
for job in "${all[@]}"; do
    if [ -n "${jobs[$job]:-}" ]; then planned+=("$job"); else left+=("$job"); fi
done
for workspace in "${workspaces[@]}"; do
    [ -z "${of[$workspace]:-}" ] || touched+=("$workspace")
done
compare=none
if [ "$shared" = true ] || [ ${#folders[@]} -gt 1 ]; then compare=many; elif [ ${#folders[@]} = 1 ]; then compare=one; fi
echo "jobs=$(array "${planned[@]}")"
echo "skipped=$(array "${left[@]}")"
echo "workspaces=$(array "${touched[@]}")"
echo "compare=$compare"
