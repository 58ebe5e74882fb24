//! Slipway's answers to the same questions.

use std::panic;
use std::rc::Rc;
use std::time::SystemTime;

use chart::capabilities::KubeVersion;
use chart::load::{load_files, read_values};
use chart::render::{Release, RenderOptions, render_files};
use chart::values::set::{Reading, set};
use chart::{Capabilities, File};
use gotmpl::functions::{Instant, Offline};

use crate::oracle::{Answer, Question};

/// What Slipway makes of a question. A panic is an answer too, and never the right one.
pub fn answer(question: &Question) -> Answer {
    panic::catch_unwind(|| make(question)).unwrap_or_else(|_| Err("slipway panicked".to_owned()))
}

fn make(question: &Question) -> Answer {
    match question {
        Question::YamlToJson(text) => {
            let value = goyaml::from_str(text).map_err(|error| error.to_string())?;
            goyaml::json::to_string(&value.numbers_as_float64()).map_err(|error| error.to_string())
        }
        Question::YamlRoundtrip(text) => {
            let value = goyaml::from_str(text).map_err(|error| error.to_string())?;
            goyaml::to_string(&value.numbers_as_float64()).map_err(|error| error.to_string())
        }
        Question::Set { kind, base, text } => {
            let mut values = read_values(base.as_bytes()).map_err(|error| error.to_string())?;
            let reading = match *kind {
                "set" => Reading::Typed,
                "set-string" => Reading::Text,
                "set-json" => Reading::Json,
                _ => Reading::Literal,
            };
            set(text, &mut values, reading).map_err(|error| error.to_string())?;
            goyaml::json::to_string(&goyaml::Value::Mapping(values)).map_err(|error| error.to_string())
        }
        Question::Chart { files, values } => render(files, values),
        Question::Schema { schema, values } => {
            let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
            let chart = "apiVersion: v2\nname: schema\nversion: 1.0.0\n";
            let files = [file("Chart.yaml", chart), file("values.schema.json", schema)];
            render(&files, values).map(|_| "true".to_owned())
        }
    }
}

fn render(files: &[(String, String)], values: &str) -> Answer {
    let files = files.iter().map(|(path, text)| File::new(path.clone(), text.clone().into_bytes())).collect();
    let loaded = load_files(files).map_err(|error| error.to_string())?;
    let values = read_values(values.as_bytes()).map_err(|error| error.to_string())?;
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let now = Instant { seconds: seconds.cast_signed(), nanoseconds: 0 };
    let mut options = RenderOptions::new(Rc::new(Offline { now }));
    options.release = Release { name: "oracle".into(), ..Release::default() };
    let kube_version: KubeVersion = "v1.33.0".parse().map_err(|_| "no version")?;
    options.capabilities = Capabilities::offline(Some(kube_version), &[]);
    let rendered = render_files(&loaded.chart, &values, &options).map_err(|error| error.to_string())?;
    Ok(rendered.iter().map(|(path, text)| format!("# {path}\n{}", told(text))).collect())
}

/// A rendered text as the oracle tells it: as it is, or with its bytes by number where it is not UTF-8.
fn told(text: &[u8]) -> String {
    let mut told = String::new();
    for chunk in text.utf8_chunks() {
        told.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| told.push_str(&format!("\\x{byte:02x}")));
    }
    if told.len() == text.len() { told } else { format!("not UTF-8: {told}") }
}
