//! Many requests at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;

/// Does something so many times, so many at once: how long that takes.
pub(crate) async fn at_once<Work, Done>(
    count: usize,
    width: usize,
    maps: &Api<ConfigMap>,
    work: Work,
) -> io::Result<Duration>
where
    Work: Fn(Api<ConfigMap>, usize) -> Done + Send + Sync + Copy + 'static,
    Done: Future<Output = Result<(), kube::Error>> + Send,
{
    let next = Arc::new(AtomicUsize::new(0));
    let begin = Instant::now();
    let worker = |_| {
        let (next, maps) = (next.clone(), maps.clone());
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok::<_, kube::Error>(());
                }
                work(maps.clone(), number).await?;
            }
        })
    };
    let workers: Vec<_> = (0..width).map(worker).collect();
    for worker in workers {
        worker.await?.map_err(io::Error::other)?;
    }
    Ok(begin.elapsed())
}
