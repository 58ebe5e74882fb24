//! Which texts goyaml takes for a date: those Go's `time.Parse` accepts with goyaml's four layouts.

/// Whether `text` is a date, or a date and a time, that exists.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let year_digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if year_digits != 4 || bytes.get(4) != Some(&b'-') {
        return false;
    }
    let year = bytes[..4].iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let mut rest = Rest(&bytes[5..]);
    date_and_time(year, &mut rest).unwrap_or(false)
}

fn date_and_time(year: u32, rest: &mut Rest<'_>) -> Option<bool> {
    let month = rest.number(1, 12)?;
    rest.expect(b'-')?;
    let day = rest.number(1, 31)?;
    if day > days_in(year, month) {
        return None;
    }
    match rest.0.first() {
        None => return Some(true),
        Some(b'T' | b't') => {
            rest.0 = &rest.0[1..];
            rest.time()?;
            rest.zone()?;
        }
        Some(b' ') => {
            while rest.0.first() == Some(&b' ') {
                rest.0 = &rest.0[1..];
            }
            rest.time()?;
        }
        Some(_) => return None,
    }
    Some(rest.0.is_empty())
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn digit(&self, at: usize) -> Option<u32> {
        self.0.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'))
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.0.first() == Some(&byte)).then(|| self.0 = &self.0[1..])
    }

    /// One or two digits.
    fn number(&mut self, low: u32, high: u32) -> Option<u32> {
        let mut value = self.digit(0)?;
        self.0 = &self.0[1..];
        if let Some(second) = self.digit(0) {
            value = value * 10 + second;
            self.0 = &self.0[1..];
        }
        (low..=high).contains(&value).then_some(value)
    }

    fn time(&mut self) -> Option<()> {
        self.number(0, 23)?;
        self.expect(b':')?;
        self.number(0, 59)?;
        self.expect(b':')?;
        self.number(0, 59)?;
        if matches!(self.0.first(), Some(b'.' | b',')) && self.digit(1).is_some() {
            let digits = self.0[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.0 = &self.0[1 + digits..];
        }
        Some(())
    }

    /// `Z`, or hours and minutes of two digits each.
    fn zone(&mut self) -> Option<()> {
        if self.expect(b'Z').is_some() {
            return Some(());
        }
        if !matches!(self.0.first(), Some(b'+' | b'-')) || self.0.get(3) != Some(&b':') {
            return None;
        }
        let pair = |at| Some(self.digit(at)? * 10 + self.digit(at + 1)?);
        let (hours, minutes) = (pair(1)?, pair(4)?);
        if hours > 24 || minutes > 60 {
            return None;
        }
        self.0 = &self.0[6..];
        Some(())
    }
}
