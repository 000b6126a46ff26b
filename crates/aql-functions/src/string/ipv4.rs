//! IPv4 addresses as texts and as numbers.

use std::net::Ipv4Addr;

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{invalid, value};

/// `IPV4_FROM_NUMBER(numericAddress)`
pub(crate) fn ipv4_from_number(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let number = value(arguments, 0);
    let address = number.is_number().then(|| number.to_f64());
    match address.filter(|address| (0.0..=f64::from(u32::MAX)).contains(address)) {
        Some(address) => Ok(Value::from_str(&Ipv4Addr::from(address as u32).to_string())),
        None => invalid(context, "IPV4_FROM_NUMBER"),
    }
}

/// `IPV4_TO_NUMBER(stringAddress)`
pub(crate) fn ipv4_to_number(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match address_of(value(arguments, 0)) {
        Some(address) => Ok(Value::Int(i64::from(u32::from(address)))),
        None => invalid(context, "IPV4_TO_NUMBER"),
    }
}

/// `IS_IPV4(value)`
pub(crate) fn is_ipv4(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(address_of(value(arguments, 0)).is_some()))
}

/// Parses an address. The standard library reads exactly the documented form: four decimal octets
/// without leading zeros.
fn address_of(value: &Value) -> Option<Ipv4Addr> {
    value.as_str()?.parse().ok()
}
