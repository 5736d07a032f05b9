/**
 * Writes the samples of the referral import to samples/: `node tools/run.mjs tools/make-samples.ts`.
 * The output is committed. It is the same on every run, so a difference after a run is a change of this programme.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { firms, templates } from './samples/configuration.ts';
import { eventCodesDocument } from './samples/event-codes.ts';
import { letters, letterTemplates } from './samples/letters.ts';
import { samplesOf } from './samples/plan.ts';
import { wrongSamples } from './samples/wrong.ts';

/** Returns every generated file of samples/, by its path there. */
export async function makeSamples(): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const json = (path: string, content: unknown): void => {
    files.set(path, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
  };
  const samples = await samplesOf();
  for (const sample of samples) files.set(`referrals/${sample.file}`, Buffer.from(sample.text));
  json(
    'referrals/index.json',
    samples.map(({ file, firm, operation }) => ({ file, firm, operation })),
  );
  const wrong = wrongSamples();
  for (const sample of wrong) files.set(`wrong/${sample.file}`, sample.bytes);
  json('wrong/expected.json', Object.fromEntries(wrong.map((sample) => [sample.file, sample.expected])));
  json('firms.json', firms);
  json('templates.json', templates);
  json('letters/index.json', letters);
  for (const [path, content] of await letterTemplates()) files.set(path, content);
  files.set('event-codes.xml', Buffer.from(eventCodesDocument()));
  return files;
}

if (import.meta.main) {
  const root = new URL('../samples/', import.meta.url);
  const files = await makeSamples();
  for (const folder of ['referrals/', 'wrong/', 'letters/']) {
    mkdirSync(new URL(folder, root), { recursive: true });
    for (const name of readdirSync(new URL(folder, root)))
      if (!files.has(folder + name)) rmSync(new URL(folder + name, root));
  }
  for (const [path, content] of files) writeFileSync(new URL(path, root), content);
  console.log(`${files.size} files written.`);
}
