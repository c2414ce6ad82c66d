#!/usr/bin/env bash
# The one check that a pull request must pass: every job succeeded, or was not planned to run.
#
#   NEEDS='{"plan":{"result":"success","outputs":{"jobs":"[\"fmt\"]"}},"fmt":{"result":"success"}}' .github/scripts/gate.sh
#
# NEEDS is `toJSON(needs)` of the job that calls this. The job `plan` names in its output `jobs` the jobs that are to run:
# one that is skipped because another failed must not look like one that had nothing to do.
set -euo pipefail

: "${NEEDS:?the results of all jobs, toJSON(needs)}"
lines=$(jq --raw-output '
    ((.plan.outputs.jobs // "null") | fromjson) as $planned
    | if .plan.result != "success" or ($planned | type) != "array" then
        "FAIL plan: \(.plan.result // "missing"), so nothing is known of the others"
      else
        (to_entries[] | select(.key != "plan")
          | (.key as $job | $planned | index([$job]) != null) as $wanted
          | if .value.result == "success" then "ok   \(.key): success"
            elif .value.result == "skipped" and ($wanted | not) then "ok   \(.key): not planned"
            else "FAIL \(.key): \(.value.result)" end),
        (($planned - keys)[] | "FAIL \(.): planned, but the gate does not wait for it")
      end
' <<<"$NEEDS")
echo "$lines"
if grep -q '^FAIL' <<<"$lines"; then
    echo "gate: closed"
    exit 1
fi
echo "gate: open"
