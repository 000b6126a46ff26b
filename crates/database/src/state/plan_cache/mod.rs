//! The plan cache: a repeated query is not planned again, whatever the values of its open
//! parameters are.
//!
//! The key of a plan holds everything that the plan depends on: the text, and the database, the
//! options of the optimizer and the catalog's version ([`PlanSurroundings`]). It also holds the
//! shape of each open parameter's value, and the value of each other parameter. A plan that
//! predates an index is therefore never used once the index exists. Plans also depend on the sizes
//! of collections, so they are renewed from time to time.
//!
//! Lookups go by hash and then compare. Two queries with the same hash only displace each other.

mod latency;
mod listed;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aql_plan::{OpenParameters, ParameterShape, Plan};
use aql_value::Value;
use rapidhash::v3::rapidhash_v3;
use smallvec::{SmallVec, smallvec};
use velocypack::Slice;

use crate::embedded_aql::RuleUser;
use crate::metrics::PlanLookups;

pub(crate) use latency::Estimate;
pub use latency::Latency;
pub use listed::ListedPlan;

/// The age after which a plan is made again.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The inputs of planning besides the query's text and parameters.
#[derive(Clone, Debug)]
pub struct PlanSurroundings<'a> {
    /// Database in which names are looked up.
    pub database: &'a str,
    /// Option `fullCount`.
    pub full_count: bool,
    /// Option `maxNumberOfPlans`.
    pub max_number_of_plans: usize,
    /// Option `maxDNFConditionMembers`.
    pub max_condition_branches: usize,
    /// Option `optimizer.rules`.
    pub rules: &'a [String],
    /// Version of the catalog.
    pub catalog_version: u64,
    /// The user, if rules of collections may be parts of the plan.
    pub(crate) rule_user: Option<Arc<RuleUser>>,
}

/// A plan, and the values of its open parameters by slot.
#[derive(Clone, Debug)]
pub struct CachedPlan {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The latency of its runs.
    pub latency: Arc<Latency>,
    /// The values.
    pub values: Arc<[Value]>,
    /// The clients' view of the plan, once one has asked for the cache.
    pub listed: Option<Arc<ListedPlan>>,
}

/// A cache of plans with limits on their number and the size of their keys.
///
/// When it is full, it forgets the half that was least recently used.
#[derive(Debug)]
pub struct PlanCache {
    state: Mutex<State>,
    max_entries: usize,
    max_key_bytes: usize,
    lookups: PlanLookups,
}

#[derive(Debug, Default)]
struct State {
    /// Texts by their hash.
    texts: HashMap<u64, KnownText, BuildHasherDefault<AlreadyHashed>>,
    /// Plans by the hash of text and signature.
    plans: HashMap<u64, Entry, BuildHasherDefault<AlreadyHashed>>,
    /// The number of lookups. The age of an entry is its distance from this number.
    clock: u64,
}

#[derive(Clone, Debug)]
struct KnownText {
    text: Arc<str>,
    open: OpenParameters,
}

#[derive(Debug)]
struct Entry {
    text: Arc<str>,
    signature: Box<[u8]>,
    plan: Arc<Plan>,
    latency: Arc<Latency>,
    used: u64,
    made: Instant,
    /// As in [`CachedPlan`].
    listed: Option<Arc<ListedPlan>>,
}

/// Everything that a plan depends on besides the text, as bytes.
type Signature = SmallVec<[u8; 192]>;

impl PlanCache {
    /// Returns an empty cache of at most `max_entries` plans.
    ///
    /// Texts with parameters beyond `max_key_bytes` are not cached.
    pub fn new(max_entries: usize, max_key_bytes: usize) -> Self {
        PlanCache { state: Mutex::default(), max_entries, max_key_bytes, lookups: PlanLookups::default() }
    }

    /// Returns the cached plan of a query. `parameters` is the object of bind values.
    pub fn get(
        &self,
        text: &str,
        parameters: Slice<'_>,
        surroundings: &PlanSurroundings<'_>,
        now: Instant,
    ) -> Option<CachedPlan> {
        let text_hash = rapidhash_v3(text.as_bytes());
        let open = {
            let state = self.lock();
            let known = state.texts.get(&text_hash).filter(|known| *known.text == *text)?;
            known.open.clone()
        };
        // Null, which is never open, stands for a missing value. No plan has the signature without
        // its name.
        let mut values: SmallVec<[Value; 8]> = smallvec![Value::Null; open.names().len()];
        for (name, value) in parameters.entries() {
            if let Some(slot) = open.slot(name).and_then(|slot| values.get_mut(slot)) {
                *slot = Value::from_slice(value);
            }
        }
        let values: Arc<[Value]> = values.into_iter().collect();
        let signature = self.signature(parameters, &open, &values, surroundings)?;
        let mut state = self.lock();
        state.clock += 1;
        let clock = state.clock;
        let entry = state.plans.get_mut(&plan_hash(text_hash, &signature))?;
        let is_same = *entry.text == *text && *entry.signature == *signature;
        if !is_same || now.saturating_duration_since(entry.made) > MAX_AGE {
            return None;
        }
        entry.used = clock;
        let (plan, latency) = (Arc::clone(&entry.plan), Arc::clone(&entry.latency));
        Some(CachedPlan { plan, latency, values, listed: entry.listed.clone() })
    }

    /// Caches a plan. Its open parameters must be all those of the text, with these values.
    pub fn put(
        &self,
        text: &str,
        parameters: Slice<'_>,
        surroundings: &PlanSurroundings<'_>,
        cached: &CachedPlan,
        made: Instant,
    ) {
        let open = cached.plan.parameters.clone();
        let Some(signature) = self.signature(parameters, &open, &cached.values, surroundings) else { return };
        if self.max_entries == 0 || text.len() + signature.len() > self.max_key_bytes {
            return;
        }
        let text_hash = rapidhash_v3(text.as_bytes());
        let mut state = self.lock();
        if state.plans.len() >= self.max_entries {
            state.forget_half();
        }
        let known = state.texts.get(&text_hash).filter(|known| *known.text == *text).cloned();
        let known = known.unwrap_or_else(|| KnownText { text: text.into(), open });
        let text = Arc::clone(&known.text);
        state.texts.insert(text_hash, known);
        let hash = plan_hash(text_hash, &signature);
        let entry = Entry {
            text,
            signature: signature.into_vec().into(),
            plan: Arc::clone(&cached.plan),
            latency: Arc::clone(&cached.latency),
            used: state.clock,
            made,
            listed: None,
        };
        state.plans.insert(hash, entry);
    }

    /// Forgets all plans.
    pub fn clear(&self) {
        let mut state = self.lock();
        state.plans.clear();
        state.texts.clear();
    }

    /// Counts a lookup by whether its plan was used.
    pub(crate) fn count(&self, is_hit: bool) {
        let counter = if is_hit { &self.lookups.hits } else { &self.lookups.misses };
        counter.increment();
    }

    /// Returns the counts of lookups.
    pub(crate) fn lookups(&self) -> &PlanLookups {
        &self.lookups
    }

    /// Returns the number of plans.
    pub fn len(&self) -> usize {
        self.lock().plans.len()
    }

    /// Returns true if no plan is cached.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the signature, or `None` if it is too long to be cached.
    ///
    /// Lengths and tags make the bytes unambiguous.
    fn signature(
        &self,
        parameters: Slice<'_>,
        open: &OpenParameters,
        values: &[Value],
        surroundings: &PlanSurroundings<'_>,
    ) -> Option<Signature> {
        let mut out = Signature::new();
        out.extend_from_slice(&surroundings.catalog_version.to_le_bytes());
        out.extend_from_slice(&(surroundings.max_number_of_plans as u64).to_le_bytes());
        out.extend_from_slice(&(surroundings.max_condition_branches as u64).to_le_bytes());
        out.push(u8::from(surroundings.full_count));
        push_bytes(&mut out, surroundings.database.as_bytes());
        out.push(u8::from(surroundings.rule_user.is_some()));
        if let Some(user) = &surroundings.rule_user {
            push_bytes(&mut out, user.name.as_bytes());
            out.extend_from_slice(&(user.roles.len() as u64).to_le_bytes());
            user.roles.iter().for_each(|role| push_bytes(&mut out, role.as_bytes()));
        }
        out.extend_from_slice(&(surroundings.rules.len() as u64).to_le_bytes());
        surroundings.rules.iter().for_each(|rule| push_bytes(&mut out, rule.as_bytes()));
        for (name, value) in parameters.entries() {
            push_bytes(&mut out, name.as_bytes());
            let shape = open.slot(name).and_then(|slot| values.get(slot)).and_then(ParameterShape::of);
            match shape {
                Some(shape) => out.extend_from_slice(&[1, shape.tag()]),
                None if out.len() + value.byte_len() > self.max_key_bytes => return None,
                None => {
                    out.push(0);
                    push_bytes(&mut out, value.bytes());
                }
            }
            if out.len() > self.max_key_bytes {
                return None;
            }
        }
        Some(out)
    }
}

impl State {
    /// Forgets the older half of the plans in one step, so that a stream of new queries does not
    /// pay for the search each time.
    fn forget_half(&mut self) {
        let mut used: Vec<u64> = self.plans.values().map(|entry| entry.used).collect();
        let middle = used.len() / 2;
        if middle < used.len() {
            let (_, &mut median, _) = used.select_nth_unstable(middle);
            self.plans.retain(|_, entry| entry.used > median);
        }
        // A text that no plan refers to has one owner.
        self.texts.retain(|_, known| Arc::strong_count(&known.text) > 1);
    }
}

fn plan_hash(text_hash: u64, signature: &[u8]) -> u64 {
    rapidhash_v3(signature) ^ text_hash.rotate_left(32)
}

fn push_bytes(out: &mut Signature, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// A hasher for keys that are hashes.
#[derive(Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = rapidhash_v3(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests;
