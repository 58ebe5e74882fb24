//! DELETE of a collection.

use serde_json::Value;

use super::call::Call;
use super::delete::DeleteOptions;
use crate::http::answer::Answer;
use crate::server::Server;
use crate::status::Status;

impl Server {
    /// Answers a DELETE of all that a selector matches: with the objects as they were.
    pub(crate) async fn delete_collection(&self, call: &Call) -> Result<Answer, Status> {
        let selection = call.selection()?;
        let options = DeleteOptions { of_collection: true, ..DeleteOptions::read(call)? };
        call.warn_of_orphans(&options);
        let found = self.store.list(&call.resource.range(&call.namespace));
        let mut deleted = Vec::new();
        for stored in found.objects.iter().filter(|stored| selection.matches(&stored.object)) {
            let one = call.for_object(&stored.key.namespace, &stored.key.name);
            let outcome = self.delete_object(&one, &options).await;
            one.take_warnings().into_iter().for_each(|words| call.warn(words));
            match outcome {
                Ok(_) => deleted.push(call.item(&stored.object)),
                // Somebody else was quicker; it is gone, as wanted.
                Err(status) if status.reason == "NotFound" => {}
                Err(status) => return Err(status),
            }
        }
        call.check_shape(true)?;
        let mut list = call.list_of(found.revision);
        if !deleted.is_empty() {
            list["items"] = Value::Array(deleted);
        }
        Ok(Answer::object(list))
    }
}
