//! Events as lines, for logs and for whoever reads along in a pipe.

use engine::{Effect, Event};

/// What is told of an event, if anything is.
pub(super) fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::Applied { effect: Effect::Unchanged, object } => format!("unchanged  {object}"),
        Event::Applied { effect: Effect::Created, object } => format!("created    {object}"),
        Event::Applied { object, .. } => format!("configured {object}"),
        Event::Waiting { object, message, .. } => format!("waiting    {object}: {message}"),
        Event::Ready { object } => format!("ready      {object}"),
        Event::Deleting { object } => format!("deleting   {object}"),
        Event::Gone { object } => format!("gone       {object}"),
        Event::Kept { object, why } => format!("kept       {object}: {why}"),
        Event::Stamped { object, due: Some(due) } => format!("counting   {object}: until {due}"),
        Event::Stamped { object, due: None } => format!("counting   {object}"),
        Event::Restored { object } => format!("restored   {object}"),
        Event::Stripped { object, finalizers } => format!(
            "forced     {object}: finalizers {} removed; what they stood for outside of the cluster may be left behind",
            finalizers.join(", ")
        ),
        Event::HookBegun { object, moment } => format!("running    {object} ({moment})"),
        Event::HookDone { object } => format!("done       {object}"),
        Event::Slowed { width } => format!("slowed     the server is busy: {width} requests at once"),
        Event::Warning { message } => format!("warning    {message}"),
        Event::Failed { object: Some(object), message, .. } => format!("failed     {object}: {message}"),
        Event::Failed { object: None, message, .. } => format!("failed     {message}"),
        _ => return None,
    })
}
