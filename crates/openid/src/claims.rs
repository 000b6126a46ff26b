//! Checks of claims: who made the token, for whom, and for which time (OpenID Connect Core 1.0,
//! section 3.1.3.7).

use velocypack::Slice;

use crate::options::IssuerOptions;

/// Longest name of a user in bytes, with its prefix.
const NAME_MAX_BYTES: usize = 512;

/// The claim with an address of e-mail, which the issuer must have checked.
const EMAIL: &str = "email";

/// Checks audience and time. Returns the end in seconds since 1970.
///
/// The clock skew is part of the end.
pub(crate) fn check(
    options: &IssuerOptions,
    claims: Slice<'_>,
    now_seconds: f64,
) -> Result<f64, &'static str> {
    check_audience(options, claims)?;
    let skew = options.clock_skew_seconds as f64;
    let time = |name: &str| match claims.get(name) {
        None => Ok(None),
        Some(time) => time.as_f64().map(Some).ok_or("a time in the token is not a number"),
    };
    let ends = time("exp")?.ok_or("the token has no end (`exp`)")? + skew;
    if ends <= now_seconds {
        return Err("the token has expired");
    }
    for begin in [time("nbf")?, time("iat")?].into_iter().flatten() {
        if begin > now_seconds + skew {
            return Err("the token is not valid yet, or the clocks differ");
        }
    }
    Ok(ends)
}

fn check_audience(options: &IssuerOptions, claims: Slice<'_>) -> Result<(), &'static str> {
    let audience = claims.get("aud").ok_or("the token has no audience (`aud`)")?;
    let is_ours =
        |one: Slice<'_>| one.as_str().is_some_and(|one| options.audience.iter().any(|own| own == one));
    if audience.is_string() {
        return if is_ours(audience) { Ok(()) } else { Err("the token is for another audience") };
    }
    if !audience.elements().any(is_ours) {
        return Err("the token is for another audience");
    }
    if audience.len() == 1 {
        return Ok(());
    }
    let party = claims.get("azp").and_then(Slice::as_str);
    let party = party.ok_or("the token has several audiences and no authorized party (`azp`)")?;
    let is_known = options.authorized_parties.iter().chain(&options.audience).any(|known| known == party);
    if is_known { Ok(()) } else { Err("the authorized party (`azp`) of the token is not configured") }
}

/// Returns the name of the token's user, with the prefix.
pub(crate) fn user(options: &IssuerOptions, claims: Slice<'_>) -> Result<String, &'static str> {
    let path: Vec<&str> = options.user_claim.split('.').collect();
    let claim = claims.get(&options.user_claim).or_else(|| claims.get_path(&path));
    let name = claim.and_then(Slice::as_str).filter(|name| !name.trim().is_empty());
    let name = name.ok_or("the token has no claim with the user's name")?;
    if options.user_claim == EMAIL && claims.get("email_verified").and_then(Slice::as_bool) != Some(true) {
        return Err("the issuer has not verified the user's email");
    }
    let name = format!("{}{name}", options.user_prefix);
    if name.len() > NAME_MAX_BYTES || name.chars().any(char::is_control) || name.starts_with(':') {
        return Err("the user's name is too long, or has a control character or a colon in front");
    }
    Ok(name)
}
