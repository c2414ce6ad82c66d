#!/usr/bin/env bash
# Keeps the one comment of a pull request. The pull request is the open one whose head is the measured commit (if it was pushed to
# since, there is none, and nothing is written); the comment is known by its mark and its author. A first one is written for a
# regression or an improvement only; one that is there is always brought up to date.
#
# The base is what GitHub says that it is, and not what the comparison says: one with another base is no verdict on this pull request
# (nor, where one branch is to go into two, on the other), and all that a comment says of it is that it is stale.
#
#   GH_TOKEN=… .github/scripts/comment.sh COMMENT OWNER/NAME HEAD_OWNER/NAME
#
# COMMENT is what `bench comment --format json` wrote, HEAD_OWNER/NAME the repository (a fork, perhaps) that the head is in.
set -euo pipefail

comment=${1:?what bench comment wrote} repository=${2:?owner/name} from=${3:?the repository of the head}
# shellcheck disable=SC2034 # github.sh reads it
needs='pull-requests: write'
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/github.sh"
commit=$(jq --raw-output --exit-status .head "$comment")
measured=$(jq --raw-output --exit-status .base "$comment")
mark=$(jq --raw-output --exit-status .mark "$comment")

keep() { # NUMBER and BASE of a pull request
    local comments=repos/$repository/issues/$1/comments there=$work/there.json stale=false base
    api GET "repos/$repository/compare/$2...$commit?per_page=100"
    base=$(jq --raw-output --slurp '.[0].merge_base_commit.sha' "$answer")
    if [ "$base" != "$measured" ]; then
        stale=true
        echo "pull request $1: the comparison is stale: it is with $measured, and the base is $base"
    fi
    api GET "$comments?per_page=100"
    ours "$mark" >"$there"
    if [ ! -s "$there" ]; then
        [ "$stale" = false ] || return 0
        if [ "$(jq .first "$comment")" != true ]; then
            echo "pull request $1: nothing is worse or better, and there is no comment to bring up to date"
            return
        fi
        jq '{body}' "$comment" >"$payload"
        api POST "$comments"
        echo "pull request $1: comment written"
        return
    fi
    # Its second line says what an earlier push had done, and a stale comparison does not change that.
    jq --slurpfile there "$there" --argjson stale "$stale" '($there[0].body | split("\n")[1] // "") as $told
        | {body: (if $stale then [.mark, ($told | select(startswith("<!-- "))), .stale] | join("\n")
            else .after[$told] // .body end)}' "$comment" >"$payload"
    if jq --exit-status --slurpfile there "$there" '[., $there[0]] | map(.body | sub("\\s+$"; "")) | .[0] == .[1]' \
        "$payload" >"$work/same"; then
        echo "pull request $1: comment is up to date"
    else
        api PATCH "repos/$repository/issues/comments/$(jq .id "$there")"
        echo "pull request $1: comment brought up to date"
    fi
}

# From the list, because `commits/SHA/pulls` does not know the commits of forks.
api GET "repos/$repository/pulls?state=open&per_page=100"
found=$(jq --arg commit "$commit" --arg from "$from" '.[]
    | select(.state == "open" and .head.sha == $commit)
    | select((.head.repo.full_name // "" | ascii_downcase) == ($from | ascii_downcase)) | "\(.number) \(.base.sha)"' --raw-output "$answer")
if [ -z "$found" ]; then
    echo "no open pull request of $from has the head $commit (closed, or pushed to since): nothing is written"
    exit 0
fi
while read -r number base; do
    keep "$number" "$base"
done <<<"$found"
