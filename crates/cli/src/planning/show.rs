//! Shows a plan in the form that is asked for.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use plan::explain::{self, Tone, Verb, View};

use crate::context::Context;
use crate::flags::{ViewFlags, ViewFormat};
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// How many objects of a group a picture names.
const IN_PICTURES: usize = 8;

/// Prints a view, or writes it to a file.
pub(crate) fn show(view: &View, flags: &ViewFlags, context: &mut Context) -> Result<(), Failure> {
    let Some(path) = &flags.output_file else {
        let coloured = context.out.is_coloured();
        return Ok(write(view, flags, coloured, &mut context.out)?);
    };
    let failed = |error: std::io::Error| Failure::new(format!("{path}: {error}"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).map_err(failed)?);
    write(view, flags, false, &mut file).and_then(|()| file.flush()).map_err(failed)
}

fn write(view: &View, flags: &ViewFlags, coloured: bool, out: &mut impl Write) -> std::io::Result<()> {
    let limit = flags.limit.unwrap_or(IN_PICTURES);
    match flags.format {
        ViewFormat::Text => write_text(view, flags.limit, coloured, out),
        ViewFormat::Json => write_json(out, view),
        ViewFormat::Yaml => write_yaml(out, view),
        ViewFormat::Dot => out.write_all(explain::dot(view, limit).as_bytes()),
        ViewFormat::Mermaid => out.write_all(explain::mermaid(view, limit).as_bytes()),
        ViewFormat::Svg => out.write_all(explain::svg(view, limit).as_bytes()),
    }
}

fn write_text(
    view: &View,
    limit: Option<usize>,
    coloured: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let mut outcome = Ok(());
    explain::text(view, limit, &mut |tone, text| {
        if outcome.is_ok() {
            let style = if coloured { style(tone) } else { Style::new() };
            outcome = write!(out, "{style}{text}{style:#}");
        }
    });
    outcome
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Heading => Style::new().bold(),
        Tone::Title => AnsiColor::Cyan.on_default(),
        Tone::Faint => Style::new().dimmed(),
        Tone::Warning => AnsiColor::Yellow.on_default().bold(),
        Tone::Action(verb) => match verb {
            Verb::Create | Verb::CreateIfAbsent => AnsiColor::Green.on_default(),
            Verb::Update | Verb::Adopt | Verb::Restore => AnsiColor::Blue.on_default(),
            Verb::Run => AnsiColor::Magenta.on_default(),
            Verb::Delete | Verb::RemoveFinalizers => AnsiColor::Red.on_default(),
            Verb::CountDown => AnsiColor::Yellow.on_default(),
            _ => Style::new().dimmed(),
        },
    }
}
