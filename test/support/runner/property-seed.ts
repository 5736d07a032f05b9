/**
 * Loaded before the tests of a whole run: tries properties on the samples of one seed, `CASEWRIGHT_TEST_SEED`, so that a
 * change is judged by the same samples as the one before it. `npm run soak -- properties` tries other samples; a test
 * file that is run by itself takes new ones each time.
 */
import fc from 'fast-check';

const seed = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? Number.NaN);
if (Number.isInteger(seed)) fc.configureGlobal({ seed });
