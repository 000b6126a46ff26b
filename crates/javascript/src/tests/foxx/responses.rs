//! The reply as handlers make it.

use super::host::{Answer, Fixture};

/// Returns the reply of a service whose root runs some statements.
fn reply(body: &str) -> Answer {
    reply_to(body, "{}")
}

fn reply_to(body: &str, headers: &str) -> Answer {
    let source = format!(
        "const {{ db, query }} = require('@arangodb');
         const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         router.get('/', (req, res) => {{ {body} }});"
    );
    let files = [
        ("index.js", source.as_str()),
        ("data/a b.txt", "content"),
        ("data/x.json", "{}"),
        ("data/y.unknown", ""),
    ];
    Fixture::new(&[("/test", "{}", &files)]).send("GET", "/", headers, b"")
}

#[test]
fn bodies_and_statuses_have_defaults() {
    for (body, status, text, kind) in [
        ("", 204, "", ""),
        ("res.body = ''", 204, "", ""),
        ("res.body = 'x'", 200, "x", "application/json; charset=utf-8"),
        ("res.body = Buffer.from('y')", 200, "y", "application/json; charset=utf-8"),
        ("res.status(201)", 201, "", ""),
        ("res.status('not found')", 404, "", ""),
        ("res.statusCode = 202; res.write('a')", 202, "a", "application/json; charset=utf-8"),
        ("res.json({ a: 1 })", 200, "{\"a\":1}", "application/json; charset=utf-8"),
        ("res.json(null)", 200, "null", "application/json; charset=utf-8"),
        ("res.json(undefined)", 204, "", ""),
        ("res.sendStatus(404)", 404, "Not Found", "text/plain; charset=utf-8"),
        ("res.sendStatus('i\\'m a teapot')", 418, "I'm a teapot", "text/plain; charset=utf-8"),
        ("res.body = { a: [1] }", 200, "{\"a\":[1]}", "application/json; charset=utf-8"),
        ("res.status(204); res.body = 'dropped'", 204, "", ""),
    ] {
        let answer = reply(body);
        let found = (answer.status, answer.text(), answer.header("content-type"));
        assert_eq!(found, (status, text.to_owned(), kind.to_owned()), "{body}");
    }
}

#[test]
fn values_are_sent_by_their_kind() {
    for (body, text, kind) in [
        ("res.send({ a: 1 })", "{\"a\":1}", "application/json; charset=utf-8"),
        ("res.send([1])", "[1]", "application/json; charset=utf-8"),
        ("res.send('<b>')", "<b>", "text/html; charset=utf-8"),
        ("res.send(7)", "7", "text/html; charset=utf-8"),
        ("res.send(Buffer.from('z'))", "z", "application/octet-stream"),
        ("res.send('x', 'json')", "\"x\"", "application/json; charset=utf-8"),
        ("res.send({ a: 'b c' }, 'urlencoded')", "a=b%20c", "application/x-www-form-urlencoded"),
        ("res.send('x', 'text/csv; charset=latin1')", "x", "text/csv; charset=latin1"),
        ("res.set('content-type', 'text/x'); res.send('x')", "x", "text/x"),
        ("res.send(query`RETURN 1`)", "[1,2,3]", "application/json; charset=utf-8"),
        ("res.json(query`RETURN 1`)", "[1,2,3]", "application/json; charset=utf-8"),
        ("res.send(undefined)", "", ""),
        ("res.send(null)", "", ""),
    ] {
        let answer = reply(body);
        assert_eq!(
            (answer.text(), answer.header("content-type")),
            (text.to_owned(), kind.to_owned()),
            "{body}"
        );
    }
}

#[test]
fn parts_are_appended() {
    for (body, text) in [
        ("res.write('a'); res.write('b')", "ab"),
        ("res.write('a').write(Buffer.from('ä')).write('c')", "aäc"),
        ("res.write({ a: 1 }); res.write(2); res.write(true)", "{\"a\":1}2true"),
        ("res.write(Buffer.from('a')); res.write({ b: 1 })", "a{\"b\":1}"),
        ("res.write(undefined).write(null).write('x')", "x"),
    ] {
        assert_eq!(reply(body).text(), text, "{body}");
    }
}

#[test]
fn headers_are_set_in_any_case_and_safe() {
    let answer = reply(
        "res.set('X-A', 1).setHeader('x-b', 'b'); res.set({ 'X-C': 'c', 'x-d': ['1', '2'] });
         res.set('gone', 'x').removeHeader('Gone'); res.set('content-length', 3); res.headers['X-Raw'] = 'raw';
         res.write(res.getHeader('X-a'));",
    );
    assert_eq!(answer.text(), "1");
    for (name, value) in [
        ("x-a", "1"),
        ("x-b", "b"),
        ("x-c", "c"),
        ("x-d", "1, 2"),
        ("gone", ""),
        ("content-length", ""),
        ("x-raw", "raw"),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    for body in [
        "res.set('x-a', 'a\\r\\nset-cookie: b=1')",
        "res.headers['x-a'] = 'a\\nb'",
        "res.set('x a', 'b')",
        "res.headers['x:a'] = 'b'",
        "res.set('x-a', '\\0')",
        "res.redirect('/a\\r\\nx: y')",
        "res.status(99)",
        "res.statusCode = 1000",
        "res.status('no such phrase')",
        "res.attachment('x').set('content-disposition', 'a\\nb')",
    ] {
        let answer = reply(body);
        assert_eq!((answer.status, answer.header("set-cookie").as_str()), (500, ""), "{body}");
        assert!(!answer.headers.iter().any(|(_, value)| value.contains('\n')), "{body}");
    }
}

#[test]
fn types_vary_and_redirects() {
    let answer = reply(
        "res.type('html'); res.vary('user-agent').vary(['Cookie', 'cookie'], 'x'); res.write(res.type())",
    );
    assert_eq!(
        (answer.text().as_str(), answer.header("vary").as_str()),
        ("text/html; charset=utf-8", "user-agent, Cookie")
    );
    assert_eq!(reply("res.vary('a', 'b, a').vary('*')").header("vary"), "*");
    for (body, status, location) in [
        ("res.redirect('/x')", 302, "/x"),
        ("res.redirect(303, 'y')", 303, "y"),
        ("res.redirect('permanent', 'https://example.org/')", 301, "https://example.org/"),
        ("res.redirect('see other', 'z')", 303, "z"),
        ("res.status(307).redirect('w')", 307, "w"),
    ] {
        let answer = reply(body);
        assert_eq!((answer.status, answer.header("location").as_str()), (status, location), "{body}");
    }
}

#[test]
fn cookies_are_written_and_signed() {
    let answer = reply(
        "res.cookie('a', 'x y;').cookie('b', 'v', { secret: 's', ttl: 60, path: '/p', domain: 'd.org', secure: true, httpOnly: true, sameSite: 'lax' }).cookie('c', 'w', 5).cookie('d', 'q', 's')",
    );
    let cookies: Vec<&String> =
        answer.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| value).collect();
    assert_eq!(cookies.len(), 6);
    assert_eq!(cookies[0], "a=x%20y%3B");
    assert!(cookies[1].starts_with("b=v; Max-Age=60; Expires="), "{}", cookies[1]);
    assert!(
        cookies[1].ends_with("; Path=/p; Domain=d.org; SameSite=Lax; Secure; HttpOnly"),
        "{}",
        cookies[1]
    );
    assert!(
        cookies[2].starts_with("b.sig=")
            && cookies[2].contains("Max-Age=60")
            && cookies[2].contains("HttpOnly")
    );
    assert!(cookies[3].starts_with("c=w; Max-Age=5; "), "{}", cookies[3]);
    assert!(cookies[5].starts_with("d.sig="), "{}", cookies[5]);
    for body in [
        "res.cookie('a b', 'x')",
        "res.cookie('', 'x')",
        "res.cookie('a=b', 'x')",
        "res.cookie('a\\r\\nx', 'x')",
        "res.cookie('a', 'x', { path: '/;Domain=evil' })",
        "res.cookie('a', 'x', { domain: 'a\\nb' })",
        "res.cookie('a', 'x', { sameSite: 'perhaps' })",
    ] {
        let answer = reply(body);
        assert_eq!((answer.status, answer.header("set-cookie").as_str()), (500, ""), "{body}");
    }
    assert_eq!(reply("res.cookie('a', 'b\\r\\nc')").header("set-cookie"), "a=b%0D%0Ac");
    let ended = reply("res.cookie('a', '', { ttl: -1 })").header("set-cookie");
    assert!(ended.contains("Max-Age=0; Expires=Thu, 01 Jan 1970"), "{ended}");
}

#[test]
fn files_are_sent_and_named() {
    let answer = reply("res.sendFile(module.context.fileName('data/a b.txt'))");
    assert_eq!((answer.status, answer.text().as_str()), (200, "content"));
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert!(answer.header("last-modified").ends_with("GMT"), "{}", answer.header("last-modified"));
    assert_eq!(reply("res.sendFile('data/a b.txt', { lastModified: false })").header("last-modified"), "");
    assert_eq!(reply("res.sendFile('data/y.unknown')").header("content-type"), "");
    let answer = reply("res.download('data/a b.txt')");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"a b.txt\"");
    let answer = reply("res.download('data/x.json', 'b\"ä.csv')");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"b\\\"?.csv\"; filename*=UTF-8''b%22%C3%A4.csv"
    );
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(reply("res.attachment()").header("content-disposition"), "attachment");
    let lost = reply("res.sendFile('data/none')");
    assert_eq!(
        (lost.status, lost.attribute("errorMessage").as_str()),
        (404, "\"there is no file \\\"none\\\"\"")
    );
    assert_eq!(reply("res.sendFile('../../../../etc/passwd')").status, 404);
}

#[test]
fn other_origins_may_read_the_headers_of_a_reply() {
    let origin = r#"{"origin":"https://example.org"}"#;
    let answer =
        reply_to("res.set({ 'x-a': '1', 'access-control-allow-credentials': 'false' }).json(1)", origin);
    assert_eq!(answer.header("access-control-expose-headers"), "x-a, content-type");
    let answer = reply_to("res.set('access-control-expose-headers', 'x-b').json(1)", origin);
    assert_eq!(answer.header("access-control-expose-headers"), "x-b");
    assert_eq!(reply("res.set('x-a', '1').json(1)").header("access-control-expose-headers"), "");
}

#[test]
fn promises_of_handlers_settle_before_the_reply() {
    assert_eq!(
        reply("return (async () => { await 1; await Promise.resolve(); res.json(2); })()").text(),
        "2"
    );
    let failed = reply("return (async () => { await 1; res.throw(409, 'late'); })()");
    assert_eq!((failed.status, failed.attribute("errorMessage").as_str()), (409, "\"late\""));
    assert_eq!(reply("return new Promise(() => {})").status, 500);
    // A rejection that nobody handles does not fail the request.
    assert_eq!(reply("Promise.reject(new Error('lost')); res.json(3)").text(), "3");
    assert_eq!(reply("return { then: 1 }").status, 204);
}
