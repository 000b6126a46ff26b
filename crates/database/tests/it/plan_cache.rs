//! A cached plan gives the same answer for new values of its open parameters as a new plan for
//! these values.

use std::sync::Arc;

use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use database::{Identity, Instance, InstanceOptions, Session};
use serde_json::{Value, json};
use velocypack::{Builder, Limits, Slice};

/// Queries with parameters `a` and `b` in every place where they may stay open, and in some where
/// they may not.
const QUERIES: &[&str] = &[
    "FOR d IN c FILTER d._key == @a RETURN [d._key, @b]",
    "FOR d IN c FILTER d._key IN @a FILTER d.n != @b SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n == @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n >= @a && d.n < @b SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n > @a || d.n == @b SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n IN @a SORT d.n, d._key RETURN d.n",
    "FOR d IN c FILTER d.n NOT IN @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER NOT (d.n IN @a) SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.sparse == @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.sparse IN @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.sparse > @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.sparse <= @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER @a IN d.tags SORT d._key RETURN d._key",
    "FOR d IN c FILTER @a IN d.tags[*] && d.n == @b SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.u == @a LIMIT 5 RETURN d._key",
    "FOR d IN c FOR e IN c FILTER d.n == @a FILTER e.u == d.u FILTER e.n != @b SORT d._key RETURN [d._key, e._key]",
    "LET x = @a FOR d IN c FILTER d.n == x SORT x, d._key RETURN [d._key, x]",
    "LET x = @a RETURN [x == @b, x.y, LENGTH(x), x + 1]",
    "FOR x IN @a RETURN [x, x == @b]",
    "RETURN {a: @a, b: [@b], c: {d: @a}}",
    "RETURN DOCUMENT(@a)._key",
    "RETURN DOCUMENT('c', @a)",
    "FOR d IN c COLLECT same = d.n == @a WITH COUNT INTO n SORT same RETURN [same, n]",
    "FOR d IN c SORT d.n == @a, d._key RETURN d._key",
    "FOR d IN c LET s = (FOR e IN c FILTER e.n == @a && e.u == d.u RETURN e.u) SORT d._key RETURN [s, @b]",
    "RETURN [@a + 1, @b]",
    "FOR d IN c FILTER @a == null || d.n == @a SORT d._key RETURN d._key",
    "FOR d IN c FILTER d.n == @a ? d.u == @b : true SORT d._key RETURN d._key",
    "RETURN [1, 2, 'x', null][* FILTER CURRENT >= @a RETURN [CURRENT, @b]]",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 1 { 8 } else { 12 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2..=4 => json!(self.below(6)),
            5 => json!(self.below(6) as f64 / 2.0),
            6 => json!(format!("k{}", self.below(20))),
            7 => json!(format!("c/k{}", self.below(20))),
            8 => json!({"y": self.value(depth + 1)}),
            _ => {
                let length = [0, 1, 2, 5, 12][self.below(5)];
                Value::Array((0..length).map(|_| self.value(depth + 1)).collect())
            }
        }
    }
}

fn pack(value: &Value) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(value.to_string().as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

fn run(session: &Session, query: &str, bind: &Value, cached: bool) -> Result<Value, u32> {
    let options = json!({"usePlanCache": cached});
    let body = pack(&json!({"query": query, "bindVars": bind, "options": options, "batchSize": 10_000}));
    let request = QueryRequest::from_body(Slice::new(&body)).unwrap();
    let reply = session.query(&request, Format::Json).map_err(|error| error.number())?;
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    Ok(body["result"].clone())
}

#[test]
fn plans_with_open_parameters_answer_as_plans_made_for_the_values() {
    let engine: Arc<dyn kv::Engine> = test_engine::engine();
    let instance = Instance::open(engine, InstanceOptions::default()).unwrap();
    let session = Session::open(instance, "_system", Identity::Superuser).unwrap();
    session.create_collection(Slice::new(&pack(&json!({"name": "c"})))).unwrap();
    session.create_collection(Slice::new(&pack(&json!({"name": "e", "type": 3})))).unwrap();
    let mut random = Random(7);
    for properties in [
        json!({"type": "persistent", "fields": ["n"]}),
        json!({"type": "persistent", "fields": ["sparse"], "sparse": true}),
        json!({"type": "persistent", "fields": ["tags[*]"]}),
        json!({"type": "persistent", "fields": ["u"], "unique": true}),
    ] {
        session.create_index("c", Slice::new(&pack(&properties))).unwrap();
    }
    let documents: Vec<Value> = (0..40)
        .map(|number| {
            json!({"_key": format!("k{number}"), "n": random.value(0), "sparse": random.value(0), "u": number,
                "tags": [random.value(1), random.value(1)]})
        })
        .collect();
    run(&session, "FOR d IN @documents INSERT d INTO c", &json!({"documents": documents}), true).unwrap();
    let edges: Vec<Value> = (0..20)
        .map(|n| json!({"_from": format!("c/k{n}"), "_to": format!("c/k{}", n * 7 % 20), "n": random.value(0)}))
        .collect();
    run(&session, "FOR d IN @edges INSERT d INTO e", &json!({"edges": edges}), true).unwrap();
    for round in 0..60 {
        for query in QUERIES {
            let mut bind = json!({"a": random.value(0)});
            if query.contains("@b") {
                bind["b"] = random.value(0);
            }
            let cached = run(&session, query, &bind, true);
            assert_eq!(cached, run(&session, query, &bind, false), "{query} {bind} in round {round}");
        }
    }
    let plans = session.instance().plan_cache().len();
    assert!(plans > QUERIES.len() && plans < 60 * QUERIES.len() / 2, "{plans} plans");
}
