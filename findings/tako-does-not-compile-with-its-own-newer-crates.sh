#!/usr/bin/env bash
# tako-rs 2.4.2 does not compile any more where nothing is locked: it requires `tako-rs-server = "2.4.2"`, cargo takes the newest 2.x of that, and
# 2.5.0 has moved what the facade re-exports (`tako_rs_server::serve`). With its own crates held in its version it compiles: who pins a
# framework made of several crates has to pin all of them.
# Seen:  tako-rs 2.4.2 with its own crates in 2.6.0: E0432, unresolved import `tako_rs_server::serve`; with them in 2.4.2: fine
# Where to look for the change: `cargo add tako-rs@=2.4.2` in a new package should build.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
touch "$folder/src/lib.rs"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
tako-rs = "=2.4.2"
TOML
cd "$folder"
# Its own crates in one version: cargo takes an older one only where those that need it are older already.
hold() {
    for _ in 1 2 3; do
        for name in $(cargo tree --prefix none --format '{p}' | sed -n 's/^\(tako-rs-[a-z-]*\) v.*/\1/p' | sort -u); do
            cargo update --quiet --package "$name" --precise "$1" 2>/dev/null || true
        done
    done
    cargo tree --prefix none --format '{p}' | grep -q "^tako-rs-server v$1"
}
hold 2.6.0
if said=$(cargo check --quiet 2>&1); then exit 1; fi
grep -q 'error\[E0432\]: unresolved import .tako_rs_server::serve.' <<<"$said"
echo "with its crates in 2.6.0: unresolved import"
hold 2.4.2
cargo check --quiet
echo "with its crates in 2.4.2: compiles"
