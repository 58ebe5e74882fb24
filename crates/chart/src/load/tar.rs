//! A reader of tar streams that holds one header and one file at a time.
//!
//! It knows the formats that charts are packed with: old Unix, POSIX (with its extended headers) and GNU (with its
//! long names). Names and sizes come from the archive and are believed only within bounds.

use std::io::{ErrorKind, Read};
use std::time::{Duration, SystemTime};

use super::ArchiveError;
use super::archive::MAX_CHART_BYTES;

const BLOCK: usize = 512;
/// How large a header's own data (long names, attributes) may be; Go draws the line here too.
const MAX_HEADER_DATA: u64 = 1024 * 1024;
/// How much is read in all, skipped entries and padding included, before an archive counts as a bomb.
const MAX_STREAM: u64 = 10 * MAX_CHART_BYTES;

/// The largest number a header may hold: Go keeps them in an `int64`.
const MAX_NUMBER: u64 = i64::MAX.unsigned_abs();

/// One member of the archive.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) modified: Option<SystemTime>,
    pub(super) is_directory: bool,
    pub(super) is_global_header: bool,
}

/// Reads entries one after the other.
pub(super) struct TarReader<R> {
    stream: std::io::Take<R>,
    /// Bytes of the current entry not yet read, and the padding behind them.
    pending: u64,
    padding: u64,
}

/// What extended headers say about the entry behind them.
#[derive(Default)]
struct Overrides {
    name: Option<String>,
    size: Option<u64>,
    modified: Option<SystemTime>,
}

impl<R: Read> TarReader<R> {
    pub(super) fn new(stream: R) -> Self {
        Self { stream: stream.take(MAX_STREAM), pending: 0, padding: 0 }
    }

    /// The next member, `None` at the end of the archive.
    pub(super) fn next_entry(&mut self) -> Result<Option<Entry>, ArchiveError> {
        let mut overrides = Overrides::default();
        loop {
            self.skip_rest()?;
            let Some(block) = self.header()? else { return Ok(None) };
            let size = number(&block[124..136])?;
            let flag = block[156];
            self.pending = size;
            self.padding = size.next_multiple_of(BLOCK as u64) - size;
            match flag {
                b'x' => overrides.read_pax(&self.header_data()?)?,
                b'L' => overrides.name = Some(until_nul(&self.header_data()?)),
                b'K' => drop(self.header_data()?),
                _ => return Ok(Some(self.entry(&block, flag, size, overrides)?)),
            }
        }
    }

    fn entry(
        &mut self,
        block: &[u8; BLOCK],
        flag: u8,
        size: u64,
        overrides: Overrides,
    ) -> Result<Entry, ArchiveError> {
        // Links, devices and directories carry no data, whatever their size field says.
        let size = if matches!(flag, b'1'..=b'6') { 0 } else { overrides.size.unwrap_or(size) };
        self.pending = size;
        self.padding = size.next_multiple_of(BLOCK as u64) - size;

        let name = overrides.name.unwrap_or_else(|| header_name(block));
        let seconds = number(&block[136..148]).unwrap_or_default();
        let mode = number(&block[100..108])?;
        Ok(Entry {
            is_directory: flag == b'5'
                || mode & 0o170_000 == 0o040_000
                || (matches!(flag, 0 | b'0') && name.ends_with('/')),
            is_global_header: flag == b'g',
            modified: overrides
                .modified
                .or_else(|| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))),
            name,
            size,
        })
    }

    /// All of the current entry's data.
    pub(super) fn read_contents(&mut self) -> Result<Vec<u8>, ArchiveError> {
        let mut data = Vec::with_capacity(usize::try_from(self.pending.min(MAX_HEADER_DATA)).unwrap_or(0));
        let read = (&mut self.stream).take(self.pending).read_to_end(&mut data);
        let read = read.map_err(ArchiveError::Compression)? as u64;
        if read < self.pending {
            return Err(self.ended_early());
        }
        self.pending = 0;
        Ok(data)
    }

    fn header_data(&mut self) -> Result<Vec<u8>, ArchiveError> {
        if self.pending > MAX_HEADER_DATA { Err(ArchiveError::Tar) } else { self.read_contents() }
    }

    fn skip_rest(&mut self) -> Result<(), ArchiveError> {
        let rest = self.pending + self.padding;
        let data = self.pending;
        (self.pending, self.padding) = (0, 0);
        let skipped = std::io::copy(&mut (&mut self.stream).take(rest), &mut std::io::sink());
        // Some writers leave out the padding of the last file.
        if skipped.map_err(ArchiveError::Compression)? < data { Err(self.ended_early()) } else { Ok(()) }
    }

    /// The next header block; `None` at the end mark or the end of the stream.
    fn header(&mut self) -> Result<Option<[u8; BLOCK]>, ArchiveError> {
        let Some(block) = self.block()? else { return Ok(None) };
        if block.iter().any(|&byte| byte != 0) {
            return check_sum(&block).then_some(Some(block)).ok_or(ArchiveError::Tar);
        }
        match self.block()? {
            Some(second) if second.iter().any(|&byte| byte != 0) => Err(ArchiveError::Tar),
            _ => Ok(None),
        }
    }

    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, ArchiveError> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.stream.read(&mut block[filled..]) {
                Ok(0) if filled == 0 && self.stream.limit() > 0 => return Ok(None),
                Ok(0) => return Err(self.ended_early()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ArchiveError::Compression(error)),
            }
        }
        Ok(Some(block))
    }

    fn ended_early(&self) -> ArchiveError {
        if self.stream.limit() == 0 {
            ArchiveError::TooLarge { limit: MAX_CHART_BYTES }
        } else {
            ArchiveError::Compression(ErrorKind::UnexpectedEof.into())
        }
    }
}

impl Overrides {
    /// Records of the form `<length> <key>=<value>\n`.
    fn read_pax(&mut self, mut data: &[u8]) -> Result<(), ArchiveError> {
        while !data.is_empty() {
            let space = data.iter().position(|&byte| byte == b' ').ok_or(ArchiveError::Tar)?;
            let length: usize = std::str::from_utf8(&data[..space])
                .ok()
                .and_then(|digits| digits.parse().ok())
                .filter(|length| *length > space + 1 && *length <= data.len())
                .ok_or(ArchiveError::Tar)?;
            let record = String::from_utf8_lossy(&data[space + 1..length]).into_owned();
            let (key, value) = record
                .strip_suffix('\n')
                .and_then(|record| record.split_once('='))
                .ok_or(ArchiveError::Tar)?;
            match key {
                "path" => self.name = Some(value.to_owned()),
                "size" => {
                    self.size =
                        Some(value.parse().ok().filter(|size| *size <= MAX_NUMBER).ok_or(ArchiveError::Tar)?);
                }
                "mtime" => {
                    let seconds = value.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    self.modified = seconds.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(seconds));
                }
                _ => {}
            }
            data = &data[length..];
        }
        Ok(())
    }
}

/// The name of an entry: POSIX archives divide long ones in two.
fn header_name(block: &[u8; BLOCK]) -> String {
    let name = until_nul(&block[..100]);
    let posix = &block[257..265] == b"ustar\x0000";
    match until_nul(&block[345..500]) {
        prefix if posix && !prefix.is_empty() => format!("{prefix}/{name}"),
        _ => name,
    }
}

fn until_nul(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// An octal number, or one in base 256 where the first bit says so.
fn number(field: &[u8]) -> Result<u64, ArchiveError> {
    if field[0] & 0x80 != 0 {
        // A set second bit makes it negative, which no size can be.
        if field[0] & 0x40 != 0 {
            return Err(ArchiveError::Tar);
        }
        let number = field.iter().enumerate().try_fold(0_u64, |total, (index, &byte)| {
            let byte = if index == 0 { byte & 0x3f } else { byte };
            total.checked_mul(256).and_then(|total| total.checked_add(byte.into()))
        });
        return number.filter(|number| *number <= MAX_NUMBER).ok_or(ArchiveError::Tar);
    }
    let text = until_nul(field);
    let text = text.trim_matches([' ', '\0']);
    if text.is_empty() { Ok(0) } else { u64::from_str_radix(text, 8).map_err(|_| ArchiveError::Tar) }
}

/// The sum of all bytes with the sum's own field blank; some old writers summed signed bytes.
fn check_sum(block: &[u8; BLOCK]) -> bool {
    let Ok(wanted) = number(&block[148..156]) else { return false };
    let bytes = || block.iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { b' ' } else { b });
    let unsigned: u64 = bytes().map(u64::from).sum();
    let signed: i64 = bytes().map(|byte| i64::from(byte as i8)).sum();
    wanted == unsigned || i64::try_from(wanted) == Ok(signed)
}
