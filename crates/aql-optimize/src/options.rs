//! Options of the optimizer that a query may set.

use std::collections::HashMap;

use aql_plan::BindParameters;

/// The rules that run, and the maximum number of plans.
#[derive(Debug, Clone)]
pub struct OptimizerOptions {
    /// The setting of `optimizer.rules` for all rules: the last `+all` or `-all`.
    all: Option<bool>,
    /// The settings for single rules after that.
    single: HashMap<String, bool>,
    /// Option `maxNumberOfPlans`: the maximum number of plans.
    pub max_number_of_plans: usize,
    /// Option `allPlans`: rules also make plans that are not worth executing.
    pub all_plans: bool,
    /// Option `maxDNFConditionMembers`: a condition with more alternatives in its normal form is
    /// not looked up in indexes. There is also a fixed limit of 1,024.
    pub max_condition_branches: usize,
    /// Measure the time of each rule.
    pub time_rules: bool,
    /// Values of the query's open parameters. They decide the cost by which a plan is chosen, and
    /// the plan holds for all other values.
    pub parameters: BindParameters,
}

impl OptimizerOptions {
    /// The maximum number of plans if the query sets none (ArangoDB's default).
    pub const DEFAULT_MAX_NUMBER_OF_PLANS: usize = 128;

    /// Reads `optimizer.rules`: names after `+` or `-`, or after nothing, which means `+`.
    ///
    /// Later entries override earlier ones. Unknown names are ignored, as in ArangoDB.
    pub fn new<'a>(rules: impl IntoIterator<Item = &'a str>) -> Self {
        let mut options = Self::default();
        for rule in rules {
            let (name, enabled) = match rule.strip_prefix('-') {
                Some(name) => (name, false),
                None => (rule.strip_prefix('+').unwrap_or(rule), true),
            };
            if name == "all" {
                options.all = Some(enabled);
                options.single.clear();
            } else {
                options.single.insert(name.to_owned(), enabled);
            }
        }
        options
    }

    /// Returns true if a rule runs.
    pub(crate) fn is_enabled(&self, name: &str, disabled_by_default: bool) -> bool {
        self.single.get(name).copied().or(self.all).unwrap_or(!disabled_by_default)
    }
}

impl Default for OptimizerOptions {
    fn default() -> Self {
        Self {
            all: None,
            single: HashMap::new(),
            max_number_of_plans: Self::DEFAULT_MAX_NUMBER_OF_PLANS,
            all_plans: false,
            max_condition_branches: usize::MAX,
            time_rules: false,
            parameters: BindParameters::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_entries_override_earlier_ones() {
        let options = OptimizerOptions::new(["-use-indexes", "-all", "+fuse-filters", "sort-limit"]);
        assert!(options.is_enabled("fuse-filters", false) && options.is_enabled("sort-limit", false));
        assert!(!options.is_enabled("use-indexes", false));
        let options = OptimizerOptions::new(["-all", "+all", "-use-indexes"]);
        assert!(options.is_enabled("fuse-filters", true) && !options.is_enabled("use-indexes", false));
    }

    #[test]
    fn rules_disabled_by_default_need_to_be_named() {
        assert!(!OptimizerOptions::default().is_enabled("x", true));
        assert!(OptimizerOptions::new(["+x"]).is_enabled("x", true));
    }
}
