# The everyday commands. `just` alone lists them.

cache := env("SLIPWAY_CACHE", env("XDG_CACHE_HOME", env("HOME") / ".cache") / "slipway")
target := env("CARGO_TARGET_DIR", justfile_directory() / "target")

export HELM := env("HELM", cache / "tools/bin/helm4")
export SLIPWAY_PARITY_CACHE := env("SLIPWAY_PARITY_CACHE", cache / "parity")

_default:
    @just --list

# Build the command line
build:
    cargo build --release

# All tests that need nothing but Rust
test *ARGS:
    cargo test --workspace {{ARGS}}

# Formatting, lints, dependencies
lint:
    cargo fmt --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo deny check bans licenses sources

# Format the code
fmt:
    cargo fmt

# The documentation, without warnings
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

# Everything CI does
ci:
    .ci/run

# Install what `just dist` builds its best with: musl, and what reads the counts of what ran
dist-tools:
    rustup target add "$(uname -m)-unknown-linux-musl"
    rustup component add llvm-tools
    $([ "$(id -u)" = 0 ] || echo sudo) apt-get install -y musl-tools

# Build what is shipped and measured, as target/dist/slipway
dist:
    bench/dist

# Render charts with Helm and Slipway and compare the outputs: just parity DIR… [--record FILE] [--diff DIR]
parity *ARGS: dist
    SLIPWAY="${SLIPWAY:-{{target}}/dist/slipway}" cargo run --release -q -p bench -- parity {{ARGS}}

# Measure time and memory of both over the charts below the directories
bench-template *ARGS: dist
    SLIPWAY="${SLIPWAY:-{{target}}/dist/slipway}" cargo run --release -q -p bench -- template {{if ARGS == "" { "examples" } else { ARGS } }}

# Measure planning of 1,000, 10,000 and 100,000 objects: time, memory, and how both grow; --svg FILE draws it
bench-plan *ARGS:
    cargo run --release -q -p bench -- plan {{ARGS}}

# Measure the embedded cluster beside a real kube-apiserver with etcd: requests, watches, memory, start
bench-dock *ARGS: dist
    SLIPWAY="${SLIPWAY:-{{target}}/dist/slipway}" cargo run --release -q -p bench -- dock {{ARGS}}

# Measure releases on a real control plane, beside Helm 4, Helm 3 ($HELM3) and a bare client
bench-release *ARGS: dist
    SLIPWAY="${SLIPWAY:-{{target}}/dist/slipway}" cargo run --release -q -p bench -- release {{ARGS}}

# Measure the operator with 5,000 Bundles of 4 objects on the dock: time, requests, memory, and what it costs when idle
bench-operator *ARGS: dist
    SLIPWAY="${SLIPWAY:-{{target}}/dist/slipway}" cargo run --release -q -p bench -- operator {{ARGS}}

# Kill the operator at random during so many creations, changes and deletions of Bundles, with requests that get lost
chaos CHANGES="200" *ARGS:
    SLIPWAY_CHAOS={{CHANGES}} cargo test -p slipway --test chaos -- --nocapture {{ARGS}}

# The same on a real control plane
chaos-plane CHANGES="200" *ARGS:
    SLIPWAY_CHAOS={{CHANGES}} tests/control-plane/e2e --test chaos {{ARGS}} -- --nocapture

# Compare with Go and Helm on generated templates, values and documents
differential *ARGS:
    SLIPWAY_REQUIRE_ORACLE=1 cargo test --release -p differential -- --nocapture {{ARGS}}

# Start a real control plane and print the path of its kubeconfig; `just plane-down` ends it
plane-up *ARGS:
    tests/control-plane/up {{ARGS}}

# End the control plane
plane-down NAME="default":
    tests/control-plane/down {{NAME}}

# The end-to-end tests on a real control plane instead of the dock
e2e *ARGS:
    tests/control-plane/e2e {{ARGS}}

# Kill commands at every write, before and after it, and run them again
crash PLACES="all" *ARGS:
    SLIPWAY_CRASHES={{PLACES}} cargo test -p slipway --test crash {{ARGS}}

# The same in so many random places of each command, on a real control plane
crash-plane PLACES="50" *ARGS:
    tests/control-plane/crash {{PLACES}} {{ARGS}}

# Helm and Slipway on the same releases, in turn, on a real control plane
interop: build
    SLIPWAY="${SLIPWAY:-{{target}}/release/slipway}" tests/interop/run

# kubectl, Helm and Python's client against the embedded cluster
clients: build
    SLIPWAY="${SLIPWAY:-{{target}}/release/slipway}" tests/clients/run

# Replay generated API calls on the dock and on a real kube-apiserver
conformance SEQUENCES="1000":
    SLIPWAY_REQUIRE_CONTROL_PLANE=1 SLIPWAY_SEQUENCES={{SEQUENCES}} cargo test --release -p conformance --test conformance

# Replay generated deletions on the dock and on a real control plane, both with controllers
conformance-deletion SEQUENCES="200":
    SLIPWAY_CONTROLLERS=1 SLIPWAY_REQUIRE_CONTROL_PLANE=1 SLIPWAY_SEQUENCES={{SEQUENCES}} cargo test --release -p conformance --test conformance

# Fuzz one target: yaml, template, set or archive
fuzz TARGET SECONDS="60":
    fuzz/run {{TARGET}} {{SECONDS}}

# The operator, killed at every write while instances and bindings live and go
kills PLACES="all" *ARGS:
    SLIPWAY_CRASHES={{PLACES}} cargo test -p operator --test catalog kills {{ARGS}}

# The client of service brokers, and the service catalog, against one made with openbrokerapi
brokers:
    SLIPWAY_REQUIRE_BROKER=1 cargo test --workspace --test protocol --test catalog
    SLIPWAY_REQUIRE_BROKER=1 cargo test --workspace --test cli catalog::deaths
