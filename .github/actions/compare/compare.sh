#!/usr/bin/env bash
# Compares servers as they are with the same servers built with a checkout of a crate. action.yml runs it; its inputs are in the environment.
set -euo pipefail

case $FAIL in true | false) ;; *) echo "::error::fail is true or false, not '$FAIL'" && exit 2 ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# GitHub brings an action without its history, and a comparison takes both sides from git.
if [ ! -e "$root/.git" ]; then
    git -C "$root" init --quiet
    git -C "$root" add --all
    git -C "$root" -c user.name=action -c user.email=action@localhost commit --quiet --message "${GITHUB_ACTION_REF:-action}"
fi
if ! command -v valgrind >/dev/null; then
    sudo apt-get update -qq
    sudo apt-get install -qq --yes --no-install-recommends valgrind
fi
# Both sides are built as this repository says, whatever the caller's other steps have set.
unset RUSTUP_TOOLCHAIN RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_INCREMENTAL \
    "${!RUSTC@}" "${!CARGO_BUILD_@}" "${!CARGO_PROFILE_@}" "${!CARGO_TARGET_@}"
read -r -a more <<<"$OPTIONS"
comparison=$(mktemp -d "$RUNNER_TEMP/compare.XXXXXX")/comparison.json status=0
"$root/scripts/bench" compare --patch "$CRATE=$CHECKOUT" --app "$APP" "${more[@]}" --out "$comparison" |
    tee -a "$GITHUB_STEP_SUMMARY" || status=$?
[ "$status" -le 1 ] || exit "$status"
{
    echo "decision=$(jq --raw-output .decision "$comparison")"
    echo "comparison=$comparison"
} >>"$GITHUB_OUTPUT"
[ "$FAIL" != true ] || exit "$status"
