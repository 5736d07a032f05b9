/**
 * Loaded before the tests of a whole run. Generates property samples from one seed, `CASEWRIGHT_TEST_SEED`, so that
 * every change is judged by the same samples. `npm run soak -- properties` tries other seeds; a test file run alone
 * uses new samples each time.
 */
import fc from 'fast-check';

const seed = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? Number.NaN);
if (Number.isInteger(seed)) fc.configureGlobal({ seed });
