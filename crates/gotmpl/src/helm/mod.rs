//! The engine as Helm sets it up: its functions, its order of templates, and its errors.

mod functions;
mod report;

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
pub use functions::functions;
use goyaml::carried::{bytes_of, carried};
pub use report::{RenderError, parse_error_text, render_error_text};

use crate::ahead::Ahead;
use crate::exec::{Limits, MissingKey, without_no_value};
use crate::functions::Environment;
use crate::set::{Options, TemplateSet};
use crate::value::{Entries, Type, Value};

/// How Helm is asked to render.
pub struct EngineOptions {
    /// A missing value is an error.
    pub strict: bool,
    /// `required` and `fail` warn but go on.
    pub lint: bool,
    /// Bounds on each template.
    pub limits: Limits,
    /// The outside world, for functions.
    pub environment: Rc<dyn Environment>,
    /// The process ends soon: what was parsed is left to the operating system, which frees it all at once.
    pub ends_with_process: bool,
    /// Templates that may have been parsed already.
    pub ahead: Option<Arc<Ahead>>,
}

impl EngineOptions {
    /// Helm's defaults in a given environment.
    pub fn new(environment: Rc<dyn Environment>) -> Self {
        Self {
            strict: false,
            lint: false,
            limits: Limits::default(),
            environment,
            ends_with_process: false,
            ahead: None,
        }
    }
}

/// A template of a chart.
pub struct Template {
    /// Its path from the outermost chart's name on, which is also its name.
    pub name: String,
    /// Its text, which need not be UTF-8.
    pub source: Bytes,
    /// What `.Template.BasePath` says: the chart's directory of templates.
    pub base_path: String,
    /// The chart's scope, which its templates share: a map with `Values`, `Chart`, `Release` and so on.
    pub scope: Value,
}

/// Templates of charts, parsed and ready to render.
pub struct Engine {
    set: TemplateSet,
    /// What templates print into, one after the other.
    printed: Vec<u8>,
    /// Whether some template is not UTF-8.
    carries: bool,
}

impl Engine {
    /// An engine with all of Helm's functions.
    pub fn new(options: EngineOptions) -> Self {
        let missing_key = if options.strict { MissingKey::Error } else { MissingKey::Zero };
        let options = Options {
            missing_key,
            limits: options.limits,
            environment: options.environment,
            lint: options.lint,
            ahead: options.ahead,
            ..Options::default()
        };
        Self { set: TemplateSet::new(functions(), options), printed: Vec::new(), carries: false }
    }

    /// Parses a template. Those further down come first (see [`sort_templates`]), so that a chart's
    /// definitions replace those of its subcharts.
    pub fn add(&mut self, name: &str, source: impl Into<ByteString>) -> Result<(), RenderError> {
        self.set.add(name, source).map_err(|error| RenderError::parse(name, error))
    }

    /// The same, for a template that need not be UTF-8.
    fn add_bytes(&mut self, name: &str, source: &Bytes) -> Result<(), RenderError> {
        let source = ByteString::try_from(source.clone()).unwrap_or_else(|_| {
            self.carries = true;
            carried(source).into_owned().into()
        });
        self.add(name, source)
    }

    /// Renders a template: `<no value>` is taken out of what it prints, which need not be UTF-8.
    pub fn render(&mut self, name: &str, scope: &Value) -> Result<Vec<u8>, RenderError> {
        let result = self.set.execute_to_bytes(name, scope, &mut self.printed);
        result.map_err(|error| RenderError::execute(name, error))?;
        let text = without_no_value(&self.printed).into_owned();
        Ok(if self.carries { bytes_of(&carried(&text)).into_owned() } else { text })
    }
}

/// Sorts names the way Helm parses and renders templates: deepest first, each depth from Z to A.
pub fn sort_templates<T>(templates: &mut [T], name: impl Fn(&T) -> &str) {
    templates.sort_by(|a, b| {
        let key = |name: &str| name.bytes().filter(|byte| *byte == b'/').count();
        let (a, b) = (name(a), name(b));
        Reverse(key(a)).cmp(&Reverse(key(b))).then_with(|| b.cmp(a))
    });
}

/// Whether a template is only there to be included: its file name begins with `_`.
pub fn is_partial(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|base| base.starts_with('_'))
}

/// Renders all templates of a chart and its subcharts that are not partials, and hands over the name of each with
/// what it printed.
///
/// `values_type` is the type that `.Template` has, Helm's `common.Values`.
pub fn render(
    mut templates: Vec<Template>,
    values_type: Type,
    options: EngineOptions,
    mut each: impl FnMut(&str, Vec<u8>),
) -> Result<(), RenderError> {
    sort_templates(&mut templates, |template| &template.name);
    let ends_with_process = options.ends_with_process;
    let mut engine = Engine::new(options);
    for template in &templates {
        engine.add_bytes(&template.name, &template.source)?;
    }
    for template in &templates {
        if is_partial(&template.name) {
            continue;
        }
        if let Value::Map(scope) = &template.scope {
            let about: Entries = [
                ("Name".into(), template.name.as_str().into()),
                ("BasePath".into(), template.base_path.as_str().into()),
            ]
            .into();
            scope.insert("Template", Value::map_of(values_type, about));
        }
        each(&template.name, engine.render(&template.name, &template.scope)?);
    }
    if ends_with_process {
        std::mem::forget((engine, templates));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
