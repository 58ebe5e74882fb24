//! How long a key takes: `cargo run --release -p primes --example measure -- [2048|4096] [COUNT] [portable]`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for people to read")]

use std::time::{Duration, Instant};

use primes::{Arithmetic, Size, generate_by};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let size = match arguments.next().as_deref() {
        Some("4096") => Size::Rsa4096,
        _ => Size::Rsa2048,
    };
    let count: usize = arguments.next().map_or(200, |count| count.parse().unwrap());
    let arithmetic = match arguments.next().as_deref() {
        Some("portable") => Arithmetic::portable(),
        _ => Arithmetic::best(),
    };
    let time = || {
        let started = Instant::now();
        generate_by(arithmetic, size, &mut |bytes| getrandom::fill(bytes).unwrap()).unwrap();
        started.elapsed()
    };
    let mut times: Vec<Duration> = (0..count).map(|_| time()).collect();
    let first = times[0];
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / count as u32;
    let [median, most] = [50, 95].map(|percent| times[(count - 1) * percent / 100]);
    let path = if arithmetic.is_portable() { "portable arithmetic" } else { "lanes" };
    println!("{path}: first {first:.2?}, mean {mean:.2?}, median {median:.2?}, 95 of 100 within {most:.2?}");
}
