#!/usr/bin/env bash
# Brings the branch gh-pages here, as the remote has it now. The first run of all makes it: an empty commit of its own.
#
#   .github/scripts/pages.sh [REMOTE]
set -euo pipefail

remote=${1:-origin}
branch=refs/heads/gh-pages

status=0
git ls-remote --exit-code "$remote" "$branch" >/dev/null || status=$?
case $status in
0) ;;
2) # the remote answered, and has no such branch
    export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
    export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
    commit=$(git commit-tree -m 'Begin the branch of results' "$(git mktree </dev/null)")
    # Another lane may make it at the same time: then the push is refused, and what it made is as good.
    git push "$remote" "$commit:$branch" || git ls-remote --exit-code "$remote" "$branch" >/dev/null
    ;;
*) exit "$status" ;;
esac
git fetch --no-tags "$remote" "+$branch:$branch"
