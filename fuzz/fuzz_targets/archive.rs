//! No archive may crash the loader, make it hold more than a chart may, or give it a path that leads out of the
//! chart; and what was loaded can be packed and loaded again.
#![no_main]

use std::rc::Rc;

use chart::load::load_archive;
use chart::{Chart, RenderOptions, package, render};
use gotmpl::functions::Offline;
use goyaml::Mapping;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if data.starts_with(b"\x1f\x8b") {
        check(data);
    } else {
        // Most mutations of gzip and tar fail a checksum; with sums that are right they go further.
        check(&gzipped(&repaired(data)));
    }
});

fn check(archive: &[u8]) {
    let mut chart = match load_archive(archive) {
        Ok(loaded) => loaded.chart,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for file in &chart.raw {
        assert!(!file.name.starts_with('/') && !file.name.starts_with(".."), "{}", file.name);
        assert!(!file.name.contains("/../"), "{}", file.name);
    }
    if let Ok(packed) = package::archive(&chart)
        && let Ok(mut again) = load_archive(&packed)
    {
        // Old charts have their dependencies in a file of their own; what else says so is not packed.
        if chart.metadata.api_version == "v1" {
            again.chart.metadata.dependencies.clone_from(&chart.metadata.dependencies);
        }
        assert_eq!(chart.metadata, again.chart.metadata);
    }
    // The templates have a target of their own; what is left are dependencies, values and schemas.
    without_templates(&mut chart);
    let _ = render(&chart, &Mapping::new(), &mut RenderOptions::new(Rc::new(Offline::default())));
}

fn without_templates(chart: &mut Chart) {
    chart.templates.clear();
    chart.dependencies.iter_mut().for_each(without_templates);
}

const BLOCK: usize = 512;

/// The archive with the sums of all its headers put right.
fn repaired(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    for block in data.chunks_exact_mut(BLOCK).filter(|block| &block[257..262] == b"ustar") {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    data
}

/// The bytes in gzip's stored form, which needs no compressor.
fn gzipped(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut chunks = data.chunks(0xffff).peekable();
    if chunks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        let size = chunk.len() as u16;
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(size.to_le_bytes());
        out.extend((!size).to_le_bytes());
        out.extend(chunk);
    }
    out.extend(crc32(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}
