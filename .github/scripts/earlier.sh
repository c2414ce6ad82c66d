#!/usr/bin/env bash
# Has this commit been compared already? Prints `run=ID` of the newest run that left an artifact `comparison` for HEAD_SHA,
# or `run=`. A label that is set or taken away needs no new measurement, but the result must be judged again.
#
#   REPOSITORY=owner/name HEAD_SHA=… GITHUB_TOKEN=… .github/scripts/earlier.sh
set -euo pipefail

: "${REPOSITORY:?owner/name}" "${HEAD_SHA:?a commit}" "${GITHUB_TOKEN:?a token that may read actions}"
# The header comes by a file descriptor: an argument can be read by everybody on the machine.
found=$(curl --silent --show-error --fail --retry 3 --max-time 60 \
    --header @<(printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN") --header 'Accept: application/vnd.github+json' \
    "${GITHUB_API_URL:-https://api.github.com}/repos/$REPOSITORY/actions/artifacts?name=comparison&per_page=100")
jq --raw-output --arg head "$HEAD_SHA" '
    [.artifacts[] | select(.name == "comparison" and (.expired | not) and .workflow_run.head_sha == $head)]
    | "run=\(max_by(.id).workflow_run.id // "")"' <<<"$found"
