//! `require`, the globals, and the places of errors.

use super::host::run;
use crate::Failure;

fn exception(source: &str) -> crate::Exception {
    match run(source).unwrap_err() {
        Failure::Exception(exception) => *exception,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_module_loads() {
    for name in crate::modules::names() {
        run(&format!("require({name:?})")).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    }
}

#[test]
fn modules_of_the_host_are_not_for_scripts() {
    assert!(exception("require('persea/repl')").message.contains("there is no module"));
    assert!(exception("require('nothing')").message.contains("there is no module \"nothing\""));
    assert_eq!(run("print(typeof host)").unwrap(), "undefined\n");
    assert_eq!(run("print(require('@arangodb') === require('@arangodb'))").unwrap(), "true\n");
}

#[test]
fn exceptions_name_their_place() {
    let thrown = exception("\n\nvar x = 1;\nx.y.z();");
    assert!(thrown.message.starts_with("TypeError: "), "{thrown:?}");
    let place = thrown.place.unwrap();
    assert_eq!((place.file.as_str(), place.line), ("test.js", 4));
    // The API's own frames are passed over.
    let thrown = exception("function f() {\n  db._document('nonsense');\n}\nf();");
    let place = thrown.place.unwrap();
    assert_eq!((thrown.number, place.line, thrown.status), (Some(1205), 2, Some(400)));
    let syntax = exception("var a = 1;\nvar b = ;");
    assert_eq!(syntax.place.map(|place| place.line), Some(2));
    assert_eq!(exception("throw 'text'").message, "text");
}

#[test]
fn promises_run_to_their_end() {
    let script = "(async () => { print(await 1); print(await Promise.resolve(2)); })(); print(0)";
    assert_eq!(run(script).unwrap(), "0\n1\n2\n");
    let lost = exception("\n(async () => { await 1; throw new TypeError('lost'); })()");
    assert_eq!((lost.message.as_str(), lost.place.map(|place| place.line)), ("TypeError: lost", Some(2)));
    assert_eq!(exception("Promise.reject({ a: 1 })").message, "{\"a\":1}");
    assert_eq!(run("Promise.reject(1).catch(print)").unwrap(), "1\n");
    let later =
        "var p = Promise.reject(1); Promise.resolve().then(() => p.catch((e) => print('handled', e)))";
    assert_eq!(run(later).unwrap(), "handled 1\n");
}

#[test]
fn errors_of_arangodb() {
    let script = "try { db._document('x') } catch (e) { \
        print(e.name, e.errorNum, e.code, e.error, e.isArangoError, e instanceof Error, String(e)); print(e.fileName, e.lineNumber) }";
    assert_eq!(
        run(script).unwrap(),
        "ArangoError 1205 400 true true true ArangoError 1205: illegal document identifier\ntest.js 1\n"
    );
    assert_eq!(run("print(require('@arangodb').errors.ERROR_ARANGO_CONFLICT.code)").unwrap(), "1200\n");
}

#[test]
fn templates_make_bind_variables() {
    let script = "const inner = aql`FILTER d.a == ${1} AND d.b == ${2}`; \
        const q = aql`FOR d IN x ${inner} ${aql.literal('SORT d.a')} FILTER d.c == ${1} RETURN d`; \
        print_plain(q.query); print_plain(q.bindVars); print_plain(aql.join([aql`a`, aql`${3}`], ', '))";
    assert_eq!(
        run(script).unwrap(),
        "FOR d IN x FILTER d.a == @value0 AND d.b == @value1 SORT d.a FILTER d.c == @value0 RETURN d\n\
         { \"value0\" : 1, \"value1\" : 2 }\n\
         {[AqlQuery] \"query\" : \"a, @value0\", \"bindVars\" : { \"value0\" : 3 } }\n"
    );
}

#[test]
fn values_are_printed_as_arangosh_does() {
    let cases = [
        ("'text'", "text\n"),
        (
            "{ a: 1, b: [true, null], c: {}, d: [] }",
            "{ \n  \"a\" : 1, \n  \"b\" : [ \n    true, \n    null \n  ], \n  \"c\" : { }, \n  \"d\" : [ ] \n}\n",
        ),
        ("[undefined, 'a\"b', -0]", "[ \n  undefined, \n  \"a\\\"b\", \n  -0 \n]\n"),
        ("function f(a) { return a; }", "function f(a) { return a; }\n"),
        (
            "new (require('@arangodb').ArangoError)({ errorNum: 1202, errorMessage: 'document not found' })",
            "[ArangoError 1202: document not found]\n",
        ),
        ("new Date(0)", "1970-01-01T00:00:00.000Z\n"),
    ];
    for (value, expected) in cases {
        assert_eq!(run(&format!("print({value})")).unwrap(), expected, "{value}");
    }
    assert_eq!(run("var a = {}; a.a = a; print_plain(a)").unwrap(), "{ \"a\" : <circular> }\n");
}

#[test]
fn packages_of_the_registry_are_in_the_program() {
    for (script, printed) in [
        ("print(require('lodash').chunk([1, 2, 3], 2).length, require('lodash/fp/add')(1)(2))", "2 3\n"),
        ("print(require('underscore').uniq([1, 1]).length)", "1\n"),
        ("print(require('semver').satisfies('3.12.5', '>=3.12.0'))", "true\n"),
        ("print(require('joi').validate('x', require('joi').number()).error.name)", "ValidationError\n"),
        ("print(require('js-yaml').safeLoad('a: [1, 2]').a.length)", "2\n"),
        ("require('chai').expect([1]).to.deep.equal([1]); print(1)", "1\n"),
        (
            "print(require('dedent')`a\n  b`, require('aqb').for('x').in('c').return('x').toAQL())",
            "a\nb FOR x IN c RETURN x\n",
        ),
        ("print(require('highlight.js').highlight('json', '1').relevance >= 0)", "true\n"),
        ("print(require('i')().pluralize('person'), require('minimatch')('a.js', '*.js'))", "people true\n"),
        ("print(require('iconv-lite').encode('\\u00e4', 'latin1')[0])", "228\n"),
        ("print(require('qs').parse('a[b]=1').a.b, require('qs/lib/formats').default)", "1 RFC3986\n"),
        ("const stub = require('sinon').stub().returns(7); print(stub(), stub.callCount)", "7 1\n"),
        ("print(require('timezone')(0, '%Y', require('timezone/Europe/Berlin'), 'Europe/Berlin'))", "1970\n"),
        ("print(require('error-stack-parser').parse(new Error('x')).length >= 0)", "true\n"),
        (
            "print(require('http-errors')(404, 'lost').statusCode, new (require('http-errors').Conflict)().message)",
            "404 Conflict\n",
        ),
        ("print(require('statuses')('not found'), require('statuses')[418])", "404 I'm a teapot\n"),
        (
            "print(require('mime-types').lookup('a.html'), require('vary').append('a', 'b'))",
            "text/html a, b\n",
        ),
        ("print(require('accepts')({ headers: { accept: 'text/html' } }).types('json', 'html'))", "html\n"),
        (
            "print(require('type-is').is('text/html; charset=x', 'html'), require('range-parser')(9, 'bytes=0-1').type)",
            "html bytes\n",
        ),
        ("print(new (require('ascii-table'))('t').addRow(1).toString().length > 0)", "true\n"),
        (
            "const g = require('graphql-sync'); print(g.graphql(g.buildSchema('type Query { a: Int }'), '{ a }', { a: 5 }).data.a)",
            "5\n",
        ),
    ] {
        let found = run(script).unwrap_or_else(|failure| panic!("{script}: {failure:?}"));
        assert_eq!(found, printed, "{script}");
    }
    assert!(exception("require('lodash/nothing')").message.contains("there is no module"));
    assert_eq!(
        run("print(require('lodash') === require('lodash'), typeof host)").unwrap(),
        "true undefined\n"
    );
}

#[test]
fn buffers_are_made_in_each_way() {
    let script = "print(Buffer('ab').toString(), new Buffer('6162', 'hex').toString(), new Buffer(2).length, \
        Buffer.from('abc').subarray(1).toString(), Buffer.from('x') instanceof Buffer, Buffer.from('x').constructor === Buffer, \
        new (class extends Buffer {})(3).length, new Buffer([1, 2]).length)";
    assert_eq!(run(script).unwrap(), "ab ab 2 bc true true 3 2\n");
}
