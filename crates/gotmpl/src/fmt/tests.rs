use super::*;

#[test]
fn verbs() {
    let int = Value::int;
    for (format, values, expected) in [
        ("%v", vec![int(1)], "1"),
        ("%d|%s", vec![int(-7), "x".into()], "-7|x"),
        ("%d", vec!["x".into()], "%!d(string=x)"),
        ("%s", vec![int(3)], "%!s(int=3)"),
        ("%v %v", vec![int(3)], "3 %!v(MISSING)"),
        ("x", vec![int(3), Value::Nil], "x%!(EXTRA int=3, <nil>)"),
        ("%5d|%-5d|%05d", vec![int(42), int(42), int(-42)], "   42|42   |-0042"),
        ("%x %X %#x", vec![int(255), int(255), int(255)], "ff FF 0xff"),
        ("%o %#o %O %b", vec![int(8), int(8), int(8), int(5)], "10 010 0o10 101"),
        ("%c %q %U %#U", vec![int(65), int(65), int(65), int(0x2318)], "A 'A' U+0041 U+2318 '⌘'"),
        ("%t", vec![true.into()], "true"),
        ("%6.2f|%-8.3e|%g", vec![2.71549.into(), 1234.5.into(), 1e21.into()], "  2.72|1.234e+03|1e+21"),
        ("%v %v %v", vec![1e6.into(), 100_000.0.into(), f64::INFINITY.into()], "1e+06 100000 +Inf"),
        ("%w", vec![Value::Bytes(std::rc::Rc::new(vec![1].into()))], "[%!w(uint8=1)]"),
        ("%#5v", vec![Value::Bytes(std::rc::Rc::new(vec![1].into()))], "[]byte{  0x1}"),
        ("%#v|%v|%s", vec![crate::value::types::BYTES.zero(); 3], "[]byte(nil)|[]|"),
        ("%q %#q", vec!["a\"b".into(), "ab".into()], r#""a\"b" `ab`"#),
        ("%x % x", vec!["hi".into(), "hi".into()], "6869 68 69"),
        ("%T %T", vec![int(1), Value::Nil], "int <nil>"),
        ("%[2]d %[1]d", vec![int(1), int(2)], "2 1"),
        ("%*d", vec![int(5), int(42)], "   42"),
        ("%.2s", vec!["héllo".into()], "hé"),
        ("%", vec![], "%!(NOVERB)"),
        ("%d%%", vec![int(50)], "50%"),
        ("%s", vec![Value::Nil], "%!s(<nil>)"),
        ("%[3]d", vec![int(1)], "%!d(BADINDEX)"),
        ("%s", vec![Value::Number("1.50".into())], "1.50"),
        ("%d", vec![Value::Number("15".into())], "%!d(json.Number=15)"),
    ] {
        assert_eq!(sprintf(&format.into(), &values).to_string(), expected, "{format}");
    }
}

/// Go allows a million, which is more than Rust's own formatting takes.
#[test]
fn large_widths_and_precisions() {
    for verb in "vbcdoOqxXU".chars() {
        for format in
            [format!("%1000000{verb}"), format!("%.1000000{verb}"), format!("%#-+ 01000000.1000000{verb}")]
        {
            let printed = sprintf(&format.as_str().into(), &[Value::int(65)]);
            assert!(printed.len() <= 2_000_100, "{format}");
        }
    }
    for verb in "veEfFgGxXb".chars() {
        for format in
            [format!("%1000000{verb}"), format!("%.1000000{verb}"), format!("%#-+ 01000000.1000000{verb}")]
        {
            let printed = sprintf(&format.as_str().into(), &[Value::Float(0.1)]);
            assert!(printed.len() <= 2_000_100, "{format}");
        }
    }
    assert_eq!(sprintf(&"%.100000f".into(), &[Value::Float(0.5)]).len(), 100_002);
    assert_eq!(sprintf(&"%.100000U".into(), &[Value::int(65)]).len(), 100_002);
    assert_eq!(sprintf(&"%.100000e".into(), &[Value::Float(0.5)]).len(), 100_006);
}

#[test]
fn collections() {
    let map = Value::map([("b".into(), Value::int(2)), ("a".into(), "x".into())].into());
    let list = Value::list(vec![Value::int(1), Value::Nil, map.clone()]);
    assert_eq!(to_text(&list).to_string(), "[1 <nil> map[a:x b:2]]");
    assert_eq!(
        sprintf(&"%#v".into(), std::slice::from_ref(&list)).to_string(),
        r#"[]interface {}{1, interface {}(nil), map[string]interface {}{"a":"x", "b":2}}"#
    );
    assert_eq!(sprintf(&"%d".into(), &[map]).to_string(), "map[%!d(string=a):%!d(string=x) %!d(string=b):2]");
}

#[test]
fn sprint_puts_spaces_between_what_is_not_a_string() {
    let values = [Value::int(1), Value::int(2), "a".into(), "b".into(), Value::int(3)];
    assert_eq!(sprint(&values).to_string(), "1 2a b3".replace("a b", "ab"));
    assert_eq!(sprintln(&values).to_string(), "1 2 a b 3\n");
}

#[test]
fn broken_utf8_survives() {
    let text = Value::String(Text::from_bytes(vec![b'a', 0xff]));
    assert_eq!(sprintf(&"%s".into(), std::slice::from_ref(&text)).as_bytes(), [b'a', 0xff]);
    assert_eq!(sprintf(&"%q".into(), &[text]).to_string(), r#""a\xff""#);
}
