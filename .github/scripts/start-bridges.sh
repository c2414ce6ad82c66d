#!/usr/bin/env bash
# Starts bridge.yml for each lane of BRIDGES. Each is a run of its own, for which nobody waits: a runner that is gone lets its job wait for a
# day, and the lane itself is measured meanwhile.
#
#   BRIDGES=… PROFILE=weekly STARTED=2026-11-30T00:24:00Z COMMIT=… GH_TOKEN=… .github/scripts/start-bridges.sh OWNER/NAME
set -euo pipefail

repository=${1:?owner/name} bridges=${BRIDGES:?of bridge.sh}
: "${PROFILE:?}" "${STARTED:?}" "${COMMIT:?}" "${GH_TOKEN:?a token with the permission actions: write}"
mapfile -t calls < <(jq --compact-output '.[] | { ref: "main", inputs: {
    lane, architecture, builder, runner: (.runner | tojson), profile: env.PROFILE, started: env.STARTED, commit: env.COMMIT } }' <<<"$bridges")
payload=$(mktemp)
trap 'rm "$payload"' EXIT
for call in "${calls[@]}"; do
    echo "$call" >"$payload"
    gh api --method POST --header 'X-GitHub-Api-Version: 2022-11-28' --silent --input "$payload" \
        "repos/$repository/actions/workflows/bridge.yml/dispatches" || {
        echo "error: bridge.yml was not started: $call; start it by hand with these inputs, or let the next run do it" >&2
        exit 2
    }
done
echo "${#calls[@]} bridges were started"
