#!/usr/bin/env bash
# Keeps the one issue of a lane: opened or brought up to date while confirmed regressions stand in the history of its weekly runs,
# closed when they are gone. A run of another profile, and a partial one, says nothing of that, and changes nothing.
#
#   .github/scripts/history.sh LANE DATA OWNER/NAME     DATA: the folder data/ of a checkout of gh-pages
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lane=${1:?a lane} data=${2:?the folder data of gh-pages} repository=${3:?owner/name}
bench=${BENCH:-./scripts/bench}
body=$(mktemp)
trap 'rm "$body"' EXIT

issue=(issue --matter "history-$lane" --title "Slower in $lane" --repository "$repository")
history=(history --lane "$lane" --profile weekly --results "$data")
status=0
"$bench" "${history[@]}" --format alarm >"$body" || status=$?
case $status in
0) "$bench" "${issue[@]}" --resolved ;;
1)
    state=$("$bench" "${history[@]}" --format state)
    "$bench" "${issue[@]}" --state "$state" --body "$body" --label performance
    ;;
*) exit "$status" ;;
esac
