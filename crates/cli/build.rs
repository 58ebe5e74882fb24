//! Links the optimised binary at a fixed address, as Go's linker does for the tools it is measured against: the
//! twenty thousand addresses in its tables are then right in the file, and starting it does not touch, copy and
//! correct a hundred pages before `main`.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
