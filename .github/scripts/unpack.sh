#!/usr/bin/env bash
# Unpacks what pack.sh packed, if it is still that, and holds nothing but plain files of one lane and kind of run. With CHECKOUT, puts
# the results there: files of FOLDER, and of README.md the block that is named, whatever else the packed one says.
#
#   .github/scripts/unpack.sh ARCHIVE SHA256 FOLDER INTO [CHECKOUT [BLOCK]]     FOLDER and BLOCK: `folder` and `readme` of lanes.sh
set -euo pipefail

archive=${1:?an archive} sha256=${2:?its digest} folder=${3:?a folder} into=${4:?a folder} checkout=${5:-} block=${6:-}
refuse() {
    echo "error: $archive: $*" >&2
    exit 1
}

digest=$(sha256sum "$archive" | cut -d' ' -f1)
[ "$digest" = "$sha256" ] ||
    refuse "it is not what was packed: its digest is $digest and not $sha256; find out who replaced it"
mkdir -p "$into"
tar --extract --file "$archive" --directory "$into" --no-same-owner --no-same-permissions
cd "$into"
while IFS= read -r -d '' path; do
    path=${path#./}
    [[ -f $path && ! -L $path ]] || refuse "$(printf %q "$path") is not a plain file"
    [[ $path =~ ^(body\.md|history\.md|README\.md|bench-results/$folder/(charts/)?[0-9A-Za-z][0-9A-Za-z_-]*\.(json|md|svg))$ ]] ||
        refuse "$(printf %q "$path") is no file that $folder may change"
done < <(find . ! -type d -print0)
[ -n "$checkout" ] || exit 0

# Of README.md, line by line: the packed block instead of the one that is there.
if [[ -n $block && -f README.md ]]; then
    awk -v begin="<!-- $block:begin -->" -v end="<!-- $block:end -->" '
        NR == FNR { if ($0 == begin) inside = 1; if (inside) block = block $0 "\n"; if ($0 == end && inside) { inside = 0; whole++ }; next }
        $0 == begin { printf "%s", block; skipped = 1; replaced++ }
        !skipped { print }
        $0 == end { skipped = 0 }
        END { exit !(whole == 1 && replaced == 1 && !inside && !skipped) }' README.md "$checkout/README.md" >README.new ||
        refuse "README.md has not one block $block, here and on main"
    cp README.new "$checkout/README.md"
fi
[ ! -d bench-results ] || cp --recursive bench-results "$checkout/"
