//! Sets of fields, as trees of steps, and their algebra.

use std::cmp::Ordering;

use crate::element::PathElement;

/// A set of fields. A parent is not a member because its children are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet<'a> {
    /// Sorted by step, each step once; every node is a member or has members below it.
    nodes: Vec<Node<'a>>,
}

/// A step that is a member of the set, or leads to members, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node<'a> {
    pub(crate) element: PathElement<'a>,
    pub(crate) member: bool,
    pub(crate) children: FieldSet<'a>,
}

impl Node<'_> {
    fn is_empty(&self) -> bool {
        !self.member && self.children.is_empty()
    }
}

impl<'a> FieldSet<'a> {
    /// The set of these paths.
    pub fn of<P: IntoIterator<Item = PathElement<'a>>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(path);
        }
        set
    }

    /// The set of these paths of plain fields, written `metadata.name`.
    pub fn of_fields(paths: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of(paths.into_iter().map(|path| path.split('.').map(PathElement::field)))
    }

    /// Adds a path; the empty path, which is the whole object, has no owners and is passed over.
    pub fn insert(&mut self, path: impl IntoIterator<Item = PathElement<'a>>) {
        let mut path = path.into_iter();
        let Some(mut element) = path.next() else { return };
        let mut set = self;
        loop {
            let node = set.descend(element);
            let Some(next) = path.next() else {
                node.member = true;
                return;
            };
            element = next;
            set = &mut node.children;
        }
    }

    /// Adds a node whose step is not yet in the set, usually the greatest so far.
    pub(crate) fn push(&mut self, node: Node<'a>) {
        if node.is_empty() {
            return;
        }
        match self.nodes.last() {
            Some(last) if last.element >= node.element => match self.find(&node.element) {
                Ok(at) => {
                    self.nodes[at].member |= node.member;
                    self.nodes[at].children.unite(node.children);
                }
                Err(at) => self.nodes.insert(at, node),
            },
            _ => self.nodes.push(node),
        }
    }

    pub(crate) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    pub(crate) fn nodes_mut(&mut self) -> &mut [Node<'a>] {
        &mut self.nodes
    }

    /// What stands at a step.
    pub(crate) fn node(&self, element: &PathElement<'_>) -> Option<&Node<'a>> {
        self.find(element).ok().map(|at| &self.nodes[at])
    }

    fn find(&self, element: &PathElement<'_>) -> Result<usize, usize> {
        self.nodes.binary_search_by(|node| node.element.cmp(element))
    }

    fn descend(&mut self, element: PathElement<'a>) -> &mut Node<'a> {
        let at = match self.find(&element) {
            Ok(at) => at,
            Err(at) => {
                self.nodes.insert(at, Node { element, member: false, children: Self::default() });
                at
            }
        };
        &mut self.nodes[at]
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|node| usize::from(node.member) + node.children.len()).sum()
    }

    /// Whether the path is a member.
    pub fn contains<'b>(&self, path: impl IntoIterator<Item = &'b PathElement<'b>>) -> bool {
        let mut set = self;
        let mut member = false;
        for element in path {
            let Some(node) = set.node(element) else { return false };
            member = node.member;
            set = &node.children;
        }
        member
    }

    /// Adds all members of another set.
    pub fn unite(&mut self, other: Self) {
        if self.nodes.is_empty() {
            *self = other;
            return;
        }
        if other.nodes.is_empty() {
            return;
        }
        let mut left = std::mem::take(&mut self.nodes).into_iter().peekable();
        let mut right = other.nodes.into_iter().peekable();
        let mut nodes = Vec::with_capacity(left.len().max(right.len()));
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(left), Some(right)) => left.element.cmp(&right.element),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => nodes.extend(left.next()),
                Ordering::Greater => nodes.extend(right.next()),
                Ordering::Equal => {
                    if let (Some(mut node), Some(other)) = (left.next(), right.next()) {
                        node.member |= other.member;
                        node.children.unite(other.children);
                        nodes.push(node);
                    }
                }
            }
        }
        self.nodes = nodes;
    }

    /// Takes away the members of another set; what is below them stays. Whether any was there.
    pub fn subtract(&mut self, other: &FieldSet<'_>) -> bool {
        let mut changed = false;
        self.retain_beside(other, |node, other| {
            changed |= node.member && other.member;
            node.member &= !other.member;
            changed |= node.children.subtract(&other.children);
        });
        changed
    }

    /// Takes away the members of another set, and all that is below them.
    pub fn subtract_all_below(&mut self, other: &FieldSet<'_>) {
        self.retain_beside(other, |node, other| {
            if other.member {
                node.member = false;
                node.children.nodes.clear();
            } else {
                node.children.subtract_all_below(&other.children);
            }
        });
    }

    fn retain_beside(&mut self, other: &FieldSet<'_>, mut change: impl FnMut(&mut Node<'a>, &Node<'_>)) {
        if other.nodes.is_empty() {
            return;
        }
        let mut others = other.nodes.iter().peekable();
        self.nodes.retain_mut(|node| {
            while others.next_if(|other| other.element < node.element).is_some() {}
            if let Some(other) = others.next_if(|other| other.element == node.element) {
                change(node, other);
            }
            !node.is_empty()
        });
    }

    /// The members that both sets have.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet<'_>) -> Self {
        let mut others = other.nodes.iter().peekable();
        let mut nodes = Vec::new();
        for node in &self.nodes {
            while others.next_if(|other| other.element < node.element).is_some() {}
            let Some(other) = others.next_if(|other| other.element == node.element) else { continue };
            let common = Node {
                element: node.element.clone(),
                member: node.member && other.member,
                children: node.children.intersection(&other.children),
            };
            if !common.is_empty() {
                nodes.push(common);
            }
        }
        Self { nodes }
    }

    /// Whether the sets have a member in common.
    pub fn intersects(&self, other: &FieldSet<'_>) -> bool {
        let mut others = other.nodes.iter().peekable();
        self.nodes.iter().any(|node| {
            while others.next_if(|other| other.element < node.element).is_some() {}
            others.next_if(|other| other.element == node.element).is_some_and(|other| {
                (node.member && other.member) || node.children.intersects(&other.children)
            })
        })
    }

    /// Whether every member of another set is a member.
    pub fn contains_all(&self, other: &FieldSet<'_>) -> bool {
        let mut nodes = self.nodes.iter().peekable();
        other.nodes.iter().all(|wanted| {
            while nodes.next_if(|node| node.element < wanted.element).is_some() {}
            nodes.next_if(|node| node.element == wanted.element).is_some_and(|node| {
                (node.member || !wanted.member) && node.children.contains_all(&wanted.children)
            })
        })
    }

    /// The members that have no members below them.
    #[must_use]
    pub fn leaves(&self) -> Self {
        let nodes = self.nodes.iter().map(|node| Node {
            element: node.element.clone(),
            member: node.member && node.children.is_empty(),
            children: node.children.leaves(),
        });
        Self { nodes: nodes.collect() }
    }

    /// The paths of all members: those of one level first, then what is below them.
    pub fn paths(&self) -> Vec<Vec<&PathElement<'a>>> {
        let mut paths = Vec::new();
        self.collect_paths(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect_paths<'s>(
        &'s self,
        prefix: &mut Vec<&'s PathElement<'a>>,
        paths: &mut Vec<Vec<&'s PathElement<'a>>>,
    ) {
        for node in self.nodes.iter().filter(|node| node.member) {
            let mut path = Vec::with_capacity(prefix.len() + 1);
            path.extend_from_slice(prefix);
            path.push(&node.element);
            paths.push(path);
        }
        for node in &self.nodes {
            prefix.push(&node.element);
            node.children.collect_paths(prefix, paths);
            prefix.pop();
        }
    }

    /// The same set, holding its own text.
    pub fn into_owned(self) -> FieldSet<'static> {
        let nodes = self.nodes.into_iter().map(|node| Node {
            element: node.element.into_owned(),
            member: node.member,
            children: node.children.into_owned(),
        });
        FieldSet { nodes: nodes.collect() }
    }
}

/// Paths as refusals show them: `.spec.containers[name="a"].image`.
pub(crate) fn show(path: &[&PathElement<'_>]) -> String {
    path.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&'static str]) -> FieldSet<'static> {
        FieldSet::of_fields(paths.iter().copied())
    }

    fn shown(set: &FieldSet<'_>) -> Vec<String> {
        set.paths().iter().map(|path| show(path)).collect()
    }

    #[test]
    fn members_are_listed_level_by_level() {
        let set = set(&["b.c", "a", "b", "a.z.y", "a.b"]);
        assert_eq!(shown(&set), [".a", ".b", ".a.b", ".a.z.y", ".b.c"]);
        assert_eq!(set.len(), 5);
    }

    #[test]
    fn parents_are_not_members_because_children_are() {
        let set = set(&["a.b"]);
        assert!(!set.contains(&[PathElement::field("a")]));
        assert!(set.contains(&[PathElement::field("a"), PathElement::field("b")]));
        assert!(!set.contains(&[]));
    }

    #[test]
    fn differences() {
        for (left, right, difference, below) in [
            (&["a", "a.b", "c"][..], &["a"][..], &["a.b", "c"][..], &["c"][..]),
            (&["a.b.c"], &["a.b"], &["a.b.c"], &[]),
            (&["a"], &["a.b"], &["a"], &["a"]),
            (&["a.b", "a.c"], &["a.b", "a.c"], &[], &[]),
            (&["b"], &["a", "c"], &["b"], &["b"]),
        ] {
            let mut plain = set(left);
            plain.subtract(&set(right));
            assert_eq!(plain, set(difference));
            let mut all = set(left);
            all.subtract_all_below(&set(right));
            assert_eq!(all, set(below));
        }
    }

    #[test]
    fn intersection_and_union() {
        let left = set(&["a", "b.c", "b.d.e", "x"]);
        let right = set(&["a.q", "b.c", "b.d.e", "b.d"]);
        assert_eq!(left.intersection(&right), set(&["b.c", "b.d.e"]));
        assert!(left.intersects(&right));
        assert!(!left.intersects(&set(&["b", "a.q"])));
        let mut union = left.clone();
        union.unite(right);
        assert_eq!(union, set(&["a", "a.q", "b.c", "b.d", "b.d.e", "x"]));
    }

    #[test]
    fn leaves_have_nothing_below() {
        assert_eq!(set(&["a", "a.b", "c", "d.e", "d.e.f"]).leaves(), set(&["a.b", "c", "d.e.f"]));
    }
}
