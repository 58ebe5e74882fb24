//! Finding members by what others call them.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use objects::ObjectId;

use crate::error::PlanError;
use crate::input::{Member, Nature, Reference};

/// Members by identity, namespaces by name, definitions by what they define.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    objects: HashMap<(&'a str, &'a str, &'a str, &'a str), u32>,
    definitions: HashMap<(&'a str, &'a str), u32>,
}

impl<'a> Lookup<'a> {
    /// Indexes the members; one that is there twice is an error.
    pub(crate) fn new(members: &[&'a Member], errors: &mut Vec<PlanError>) -> Self {
        let mut objects = HashMap::with_capacity(members.len());
        let mut definitions = HashMap::new();
        for (number, member) in members.iter().enumerate() {
            match objects.entry(key(&member.id)) {
                Slot::Vacant(slot) => {
                    slot.insert(number as u32);
                }
                Slot::Occupied(slot) => errors.push(PlanError::Duplicate {
                    object: member.id.clone(),
                    first: members[*slot.get() as usize].place.clone(),
                    second: member.place.clone(),
                }),
            }
            if let Nature::Definition(definition) = &member.nature {
                let kind = (definition.group.as_str(), definition.kind.as_str());
                definitions.entry(kind).or_insert(number as u32);
            }
        }
        Self { objects, definitions }
    }

    /// The member with that identity.
    pub(crate) fn object(&self, id: &ObjectId) -> Option<u32> {
        self.objects.get(&key(id)).copied()
    }

    /// A service, if it is a member.
    pub(crate) fn service(&self, namespace: &str, name: &str) -> Option<u32> {
        self.objects.get(&("", "Service", namespace, name)).copied()
    }

    /// The namespace an object is in, if it is a member.
    pub(crate) fn namespace_of(&self, id: &ObjectId) -> Option<u32> {
        self.objects.get(&("", "Namespace", "", id.namespace.as_deref()?)).copied()
    }

    /// The definition of an object's kind, if it is a member.
    pub(crate) fn definition_of(&self, id: &ObjectId) -> Option<u32> {
        if self.definitions.is_empty() {
            return None;
        }
        self.definitions.get(&(id.group.as_str(), id.kind.as_str())).copied()
    }

    /// What a member's reference names, if it is a member.
    pub(crate) fn referenced(&self, by: &ObjectId, reference: &Reference) -> Option<u32> {
        let (group, kind) = reference.need.group_kind();
        let namespace = match &reference.namespace {
            Some(namespace) => namespace,
            None if reference.need.is_namespaced() => by.namespace.as_deref().unwrap_or_default(),
            None => "",
        };
        self.objects.get(&(group, kind, namespace, &*reference.name)).copied()
    }
}

fn key(id: &ObjectId) -> (&str, &str, &str, &str) {
    (&id.group, &id.kind, id.namespace.as_deref().unwrap_or_default(), &id.name)
}
