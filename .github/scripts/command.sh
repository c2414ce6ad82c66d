#!/usr/bin/env bash
# The comment `/bench` in a pull request: a comparison with other arguments, for those who may write to the repository.
#
#   /bench                                    the apps that the change touches
#   /bench app=axum,viz scenario=simple       of these only
#   /bench metric=cpu pairs=30                also rounds=30; time-budget=30m
#
#   GH_TOKEN=… .github/scripts/command.sh hear OWNER/NAME EVENT        starts it; EVENT is the file of `issue_comment`
#   GH_TOKEN=… .github/scripts/command.sh asked OWNER/NAME NUMBER      what was asked last, as `arguments=[…]` for $GITHUB_OUTPUT
#
# It is started by repeating the run of pr-command.yml that the push of this head began: so what is compared runs with the rights of a
# pull request, of a fork if it is one, and no others. Each word of a comment is matched as a whole or refused; no shell ever reads it.
set -euo pipefail

what=${1:?hear or asked} repository=${2:?owner/name} subject=${3:?the event, or a pull request}
# shellcheck disable=SC2034 # github.sh reads it
needs='actions: write and pull-requests: write'
[ "$what" = hear ] || needs='pull-requests: read'
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/github.sh"
mark='<!-- bench command -->'

# parsed LINE: the arguments of `bench compare` as {arguments}, or {refused}, why there are none.
parsed() {
    jq --null-input --compact-output --arg line "$1" '
        "[a-z0-9][a-z0-9-]{0,63}" as $name
        | "\($name)(,\($name)){0,63}" as $names
        | ["--pairs", "([1-9][0-9]?|100)", ": 1 to 100"] as $pairs
        | { app: ["--app", $names], scenario: ["--scenario", $names], metric: ["--metric", $names],
            pairs: $pairs, rounds: $pairs,
            "time-budget": ["--time-budget", "[1-9][0-9]{0,3}[smh]"] } as $keys
        | [$line | rtrimstr("\r") | splits("[ \t]+") | select(. != "")][1:] as $words
        | reduce $words[] as $word ({arguments: []};
            ($word | split("=")) as [$key, $value]
            | if .refused then .
              elif $keys[$key // ""] == null or $word != "\($key)=\($value)" then
                .refused = "it knows app=, scenario=, metric=, pairs= and time-budget=, and no other words"
              elif $value | test("^\($keys[$key][1])$") | not then .refused = "\($key)= has no value that it could have\($keys[$key][2] // "")"
              elif .arguments | index([$keys[$key][0]]) then .refused = "\($key)= is there twice"
              else .arguments += [$keys[$key][0], $value] end)
        | if .refused then {refused} else . end'
}

is_command() {
    [[ $1 == /bench || $1 == '/bench '* || $1 == $'/bench\r' ]]
}

# may_write LOGIN
may_write() {
    # A login has letters, digits and hyphens; that of a bot ends with [bot], and it has no say here.
    [[ $1 =~ ^[A-Za-z0-9-]+$ ]] || return 1
    api GET "repos/$repository/collaborators/$1/permission"
    jq --exit-status '.permission | IN("admin", "write")' "$answer" >"$work/may"
}

react() { # CONTENT
    jq --null-input --arg content "$1" '{content: $content}' >"$payload"
    api POST "repos/$repository/issues/comments/$comment/reactions"
}

# Says TEXT in the one comment that answers commands.
reply() {
    local there=$work/there.json
    api GET "repos/$repository/issues/$number/comments?per_page=100"
    ours "$mark" >"$there"
    jq --null-input --arg body "$mark"$'\n'"$1" '{body: $body}' >"$payload"
    if [ -s "$there" ]; then
        api PATCH "repos/$repository/issues/comments/$(jq .id "$there")"
    else
        api POST "repos/$repository/issues/$number/comments"
    fi
}

hear() {
    local line login head run status refused
    number=$(jq --exit-status .issue.number "$subject")
    comment=$(jq --exit-status .comment.id "$subject")
    login=$(jq --raw-output --exit-status .comment.user.login "$subject")
    line=$(jq --raw-output '.comment.body // "" | split("\n")[0] // ""' "$subject")
    if ! is_command "$line"; then
        echo 'no command'
        return
    fi
    if ! may_write "$login"; then
        echo "$login may not write to $repository: not heard"
        return
    fi
    refused=$(parsed "$line" | jq --raw-output '.refused // empty')
    if [ -n "$refused" ]; then
        react confused
        reply "\`/bench\` was not understood: $refused. For example: \`/bench app=axum scenario=simple pairs=30\`."
        echo "not understood: $refused"
        return
    fi
    api GET "repos/$repository/pulls/$number"
    head=$(jq --raw-output --exit-status .head.sha "$answer")
    [[ $head =~ ^[0-9a-f]{40}$ ]]
    api GET "repos/$repository/actions/workflows/pr-command.yml/runs?event=pull_request&head_sha=$head&per_page=100"
    read -r run status < <(jq --raw-output --slurp --arg head "$head" \
        '[.[].workflow_runs[] | select(.head_sha == $head)] | max_by(.id) // {} | "\(.id // "-") \(.status // "")"' "$answer")
    if [ "$run" = - ]; then
        react confused
        reply "\`/bench\` cannot be answered: no run of *Pull request command* belongs to this head. A push begins one."
        echo "no run of pr-command.yml for $head"
        return
    fi
    if [ "$status" != completed ]; then
        react confused
        reply "What was asked with \`/bench\` before is still being measured. Ask again when it has been answered."
        echo "run $run is $status"
        return
    fi
    echo '{}' >"$payload"
    api POST "repos/$repository/actions/runs/$run/rerun"
    react eyes
    echo "heard: run $run is repeated"
}

# The newest command that somebody gave who may.
asked() {
    local line login arguments
    [[ $subject =~ ^[0-9]+$ ]]
    api GET "repos/$repository/issues/$subject/comments?per_page=100"
    cp "$answer" "$work/comments.json"
    while read -r login line; do
        line=$(jq --raw-output . <<<"$line")
        is_command "$line" || continue
        arguments=$(parsed "$line" | jq --compact-output '.arguments // empty')
        [ -n "$arguments" ] || continue
        if may_write "$login"; then
            echo "arguments=$arguments"
            return
        fi
    done < <(jq --raw-output --slurp '[.[][]] | sort_by(.id) | reverse | .[]
        | "\(.user.login) \(.body // "" | split("\n")[0] // "" | tojson)"' "$work/comments.json")
    echo 'error: nobody who may write has asked with /bench' >&2
    exit 1
}

case $what in
hear | asked) "$what" ;;
*)
    echo 'usage: command.sh hear|asked OWNER/NAME EVENT|NUMBER' >&2
    exit 2
    ;;
esac
