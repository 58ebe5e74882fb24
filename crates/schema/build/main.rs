//! Makes the table of the built-in types: what `k8s-openapi` says of their fields, joined with the facts written by
//! hand in `facts/`, in a packed form that `src/builtin/table.rs` reads.

mod facts;
mod kinds;
mod model;
mod pack;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use k8s_openapi::schemars::SchemaGenerator;

#[expect(clippy::print_stdout, reason = "this is how build scripts speak to cargo")]
fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let folder = Path::new(&root).join("facts");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", folder.display());

    let mut generator = SchemaGenerator::default();
    let kinds = kinds::gather(&mut generator);
    let mut types = model::read(generator.definitions())?;

    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    for file in files {
        let text = fs::read_to_string(file.path())?;
        for fact in facts::parse(&text).map_err(|error| format!("{}: {error}", file.path().display()))? {
            model::tell(&mut types, fact).map_err(|error| format!("{}: {error}", file.path().display()))?;
        }
    }
    model::add_lists(&mut types, &kinds);
    model::add_type_meta(&mut types, &kinds);
    model::add_defaults(&mut types);

    let packed = pack::pack(&types, &kinds);
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("structure.z"), pack::compress(&packed.structure)?)?;
    fs::write(Path::new(&out).join("descriptions.z"), pack::compress(&packed.descriptions)?)?;
    Ok(())
}
