#!/usr/bin/env bash
# Does this comparison let a pull request pass? A proven regression does not, unless a maintainer has set the label
# `accept-regression`. LABELS is a JSON array of the names of its labels; null, as act has it for no label, is none.
#
#   LABELS='["accept-regression"]' .github/scripts/verdict.sh target/compare/comparison.json
set -euo pipefail

comparison=${1:?a comparison}
decision=$(jq --raw-output --exit-status .decision "$comparison")
accepted=$(jq '(. // []) | index(["accept-regression"]) != null' <<<"${LABELS:-[]}")
case $decision in
nothing_to_measure | no_change | improvement | inconclusive)
    echo "comparison: $decision"
    ;;
regression)
    if [ "$accepted" = true ]; then
        echo "::notice::a proven regression, accepted by the label accept-regression"
        exit 0
    fi
    echo "::error::a proven regression; the summary says of which app, in what, how much and how sure. Mend it, or let a maintainer set the label accept-regression"
    exit 1
    ;;
*)
    echo "error: $comparison: '$decision' is no decision" >&2
    exit 2
    ;;
esac
