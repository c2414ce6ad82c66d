#!/usr/bin/env bash
# Publishes into a checkout of gh-pages, commits and pushes. A push is never forced; where somebody else was quicker, what they
# pushed comes first and everything that follows from the records is made again.
#
#   BENCH=… .github/scripts/publish.sh PAGES ARGUMENTS…     arguments of `bench publish`, without --pages
#
# Commits that PAGES has already are those of github-action-benchmark. They touch files of one lane only, and only one run at a
# time publishes a lane, so git can put them on any newer tip.
set -euo pipefail

pages=${1:?the checkout of the branch}
shift
bench=${BENCH:-./scripts/bench} remote=${REMOTE:-origin} tries=${TRIES:-12}
# Who commits where git knows nobody: the runner itself.
git -C "$pages" config user.email >/dev/null || {
    export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
    export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
}
branch=$(git -C "$pages" symbolic-ref --short HEAD)
[ -z "$(git -C "$pages" status --porcelain)" ] || {
    echo "error: $pages has changes that are not committed; commit or drop them" >&2
    exit 2
}

# The remote's tip; nothing if it has no such branch.
tip() { git -C "$pages" ls-remote "$remote" "refs/heads/$branch" | cut -f1; }

# The local branch's commit; nothing if it has none yet.
head() { git -C "$pages" for-each-ref --format='%(objectname)' "refs/heads/$branch"; }

# The local branch as it was, with nothing of ours in the folder.
restore() {
    if [ -n "$begun" ]; then
        git -C "$pages" reset --quiet --hard "$begun"
    else
        git -C "$pages" update-ref -d HEAD
        git -C "$pages" read-tree --empty
    fi
    git -C "$pages" clean --quiet -fd
}

begun=$(head)
for ((try = 1; try <= tries; try++)); do
    before=$(tip)
    if [ -n "$before" ]; then
        git -C "$pages" fetch --quiet --no-tags "$remote" "refs/heads/$branch"
        before=$(git -C "$pages" rev-parse FETCH_HEAD)
        if [ -z "$begun" ]; then
            git -C "$pages" reset --quiet --hard "$before"
        else
            git -C "$pages" rebase --quiet "$before" >/dev/null || {
                git -C "$pages" rebase --abort
                echo "error: commits in $pages and in $remote/$branch touch the same files; nothing was published" >&2
                exit 2
            }
        fi
    fi
    appended=$(head)
    status=0
    "$bench" publish "$@" --pages "$pages" >/dev/null || status=$?
    if [ "$status" != 0 ]; then
        restore
        exit "$status"
    fi
    git -C "$pages" add --all
    git -C "$pages" diff --cached --quiet ||
        git -C "$pages" commit --quiet --message "Publish ${TITLE:-$*}"
    if git -C "$pages" push --quiet "$remote" "HEAD:refs/heads/$branch"; then
        echo "$remote/$branch is at $(git -C "$pages" rev-parse --short=12 HEAD); pushed at try $try"
        exit 0
    fi
    # Refused for another reason than a race: the same again would be refused again.
    [ "$(tip)" != "$before" ] || {
        restore
        echo "error: $remote refused the push to $branch; nothing was published, and the local branch is as it was" >&2
        exit 2
    }
    if [ -n "$appended" ]; then git -C "$pages" reset --quiet --hard "$appended"; else restore; fi
    sleep "$((RANDOM % (2 * try))).$((RANDOM % 10))"
done
echo "error: others pushed to $branch of $remote before each of $tries tries; nothing was published: try again" >&2
exit 2
