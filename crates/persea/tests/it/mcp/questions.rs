//! Sixty questions about three data sets: the calls of tools that answer them give the answers that
//! were computed without a database. `tests/mcp/README.md` describes them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::server;
use crate::support::{Client, Server, post, tests_folder};

/// The traits of characters, whose vector has a number for each.
const TRAITS: &str = "ABCDEFGHIJKLMNOPQR";

/// Documents of one request.
const CHUNK: usize = 5_000;

/// Returns the folder of the data sets, if it is there.
fn data_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("PERSEA_TEST_DATA")
        .map_or_else(|| tests_folder().join("../../shared/data"), PathBuf::from);
    folder.join("airports.csv").is_file().then_some(folder)
}

/// The connection to one database.
struct Target<'t> {
    client: &'t mut Client,
    database: &'t str,
}

impl Target<'_> {
    fn post(&mut self, path: &str, body: &Value) {
        post(self.client, &format!("/_db/{}{path}", self.database), body);
    }

    /// Creates a collection of documents.
    fn fill(&mut self, name: &str, is_edge: bool, documents: &[Value]) {
        self.post("/_api/collection", &json!({"name": name, "type": if is_edge { 3 } else { 2 }}));
        for chunk in documents.chunks(CHUNK) {
            self.post(&format!("/_api/document/{name}?silent=true"), &Value::from(chunk.to_vec()));
        }
    }

    fn view(&mut self, name: &str, collection: &str, fields: &Value) {
        let links = json!({collection: {"analyzers": ["text_en"], "fields": fields}});
        self.post("/_api/view", &json!({"name": name, "type": "arangosearch", "links": links}));
        let wait =
            format!("FOR d IN {name} OPTIONS {{waitForSync: true}} COLLECT WITH COUNT INTO n RETURN n");
        self.post("/_api/cursor", &json!({"query": wait}));
    }

    fn graph(&mut self, name: &str, edges: &str, vertices: &str) {
        let definitions = json!([{"collection": edges, "from": [vertices], "to": [vertices]}]);
        self.post("/_api/gharial", &json!({"name": name, "edgeDefinitions": definitions}));
    }
}

/// Returns the rows of a file of comma-separated values, by the names of its columns.
fn table(path: &Path) -> Vec<Map<String, Value>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(cells);
    let names = lines.next().unwrap();
    let row = |cells: Vec<String>| names.iter().cloned().zip(cells.into_iter().map(Value::from)).collect();
    lines.map(row).collect()
}

fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            _ => cells.last_mut().unwrap().push(character),
        }
    }
    cells.iter().map(|cell| cell.trim_start().to_owned()).collect()
}

fn load_people(target: &mut Target<'_>, folder: &Path) {
    let text = fs::read_to_string(folder.join("users-10000.jsonl")).unwrap();
    let mut users: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (number, user) in users.iter_mut().enumerate() {
        user["_key"] = (number + 1).to_string().into();
    }
    target.fill("users", false, &users);
    let index = json!({"type": "persistent", "fields": ["contact.address.state"]});
    target.post("/_api/index?collection=users", &index);
    target.view("users_view", "users", &json!({"name": {"fields": {"first": {}, "last": {}}}}));
}

fn load_flights(target: &mut Target<'_>, folder: &Path) {
    let airports = table(&folder.join("airports.csv"));
    let number = |row: &Map<String, Value>, name: &str| row[name].as_str().unwrap().parse::<f64>().unwrap();
    let known: std::collections::HashSet<&str> =
        airports.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let documents: Vec<Value> = airports
        .iter()
        .map(|row| {
            json!({"_key": row["id"], "name": row["Name"], "city": row["City"], "country": row["Country"],
                "code": row["AiportID"], "altitude": number(row, "Altitude"),
                "position": [number(row, "CoordinatesX"), number(row, "CoordinatesY")]})
        })
        .collect();
    let flights = table(&folder.join("flights.csv"));
    let ends = ["source airport id", "destination airport id"];
    let flights: Vec<Value> = flights
        .iter()
        .filter(|row| ends.iter().all(|end| known.contains(row[*end].as_str().unwrap())))
        .map(|row| {
            let [from, to] = ends.map(|end| format!("airports/{}", row[end].as_str().unwrap()));
            json!({"_from": from, "_to": to, "airline": row["airline"], "stops": number(row, "stops")})
        })
        .collect();
    target.fill("airports", false, &documents);
    target.fill("flights", true, &flights);
    target.graph("flights", "flights", "airports");
    target.view("airports_view", "airports", &json!({"name": {}, "city": {}}));
}

fn load_thrones(target: &mut Target<'_>, folder: &Path) {
    let read = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(folder.join("game-of-thrones").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let mut characters = read("Characters.json");
    for character in &mut characters {
        let traits = character["traits"].as_array().unwrap();
        let vector: Vec<u8> =
            TRAITS.chars().map(|name| u8::from(traits.contains(&Value::from(name.to_string())))).collect();
        character["vector"] = vector.into();
    }
    target.fill("Characters", false, &characters);
    target.fill("ChildOf", true, &read("ChildOf.json"));
    target.fill("Traits", false, &read("Traits.json"));
    target.fill("Locations", false, &read("Locations.json"));
    target.graph("family", "ChildOf", "Characters");
    target.view("characters_view", "Characters", &json!({"name": {}, "surname": {}}));
    let vectors = json!({"metric": "cosine", "dimension": TRAITS.len(), "nLists": 1});
    let index = json!({"type": "vector", "fields": ["vector"], "params": vectors});
    target.post("/_api/index?collection=Characters", &index);
}

/// A function that loads a data set.
type Load = fn(&mut Target<'_>, &Path);

fn load(server: &Server, folder: &Path) {
    let mut client = server.connect();
    let sets: [(&str, Load); 3] =
        [("people", load_people), ("flights", load_flights), ("thrones", load_thrones)];
    for (database, load) in sets {
        post(&mut client, "/_api/database", &json!({"name": database}));
        load(&mut Target { client: &mut client, database }, folder);
    }
}

/// Says how an answer differs from what is expected: objects may have more, numbers are compared
/// with seven digits, because vectors are of single precision.
fn difference(actual: &Value, expected: &Value, at: &str) -> Option<String> {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => expected.iter().find_map(|(name, expected)| {
            let at = format!("{at}.{name}");
            match actual.get(name) {
                Some(actual) => difference(actual, expected, &at),
                None => Some(format!("{at} is missing")),
            }
        }),
        (Value::Array(actual), Value::Array(expected)) if actual.len() == expected.len() => {
            let mut pairs = actual.iter().zip(expected).enumerate();
            pairs.find_map(|(number, (actual, expected))| {
                difference(actual, expected, &format!("{at}[{number}]"))
            })
        }
        (Value::Number(actual), Value::Number(expected)) => {
            let (actual, expected) = (actual.as_f64().unwrap(), expected.as_f64().unwrap());
            let is_near = (actual - expected).abs() <= 1e-7 * expected.abs().max(1.0);
            (!is_near).then(|| format!("{at} is {actual}, not {expected}"))
        }
        _ => (actual != expected).then(|| format!("{at} is {actual}, not {expected}")),
    }
}

#[test]
fn questions_have_the_right_answers() {
    let Some(folder) = data_folder() else {
        println!("skipped: PERSEA_TEST_DATA names no folder with airports.csv");
        return;
    };
    let (_folder, server) = server(&[]);
    load(&server, &folder);
    let questions = fs::read_to_string(tests_folder().join("mcp/questions.json")).unwrap();
    let questions: Vec<Value> = serde_json::from_str(&questions).unwrap();
    assert_eq!(questions.len(), 60);
    let mut client = server.connect();
    let mut wrong = String::new();
    for question in &questions {
        let database = question["database"].as_str().unwrap();
        let tool = question["tool"].as_str().unwrap();
        let (answer, is_error) = super::call_in(&mut client, database, tool, &question["arguments"]);
        let difference = match is_error {
            true => Some(answer.to_string()),
            false => difference(&answer, &question["expected"], ""),
        };
        if let Some(difference) = difference {
            writeln!(wrong, "{}\n    {difference}", question["question"]).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
