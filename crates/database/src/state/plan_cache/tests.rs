use std::sync::Arc;

use aql_optimize::OptimizerOptions;
use aql_plan::{BindInput, BindParameters, EmptyCatalog};
use aql_value::{Interrupt, MemoryAccount};
use velocypack::{Builder, Limits, json};

use super::*;

const TEXT: &str = "FOR x IN [{a: 1}] FILTER x.a == @v LIMIT @n RETURN x";

fn surroundings(catalog_version: u64) -> PlanSurroundings<'static> {
    PlanSurroundings {
        rule_user: None,
        database: "d",
        full_count: false,
        max_number_of_plans: 1,
        max_condition_branches: 1,
        rules: &[],
        catalog_version,
    }
}

fn object(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

fn planned(text: &str, parameters: &[u8]) -> CachedPlan {
    let parameters = BindParameters::from_value(&Value::from_slice(Slice::new(parameters))).unwrap();
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).unwrap();
    let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    let mut input = BindInput::new(&parameters, &EmptyCatalog, &memory, &interrupt);
    input.open = OpenParameters::of(&query);
    let plan = aql_plan::build(aql_plan::bind(&query, &input).unwrap(), false).unwrap();
    let options = OptimizerOptions::default();
    let plan = aql_optimize::optimize(plan, &EmptyCatalog, &options, &memory, &interrupt).unwrap();
    let plan = Arc::new(plan.into_best().unwrap());
    let values = plan.parameters.values(&parameters).unwrap();
    CachedPlan { plan, latency: Arc::default(), values, listed: None }
}

#[test]
fn a_plan_is_found_for_other_values_of_open_parameters_alone() {
    let (cache, now) = (PlanCache::new(8, 1000), Instant::now());
    let first = object(r#"{"v": 1, "n": 2}"#);
    cache.put(TEXT, Slice::new(&first), &surroundings(1), &planned(TEXT, &first), now);
    let get = |text: &str, parameters: &str, version: u64| {
        let parameters = object(parameters);
        cache.get(text, Slice::new(&parameters), &surroundings(version), now)
    };
    let found = get(TEXT, r#"{"v": 7.5, "n": 2}"#, 1).unwrap();
    assert_eq!(found.values.iter().map(Value::to_json).collect::<Vec<_>>(), ["7.5"]);
    for (text, parameters, version) in [
        (TEXT, r#"{"v": "a", "n": 2}"#, 1),
        (TEXT, r#"{"v": null, "n": 2}"#, 1),
        (TEXT, r#"{"v": 1, "n": 3}"#, 1),
        (TEXT, r#"{"v": 1}"#, 1),
        (TEXT, r#"{"n": 2}"#, 1),
        (TEXT, r#"{"v": 1, "n": 2, "w": 1}"#, 1),
        (TEXT, r#"{"v": 1, "n": 2}"#, 2),
        ("RETURN 1", r#"{"v": 1, "n": 2}"#, 1),
    ] {
        assert!(get(text, parameters, version).is_none(), "{text} {parameters} {version}");
    }
}

#[test]
fn old_plans_are_made_anew() {
    let (cache, now) = (PlanCache::new(8, 1000), Instant::now());
    let parameters = object("{}");
    let parameters = Slice::new(&parameters);
    cache.put("RETURN 1", parameters, &surroundings(1), &planned("RETURN 1", parameters.bytes()), now);
    assert!(cache.get("RETURN 1", parameters, &surroundings(1), now + MAX_AGE).is_some());
    let later = now + MAX_AGE + Duration::from_secs(1);
    assert!(cache.get("RETURN 1", parameters, &surroundings(1), later).is_none());
}

#[test]
fn the_cache_is_bounded_in_number_and_in_the_size_of_its_keys() {
    let (cache, now) = (PlanCache::new(4, 100), Instant::now());
    let parameters = object("{}");
    let parameters = Slice::new(&parameters);
    for number in 0..100 {
        let text = format!("RETURN {number}");
        cache.put(&text, parameters, &surroundings(1), &planned(&text, parameters.bytes()), now);
        assert!(cache.len() <= 4);
        assert!(cache.lock().texts.len() <= 4);
    }
    let long = format!("RETURN '{}'", "x".repeat(100));
    cache.clear();
    cache.put(&long, parameters, &surroundings(1), &planned(&long, parameters.bytes()), now);
    assert!(cache.is_empty());
}
