#!/usr/bin/env bash
# Brings what is published into FOLDER, as the remote has it now, for a job that only reads it: nothing where nothing is published.
#
#   .github/scripts/published.sh FOLDER [REMOTE]
set -euo pipefail

folder=${1:?a folder to make} remote=${2:-origin}
status=0
git ls-remote --exit-code "$remote" refs/heads/gh-pages >/dev/null || status=$?
case $status in
0)
    git fetch --quiet --no-tags --depth=1 "$remote" refs/heads/gh-pages
    git worktree add --quiet --detach "$folder" FETCH_HEAD
    ;;
2) mkdir "$folder" ;; # the remote answered, and has no such branch
*) exit "$status" ;;
esac
