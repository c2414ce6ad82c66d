#!/usr/bin/env bash
# Keeps one open issue for a matter, known by its mark and its author: `open` opens it or brings it up to date, `resolve` closes
# it with a comment, if it is open. A comment is added to an open one only when STATE, where the matter stands in a few words,
# is another one.
#
#   GH_TOKEN=… .github/scripts/issue.sh open OWNER/NAME MATTER TITLE BODY [STATE [LABEL]]     BODY: a file with Markdown
#   GH_TOKEN=… .github/scripts/issue.sh resolve OWNER/NAME MATTER
set -euo pipefail

verb=${1:?open or resolve} repository=${2:?owner/name} matter=${3:?a matter}
title=${4:-} body=${5:-} state=${6:-${4:-}} label=${7:-}
case $verb in
open) : "${title:?a title}" "${body:?a file}" ;;
resolve) ;;
*)
    echo "error: '$verb' is neither open nor resolve" >&2
    exit 2
    ;;
esac
# It stands in a comment of HTML.
[[ $matter =~ ^[a-z0-9]+(-[a-z0-9]+)*$ ]] || {
    echo "error: the matter '$matter' is not made of lowercase letters, digits and single hyphens" >&2
    exit 2
}
# So does the state; and in code, in which it means nothing.
state=$(tr -d '<>`[:cntrl:]' <<<"$state")
# shellcheck disable=SC2034 # github.sh reads it
needs='issues: write'
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/github.sh"
issues=repos/$repository/issues there=$work/there.json mark="<!-- bench issue: $matter -->"

say() { # NUMBER TEXT
    jq --null-input --arg body "$2" '{$body}' >"$payload"
    api POST "$issues/$1/comments"
}

api GET "$issues?state=open&direction=asc&per_page=100"
ours "$mark" >"$there"
number=$(jq .number "$there")
if [ "$verb" = resolve ]; then
    if [ -z "$number" ]; then
        echo "$matter: no issue is open"
        exit 0
    fi
    # Closed first: if the comment fails, the next run finds nothing open, and does not say it twice.
    echo '{"state": "closed", "state_reason": "completed"}' >"$payload"
    api PATCH "$issues/$number"
    say "$number" 'Resolved: this does not happen any more.'
    echo "$matter: issue $number closed"
    exit 0
fi

# An issue holds 65,536 characters.
jq --null-input --rawfile text "$body" --arg title "$title" --arg mark "$mark" --arg state "$state" \
    --arg name "$label" --arg number "$number" '
    ($text | sub("\\s+$"; "")) as $text
    | (if ($text | length) <= 65000 then $text
       else ($text[:65000] | split("\n")[:-1] | join("\n")) + "\n\n(The rest is left out: it is too long for an issue.)" end) as $text
    | {$title, body: "\($mark)\n<!-- state: \($state) -->\n\($text)\n"}
    # Those of an issue that is there are left to people.
    + if $name == "" or $number != "" then {} else {labels: [$name]} end' >"$payload"
if [ -z "$number" ]; then
    api POST "$issues"
    echo "$matter: issue $(jq .number "$answer") opened"
    exit 0
fi
changed=$(jq --raw-output --slurpfile there "$there" '
    def plain: .body | sub("\\s+$"; "");
    $there[0] as $there
    | (if (.body | split("\n")[1]) != ($there.body | split("\n")[1]) then "state" else empty end),
      (if .title != $there.title or plain != ($there | plain) then "text" else empty end)' "$payload")
if [ -z "$changed" ]; then
    echo "$matter: issue $number is up to date"
    exit 0
fi
api PATCH "$issues/$number"
if [[ $changed == state* ]]; then
    say "$number" "Now: \`$state\`"
fi
echo "$matter: issue $number brought up to date"
