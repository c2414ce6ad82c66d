#!/usr/bin/env bash
# Runs a command whose git may speak to GitHub with GITHUB_TOKEN, and commits as the runner itself. The token is in the environment of
# this command only: no step before or after has it, and nothing writes it to disk.
#
#   GITHUB_TOKEN=… .github/scripts/with-token.sh git push origin gh-pages
set -euo pipefail

: "${GITHUB_TOKEN:?a token that may do it}"
basic=$(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 --wrap=0)
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::add-mask::$basic"
at=${GIT_CONFIG_COUNT:-0}
export GIT_CONFIG_COUNT=$((at + 1))
export "GIT_CONFIG_KEY_$at=http.${GITHUB_SERVER_URL:-https://github.com}/.extraheader"
export "GIT_CONFIG_VALUE_$at=AUTHORIZATION: basic $basic"
export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
exec "$@"
