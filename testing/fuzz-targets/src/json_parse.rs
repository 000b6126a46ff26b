//! Any bytes: the parser does not panic, and a parsed value is valid and survives being written and
//! read.

use velocypack::{Builder, Limits, json, order, validate};

pub(crate) fn run(bytes: &[u8]) {
    let limits = Limits::default();
    let mut builder = Builder::new();
    if json::parse(bytes, &limits, &mut builder).is_ok() {
        let value = validate(builder.as_bytes(), &limits).expect("what is parsed is valid");
        let mut text = Vec::new();
        json::write(value, None, &mut text);
        let mut again = Builder::new();
        json::parse(&text, &limits, &mut again).expect("what is written parses");
        assert!(order::equal(again.as_slice(), value), "the value survives");
        let mut second = Vec::new();
        json::write(again.as_slice(), None, &mut second);
        assert_eq!(second, text, "writing is stable");
    }

    // As lines, some of them broken.
    let mut parser = json::Parser::new(bytes, &limits);
    let mut before = 0;
    loop {
        builder.clear();
        match parser.next_value(&mut builder) {
            Ok(None) => break,
            Ok(Some(end)) => {
                assert!(end > before && end <= bytes.len());
                before = end;
            }
            Err(_) => parser.skip_line(),
        }
    }
}
