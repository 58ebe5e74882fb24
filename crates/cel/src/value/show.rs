//! How values stand in messages, as Go's `%v` prints them.

use std::fmt;

use goyaml::strconv::format_float;

use super::Value;

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("0"),
            Self::Bool(truth) => write!(f, "{truth}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Uint(number) => write!(f, "{number}"),
            Self::Double(number) => f.write_str(&format_float(*number, b'g', -1, 64)),
            Self::String(text) => f.write_str(text),
            Self::Bytes(bytes) => {
                let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                write!(f, "[{}]", bytes.join(" "))
            }
            Self::Timestamp(moment) => write!(f, "{moment}"),
            Self::Duration(span) => f.write_str(&goyaml::duration::format(span.0)),
            Self::List(list) => {
                f.write_str("[")?;
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    if let Ok(item) = item {
                        write!(f, "{item}")?;
                    }
                }
                f.write_str("]")
            }
            Self::Map(map) => {
                f.write_str("{")?;
                for (index, key) in map.keys().iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{key}: ")?;
                    if let Ok(Some(value)) = map.get(key) {
                        write!(f, "{value}")?;
                    }
                }
                f.write_str("}")
            }
            Self::Type(of) => f.write_str(of.name()),
            Self::Optional(Some(value)) => write!(f, "optional({value})"),
            Self::Optional(None) => f.write_str("optional.none()"),
            Self::Preserved(json) => write!(f, "{json}"),
            Self::Url(url) => write!(f, "{url}"),
            Self::Quantity(amount) => write!(f, "{amount}"),
            Self::Ip(address) => write!(f, "{address}"),
            Self::Cidr(range) => write!(f, "{range}"),
            Self::Semver(version) => write!(f, "{version}"),
            Self::Format(format) => f.write_str(format.name),
            Self::Authorizer(_) | Self::Authorization(_) | Self::Decision(_) => f.write_str(self.type_name()),
        }
    }
}
