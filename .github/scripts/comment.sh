#!/usr/bin/env bash
# Keeps the comment of a pull request, known by its mark and its author. A first one is not written where nothing changed, but to
# answer `/bench`; one that is there is always brought up to date.
#
# The base is what GitHub says that it is: a comparison with another one is no verdict on this pull request (nor, where one branch is to
# go into two, on the other), and all that a comment says of it is that it is stale.
#
#   GH_TOKEN=… .github/scripts/comment.sh COMMENT OWNER/NAME HEAD_SHA NUMBER               answers `/bench`
#   GH_TOKEN=… .github/scripts/comment.sh COMMENT OWNER/NAME HEAD_SHA '' [HEAD_OWNER/NAME] every open pull request with this head
#
# COMMENT is what `bench comment --format json` wrote. It is not there if nothing was compared.
set -euo pipefail

comment=${1:?what bench comment wrote} repository=${2:?owner/name} head=${3:?the head} requested=${4:-} from=${5:-}
: "${COMPARED:?comparison, untouched, unreadable or nothing}"
mark='<!-- bench compare -->'
[ -z "$requested" ] || mark='<!-- bench command -->'
run=$GITHUB_SERVER_URL/$repository/actions/runs/${RUN:?the run that compared}

send() { # METHOD PATH, and the body as JSON on stdin
    gh api --method "$1" "$2" --input - --silent
}

keep() { # NUMBER and BASE of a pull request
    local comments=repos/$repository/issues/$1/comments there body=
    # Nobody else can have this login: `[bot]` is part of no name that a person can choose.
    there=$(gh api --paginate "$comments?per_page=100" | jq --slurp --arg mark "$mark" \
        '[.[][] | select(.user.login == "github-actions[bot]" and (.body // "" | startswith($mark)))][0] // empty')
    if [ ! -e "$comment" ]; then
        case $mark$COMPARED in
        *command*) body="\`/bench\` could not be answered: [the run]($run) says why." ;;
        *untouched) [ -z "$there" ] || body="Nothing that is measured is touched any more, at commit \`$head\`." ;;
        *unreadable) body="[The comparison]($run) of \`$head\` cannot be read by what is on \`main\`. Update the branch." ;;
        esac
        body=${body:+$mark$'\n'$body}
    elif [ "$(jq --raw-output .base "$comment")" != "$(gh api "repos/$repository/compare/$2...$head" --jq .merge_base_commit.sha)" ]; then
        # Its second line says what an earlier push had done, and that stays.
        [ -z "$there$requested" ] || body=$(jq --raw-output --arg there "$(jq --raw-output .body <<<"$there")" \
            '($there | split("\n")[1] // "" | rtrimstr("\r")) as $earlier | [.mark, ($earlier | select(startswith("<!-- "))), .stale] | join("\n")' "$comment")
    elif [ -n "$there" ]; then
        body=$(jq --raw-output --arg there "$(jq --raw-output .body <<<"$there")" \
            '.after[$there | split("\n")[1] // "" | rtrimstr("\r")] // .body' "$comment")
    else
        body=$(jq --raw-output 'if .first then .body else empty end' "$comment")
    fi
    if [ -z "$body" ]; then
        echo "pull request $1: nothing to say"
    elif [ -z "$there" ]; then
        jq --null-input --arg body "$body" '{$body}' | send POST "$comments"
        echo "pull request $1: comment written"
    else
        jq --null-input --arg body "$body" '{$body}' | send PATCH "repos/$repository/issues/comments/$(jq .id <<<"$there")"
        echo "pull request $1: comment brought up to date"
    fi
}

# From the list, because `commits/SHA/pulls` does not know the commits of forks. The repository of a head may be gone.
found=$(gh api --paginate "repos/$repository/pulls?state=open&per_page=100" | jq --raw-output --slurp --arg head "$head" --arg from "$from" --arg number "$requested" '
    .[][] | select(if $number != "" then "\(.number)" == $number
        else .head.sha == $head and (.head.repo.full_name // "" | ascii_downcase) == ($from | ascii_downcase) end) | "\(.number) \(.base.sha)"')
if [ -z "$found" ]; then
    echo "no open pull request has the head $head (closed, or pushed to since): nothing is written"
    exit 0
fi
while read -r number base; do
    keep "$number" "$base"
done <<<"$found"
