//! Databases, collections, indexes, views and users.

use mock_http::Reply;
use serde_json::{Value, json};

use super::{Asked, failure, is_system, success, unknown};
use crate::model::{Collection, Database, Model, SYSTEM};

pub(super) fn answer(asked: &Asked<'_>, segments: &[&str], model: &Model) -> Reply {
    if asked.request.method != "GET" {
        return unknown(asked);
    }
    let Some(database) = model.databases.get(asked.database) else { return unknown(asked) };
    match segments {
        ["_api", "database"] if !is_system(asked) => {
            failure(403, 1230, "operation only allowed in system database")
        }
        ["_api", "database"] | ["_api", "database", "user"] => result(json!(model.databases())),
        ["_api", "database", "current"] => result(json!({
            "id": database.id.to_string(), "name": asked.database, "isSystem": is_system(asked), "path": "",
        })),
        ["_api", "collection"] => {
            let leave_out = asked.flag("excludeSystem").unwrap_or(false);
            let shown = database.collections.iter().filter(|(name, _)| !leave_out || !name.starts_with('_'));
            result(shown.map(|(name, collection)| summary(name, collection)).collect())
        }
        ["_api", "collection", name, rest @ ..] => collection(database, name, rest),
        ["_api", "index"] => match asked.request.parameter("collection") {
            Some(name) => indexes(database, &name),
            None => failure(400, 400, "expecting a collection"),
        },
        ["_api", "view"] => {
            let views = database.views.values();
            result(
                views
                    .map(|view| {
                        json!({"id": view.id.to_string(), "name": view.definition["name"],
                "type": view.definition["type"], "globallyUniqueId": view.unique_id})
                    })
                    .collect(),
            )
        }
        ["_api", "view", name, "properties"] => match database.views.get(*name) {
            Some(view) => success(200, view.definition.clone()),
            None => failure(404, 1203, "collection or view not found"),
        },
        ["_api", "user"] => users(model),
        ["_api", "user", name, "database"] => rights(model, name),
        ["_api", "analyzer"] => result(documents(database, "_analyzers")),
        ["_api", "gharial"] => {
            success(200, json!({"error": false, "code": 200, "graphs": documents(database, "_graphs")}))
        }
        _ => unknown(asked),
    }
}

fn result(value: Value) -> Reply {
    success(200, json!({"error": false, "code": 200, "result": value}))
}

fn documents(database: &Database, collection: &str) -> Value {
    let found = database.collections.get(collection);
    found.into_iter().flat_map(|found| found.documents.values().cloned()).collect()
}

fn summary(name: &str, collection: &Collection) -> Value {
    json!({
        "id": collection.id.to_string(), "name": name, "status": 3, "type": collection.kind,
        "isSystem": name.starts_with('_'), "globallyUniqueId": collection.unique_id,
    })
}

fn collection(database: &Database, name: &str, rest: &[&str]) -> Reply {
    let Some(found) = database.collections.get(name) else {
        return failure(404, 1203, "collection or view not found");
    };
    let mut body = match rest {
        [] => summary(name, found),
        ["properties" | "count" | "revision"] => found.parameters(name),
        _ => return failure(404, 404, "unknown path"),
    };
    if rest == ["count"] {
        body["count"] = json!(found.documents.len());
    }
    if rest == ["revision"] {
        let revisions = found.documents.values().filter_map(|document| document["_rev"].as_str());
        body["revision"] = json!(revisions.max().unwrap_or("0"));
    }
    body["error"] = json!(false);
    body["code"] = json!(200);
    success(200, body)
}

fn indexes(database: &Database, name: &str) -> Reply {
    let Some(found) = database.collections.get(name) else {
        return failure(404, 1203, "collection or view not found");
    };
    let mut all = vec![json!({
        "fields": ["_key"], "id": format!("{name}/0"), "name": "primary", "sparse": false,
        "type": "primary", "unique": true,
    })];
    if found.kind == 3 {
        all.push(json!({
            "fields": ["_from", "_to"], "id": format!("{name}/1"), "name": "edge", "sparse": false,
            "type": "edge", "unique": false,
        }));
    }
    all.extend(found.index_definitions().into_iter().map(|mut index| {
        index["id"] = json!(format!("{name}/{}", index["id"].as_str().unwrap_or_default()));
        index
    }));
    success(200, json!({"error": false, "code": 200, "indexes": all, "identifiers": {}}))
}

fn users(model: &Model) -> Reply {
    let users = model.documents(SYSTEM, "_users");
    result(users.iter().map(|user| json!({"user": user["user"], "active": true, "extra": {}})).collect())
}

fn rights(model: &Model, name: &str) -> Reply {
    let level = if model.is_administrator(name) { "rw" } else { "none" };
    let levels: serde_json::Map<String, Value> = model
        .databases()
        .into_iter()
        .map(|database| (database, json!({"permission": level, "collections": {"*": level}})))
        .collect();
    result(Value::Object(levels))
}
