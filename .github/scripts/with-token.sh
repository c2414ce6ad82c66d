#!/usr/bin/env bash
# Runs a command whose git may speak to GitHub with GITHUB_TOKEN. The token is in the environment of this command only:
# no step before or after has it, and nothing writes it to disk.
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
exec "$@"
