#!/usr/bin/env bash
# Has a maintainer accepted a regression of this head? Prints `accepted=true`, `accepted=false`, or `accepted=before` where the label
# `accept-regression` was set before this head was pushed, or before the base was changed: it was meant for something else.
#
# By GitHub's own times, and not by what labels there are: whatever takes a label off after a push comes too late for an event that
# is quicker, such as a title that the author edits. A push is known by the run that it starts (`run-name` in pr-benchmark.yml), not by
# the dates of its commits, which the author writes.
#
#   GH_TOKEN=… .github/scripts/accepted.sh OWNER/NAME NUMBER HEAD_SHA
set -euo pipefail

repository=${1:?owner/name} number=${2:?a pull request} commit=${3:?its head}
# shellcheck disable=SC2034 # github.sh reads it
needs='actions: read and pull-requests: read'
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/github.sh"

api GET "repos/$repository/issues/$number/events?per_page=100"
set=$(jq --raw-output --slurp '
    [.[][] | select((.event == "labeled" or .event == "unlabeled") and .label.name == "accept-regression")]
    | max_by(.id) // {} | select(.event == "labeled") | .created_at' "$answer")
if [ -z "$set" ]; then
    echo accepted=false
    exit 0
fi
# The last push of this head. A pull request that a workflow has opened has none: then the first that is known of it.
api GET "repos/$repository/actions/workflows/pr-benchmark.yml/runs?event=pull_request&head_sha=$commit&per_page=100"
pushed=$(jq --raw-output --slurp --arg commit "$commit" '
    [.[].workflow_runs[] | select(.head_sha == $commit)]
    | ([.[] | select(.display_title | test("^(opened|synchronize|reopened|base): ")) | .created_at] | max) //
      ([.[].created_at] | min) // ""' "$answer")
if [ -z "$pushed" ]; then
    echo "error: $repository has no run of pr-benchmark.yml for $commit; push again" >&2
    exit 2
fi
# Both as 2026-11-23T00:23:00Z.
if [[ $set > $pushed ]]; then echo accepted=true; else echo accepted=before; fi
