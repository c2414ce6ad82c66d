#!/usr/bin/env bash
# Has this head been compared with this base already? Prints `run=ID` of the newest run that left an artifact `comparison-BASE_SHA`
# for HEAD_SHA, or `run=`. A label that is set or taken away needs no new measurement, but the result must be judged again.
#
# The head is what GitHub says of the run. The base stands in the name, which the workflow gives and no program that it measures;
# verdict.sh looks at both in what is inside.
#
#   GH_TOKEN=… .github/scripts/earlier.sh OWNER/NAME BASE_SHA HEAD_SHA
set -euo pipefail

repository=${1:?owner/name} base=${2:?the commit compared with} commit=${3:?a commit}
# shellcheck disable=SC2034 # github.sh reads it
needs='actions: read'
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/github.sh"
api GET "repos/$repository/actions/artifacts?name=comparison-$base&per_page=100"
jq --raw-output --slurp --arg name "comparison-$base" --arg commit "$commit" '
    [.[].artifacts[] | select(.name == $name and (.expired | not) and .workflow_run.head_sha == $commit)]
    | "run=\(max_by(.id).workflow_run.id // "")"' "$answer"
