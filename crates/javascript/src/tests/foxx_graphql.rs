//! Requests of GraphQL.

use super::foxx_host::holds;

/// A schema, and a request and a reply that look like those of a service.
const FAKES: &str = r#"
const graphql = require('graphql-sync');
const { handler } = own('persea/foxx/graphql');
const schema = graphql.buildSchema('type Query { hello(name: String): String fails: Int! user: String later: Int } type Mutation { add: Int }');
const rootValue = {
  hello: ({ name }) => 'hello ' + name, add: () => 1, user: (args, context) => context.user,
  fails() { throw new Error('broken'); },
};
function ask(options, request) {
  const res = { headers: {}, statusCode: 0, text: '' };
  res.status = (code) => { res.statusCode = code; };
  res.set = (name, value) => { res.headers[name] = value; };
  res.write = (text) => { res.text += text; };
  const headers = { 'content-type': 'application/json', ...request.headers };
  const req = { method: 'POST', queryParams: {}, user: 'anna', ...request, get: (name) => headers[name] };
  req.accepts = (types) => (request.browser ? 'html' : types[0]);
  handler({ schema, rootValue, ...options })(req, res);
  if (res.headers['content-type'].startsWith('application/json')) {
    res.json = JSON.parse(res.text);
  }
  return res;
}
"#;

fn check(source: &str) {
    holds(&format!("{FAKES}{source}"));
}

#[test]
fn a_query_may_stand_in_the_address_or_the_body() {
    check(
        r#"
        const query = 'query A($n: String) { hello(name: $n) } query B { user }';
        const isHello = (res) => res.statusCode === 200 && res.json.data.hello === 'hello you';
        print(isHello(ask({}, { method: 'GET', queryParams: { query, operationName: 'A', variables: '{"n":"you"}' } })));
        print(isHello(ask({}, { body: { query, operationName: 'A', variables: { n: 'you' } } })));
        print(isHello(ask({}, { headers: { 'content-type': 'application/graphql; charset=utf-8' }, body: Buffer.from('{ hello(name: "you") }') })));
        print(isHello(ask({}, { headers: { 'content-type': 'application/graphql' }, body: '{ hello(name: "you") }' })));
        // The address comes before the body.
        print(isHello(ask({}, { queryParams: { query: '{ hello(name: "you") }' }, body: { query: '{ user }' } })));
        // The context is the request unless the service gives another one.
        print(ask({}, { body: { query: '{ user }' } }).json.data.user === 'anna');
        print(ask({ context: { user: 'bert' } }, { body: { query: '{ user }' } }).json.data.user === 'bert');
        print(ask({ pretty: true }, { body: { query: '{ user }' } }).text.includes('\n'));
        "#,
    );
}

#[test]
fn errors_have_a_status_and_a_message() {
    check(
        r#"
        const status = (request, options) => ask(options || {}, request);
        const is = (res, code, text) => res.statusCode === code && res.json.errors[0].message.includes(text);
        print(is(status({ body: {} }), 400, 'no query'));
        print(is(status({ body: undefined }), 400, 'no query'));
        print(is(status({ body: { query: [1] } }), 400, 'must be a text'));
        print(is(status({ body: { query: '{' } }), 400, 'Syntax Error'));
        print(is(status({ body: { query: '{ nothing }' } }), 400, 'nothing'));
        print(is(status({ body: { query: '{ user }', variables: '{' } }), 400, 'JSON'));
        print(is(status({ body: { query: '{ user }', variables: '[1]' } }), 400, 'object'));
        print(is(status({ body: { query: 'query A { user } query B { user }' } }), 400, 'operation'));
        const broken = status({ body: { query: '{ fails }' } });
        print(is(broken, 500, 'broken') && broken.json.data === null);
        print(is(status({ body: { query: '{ fails }' } }, { formatError: () => ({ message: 'secret' }) }), 500, 'secret'));
        const refused = status({ method: 'GET', queryParams: { query: 'mutation { add }' } });
        print(is(refused, 405, 'POST') && refused.headers.allow === 'POST');
        print(status({ body: { query: 'mutation { add }' } }).json.data.add === 1);
        const rule = (context) => ({ Field() { context.reportError(new graphql.GraphQLError('no fields')); } });
        print(is(status({ body: { query: '{ user }' } }, { validationRules: [rule] }), 400, 'no fields'));
        "#,
    );
}

#[test]
fn a_browser_gets_a_page_if_the_service_wants_that() {
    check(
        r#"
        const browse = (options, queryParams) => ask(options, { method: 'GET', browser: true, queryParams });
        const page = browse({ graphiql: true }, { query: '</script><b>{ user }', variables: '{"a":1}' });
        print(page.statusCode === 200 && page.headers['content-type'].startsWith('text/html'));
        print(page.text.includes('\\u003c/script\\u003e') && !page.text.includes('</script><b>'));
        print(browse({ graphiql: true }, { query: '{ user }', raw: '' }).json.data.user === 'anna');
        print(browse({}, { query: '{ user }' }).json.data.user === 'anna');
        print(ask({ graphiql: true }, { body: { query: '{ user }' } }).json.data.user === 'anna');
        "#,
    );
}

#[test]
fn a_service_may_bring_its_own_library() {
    check(
        r#"
        // Newer versions take an object.
        let given;
        const newer = { ...graphql, graphqlSync() {}, formatError: undefined, execute(args) { given = args; return { data: { a: args.contextValue.user } }; } };
        print(ask({ graphql: newer }, { body: { query: '{ user }', variables: { x: 1 } } }).json.data.a === 'anna');
        print(given.variableValues.x === 1 && given.rootValue === rootValue && given.document.kind === 'Document');
        const later = { ...graphql, execute: () => Promise.resolve({}) };
        try { ask({ graphql: later }, { body: { query: '{ user }' } }); print(false); } catch (error) { print(error.message.includes('promise')); }
        try { handler({}); print(false); } catch (error) { print(error instanceof TypeError); }
        print(typeof handler(schema) === 'function');
        "#,
    );
}
