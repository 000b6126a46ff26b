//! The optimizer's rules, one file each, under ArangoDB's names and in ArangoDB's order.
//!
//! To add a rule, write a file with a struct that implements [`Rule`], and add its line to
//! [`RULES`].

mod arangosearch_constrained_sort;
mod async_prefetch;
mod batch_materialize_documents;
mod fuse_filters;
mod geo_index_optimizer;
mod handle_arangosearch_views;
mod immutable_search_condition;
mod inline_subqueries;
mod interchange_adjacent_enumerations;
mod join_index_nodes;
mod late_document_materialization;
mod late_document_materialization_arangosearch;
mod materialize_for_enumerate_near;
mod materialize_into_separate_variable;
mod move_calculations_down;
mod move_calculations_up;
mod move_filters_into_enumerate;
mod move_filters_up;
mod optimize_count;
mod optimize_enumerate_path_filters;
mod optimize_paths;
mod optimize_projections;
mod optimize_subqueries;
mod optimize_traversal_last_element_access;
mod optimize_traversals;
mod propagate_constant_attributes;
mod push_down_late_materialization;
mod push_limit_into_index;
mod reduce_extraction_to_projection;
mod remove_collect_variables;
mod remove_data_modification_out_variables;
mod remove_filter_covered_by_index;
mod remove_filter_covered_by_traversal;
mod remove_redundant_calculations;
mod remove_redundant_or;
mod remove_redundant_path_var;
mod remove_redundant_sorts;
mod remove_sort_rand_limit_1;
mod remove_unnecessary_calculations;
mod remove_unnecessary_filters;
mod replace_any_eq_with_in;
mod replace_entries_with_object_iteration;
mod replace_equal_attribute_accesses;
mod replace_function_with_index;
mod replace_like_with_range;
mod replace_or_with_in;
mod simplify_conditions;
mod sort_limit;
mod specialize_collect;
mod splice_subqueries;
mod use_index_for_collect;
mod use_index_for_sort;
mod use_indexes;
mod use_vector_index;

use aql_plan::Plan;
use errors::Result;

use super::RuleContext;

/// A rewriting of plans.
pub(super) trait Rule: Sync {
    /// Returns ArangoDB's name of the rule. Names are unique.
    fn name(&self) -> &'static str;

    /// Returns a sentence about the effect of the rule.
    fn description(&self) -> &'static str;

    /// Rewrites the plan and returns true if anything changed. The result of the query must stay
    /// the same.
    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool>;

    /// Does the part of the work that is necessary even if the rule is turned off.
    fn apply_disabled(&self, _plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Returns true if queries can turn the rule off.
    fn can_be_disabled(&self) -> bool {
        true
    }

    /// Returns true if queries have to turn the rule on.
    fn disabled_by_default(&self) -> bool {
        false
    }

    /// Returns true if plans do not list the rule after it changed them.
    fn is_hidden(&self) -> bool {
        false
    }

    /// Returns true if the rule may make additional plans.
    fn makes_additional_plans(&self) -> bool {
        false
    }
}

/// All rules, in the order in which they are applied.
pub(super) const RULES: &[&dyn Rule] = &[
    &replace_function_with_index::ReplaceFunctionWithIndex,
    &inline_subqueries::InlineSubqueries,
    &replace_like_with_range::ReplaceLikeWithRange,
    &replace_entries_with_object_iteration::ReplaceEntriesWithObjectIteration,
    &simplify_conditions::SimplifyConditions,
    &move_calculations_up::MoveCalculationsUp { name: "move-calculations-up" },
    &move_filters_up::MoveFiltersUp { name: "move-filters-up" },
    &remove_redundant_calculations::RemoveRedundantCalculations,
    &remove_unnecessary_filters::RemoveUnnecessaryFilters { name: "remove-unnecessary-filters" },
    &remove_unnecessary_calculations::RemoveUnnecessaryCalculations {
        name: "remove-unnecessary-calculations",
    },
    &specialize_collect::SpecializeCollect,
    &remove_redundant_sorts::RemoveRedundantSorts { name: "remove-redundant-sorts" },
    &optimize_subqueries::OptimizeSubqueries,
    &interchange_adjacent_enumerations::InterchangeAdjacentEnumerations,
    &move_calculations_up::MoveCalculationsUp { name: "move-calculations-up-2" },
    &move_filters_up::MoveFiltersUp { name: "move-filters-up-2" },
    &replace_equal_attribute_accesses::ReplaceEqualAttributeAccesses,
    &remove_redundant_sorts::RemoveRedundantSorts { name: "remove-redundant-sorts-2" },
    &remove_sort_rand_limit_1::RemoveSortRandLimit1,
    &remove_collect_variables::RemoveCollectVariables,
    &propagate_constant_attributes::PropagateConstantAttributes,
    &remove_data_modification_out_variables::RemoveDataModificationOutVariables,
    &replace_or_with_in::ReplaceOrWithIn,
    &replace_any_eq_with_in::ReplaceAnyEqWithIn,
    &remove_redundant_or::RemoveRedundantOr,
    &geo_index_optimizer::GeoIndexOptimizer,
    &use_vector_index::UseVectorIndex,
    &use_indexes::UseIndexes,
    &remove_filter_covered_by_index::RemoveFilterCoveredByIndex,
    &remove_unnecessary_filters::RemoveUnnecessaryFilters { name: "remove-unnecessary-filters-2" },
    &use_index_for_sort::UseIndexForSort,
    &optimize_traversal_last_element_access::OptimizeTraversalLastElementAccess,
    &optimize_traversals::OptimizeTraversals,
    &optimize_enumerate_path_filters::OptimizeEnumeratePathFilters,
    &optimize_paths::OptimizePaths,
    &remove_filter_covered_by_traversal::RemoveFilterCoveredByTraversal,
    &handle_arangosearch_views::HandleArangosearchViews,
    &arangosearch_constrained_sort::ArangosearchConstrainedSort,
    &remove_unnecessary_calculations::RemoveUnnecessaryCalculations {
        name: "remove-unnecessary-calculations-2",
    },
    &remove_redundant_path_var::RemoveRedundantPathVar,
    &move_calculations_down::MoveCalculationsDown,
    &fuse_filters::FuseFilters,
    &move_filters_into_enumerate::MoveFiltersIntoEnumerate,
    &sort_limit::SortLimit,
    &reduce_extraction_to_projection::ReduceExtractionToProjection,
    // ArangoDB has this rule before use-indexes, and finds the projections in it.
    &materialize_for_enumerate_near::MaterializeForEnumerateNear,
    &optimize_count::OptimizeCount,
    &late_document_materialization::LateDocumentMaterialization,
    &late_document_materialization_arangosearch::LateDocumentMaterializationArangosearch,
    &push_limit_into_index::PushLimitIntoIndex,
    &join_index_nodes::JoinIndexNodes,
    &use_index_for_collect::UseIndexForCollect,
    &batch_materialize_documents::BatchMaterializeDocuments,
    &push_down_late_materialization::PushDownLateMaterialization,
    &materialize_into_separate_variable::MaterializeIntoSeparateVariable,
    &optimize_projections::OptimizeProjections,
    &remove_unnecessary_calculations::RemoveUnnecessaryCalculations {
        name: "remove-unnecessary-calculations-4",
    },
    &immutable_search_condition::ImmutableSearchCondition,
    &splice_subqueries::SpliceSubqueries,
    &async_prefetch::AsyncPrefetch,
];

/// Rules of ArangoDB that change nothing here: their effect is always present, or has no
/// counterpart.
///
/// They are listed so that clients find them. Turning them on or off has no effect.
const LISTED: &[(&str, &str)] = &[
    ("push-filter-into-enumerate-near", "Not needed: use-vector-index moves filters too."),
    ("sort-in-values", "Not needed: lists after IN are searched by hash, sorted or not."),
];

/// A rule as clients see it (`GET /_api/query/rules`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    /// The rule's name.
    pub name: &'static str,
    /// A sentence about the effect of the rule.
    pub description: &'static str,
    /// True if queries can turn the rule off.
    pub can_be_disabled: bool,
    /// True if queries have to turn the rule on.
    pub disabled_by_default: bool,
    /// True if plans do not list the rule after it changed them.
    pub hidden: bool,
    /// True if the rule may make additional plans.
    pub can_create_additional_plans: bool,
}

/// Returns all rules: the applied ones in their order, then those that are only listed.
pub fn rules() -> impl Iterator<Item = RuleInfo> {
    let own = RULES.iter().map(|rule| RuleInfo {
        name: rule.name(),
        description: rule.description(),
        can_be_disabled: rule.can_be_disabled(),
        disabled_by_default: rule.disabled_by_default(),
        hidden: rule.is_hidden(),
        can_create_additional_plans: rule.makes_additional_plans(),
    });
    let listed = LISTED.iter().map(|(name, description)| RuleInfo {
        name,
        description,
        can_be_disabled: true,
        disabled_by_default: false,
        hidden: false,
        can_create_additional_plans: false,
    });
    own.chain(listed)
}
