//! The rules of `metadata`, alike for all kinds: what is reset, filled in, kept and refused when an object is written.
//!
//! A create calls [`take_namespace`], [`before_create`], the kind's own preparation, admission, then [`validate()`]
//! with what the kind itself finds, and if that is nothing, [`validate_any`]. An update calls [`take_namespace`],
//! [`before_update`], the kind's preparation, admission, then [`validate_update`] with what the kind finds.

mod format;
mod generate;
mod kind_rules;
mod system;
mod validate;

pub(crate) use format::{
    SUBDOMAIN, config_key, is_dns_subdomain, is_lower, mask_trailing_dash, too_many_characters,
};
pub use format::{
    c_identifier, dns_label, dns_subdomain, dns1035_label, label_key, label_value, path_segment,
    path_segment_prefix, regex_words, too_long_words,
};
pub use generate::{generated_name, random_suffix, random_uid, suffix_from};
pub use kind_rules::{MetaRules, NameRule, OnUpdate, rules_of};
pub(crate) use system::moment;
pub use system::{before_create, before_update, take_namespace};
pub(crate) use validate::any_name;
pub use validate::{
    annotations, field_manager, finalizers, labels, managed_fields, no_new_finalizers, owner_references,
    validate, validate_any, validate_meta, validate_meta_update, validate_update,
};
