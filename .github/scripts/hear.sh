#!/usr/bin/env bash
# The comment `/bench` in a pull request: starts pr-benchmark.yml for its head with other arguments, if who wrote it may write to the
# repository. Each word is matched as a whole, and no shell reads it; `bench compare` says what is wrong with a value.
#
#   /bench                                    the apps that the change touches
#   /bench app=axum,viz scenario=simple       of these only
#   /bench metric=cpu pairs=30                also time-budget=30m
#
#   GH_TOKEN=… .github/scripts/hear.sh OWNER/NAME EVENT     EVENT: the file of `issue_comment`
set -euo pipefail

repository=${1:?owner/name} event=${2:?the event}
mapfile -t facts < <(jq --raw-output '.issue.number, .comment.id, .comment.user.login, (.comment.body // "" | split("\n")[0] // "" | rtrimstr("\r"))' "$event")
number=${facts[0]} comment=${facts[1]} login=${facts[2]} line=${facts[3]:-}
react() {
    gh api --method POST "repos/$repository/issues/comments/$comment/reactions" --raw-field content="$1" --silent
}

[[ $line == /bench || $line == '/bench '* ]] || {
    echo 'no command'
    exit 0
}
# A login has letters, digits and hyphens; a bot's ends with [bot], and it has no say here.
may=
[[ ! $login =~ ^[A-Za-z0-9-]+$ ]] || may=$(gh api "repos/$repository/collaborators/$login/permission" --jq .permission)
[[ $may == admin || $may == write ]] || {
    echo "$login may not write to $repository: not heard"
    exit 0
}
if [[ ! $line =~ ^/bench( +(app|scenario|metric|pairs|time-budget)=[a-z0-9][a-z0-9,_-]*)*\ *$ ]]; then
    react confused
    gh api --method POST "repos/$repository/issues/$number/comments" --silent --raw-field \
        body="\`/bench\` was not understood: it knows app=, scenario=, metric=, pairs= and time-budget=. For example: \`/bench app=axum scenario=simple pairs=30\`."
    echo 'not understood'
    exit 0
fi
pull=$(gh api "repos/$repository/pulls/$number" --jq '"\(.head.sha) \(.base.sha)"')
[[ $pull =~ ^([0-9a-f]{40})\ ([0-9a-f]{40})$ ]]
gh workflow run pr-benchmark.yml --repo "$repository" --ref main --raw-field number="$number" \
    --raw-field head="${BASH_REMATCH[1]}" --raw-field base="${BASH_REMATCH[2]}" --raw-field arguments="${line#/bench}"
react eyes
echo "heard: ${BASH_REMATCH[1]} is compared"
