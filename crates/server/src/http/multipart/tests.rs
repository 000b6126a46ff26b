use super::*;

fn split_text(body: &str) -> Result<Vec<(Option<String>, String)>, MultipartError> {
    let parts = split(&Bytes::copy_from_slice(body.as_bytes()), b"X")?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Ok(parts.iter().map(|part| (part.header("content-ID").map(|id| text(&id)), text(&part.body))).collect())
}

#[test]
fn parts_come_in_order_with_their_heads() {
    let body = "preamble\r\n--X\r\nContent-Id: 1\r\n\r\none\r\n--X  \r\ncontent-id:2\r\n\r\n\r\n--X\nA: b\n\ntwo\n\n--X--epilogue";
    let expected = [(Some("1".to_owned()), "one"), (Some("2".to_owned()), ""), (None, "two\n")];
    assert_eq!(split_text(body).unwrap(), expected.map(|(id, body)| (id, body.to_owned())));
    assert_eq!(split_text("--X--").unwrap(), []);
}

#[test]
fn a_boundary_counts_only_as_a_line_of_its_own() {
    let body = "--X\r\n\r\na --X b\r\n--Xtra\r\n--X\r\n\r\nc\r\n--X--";
    assert_eq!(split_text(body).unwrap(), [(None, "a --X b\r\n--Xtra".into()), (None, "c".into())]);
}

#[test]
fn broken_bodies_are_refused() {
    use MultipartError::*;
    for (body, error) in [
        ("", NoPart),
        ("--Y--", NoPart),
        ("--X\r\n\r\nabc", NotClosed),
        ("--X\r\n\r\nabc --X--", NotClosed),
        ("--X\r\nno colon\r\n\r\nabc\r\n--X--", Head(1)),
        ("--X\r\n\r\na\r\n--X\r\nA: b\r\n--X--", Head(2)),
    ] {
        assert_eq!(split_text(body).unwrap_err(), error, "{body:?}");
    }
    let many = format!("{}--X--", "--X\n\n\n".repeat(PARTS_MAX + 1));
    assert_eq!(split_text(&many).unwrap_err(), ManyParts);
}

#[test]
fn the_boundary_is_named_or_found() {
    let named = |content_type| boundary(content_type, b"--abc \r\nrest");
    assert_eq!(named(Some("multipart/form-data; boundary=x y")).unwrap(), b"x y");
    assert_eq!(named(Some("Multipart/Mixed;charset=utf-8; Boundary=\"q\"")).unwrap(), b"q");
    assert_eq!(named(Some("application/json")).unwrap(), b"abc");
    assert_eq!(named(None).unwrap(), b"abc");
    assert_eq!(boundary(None, b"{}").unwrap_err(), MultipartError::NoBoundary);
    assert_eq!(boundary(None, b"--\r\n").unwrap_err(), MultipartError::NoBoundary);
    let long = format!("multipart/form-data; boundary={}", "b".repeat(300));
    assert_eq!(named(Some(&long)).unwrap_err(), MultipartError::LongBoundary);
}
