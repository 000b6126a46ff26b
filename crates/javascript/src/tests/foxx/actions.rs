//! Replies of the interface that was before Foxx.

use super::host::{Answer, Fixture};

fn reply(body: &str) -> Answer {
    Fixture::of(&format!(
        "const actions = require('@arangodb/actions');
         const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         router.get('/', (req, res) => {{ {body} }});"
    ))
    .get("/")
}

#[test]
fn replies_have_the_form_of_the_servers_own() {
    for (body, status, text) in [
        ("actions.resultOk(req, res, 201, { a: 1 })", 201, r#"{"a":1,"error":false,"code":201}"#),
        (
            "actions.resultError(req, res, 409, 1200, 'clash', {}, { more: 1 })",
            409,
            r#"{"more":1,"error":true,"code":409,"errorNum":1200,"errorMessage":"clash"}"#,
        ),
        (
            "actions.resultBad(req, res, 1205)",
            400,
            r#"{"error":true,"code":400,"errorNum":1205,"errorMessage":"illegal document identifier"}"#,
        ),
        (
            "actions.resultNotFound(req, res, 404, 'no')",
            404,
            r#"{"error":true,"code":404,"errorNum":404,"errorMessage":"no"}"#,
        ),
        (
            "actions.resultNotImplemented(req, res)",
            501,
            r#"{"error":true,"code":501,"errorNum":501,"errorMessage":"not implemented"}"#,
        ),
        (
            "actions.collectionNotFound(req, res, 'c')",
            404,
            r#"{"error":true,"code":404,"errorNum":1203,"errorMessage":"collection or view not found: c"}"#,
        ),
        (
            "actions.resultException(req, res, new Error('x'), {}, false)",
            500,
            r#"{"error":true,"code":500,"errorNum":500,"errorMessage":"x"}"#,
        ),
        ("res.json([actions.HTTP_OK, actions.HTTP_NOT_FOUND, actions.HTTP_BAD])", 200, "[200,404,400]"),
        ("res.json(actions.getErrorMessage(1202))", 200, "\"document not found\""),
    ] {
        let answer = reply(body);
        assert_eq!((answer.status, answer.text().as_str()), (status, text), "{body}");
        assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
    }
    let moved = reply("actions.resultPermanentRedirect(req, res, { destination: '/x' }, { 'X-A': '1' })");
    assert_eq!(
        (moved.status, moved.header("location").as_str(), moved.header("x-a").as_str()),
        (301, "/x", "1")
    );
    assert_eq!(reply("actions.resultUnsupported(req, res)").status, 405);
    assert!(reply("actions.defineHttp({})").attribute("errorMessage").contains("a router of"));
}
