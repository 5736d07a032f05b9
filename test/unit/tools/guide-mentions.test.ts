import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { guideBlocks } from '../../support/guides/guide-blocks.ts';
import { type KnownNames, unknownMentions } from '../../support/guides/guide-mentions.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const guides = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/guides/*/*.md', { cwd: ROOT })];
const registry = new Registry(declarations);
const words = globSync('{src,samples,tools}/**/*.{ts,xml,json}', { cwd: ROOT }).flatMap(
  (path) => read(path).match(/\w+/g) ?? [],
);

/** Names that are not Casewright's, with the reason. */
const others: Readonly<Record<string, string>> = {
  'module/operation': 'stands for any operation',
  'attachment/checkfiles': 'a name in the error log',
  'attachment/generate': 'comes later, as the guide says',
  'message/send': 'comes later, as the guide says',
  'contact/tocall': "the reader's saved statement",
  'importfile/checkloans': "the reader's saved statement",
  'loan/balances': "the reader's saved statement",
  'foreclosure/openbystate': "the reader's saved statement",
  OpenByState: "the reader's saved statement",
  ForeclosureOpenByState: "the permission of the reader's saved statement",
  NetIncomeConfidence: "an item of the reader's scorecard",
  HomePhone: 'a type of contact method without its space',
  ExecStartPost: "systemd's",
  LimitNOFILE: "systemd's",
  MaxFileSize: "clamd's",
  MaxScanSize: "clamd's",
  NODE_EXTRA_CA_CERTS: "Node's",
};
const known: KnownNames = {
  registry,
  words: new Set([...words, ...registry.permissions()]),
  others: new Set(Object.keys(others)),
};

describe('names in the guides', () => {
  it('operations, parameters, settings, fields, permissions and codes in code style exist', () => {
    assert.deepEqual(
      guides.flatMap((path) => unknownMentions(path, read(path), known)),
      [],
    );
  });

  it('a block that is not run says why, and a test that it names exists', () => {
    const reasons = guides.flatMap((path) =>
      guideBlocks(read(path)).flatMap(({ use, line }) =>
        use.kind === 'listed' ? [{ at: `${path}:${line}`, reason: use.reason }] : [],
      ),
    );
    assert.ok(reasons.length > 0);
    for (const { at, reason } of reasons) {
      assert.match(reason, /^\w+(?: \S+){2,}/, at);
      for (const [path] of reason.matchAll(/\btest\/[\w/.-]+/g))
        assert.ok(existsSync(join(ROOT, path)), `${at}: ${path}`);
    }
  });

  it('a misspelled operation, parameter, setting, field and permission is found with file and line', () => {
    const guide = [
      'Call `contcat/save`, `contact/saev`, or `contact/search?LastNmae=`.',
      'The settings `PublicAddress` and `PublicAdress` are `LoanSave` and `LoanSaev`.',
      '',
      '| Setting | Meaning |',
      '|---|---|',
      '| `TimeZon` | `UPBAmount`, `UPBAmonut`, `Property_Ctiy`, `BAD_PARAMETR` |',
    ].join('\n');
    assert.deepEqual(unknownMentions('guide.md', guide, known), [
      'guide.md:1: there is no operation contcat/save',
      'guide.md:1: there is no operation contact/saev',
      'guide.md:1: contact/search has no parameter LastNmae',
      'guide.md:2: PublicAdress exists nowhere',
      'guide.md:2: LoanSaev exists nowhere',
      'guide.md:2: PublicAdress is no setting',
      'guide.md:6: TimeZon exists nowhere',
      'guide.md:6: UPBAmonut exists nowhere',
      'guide.md:6: Property_Ctiy exists nowhere',
      'guide.md:6: BAD_PARAMETR exists nowhere',
      'guide.md:6: TimeZon is no setting',
    ]);
  });
});
