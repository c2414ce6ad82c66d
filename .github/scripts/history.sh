#!/usr/bin/env bash
# Do confirmed regressions stand in the history of a lane's weekly runs? Prints `state=`, and what stands there if so, as
# $GITHUB_OUTPUT takes it, and writes BODY, the text of the lane's issue. A run of another profile, and a partial one, says nothing
# of that, and changes nothing.
#
#   .github/scripts/history.sh LANE RUNS BODY     RUNS: the folder runs/ of a checkout of gh-pages
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lane=${1:?a lane} runs=${2:?the folder runs of gh-pages} body=${3:?the file to write}
history=("${BENCH:-./scripts/bench}" history --lane "$lane" --profile weekly --results "$runs")
status=0
"${history[@]}" --format alarm >"$body" || status=$?
case $status in
0) echo 'state=' ;;
1)
    state=$("${history[@]}" --format state)
    echo "state=${state:?of an alarm}" # nothing would close the issue
    ;;
*) exit "$status" ;;
esac
