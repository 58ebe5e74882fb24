//! The second thread of a rendering: it parses templates while the first puts values together, and reads the heads of
//! documents while the first still executes templates. Small charts do without.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};

use bytes::Bytes;
use bytestring::ByteString;
use gotmpl::Ahead;

use super::manifests::{Read, read};
use crate::Chart;

/// With less text in its templates a chart is rendered before a thread has started to be of use.
const WORTH_A_THREAD: usize = 48 * 1024;
/// How much text is handed over at once: to wake a thread takes time as well.
const BATCH: usize = 24 * 1024;

/// Documents and their numbers.
type Batch = Vec<(usize, Bytes)>;

/// Heads and the numbers of their documents.
pub(super) type Heads = Vec<(usize, Read)>;

/// Work for two threads. What is dropped before it is done is not done.
pub(super) struct SecondThread<'s> {
    ahead: Arc<Ahead>,
    batches: Sender<Batch>,
    /// Where the batches arrive. Whoever has nothing else to do takes the next one.
    arrived: Arc<Mutex<Receiver<Batch>>>,
    thread: ScopedJoinHandle<'s, Heads>,
    /// What is not yet enough for a batch.
    pending: Batch,
    size: usize,
}

impl<'s> SecondThread<'s> {
    /// Starts with the templates of a chart, if there is enough to do.
    pub(super) fn start(scope: &'s Scope<'s, '_>, chart: &Chart) -> Option<Self> {
        if size_of_templates(chart) < WORTH_A_THREAD {
            return None;
        }
        let mut texts = Vec::new();
        collect_texts(chart, &mut texts);
        let ahead = Arc::new(Ahead::new(texts, gotmpl::helm::functions()));
        let (batches, arrived) = channel();
        let arrived = Arc::new(Mutex::new(arrived));
        let thread = scope.spawn({
            let (ahead, arrived) = (Arc::clone(&ahead), Arc::clone(&arrived));
            move || {
                ahead.work();
                read_all(&arrived)
            }
        });
        Some(Self { ahead, batches, arrived, thread, pending: Vec::new(), size: 0 })
    }

    /// The templates that are being parsed.
    pub(super) fn ahead(&self) -> &Arc<Ahead> {
        &self.ahead
    }

    /// Hands over a document whose head is wanted.
    pub(super) fn read(&mut self, number: usize, text: Bytes) {
        self.size += text.len();
        self.pending.push((number, text));
        if self.size >= BATCH {
            self.send();
        }
    }

    fn send(&mut self) {
        self.size = 0;
        // The receiver is right here.
        let _ = self.batches.send(std::mem::take(&mut self.pending));
    }

    /// The heads of all documents that were handed over.
    pub(super) fn finish(mut self) -> Heads {
        self.ahead.end();
        self.send();
        let Self { batches, arrived, thread, .. } = self;
        drop(batches);
        let mut heads = read_all(&arrived);
        match thread.join() {
            Ok(others) => heads.extend(others),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        heads
    }
}

/// Ends the work that an error made useless, once it is dropped.
pub(super) struct EndsWith(pub(super) Arc<Ahead>);

impl Drop for EndsWith {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Reads batches until no more can come.
fn read_all(arrived: &Mutex<Receiver<Batch>>) -> Heads {
    let mut heads = Heads::new();
    loop {
        let next = arrived.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(batch) = next else { return heads };
        heads.extend(batch.into_iter().map(|(number, text)| (number, read(&text))));
    }
}

fn size_of_templates(chart: &Chart) -> usize {
    let own: usize = chart.templates.iter().map(|file| file.data.len()).sum();
    own + chart.dependencies.iter().map(size_of_templates).sum::<usize>()
}

/// A chart's own templates are needed more surely than those of its subcharts, which may be switched off.
fn collect_texts(chart: &Chart, texts: &mut Vec<ByteString>) {
    texts.extend(chart.templates.iter().filter_map(|file| ByteString::try_from(file.data.clone()).ok()));
    for subchart in &chart.dependencies {
        collect_texts(subchart, texts);
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use gotmpl::functions::Offline;
    use goyaml::Mapping;

    use super::*;
    use crate::File;
    use crate::load::load_files;
    use crate::render::{RenderOptions, render};

    /// What comes of a chart whose templates end with a comment of some length.
    fn outcome(templates: &[(&str, &str)], comment: usize) -> Result<String, String> {
        let definition = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n");
        let mut files =
            vec![File::new("Chart.yaml", definition("a")), File::new("charts/b/Chart.yaml", definition("b"))];
        let comment = format!("{{{{/*{}*/}}}}", "x".repeat(comment));
        files.extend(templates.iter().map(|(name, text)| File::new(*name, format!("{text}{comment}"))));
        let chart = load_files(files).map_err(|error| error.to_string())?.chart;
        let mut options = RenderOptions::new(Rc::new(Offline::default()));
        options.release.name = "r".to_owned();
        let rendered = render(&chart, &Mapping::new(), &mut options).map_err(|error| error.to_string())?;
        let lines =
            rendered.manifests.iter().map(|manifest| (&manifest.source, manifest.line, &manifest.text));
        Ok(format!("{:?} {:?}", lines.collect::<Vec<_>>(), rendered.notes))
    }

    #[test]
    fn a_second_thread_changes_nothing() {
        let helper = ("templates/_h.tpl", "{{ define \"t\" }}kind: {{ . }}{{ end }}");
        let fine = ("templates/z.yaml", "{{ include \"t\" \"Z\" }}\n---\nkind: A\n");
        let notes = ("templates/NOTES.txt", "{{ .Release.Name }}");
        let subchart = ("charts/b/templates/z.yaml", "{{ include \"t\" \"Y\" }}");
        let same = ("charts/b/templates/_h.tpl", helper.1);
        let no_template = ("templates/x.yaml", "\n{{ nonsense }}");
        let fails = ("charts/b/templates/x.yaml", "{{ fail \"no\" }}");
        let no_yaml = ("templates/y.yaml", "a: b: c");
        let nor_this = ("charts/b/templates/y.yaml", "- a: b: c");
        for templates in [
            vec![helper, fine, notes, subchart, same],
            vec![helper, fine, no_template],
            vec![helper, fine, no_template, fails],
            vec![helper, fine, fails, no_yaml],
            vec![helper, fine, no_yaml, nor_this, subchart],
            vec![fine],
        ] {
            let alone = outcome(&templates, 10);
            assert_eq!(outcome(&templates, WORTH_A_THREAD), alone, "{templates:?}");
        }
    }

    #[test]
    fn documents_are_read_by_whoever_has_time() {
        let text = |number: usize| format!("kind: K{number:03}\ntext: {}\n", "x".repeat(BATCH / 7));
        let names: Vec<String> = (0..50).map(|number| format!("templates/{number:03}.yaml")).collect();
        let texts: Vec<String> = (0..50).map(text).collect();
        let templates: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (&**name, &**text)).collect();
        let expected = outcome(&templates[..40], 0).unwrap();
        for _ in 0..20 {
            assert_eq!(outcome(&templates[..40], 0).unwrap(), expected);
        }
        for number in 0..40 {
            assert!(expected.contains(&format!("kind: K{number:03}")), "{number}");
        }
    }
}
