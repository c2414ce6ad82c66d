# shellcheck shell=bash
# What comment.sh, issue.sh and earlier.sh share: calls of GitHub's REST API by `gh`, bounded in time and number. A script that sources this
# names in `needs` the permission of its token, and ends with exit status 2 where GitHub cannot be asked or says no.
#
# GH_TOKEN is the token; API_TIMEOUT and API_PAUSE (seconds) are for tests.

: "${GH_TOKEN:?a token with the permission ${needs:?}}"
work=$(mktemp --directory)
trap 'rm --recursive "$work"' EXIT
# What is sent, and what came back, of a list as one array for each page.
payload=$work/payload.json answer=$work/answer.json

# api METHOD PATH
api() {
    local method=$1 path=$2 tries=3 try status reason hint=
    local call=(gh api --method "$method" --header 'X-GitHub-Api-Version: 2022-11-28')
    case $method in
    GET) call+=(--paginate) ;;
    POST)
        call+=(--input "$payload")
        tries=1 # it may have happened although no answer came, and would be there twice
        ;;
    *) call+=(--input "$payload") ;;
    esac
    for ((try = 1; ; try++)); do
        status=0
        timeout "${API_TIMEOUT:-120}" "${call[@]}" "$path" >"$answer" 2>"$work/error" || status=$?
        if [ "$status" = 0 ]; then
            # An empty list has its brackets: without an answer, nothing is known of what is there.
            if jq --exit-status --slurp 'length > 0' "$answer" >"$work/any" 2>&1; then return; fi
            echo 'the answer is no JSON' >"$work/error"
        fi
        reason=$(head -1 "$work/error" | tr -d '[:cntrl:]')
        if [ "$try" = "$tries" ] || [[ $reason == *'HTTP 4'[0-9][0-9]* ]]; then break; fi
        sleep $((try * ${API_PAUSE:-5}))
    done
    [ "$status" != 124 ] || reason="no answer within ${API_TIMEOUT:-120} s"
    case $reason in
    *'HTTP 401'* | *'HTTP 403'* | *'HTTP 404'*) hint="; the token needs the permission $needs" ;;
    esac
    echo "error: $method ${path%%\?*}: ${reason:-gh failed with exit status $status}$hint" >&2
    exit 2
}

# ours MARK: of the list in $answer, the oldest entry that a workflow has written and that begins with MARK, or nothing.
# Nobody else can have this login: `[bot]` is part of no name that a person can choose.
ours() {
    jq --slurp --arg mark "$1" '
        [.[][] | select(.pull_request == null and .user.login == "github-actions[bot]" and (.body // "" | startswith($mark)))][0]
        // empty | .body |= gsub("\r\n"; "\n")' "$answer"
}
