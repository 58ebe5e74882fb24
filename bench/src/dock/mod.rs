//! The embedded cluster beside a real kube-apiserver with etcd: the same requests, by the same client, over TLS.

mod peer;
mod work;

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

pub(crate) use peer::Peer;
use work::Figures;

/// What is measured.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Objects that are created, read and deleted for each figure
    #[arg(long, default_value_t = 2000)]
    objects: usize,

    /// Requests that are under way at once
    #[arg(long, default_value_t = 16)]
    width: usize,

    /// Watches that are told of every object
    #[arg(long, default_value_t = 50)]
    watches: usize,

    /// Objects that are there when memory is looked at
    #[arg(long, default_value_t = 10_000)]
    stored: usize,

    /// Starts of the embedded cluster that are timed
    #[arg(long, default_value_t = 20)]
    starts: usize,

    /// The program to measure; the environment's SLIPWAY otherwise
    #[arg(long, value_name = "FILE")]
    slipway: Option<String>,
}

pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    let slipway = arguments.slipway.clone().or_else(|| std::env::var("SLIPWAY").ok());
    let slipway = slipway.unwrap_or_else(|| "slipway".to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut starts = (0..arguments.starts)
        .map(|_| runtime.block_on(start(&slipway)))
        .collect::<io::Result<Vec<Duration>>>()?;
    starts.sort_unstable();

    let mut columns = Vec::new();
    // One after the other: each has the machine to itself.
    for start in [Peer::memory, Peer::disk, |_: &str| Peer::control_plane()] {
        let peer = start(&slipway)?;
        let figures = runtime.block_on(work::measure(&peer, arguments))?;
        columns.push((peer.name, figures));
    }
    print(arguments, &starts, &columns);
    Ok(ExitCode::SUCCESS)
}

/// From the start of the program to its first answer.
async fn start(slipway: &str) -> io::Result<Duration> {
    let begin = Instant::now();
    let peer = Peer::memory(slipway)?;
    let client = peer.client().await?;
    client.apiserver_version().await.map_err(io::Error::other)?;
    Ok(begin.elapsed())
}

/// What a row of the table is called, which figure it shows, and whether more of it is better.
type Row = (String, fn(&Figures) -> f64, bool);

#[expect(clippy::print_stdout, reason = "the table is what was asked for")]
fn print(arguments: &Arguments, starts: &[Duration], columns: &[(&str, Figures)]) {
    let milliseconds = |duration: &Duration| duration.as_secs_f64() * 1000.0;
    if let (Some(first), Some(median), Some(last)) =
        (starts.first(), starts.get(starts.len() / 2), starts.last())
    {
        println!(
            "start to first answer, {} starts: {:.1} ms at best, {:.1} ms in the middle, {:.1} ms at worst\n",
            starts.len(),
            milliseconds(first),
            milliseconds(median),
            milliseconds(last)
        );
    }
    print!("{:<34}", "");
    for (name, _) in columns {
        print!("{name:>18}");
    }
    println!("{:>10}", "ratio");
    let rows: [Row; 6] = [
        ("create, per second".to_owned(), |figures| figures.creates, true),
        ("get, per second".to_owned(), |figures| figures.gets, true),
        ("list of 1,000, per second".to_owned(), |figures| figures.lists, true),
        (format!("events to {} watches, per second", arguments.watches), |figures| figures.events, true),
        ("delete, per second".to_owned(), |figures| figures.deletes, true),
        (format!("memory at {} objects, MiB", arguments.stored), |figures| figures.memory, false),
    ];
    for (title, figure, more_is_better) in rows {
        print!("{title:<34}");
        for (_, figures) in columns {
            print!("{:>18.1}", figure(figures));
        }
        if let (Some((_, first)), Some((_, last))) = (columns.first(), columns.last()) {
            let ratio = figure(first) / figure(last);
            println!("{:>9.1}×", if more_is_better { ratio } else { 1.0 / ratio });
        }
    }
}
