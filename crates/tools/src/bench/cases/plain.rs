//! Requests without documents.

use super::super::operation::{Operation, Plan, Turn, json_text};
use super::super::stage::Stage;
use crate::Failure;

pub(in super::super) fn version(_: &Plan) -> Operation {
    Operation::get("/_api/version")
}

fn begin(plan: &Plan) -> String {
    format!("{}-{}-", plan.collection, plan.stamp)
}

pub(in super::super) fn collection(plan: &Plan, turn: Turn) -> Operation {
    let name = json_text(&format!("{}{}", begin(plan), turn.number));
    Operation::post("/_api/collection", format!(r#"{{"name":{name}}}"#))
}

pub(in super::super) fn drop_collections(stage: &Stage<'_>) -> Result<(), Failure> {
    for name in stage.collections(&begin(stage.plan))? {
        stage.drop_collection(&name)?;
    }
    Ok(())
}
