// Random numbers that a seed repeats, for scripts that make test data.
'use strict';

// Returns a function whose results are the same for the same seed: integers from 0 to 2^32 - 1.
//
// This is xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003).
function randomNumberGeneratorInt(seed) {
  // Zero is the one state that never changes.
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

// Returns a function whose results are at least 0 and less than 1.
function randomNumberGeneratorFloat(seed) {
  const next = randomNumberGeneratorInt(seed);
  return () => next() / 2 ** 32;
}

// Returns a seed.
function randomInteger() {
  return Math.floor(Math.random() * 2 ** 31);
}

module.exports = { randomNumberGeneratorInt, randomNumberGeneratorFloat, randomInteger };
