#!/usr/bin/env bash
# Silent 2.14.0 clones its tree of routes twice for every request, with all handlers and names, so that a plain GET of one route costs the more,
# the more other routes there are: six allocations for each. 2.15.0 keeps one of the copies (silent-rs/silent#184), and 2.16.1 goes without the
# other where there is no middleware (silent-rs/silent#198).
# Seen, with 1 and with 50 other routes:  2.14.0: 38 and 333 allocations for each request; 2.15.0: 31 and 179; 2.16.1: 23 and 24
# Where to look for the change: another route should cost a request nothing.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/src/main.rs" <<'RUST'
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use silent::prelude::{Request, Route};
use silent::{Listener, Response, Server};

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

async fn hello(_: Request) -> silent::Result<Response> {
    Ok(Response::text("Hello, World!"))
}

fn main() {
    let others: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        IS_SERVER.set(true);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            let other = |root: Route, number| root.append(Route::new(&format!("other{number}")).get(hello));
            let routes = (0..others).fold(Route::new_root().get(hello), other);
            Server::new().listen(Listener::from(listener)).serve(routes).await;
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
for version in 2.14.0 2.15.0 2.16.1; do
    cat > "$folder/Cargo.toml" <<TOML
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
silent = "=$version"
tokio = { version = "=1.54.1", features = ["net", "rt"] }
hyper = "=1.12.0"
hyper-util = "=0.1.21"
http = "=1.5.0"
TOML
    for others in 1 50; do
        count=$(cargo run --quiet --release --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target" -- "$others")
        echo "$version: $count allocations for each request with $others other routes"
        found="$found $count"
    done
done
[ "$found" = " 38 333 31 179 23 24" ]
