//! Inventories from files: an inventory itself, or a saved plan, which holds one.

use plan::input::Inventory;
use serde::Deserialize;

use crate::report::Failure;

#[derive(Deserialize)]
struct Saved {
    intent: Inventory,
}

/// Reads the inventory that a file holds.
pub(crate) fn read(path: &str) -> Result<Inventory, Failure> {
    let refused = |error: &dyn std::fmt::Display| {
        Failure::new(format!("{path}: {error}"))
            .hint("an inventory is what 'slipway plan install CHART --save FILE' writes")
    };
    let text = std::fs::read_to_string(path).map_err(|error| Failure::new(format!("{path}: {error}")))?;
    // What --save writes is JSON, and large.
    let value = goyaml::json::from_str(&text)
        .or_else(|_| goyaml::from_str(&text))
        .map_err(|error| refused(&error))?;
    let read = if value.get("intent").is_some() {
        goyaml::json::from_value(value).map(|saved: Saved| saved.intent)
    } else {
        goyaml::json::from_value(value)
    };
    read.map_err(|error| refused(&error))
}
