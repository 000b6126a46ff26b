//! Similarity and distance of texts, vectors and sets, and decay functions.

mod approximate;
mod decay;
mod levenshtein;
mod levenshtein_distance;
mod minhash;
mod minhash_match;
mod ngram;
mod ngram_similarity;
mod vector;

use aql_value::Function;

use crate::define::pure;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("APPROX_NEAR_COSINE", 2, 3, approximate::approx_near_cosine),
    pure("APPROX_NEAR_INNER_PRODUCT", 2, 3, approximate::approx_near_inner_product),
    pure("APPROX_NEAR_L2", 2, 3, approximate::approx_near_l2),
    pure("COSINE_SIMILARITY", 2, 2, vector::cosine_similarity),
    pure("DECAY_EXP", 5, 5, decay::decay_exp),
    pure("DECAY_GAUSS", 5, 5, decay::decay_gauss),
    pure("DECAY_LINEAR", 5, 5, decay::decay_linear),
    pure("L1_DISTANCE", 2, 2, vector::l1_distance),
    pure("L2_DISTANCE", 2, 2, vector::l2_distance),
    pure("LEVENSHTEIN_DISTANCE", 2, 2, levenshtein::levenshtein_distance),
    pure("LEVENSHTEIN_MATCH", 3, 6, levenshtein::levenshtein_match),
    pure("MINHASH", 2, 2, minhash::minhash),
    pure("MINHASH_COUNT", 1, 1, minhash::minhash_count),
    pure("MINHASH_ERROR", 1, 1, minhash::minhash_error),
    pure("MINHASH_MATCH", 3, 4, minhash_match::minhash_match),
    pure("NGRAM_MATCH", 2, 4, ngram::ngram_match),
    pure("NGRAM_POSITIONAL_SIMILARITY", 3, 3, ngram::ngram_positional_similarity),
    pure("NGRAM_SIMILARITY", 3, 3, ngram::ngram_similarity),
];
