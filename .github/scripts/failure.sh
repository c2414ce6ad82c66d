#!/usr/bin/env bash
# Text of the issue that a scheduled run opens when it fails: which jobs did not do what they should, and what to do now.
#
#   NEEDS='…' .github/scripts/failure.sh https://github.com/owner/name/actions/runs/1
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

run=${1:?the address of the run}
NEEDS=$(jq 'del(.gate)' <<<"${NEEDS:?the results of all jobs, toJSON(needs)}") # it only repeats the others
export NEEDS
lines=$(./gate.sh) || [ $? -eq 1 ]
cat <<TEXT
[The scheduled run]($run) failed:

\`\`\`
$lines
\`\`\`

Lanes marked \`ok\` are published. For the others: open the run, read the job, and **Re-run failed jobs**; what succeeded is
not measured again. This issue closes itself when a scheduled run succeeds.
TEXT
