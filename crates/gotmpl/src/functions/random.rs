//! Random strings, numbers and identifiers.

use super::encoding::BASE64;
use super::{Args, Context, Function, FunctionError};
use crate::value::Value;
use crate::value::types::{INT, STRING};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("randAlphaNum", &[INT], STRING, |context, args| {
        characters(context, args, |byte| byte.is_ascii_alphanumeric())
    }),
    Function::new("randAlpha", &[INT], STRING, |context, args| {
        characters(context, args, |byte| byte.is_ascii_alphabetic())
    }),
    Function::new("randNumeric", &[INT], STRING, |context, args| {
        characters(context, args, |byte| byte.is_ascii_digit())
    }),
    Function::new("randAscii", &[INT], STRING, |context, args| {
        characters(context, args, |byte| matches!(byte, b' '..=b'~'))
    }),
    Function::new("randBytes", &[INT], STRING, |context, args| {
        let count = usize::try_from(args.int(0))
            .map_err(|_| FunctionError::new("runtime error: makeslice: len out of range"))?;
        context.room_for(Some(count))?;
        let mut bytes = vec![0; count];
        context.environment.fill_random(&mut bytes);
        Ok(BASE64.encode(&bytes).into())
    }),
    Function::new("randInt", &[INT, INT], INT, |context, args| {
        let (low, high) = (args.int(0), args.int(1));
        let width = high.wrapping_sub(low);
        if width <= 0 {
            return Err(FunctionError::new("invalid argument to Intn"));
        }
        Ok(Value::int(low.wrapping_add(below(context, width as u64) as i64)))
    }),
    Function::new("shuffle", &[STRING], STRING, |context, args| {
        let mut characters: Vec<char> = args.str(0).chars().collect();
        for index in (1..characters.len()).rev() {
            characters.swap(index, below(context, index as u64 + 1) as usize);
        }
        Ok(characters.into_iter().collect::<String>().into())
    }),
    Function::new("uuidv4", &[], STRING, |context, _| Ok(uuid(context).into())),
];

/// A number from zero up to, but not including, a limit; each as likely as any other.
fn below(context: &Context, limit: u64) -> u64 {
    // Numbers beyond the last multiple of the limit would favour small results.
    let largest = u64::MAX - (u64::MAX % limit + 1) % limit;
    let mut number = 0;
    for _ in 0..64 {
        let mut bytes = [0; 8];
        context.environment.fill_random(&mut bytes);
        number = u64::from_be_bytes(bytes);
        if number <= largest {
            break;
        }
    }
    number % limit
}

/// A string of so many of the characters that are allowed.
fn characters(context: &Context, args: Args<'_>, allowed: fn(u8) -> bool) -> Result {
    let alphabet: Vec<u8> = (0..=127).filter(|byte| allowed(*byte)).collect();
    let count = usize::try_from(args.int(0)).unwrap_or(0);
    context.room_for(Some(count))?;
    // Bytes beyond the last multiple of the alphabet would favour its first characters.
    let largest = 256 / alphabet.len() * alphabet.len();
    let mut text = String::with_capacity(count);
    let mut buffer = [0; 64];
    let mut idle = 0;
    while text.len() < count {
        context.environment.fill_random(&mut buffer);
        let before = text.len();
        for byte in buffer {
            if usize::from(byte) < largest && text.len() < count {
                text.push(char::from(alphabet[usize::from(byte) % alphabet.len()]));
            }
        }
        // A source that is not random at all must not keep us here.
        idle = if text.len() == before { idle + 1 } else { 0 };
        if idle > 1000 {
            break;
        }
    }
    Ok(text.into())
}

/// A random identifier of version 4.
fn uuid(context: &Context) -> String {
    let mut bytes = [0; 16];
    context.environment.fill_random(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]).join("-")
}
