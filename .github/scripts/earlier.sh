#!/usr/bin/env bash
# Has this commit been compared already? Prints `run=ID` of the newest run that left an artifact `comparison` for HEAD_SHA,
# or `run=`. A label that is set or taken away needs no new measurement, but the result must be judged again.
#
#   GH_TOKEN=… .github/scripts/earlier.sh OWNER/NAME HEAD_SHA
set -euo pipefail

repository=${1:?owner/name} commit=${2:?a commit}
# shellcheck disable=SC2034 # github.sh reads it
needs='actions: read'
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/github.sh"
api GET "repos/$repository/actions/artifacts?name=comparison&per_page=100"
jq --raw-output --slurp --arg commit "$commit" '
    [.[].artifacts[] | select(.name == "comparison" and (.expired | not) and .workflow_run.head_sha == $commit)]
    | "run=\(max_by(.id).workflow_run.id // "")"' "$answer"
