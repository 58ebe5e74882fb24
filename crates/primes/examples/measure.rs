//! How long a key takes: `cargo run --release -p primes --example measure -- [2048|4096] [COUNT]`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for people to read")]

use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let size = match arguments.next().as_deref() {
        Some("4096") => primes::Size::Rsa4096,
        _ => primes::Size::Rsa2048,
    };
    let count: u32 = arguments.next().map_or(200, |count| count.parse().unwrap());
    let started = Instant::now();
    for _ in 0..count {
        primes::generate(size, &mut |bytes| getrandom::fill(bytes).unwrap()).unwrap();
    }
    println!("{:.2} ms per key", started.elapsed().as_secs_f64() * 1000.0 / f64::from(count));
}
