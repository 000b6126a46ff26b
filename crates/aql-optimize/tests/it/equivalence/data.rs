//! The documents of the test database.

use std::sync::LazyLock;

use aql_value::Value;
use velocypack::{Builder, Limits, json};

const USERS: &str = r#"[
 {"_key":"1","name":"x","age":1,"city":"a","email":"e1","tags":["a","b"],"nick":"n1","address":{"zip":3},"a":1,"b":null,"x":1},
 {"_key":"2","name":"a","age":2,"city":"b","email":"e2","tags":["a","a"],"nick":null,"address":{"zip":3},"a":{"b":1},"x":1},
 {"_key":"3","name":"b","age":3,"city":"b","email":"e3","tags":[],"address":{"zip":4},"a":[{"b":[{"c":1}]}],"x":2},
 {"_key":"4","name":"c","age":3,"city":"a","email":"e4","tags":"a","nick":"n2","address":null,"a":0,"other":3},
 {"_key":"5","name":"x","age":null,"city":"c","email":"e5","nick":"n1","address":7,"a":"","b":[1],"x":3},
 {"_key":"6","name":null,"age":4,"city":null,"email":"e6","tags":[null,1],"nick":"n0","a":true,"z":3},
 {"_key":"7","age":5,"city":"b","email":"e7","tags":[["a"]],"address":{"zip":[1]},"x":1,"z":4},
 {"_key":"8","name":"x","age":"3","city":"a","email":null,"tags":["c"],"address":{"zip":"3"},"n":2},
 {"_key":"9","name":"Z","age":1.0,"city":"a","tags":["b","c","b"],"nick":"n3","x":{"y":1},"d":{"a":1}},
 {"_key":"10","name":"x","age":10,"city":"x","email":"e10","tags":["x"],"a":[3,1,2],"x":1}
]"#;
const CITIES: &str =
    r#"[{"_key":"1","name":"a","x":1},{"_key":"2","name":"b","x":2},{"_key":"3","name":"x"},{"_key":"4"}]"#;
const TEST: &str =
    r#"[{"_key":"1","value":98},{"_key":"2","value":97},{"_key":"3","value":120},{"_key":"4"}]"#;
const PLAIN: &str = r#"[{"_key":"1","value":95,"age":3,"x":1},{"_key":"2","value":85,"age":1,"x":2},{"_key":"3","value":null,"age":2}]"#;
const PRODUCTS: &str =
    r#"[{"_key":"1","id":4,"name":"p"},{"_key":"2","id":3,"name":"q"},{"_key":"3","id":4,"name":"r"}]"#;
const KNOWS: &str = r#"[
 {"_key":"1","_from":"users/1","_to":"users/2","x":1,"a":1,"label":"x"},{"_key":"2","_from":"users/1","_to":"users/3","x":2,"a":1},
 {"_key":"3","_from":"users/2","_to":"users/1","x":3,"a":1,"b":2},{"_key":"4","_from":"users/4","_to":"users/4","x":1},
 {"_key":"5","_from":"users/2","_to":"users/3","a":1,"b":2,"label":"x"},{"_key":"6","_from":"users/3","_to":"users/6","a":1},
 {"_key":"7","_from":"users/3","_to":"cities/1","b":2},{"_key":"8","_from":"cities/1","_to":"users/1","label":"x"},
 {"_key":"9","_from":"users/3","_to":"users/missing","a":1},{"_key":"10","_from":"cities/2","_to":"users/5","a":2,"label":"y"}
]"#;
const LIKES: &str = r#"[
 {"_key":"1","_from":"users/1","_to":"users/2","type":"friend","since":2001,"weight":1},
 {"_key":"2","_from":"users/1","_to":"users/10","type":"foe","since":2005,"weight":5},
 {"_key":"3","_from":"users/2","_to":"users/3","type":"friend","since":1999,"weight":2},
 {"_key":"4","_from":"users/2","_to":"users/6","type":"friend","since":2010,"weight":7},
 {"_key":"5","_from":"users/3","_to":"users/1","type":"a","since":5,"weight":1},
 {"_key":"6","_from":"users/1","_to":"users/3","type":"a","weight":1},
 {"_key":"7","_from":"users/10","_to":"users/1","type":"friend","since":2002,"weight":30},
 {"_key":"8","_from":"users/10","_to":"cities/1","weight":3},
 {"_key":"9","_from":"cities/2","_to":"cities/1"}
]"#;

static COLLECTIONS: LazyLock<Vec<(&str, Vec<Value>)>> = LazyLock::new(|| {
    let texts = [
        ("users", USERS),
        ("cities", CITIES),
        ("test", TEST),
        ("plain", PLAIN),
        ("products", PRODUCTS),
        ("knows", KNOWS),
        ("likes", LIKES),
        ("empty", "[]"),
    ];
    texts.into_iter().map(|(name, text)| (name, documents(name, text))).collect()
});

/// Returns the documents of a collection, with `_id`.
pub(crate) fn collection(name: &str) -> &'static [Value] {
    COLLECTIONS.iter().find(|(own, _)| *own == name).map_or(&[], |(_, documents)| documents)
}

pub(crate) fn parse(text: &str) -> Value {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    Value::from_builder(builder)
}

fn documents(name: &str, text: &str) -> Vec<Value> {
    let with_id = |document: Value| {
        let id = Value::from_str(&format!("{name}/{}", document.get("_key").cast_string()));
        let mut members: Vec<(String, Value)> =
            document.entries().map(|(name, value)| (name.to_string(), value)).collect();
        members.push(("_id".to_owned(), id));
        let members: Vec<(&str, Value)> =
            members.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        Value::object(&members)
    };
    parse(text).elements().map(with_id).collect()
}
