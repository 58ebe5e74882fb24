//! Templates that are parsed ahead, on another thread, before it is known under which names they are needed, or
//! whether they are at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytestring::ByteString;

use crate::functions::Functions;
use crate::parse::tree::Parsed;
use crate::parse::{Map, Workspace, parse_unnamed};

/// How many texts of one length are compared.
const COMPARED: usize = 16;

/// Texts of templates, and what has been parsed of them.
///
/// One thread runs [`Ahead::work`] while another prepares what the templates are about. When that comes to a
/// template that nobody has begun with, it parses it itself; so nothing is done twice, and nobody waits for more than
/// one template.
pub struct Ahead {
    functions: Functions,
    texts: Vec<Candidate>,
    /// The numbers of the texts of each length: telling them apart by that is quicker than to hash them.
    numbers: Map<usize, Vec<usize>>,
    is_over: AtomicBool,
}

struct Candidate {
    text: ByteString,
    is_begun: AtomicBool,
    /// `None` if it is no template; why, depends on its name.
    parsed: OnceLock<Option<Arc<Parsed>>>,
}

impl Ahead {
    /// Texts that may be needed, those first that surely are.
    pub fn new(texts: impl IntoIterator<Item = ByteString>, functions: Functions) -> Self {
        let mut ahead =
            Self { functions, texts: Vec::new(), numbers: Map::default(), is_over: AtomicBool::new(false) };
        for text in texts {
            // The charts of a tree often carry the same library.
            if ahead.find(&text).is_none() {
                ahead.numbers.entry(text.len()).or_default().push(ahead.texts.len());
                ahead.texts.push(Candidate {
                    text,
                    is_begun: AtomicBool::new(false),
                    parsed: OnceLock::new(),
                });
            }
        }
        ahead
    }

    /// The text if it is one of these. Only the first of a length are compared with it letter by letter, so that many
    /// that are nearly the same cost no more.
    fn find(&self, text: &ByteString) -> Option<&Candidate> {
        let same_length = self.numbers.get(&text.len())?.iter().map(|number| &self.texts[*number]);
        let is_same = |place: usize, known: &Candidate| {
            known.text.as_ptr() == text.as_ptr() || place < COMPARED && known.text == *text
        };
        same_length.enumerate().find(|(place, known)| is_same(*place, known)).map(|(_, known)| known)
    }

    /// Parses what nobody has begun with, until there is no more, or no more is needed.
    pub fn work(&self) {
        let mut workspace = Workspace::default();
        for text in &self.texts {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            if !text.is_begun.swap(true, Ordering::Relaxed) {
                text.parse(&self.functions, &mut workspace);
            }
        }
    }

    /// No more is needed.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// What a text was parsed into, if it is one of these and a template.
    pub(crate) fn parsed(&self, text: &ByteString, workspace: &mut Workspace) -> Option<Arc<Parsed>> {
        let text = self.find(text)?;
        if !text.is_begun.swap(true, Ordering::Relaxed) {
            text.parse(&self.functions, workspace);
        }
        text.parsed.wait().clone()
    }
}

impl Candidate {
    fn parse(&self, functions: &Functions, workspace: &mut Workspace) {
        let unless_set = Settled(&self.parsed);
        let parsed = parse_unnamed(self.text.clone(), functions, workspace).map(Arc::new);
        // Only who began with it sets it.
        let _ = unless_set.0.set(parsed);
    }
}

/// Whoever waits must not wait forever, whatever happens to the thread that parses.
struct Settled<'t>(&'t OnceLock<Option<Arc<Parsed>>>);

impl Drop for Settled<'_> {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, TemplateSet, Value};

    fn render(ahead: Option<Arc<Ahead>>, text: &str) -> Result<String, String> {
        let mut set = TemplateSet::new(crate::helm::functions(), Options { ahead, ..Options::default() });
        let mut out = String::new();
        set.add("a/x.yaml", text)
            .and_then(|()| set.add("b/x.yaml", text))
            .and_then(|()| set.execute("a/x.yaml", &Value::from("dot"), &mut out))
            .map_err(|error| error.to_string())?;
        Ok(out)
    }

    #[test]
    fn what_is_parsed_ahead_is_the_same() {
        for text in [
            "plain",
            "{{ define \"t\" }}[{{ . }}]{{ end }}{{ include \"t\" . | upper }}",
            "{{ if }}",
            "\n{{ nonsense }}",
            "{{ define \"b/x.yaml\" }}1{{ end }}",
            "{{ define \"b/x.yaml\" }}1{{ end }}2",
            "{{ define \"a/x.yaml\" }}{{ end }}2",
            "{{ define \"t\" }}1{{ end }}{{ define \"t\" }}1{{ end }}",
        ] {
            let expected = render(None, text);
            let other = ByteString::from_static("{{ other }}");
            for texts in [vec![], vec![other.clone()], vec![text.into(), other.clone(), text.into()]] {
                for works in [false, true] {
                    let ahead = Ahead::new(texts.clone(), crate::helm::functions());
                    if works {
                        ahead.work();
                    }
                    assert_eq!(render(Some(Arc::new(ahead)), text), expected, "{text}");
                }
            }
        }
    }
}
