#!/usr/bin/env bash
# Text of the issue that a scheduled audit opens when it fails.
#
#   .github/scripts/advisories.sh https://github.com/owner/name/actions/runs/1 audit.txt
set -euo pipefail

run=${1:?the address of the run} report=${2:?what scripts/audit said}
# An issue holds 65,536 characters; what matters is named in the first line of each finding.
most=200
found=
if [ -s "$report" ]; then
    found=$(awk -v most="$most" '{ gsub(/\033\[[0-9;]*m/, "") } /^(error|warning|ID:|Crate:|Title:|URL:|:::)/ && n++ < most' "$report")
fi
cat <<TEXT
[The scheduled audit]($run) failed:

\`\`\`\`text
${found:-It said nothing that this script recognises; the run has all of it.}
\`\`\`\`

Bump the crate (\`cargo update -p NAME\`). If nothing can be done yet, list the advisory in [deny.toml](../blob/main/deny.toml)
with the reason and the day until which that may stay; what only the frameworks below \`apps/legacy\` need, in the one there.
\`./scripts/audit\` shows the same on a laptop. This issue closes itself when a scheduled audit succeeds.
TEXT
