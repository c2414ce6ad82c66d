#!/usr/bin/env bash
# Does this comparison let a pull request pass? It must be one of these two commits. One that could not measure everything has failed its job.
#
#   .github/scripts/verdict.sh target/compare/comparison.json BASE_SHA HEAD_SHA
set -euo pipefail

comparison=${1:?a comparison} base=${2:?the commit compared with} head=${3:?the head}
of=$(jq --raw-output '"\(.base.commit) \(.head.commit)"' "$comparison")
if [ "$of" != "$base $head" ]; then
    printf 'error: %s: it compares %q, and not %s with %s; run this workflow again\n' "$comparison" "${of/ / with }" "$base" "$head" >&2
    exit 2
fi
decision=$(jq --raw-output --exit-status .decision "$comparison")
case $decision in
regression)
    echo "::error::a regression; the summary says of which app, in what, how much and how sure. Mend it, or let a maintainer set the label accept-regression, which counts until the next push"
    exit 1
    ;;
nothing_to_measure | no_change | improvement | inconclusive) echo "comparison: $decision" ;;
*)
    printf 'error: %s: %q is no decision\n' "$comparison" "$decision" >&2
    exit 2
    ;;
esac
