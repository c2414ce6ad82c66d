#!/usr/bin/env bash
# warp 0.4.3, a patch release, allocates eight times for a plain GET where 0.4.2 does five times, in the server's own thread: its server puts the
# peer's address into the extensions of every request, whether a filter asks for it or not, which makes their map, and drops it
# (seanmonstar/warp#1149).
# Seen:  0.4.2: 5 allocations for each request, 0.4.3: 8
# Where to look for the change: a request without `warp::addr::remote` should take as many as before.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/src/main.rs" <<'RUST'
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use warp::Filter;

/// Counts what the server's thread allocates.
struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
thread_local! { static IS_SERVER: Cell<bool> = const { Cell::new(false) } }

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if IS_SERVER.try_with(Cell::get).unwrap_or(false) {
            ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        }
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        IS_SERVER.set(true);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            warp::serve(warp::any().map(|| "Hello, World!")).incoming(listener).run().await;
        });
    });
    let mut connection = std::net::TcpStream::connect(receiver.recv().unwrap()).unwrap();
    let mut ask = |times: usize| {
        for _ in 0..times {
            connection.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
            let mut answer = [0; 1024];
            let count = connection.read(&mut answer).unwrap();
            assert!(answer[..count].ends_with(b"Hello, World!"));
        }
        ALLOCATIONS.load(Ordering::SeqCst)
    };
    let before = ask(100);
    println!("{}", (ask(1000) - before) / 1000);
}
RUST
found=
for version in 0.4.2 0.4.3; do
    cat > "$folder/Cargo.toml" <<TOML
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
warp = { version = "=$version", features = ["server"] }
tokio = { version = "=1.54.1", features = ["net", "rt"] }
hyper = "=1.12.0"
hyper-util = "=0.1.21"
http = "=1.5.0"
TOML
    count=$(cargo run --quiet --release --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target")
    echo "$version: $count allocations for each request"
    found="$found $count"
done
[ "$found" = " 5 8" ]
