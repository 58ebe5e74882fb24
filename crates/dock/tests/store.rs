//! What the store promises: revisions, conditions, the past, and what outlives a process.

use std::error::Error;
use std::sync::Arc;

use dock::store::{CommitError, Disk, EventKind, Expected, Key, OpenError, Range, ResourceKey, Store};
use serde_json::{Value, json};

fn key(namespace: &str, name: &str) -> Key {
    let resource = ResourceKey { group: "".into(), resource: "configmaps".into() };
    Key { resource, namespace: namespace.into(), name: name.into() }
}

fn range(namespace: &str) -> Range {
    Range { resource: key("", "").resource, namespace: namespace.into() }
}

fn object(name: &str, value: i64) -> Value {
    json!({"metadata": {"name": name}, "data": value})
}

fn names(store: &Store, namespace: &str) -> Vec<String> {
    store.list(&range(namespace)).objects.iter().map(|stored| stored.key.place()).collect()
}

#[tokio::test]
async fn a_change_is_made_only_if_the_state_is_the_expected_one() -> Result<(), Box<dyn Error>> {
    let store = Store::memory();
    let first = store.put(&key("a", "x"), Expected::Absent, object("x", 1)).await?;
    assert_eq!(first.object["metadata"]["resourceVersion"], first.revision.to_string());
    let again = store.put(&key("a", "x"), Expected::Absent, object("x", 2)).await;
    assert!(matches!(again, Err(CommitError::Changed(Some(_)))));
    let second = store.put(&key("a", "x"), Expected::At(first.revision), object("x", 2)).await?;
    let stale = store.put(&key("a", "x"), Expected::At(first.revision), object("x", 3)).await;
    assert!(matches!(stale, Err(CommitError::Changed(Some(present))) if present.revision == second.revision));
    let stale = store.remove(&key("a", "x"), first.revision).await;
    assert!(stale.is_err());
    store.remove(&key("a", "x"), second.revision).await?;
    assert!(store.get(&key("a", "x")).is_none());
    Ok(())
}

#[tokio::test]
async fn lists_are_in_the_order_of_their_bytes_and_keep_to_their_namespace() -> Result<(), Box<dyn Error>> {
    let store = Store::memory();
    for (namespace, name) in [("a", "x"), ("a-b", "y"), ("a", "b"), ("ab", "z")] {
        store.put(&key(namespace, name), Expected::Absent, object(name, 1)).await?;
    }
    assert_eq!(names(&store, ""), ["a-b/y", "a/b", "a/x", "ab/z"]);
    assert_eq!(names(&store, "a"), ["a/b", "a/x"]);
    Ok(())
}

#[tokio::test]
async fn the_past_can_be_listed_and_followed_until_it_is_forgotten() -> Result<(), Box<dyn Error>> {
    let store = Store::memory();
    let first = store.put(&key("a", "x"), Expected::Absent, object("x", 1)).await?;
    let second = store.put(&key("a", "x"), Expected::At(first.revision), object("x", 2)).await?;
    store.put(&key("a", "y"), Expected::Absent, object("y", 1)).await?;
    let gone = store.remove(&key("a", "x"), second.revision).await?;

    let then = store.list_at(&range("a"), first.revision)?;
    assert_eq!(then.objects.len(), 1);
    assert_eq!(then.objects[0].object["data"], 1);
    assert_eq!(names(&store, "a"), ["a/y"]);

    let mut events = store.follow(range("a"), first.revision)?;
    let mut seen = Vec::new();
    while let Ok(event) = events.try_recv() {
        seen.push((event.kind, event.key.name.to_string(), event.revision));
    }
    let expected = [(EventKind::Modified, "x"), (EventKind::Added, "y"), (EventKind::Deleted, "x")];
    assert_eq!(seen.iter().map(|(kind, name, _)| (*kind, name.as_str())).collect::<Vec<_>>(), expected);
    assert_eq!(seen.last().map(|(_, _, revision)| *revision), Some(gone.revision));

    store.compact();
    assert!(store.follow(range("a"), first.revision).is_err());
    assert!(store.list_at(&range("a"), first.revision).is_err());
    assert!(store.follow(range("a"), gone.revision).is_ok());
    Ok(())
}

#[tokio::test]
async fn a_file_has_everything_the_next_time() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("dock.redb");
    let revision = {
        let (disk, saved) = Disk::open(&path)?;
        assert!(matches!(Disk::open(&path), Err(OpenError::InUse)), "two processes may not write one file");
        let store = Store::with_journal(Arc::new(disk), saved);
        let first = store.put(&key("a", "x"), Expected::Absent, object("x", 1)).await?;
        store.put(&key("a", "x"), Expected::At(first.revision), object("x", 2)).await?;
        store.put(&key("a", "y"), Expected::Absent, object("y", 1)).await?.revision
    };
    let (disk, saved) = reopened(&path)?;
    let store = Store::with_journal(Arc::new(disk), saved);
    assert_eq!(store.revision(), revision);
    assert_eq!(names(&store, "a"), ["a/x", "a/y"]);
    assert_eq!(store.get(&key("a", "x")).ok_or("gone")?.object["data"], 2);
    let mut events = store.follow(range("a"), revision - 1)?;
    assert_eq!(events.try_recv()?.key.name.as_ref(), "y", "a watch goes on where it was");
    let next = store.put(&key("a", "z"), Expected::Absent, object("z", 1)).await?;
    assert_eq!(next.revision, revision + 1);
    Ok(())
}

/// The thread that writes lets go of the file shortly after the store is dropped.
fn reopened(path: &std::path::Path) -> Result<(Disk, dock::store::Saved), OpenError> {
    loop {
        match Disk::open(path) {
            Err(OpenError::InUse) => std::thread::yield_now(),
            other => return other,
        }
    }
}
