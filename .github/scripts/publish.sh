#!/usr/bin/env bash
# Commits what was changed in a checkout of gh-pages, and pushes. Lanes write files of their own, so git can put one's commits on the
# other's: a push is never forced, and where another lane was quicker, it is tried again on top of what that one pushed.
#
#   .github/scripts/publish.sh PAGES MESSAGE
set -euo pipefail

pages=${1:?the checkout of the branch} message=${2:?a message}
tries=${TRIES:-10}
branch=$(git -C "$pages" symbolic-ref --short HEAD)
touch "$pages/.nojekyll" # files are served as they are
git -C "$pages" add --all
git -C "$pages" diff --cached --quiet || git -C "$pages" commit --quiet --message "$message"
for ((try = 1; try <= tries; try++)); do
    if git -C "$pages" push --quiet origin "HEAD:refs/heads/$branch"; then
        echo "origin/$branch is at $(git -C "$pages" rev-parse --short=12 HEAD); pushed at try $try"
        exit 0
    fi
    sleep "$((RANDOM % (2 * try))).$((RANDOM % 10))"
    git -C "$pages" pull --quiet --rebase origin "$branch" || {
        git -C "$pages" rebase --abort 2>/dev/null || echo "$pages is as it was" >&2
        echo "error: what was to be published does not go on top of $branch of origin; nothing was published" >&2
        exit 2
    }
done
echo "error: origin refused $tries pushes to $branch; nothing was published: try again" >&2
exit 2
