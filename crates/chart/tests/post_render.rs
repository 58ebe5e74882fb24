//! What goes through a post-renderer, and what comes of what it gives back.

use std::rc::Rc;

use chart::load::load_files;
use chart::render::output::{self, Parts};
use chart::render::post_render::CommandPostRender;
use chart::render::{PostRender, PostRenderStrategy};
use chart::{Chart, File, RenderError, RenderOptions, render};
use gotmpl::functions::Offline;
use goyaml::Mapping;

const HOOK: &str = "kind: Job\nmetadata:\n  name: hook\n  annotations:\n    helm.sh/hook: pre-install\n";
const PLAIN: &str =
    "# kept\nkind: ConfigMap\nmetadata:\n  name: plain\n---\nkind: Secret\nmetadata:\n  name: second\n";

fn chart() -> Chart {
    let files = [
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"),
        ("templates/hook.yaml", HOOK),
        ("templates/plain.yaml", PLAIN),
        ("templates/NOTES.txt", "notes"),
    ];
    let files = files.map(|(name, text)| File::new(name, text.to_owned()));
    load_files(files.to_vec()).expect("a chart that loads").chart
}

/// Keeps what it was given, and answers with a change of it.
struct Recorder<F> {
    seen: Vec<String>,
    change: F,
}

impl<F: FnMut(&str) -> Result<String, String>> PostRender for Recorder<F> {
    fn run(&mut self, manifests: &str) -> Result<String, String> {
        self.seen.push(manifests.to_owned());
        (self.change)(manifests)
    }
}

fn run(post_render: &mut dyn PostRender, strategy: PostRenderStrategy) -> Result<String, RenderError> {
    let mut options = RenderOptions::new(Rc::new(Offline::default()));
    options.post_render = Some(post_render);
    options.post_render_strategy = strategy;
    let rendered = render(&chart(), &Mapping::new(), &mut options)?;
    assert_eq!(rendered.notes, "notes");
    Ok(output::template(&rendered, Parts::default()))
}

#[test]
fn documents_carry_their_path_there_and_lose_it_on_the_way_back() {
    let mut recorder =
        Recorder { seen: Vec::new(), change: |text: &str| Ok(text.replace("plain", "changed")) };
    let output = run(&mut recorder, PostRenderStrategy::Combined).unwrap();
    assert_eq!(recorder.seen.len(), 1);
    insta::assert_snapshot!("combined_stream", recorder.seen[0]);
    insta::assert_snapshot!("combined_output", output);
}

#[test]
fn hooks_go_in_a_stream_of_their_own_or_not_at_all() {
    let same = |text: &str| Ok(text.to_owned());
    let mut separate = Recorder { seen: Vec::new(), change: same };
    let first = run(&mut separate, PostRenderStrategy::Separate).unwrap();
    let kinds = |text: &str| text.lines().filter(|line| line.starts_with("kind:")).count();
    assert_eq!(separate.seen.iter().map(|text| kinds(text)).collect::<Vec<_>>(), [1, 2]);
    assert!(separate.seen[0].contains("kind: Job"));

    let mut without = Recorder { seen: Vec::new(), change: same };
    let second = run(&mut without, PostRenderStrategy::NoHooks).unwrap();
    assert_eq!(without.seen.len(), 1);
    assert!(!without.seen[0].contains("kind: Job"));
    assert_eq!(kinds(&first), kinds(&second));
}

#[test]
fn documents_of_the_post_renderer_get_names() {
    let add = |text: &str| Ok(format!("{text}\n---\nkind: Extra\n"));
    let output = run(&mut Recorder { seen: Vec::new(), change: add }, PostRenderStrategy::Combined).unwrap();
    assert!(output.contains("# Source: generated-by-postrender-3.yaml\nkind: Extra"), "{output}");
}

#[test]
fn failures_are_told_in_helms_words() {
    let mut fail = Recorder { seen: Vec::new(), change: |_: &str| Err("broken".to_owned()) };
    assert_eq!(
        run(&mut fail, PostRenderStrategy::Combined).unwrap_err().to_string(),
        "error while running post render on files: broken"
    );
    let mut nonsense = Recorder { seen: Vec::new(), change: |_: &str| Ok("a: b: c".to_owned()) };
    let error = run(&mut nonsense, PostRenderStrategy::Combined).unwrap_err().to_string();
    assert!(error.starts_with("error while parsing post rendered output: error parsing YAML:"), "{error}");
}

#[cfg(unix)]
#[test]
fn commands_are_run_with_their_arguments() {
    let command = |program: &str, arguments: &[&str]| CommandPostRender {
        program: program.to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
    };
    let output = run(&mut command("sed", &["s/second/third/"]), PostRenderStrategy::Combined).unwrap();
    assert!(output.contains("name: third"), "{output}");
    let error = run(&mut command("true", &[]), PostRenderStrategy::Combined).unwrap_err().to_string();
    assert_eq!(
        error,
        "error while running post render on files: post-renderer \"true\" produced empty output"
    );
    assert!(run(&mut command("false", &[]), PostRenderStrategy::Combined).is_err());
}
