#!/usr/bin/env bash
# Keeps one open issue for a matter, known by its mark and its author: `open` opens it or rewrites it, `close` closes it with a comment,
# if it is open. As a job ended: `success` closes it, `skipped` leaves it as it is, and anything else opens it with this run's address.
#
#   GH_TOKEN=… .github/scripts/issue.sh open OWNER/NAME MATTER TITLE BODY [LABEL]     BODY: a file with Markdown
#   GH_TOKEN=… .github/scripts/issue.sh close OWNER/NAME MATTER
#   GH_TOKEN=… .github/scripts/issue.sh RESULT OWNER/NAME MATTER TITLE
set -euo pipefail

verb=${1:?open, close or how a job ended} repository=${2:?owner/name} matter=${3:?a matter} title=${4:-}
# It stands in a comment of HTML.
[[ $matter =~ ^[a-z0-9]+(-[a-z0-9]+)*$ ]] || {
    echo "error: the matter '$matter' is not made of lowercase letters, digits and single hyphens" >&2
    exit 2
}
run=${GITHUB_SERVER_URL:-}/$repository/actions/runs/${GITHUB_RUN_ID:-} text=
case $verb in
open) text=$(<"${5:?a file}") ;;
close) ;;
success) verb=close ;;
skipped) exit 0 ;;
*)
    verb=open
    text="[This run]($run) failed. Open it, read the job that failed, and **Re-run failed jobs**: what succeeded is not done again. "
    text+="[MAINTAINING](../blob/main/.github/MAINTAINING.md) says more. This issue closes itself when a later run succeeds."
    ;;
esac
issues=repos/$repository/issues mark="<!-- bench issue: $matter -->"
# Nobody else can have this login: `[bot]` is part of no name that a person can choose.
there=$(gh api --paginate "$issues?state=open&direction=asc&per_page=100" | jq --slurp --arg mark "$mark" '
    [.[][] | select(.pull_request == null and .user.login == "github-actions[bot]" and (.body // "" | startswith($mark)))][0].number // empty')
if [ "$verb" = close ]; then
    [ -n "$there" ] || exit 0
    gh api --method PATCH "$issues/$there" --raw-field state=closed --silent
    gh api --method POST "$issues/$there/comments" --raw-field body='Resolved: this does not happen any more.' --silent
    echo "$matter: issue $there closed"
    exit 0
fi
# An issue holds 65,536 characters.
payload=$(jq --null-input --rawfile text <(printf '%s' "$text") --arg title "${title:?a title}" --arg mark "$mark" --arg name "${6:-}" --arg there "$there" '
    {$title, body: "\($mark)\n\($text[:65000])\n"} + if $name == "" or $there != "" then {} else {labels: [$name]} end')
if [ -n "$there" ]; then
    gh api --method PATCH "$issues/$there" --input - --silent <<<"$payload"
    echo "$matter: issue $there brought up to date"
else
    gh api --method POST "$issues" --input - --silent <<<"$payload"
    echo "$matter: issue opened"
fi
