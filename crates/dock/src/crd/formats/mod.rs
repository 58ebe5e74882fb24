//! The formats of texts that the server knows.

mod address;
mod code;
mod mail;
mod time;
mod uri;

pub(crate) use uri::has_scheme_and_host;

use crate::meta::{dns_label, dns_subdomain};

const TEXT: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// Whether a format means something for a type. Others are passed over, with a warning.
pub fn is_recognized(format: &str, kind: &str, int_or_string: bool) -> bool {
    match if int_or_string { "" } else { kind } {
        "" | "string" => TEXT.contains(&format.replace('-', "").as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Whether a text has a format; nothing if the format is not one of texts.
pub(crate) fn fits(format: &str, text: &str) -> Option<bool> {
    Some(match format.replace('-', "").as_str() {
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "uri" => uri::is_request_uri(text),
        "email" => mail::is_address(text),
        "hostname" => address::is_hostname(text),
        "ipv4" => address::ip(text, true) && text.contains('.'),
        "ipv6" => address::ip(text, false) && text.contains(':'),
        "cidr" => address::is_cidr(text),
        "mac" => address::is_mac(text),
        "uuid" => code::is_uuid(text, None, false),
        "uuid3" => code::is_uuid(text, Some('3'), false),
        "uuid4" => code::is_uuid(text, Some('4'), true),
        "uuid5" => code::is_uuid(text, Some('5'), true),
        "isbn" => code::is_isbn10(text) || code::is_isbn13(text),
        "isbn10" => code::is_isbn10(text),
        "isbn13" => code::is_isbn13(text),
        "creditcard" => code::is_credit_card(text),
        "ssn" => code::is_ssn(text),
        "hexcolor" => code::is_hex_color(text),
        "rgbcolor" => code::is_rgb_color(text),
        "byte" => code::is_base64(text),
        "password" => true,
        "date" => time::is_date(text),
        "duration" => time::is_duration(text),
        "datetime" => time::is_date_time(text),
        "k8sshortname" => dns_label(text).is_empty(),
        "k8slongname" => dns_subdomain(text).is_empty(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_formats() {
        let cases = [
            ("uri", "http://a.b/c?d", true),
            ("uri", "/path", true),
            ("uri", "path", false),
            ("uri", "mailto:a", true),
            ("uri", "http://a b/", false),
            ("email", "a@b", true),
            ("email", "A B <a@b.c>", true),
            ("email", "a", false),
            ("hostname", "a-b.example.com", true),
            ("hostname", "a..b", false),
            ("ipv4", "010.0.0.1", true),
            ("ipv4", "256.0.0.1", false),
            ("ipv6", "::1", true),
            ("ipv6", "1.2.3.4", false),
            ("cidr", "10.0.0.0/8", true),
            ("cidr", "10.0.0.0/33", false),
            ("mac", "00:00:5e:00:53:01", true),
            ("mac", "0000.5e00.5301", true),
            ("mac", "00:00:5e", false),
            ("uuid", "123E4567-e89b-12d3-a456-426614174000", true),
            ("uuid4", "123e4567-e89b-12d3-a456-426614174000", false),
            ("isbn", "978-0321751041", true),
            ("isbn10", "0321751043", true),
            ("isbn10", "0321751044", false),
            ("creditcard", "4111-1111-1111-1111", true),
            ("ssn", "111-11-1111", true),
            ("ssn", "111111111", false),
            ("hexcolor", "#FFF", true),
            ("rgbcolor", "rgb(0, 10,255)", true),
            ("rgbcolor", "rgb(0,10,256)", false),
            ("byte", "aGk=", true),
            ("byte", "", false),
            ("date", "2020-02-29", true),
            ("date", "2021-02-29", false),
            ("date-time", "2014-12-15T19:30:20.000Z", true),
            ("datetime", "2014-12-15 19:30:20Z", false),
            ("duration", "22 ns", true),
            ("duration", "1h30m", true),
            ("duration", "3 weeks", true),
            ("duration", "soon", false),
            ("bsonobjectid", "507f1f77bcf86cd799439011", true),
            ("k8s-short-name", "a-b", true),
            ("k8s-long-name", "a.b", true),
        ];
        for (format, text, expected) in cases {
            assert_eq!(fits(format, text), Some(expected), "{format} {text}");
        }
        assert_eq!(fits("int32", "x"), None);
        assert!(is_recognized("date-time", "string", false));
        assert!(!is_recognized("date", "integer", false));
        assert!(is_recognized("int32", "integer", false));
        assert!(!is_recognized("odd", "string", false));
    }
}
