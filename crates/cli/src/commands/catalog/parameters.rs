//! Parameters on the command line.

use catalog::kinds::{ParametersFrom, SecretKey};
use clap::Args;
use serde_json::{Map, Value};

use crate::report::Failure;

/// What is wanted of an instance or a binding.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ParameterFlags {
    /// A parameter as KEY=VALUE; a key that is given twice is a list
    #[arg(short = 'p', long = "param", value_name = "KEY=VALUE")]
    pairs: Vec<String>,

    /// All parameters as one JSON object
    #[arg(long, value_name = "JSON")]
    params_json: Option<String>,

    // Written out, as the documentation would take the brackets for a link.
    #[arg(
        short = 's',
        long = "secret",
        value_name = "NAME[KEY]",
        help = "Parameters from the key of a Secret, as NAME[KEY], whose value is a JSON object"
    )]
    secrets: Vec<String>,
}

impl ParameterFlags {
    /// The parameters that are written here.
    pub(super) fn written(&self) -> Result<Option<Map<String, Value>>, Failure> {
        if let Some(text) = &self.params_json {
            if !self.pairs.is_empty() {
                return Err(Failure::usage("--params-json and --param cannot be given together"));
            }
            return match serde_json::from_str(text) {
                Ok(Value::Object(object)) => Ok(Some(object)),
                Ok(_) => Err(Failure::usage("--params-json: not a JSON object")),
                Err(error) => Err(Failure::usage(format!("--params-json: {error}"))),
            };
        }
        let mut all = Map::new();
        for pair in &self.pairs {
            let (key, value) = pair
                .split_once('=')
                .filter(|(key, _)| !key.is_empty())
                .ok_or_else(|| Failure::usage(format!("--param {pair:?} is not of the form KEY=VALUE")))?;
            let value = Value::from(value);
            match all.get_mut(key) {
                None => drop(all.insert(key.to_owned(), value)),
                Some(Value::Array(list)) => list.push(value),
                Some(one) => *one = Value::Array(vec![one.take(), value]),
            }
        }
        Ok((!all.is_empty()).then_some(all))
    }

    /// Those that are kept in Secrets.
    pub(super) fn kept(&self) -> Result<Vec<ParametersFrom>, Failure> {
        let read = |text: &String| {
            let (name, key) = text.strip_suffix(']').and_then(|text| text.split_once('['))?;
            let filled = !name.is_empty() && !key.is_empty();
            filled.then(|| ParametersFrom {
                secret_key_ref: SecretKey { name: name.to_owned(), key: key.to_owned() },
            })
        };
        let wrong = |text: &String| Failure::usage(format!("--secret {text:?} is not of the form NAME[KEY]"));
        self.secrets.iter().map(|text| read(text).ok_or_else(|| wrong(text))).collect()
    }
}

/// Where parameters are kept, for people.
pub(super) fn sources(from: &[ParametersFrom]) -> Vec<String> {
    from.iter().map(|from| format!("{}[{}]", from.secret_key_ref.name, from.secret_key_ref.key)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(pairs: &[&str], text: Option<&str>) -> Result<Value, String> {
        let flags = ParameterFlags {
            pairs: pairs.iter().map(|&pair| pair.to_owned()).collect(),
            params_json: text.map(str::to_owned),
            secrets: Vec::new(),
        };
        flags.written().map(|written| json!(written)).map_err(|failure| failure.message().to_owned())
    }

    #[test]
    fn parameters_are_read_as_svcat_reads_them() {
        assert_eq!(read(&[], None), Ok(json!(null)));
        assert_eq!(read(&["a=1", "b=x=y"], None), Ok(json!({"a": "1", "b": "x=y"})));
        assert_eq!(read(&["a=1", "a=2", "a=3"], None), Ok(json!({"a": ["1", "2", "3"]})));
        assert_eq!(read(&[], Some(r#"{"a": {"b": 1}}"#)), Ok(json!({"a": {"b": 1}})));
        assert!(read(&["a"], None).unwrap_err().contains("KEY=VALUE"));
        assert!(read(&["=a"], None).unwrap_err().contains("KEY=VALUE"));
        assert!(read(&[], Some("[1]")).unwrap_err().contains("not a JSON object"));
        assert!(read(&["a=1"], Some("{}")).unwrap_err().contains("together"));
    }

    #[test]
    fn secrets_are_named_with_their_key() {
        let kept = |text: &str| {
            ParameterFlags { secrets: vec![text.to_owned()], ..ParameterFlags::default() }.kept()
        };
        assert_eq!(sources(&kept("mine[parameters]").unwrap()), ["mine[parameters]"]);
        for wrong in ["mine", "mine[]", "[key]", "mine[key", "mine]key["] {
            assert!(kept(wrong).is_err(), "{wrong}");
        }
    }
}
