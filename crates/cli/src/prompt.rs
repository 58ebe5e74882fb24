//! Asks the user for what should not stand on a command line.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use crate::report::Failure;

/// All of standard input, without the line end that `echo` adds.
pub(crate) fn password_from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

/// A line that may be seen.
pub(crate) fn line(question: &str) -> Result<String, Failure> {
    ask(question)?;
    read_line()
}

/// A line that is not shown while it is typed.
pub(crate) fn secret(question: &str) -> Result<String, Failure> {
    ask(question)?;
    if !io::stdin().is_terminal() {
        return read_line();
    }
    let secret = rpassword::read_password()?;
    Ok(secret)
}

fn ask(question: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(question.as_bytes())?;
    out.flush()
}

fn read_line() -> Result<String, Failure> {
    let mut text = String::new();
    if io::stdin().lock().read_line(&mut text)? == 0 {
        return Err(Failure::new("EOF").hint("give the password with --password-stdin"));
    }
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
