#!/usr/bin/env bash
# Brings what is published, as the remote has it now: into FOLDER for a job that only reads it, with nothing in it where nothing is
# published; without FOLDER, as the branch gh-pages, which the first run of all makes: an empty commit of its own.
#
#   .github/scripts/pages.sh [FOLDER]
set -euo pipefail

folder=${1:-} branch=refs/heads/gh-pages status=0
git ls-remote --exit-code origin "$branch" >/dev/null || status=$?
case $status in
0) ;;
2) # the remote answered, and has no such branch
    [ -z "$folder" ] || exec mkdir "$folder"
    commit=$(git commit-tree -m 'Begin the branch of results' "$(git mktree </dev/null)")
    # Another lane may make it at the same time: then the push is refused, and what it made is as good.
    git push origin "$commit:$branch" || git ls-remote --exit-code origin "$branch" >/dev/null
    ;;
*) exit "$status" ;;
esac
if [ -n "$folder" ]; then
    git fetch --quiet --no-tags --depth=1 origin "$branch"
    git worktree add --quiet --detach "$folder" FETCH_HEAD
else
    git fetch --no-tags origin "+$branch:$branch"
fi
