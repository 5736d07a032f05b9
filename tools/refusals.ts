/**
 * `npm run refusals`: writes the examples of the last whole `npm test` on this machine into docs/reference/refusals.md.
 */
import { updateRefusals } from './reference.ts';
import { storedExamples } from './refusals/produced.ts';

const examples = storedExamples();
if (examples) updateRefusals(examples);
else {
  console.error('There is no whole run of the tests to take examples from. Run npm test first.');
  process.exitCode = 1;
}
