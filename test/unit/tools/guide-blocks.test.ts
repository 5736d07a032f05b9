import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareAnswer, isRefusal } from '../../support/guides/guide-answer.ts';
import { demoIds, guideBlocks, neededRecords } from '../../support/guides/guide-blocks.ts';
import { GuideNames } from '../../support/guides/guide-names.ts';

const guid = '5b0e3c1e-6a52-4a57-9c1f-1f5e1c1b7e11';

function differs(shown: string, actual: string): boolean {
  try {
    compareAnswer(shown, actual, new GuideNames());
    return false;
  } catch {
    return true;
  }
}

describe('blocks of guides', () => {
  it('are commands, answers, files or listed with a reason; any other block is a fault', () => {
    const guide = [
      '```sh\ncurl a\n```',
      'The answer:\n```json\n{}\n```',
      'Save this file as `a.csv`.\n\n   ```csv\n   a,b\n   ```',
      '<!-- file: b.json -->\n```json\n{}\n```',
      '<!-- not run: a unit file -->\n```ini\n[Unit]\n```',
      '```xml\n<Lost/>\n```',
      '```sh\ncurl b\n```\n\n## Another section\n\n```json\n{}\n```',
    ];
    assert.deepEqual(
      guideBlocks(guide.join('\n\n')).map(({ use, text }) => [use, text]),
      [
        [{ kind: 'commands' }, 'curl a'],
        [{ kind: 'answer' }, '{}'],
        [{ kind: 'file', name: 'a.csv' }, 'a,b'],
        [{ kind: 'file', name: 'b.json' }, '{}'],
        [{ kind: 'listed', reason: 'a unit file' }, '[Unit]'],
        [{ kind: 'unknown' }, '<Lost/>'],
        [{ kind: 'commands' }, 'curl b'],
        [{ kind: 'unknown' }, '{}'],
      ],
    );
  });

  it('the text says which records the reader has', () => {
    assert.deepEqual(neededRecords('You need a key and the IDs of an FHA loan, here 17, and of a VA loan,\nhere 18.'), [
      { noun: 'FHA loan', ids: [17] },
      { noun: 'VA loan', ids: [18] },
    ]);
    assert.deepEqual(demoIds('It scores loan 1 of the demo, in 5 steps.'), ['1']);
  });
});

describe('answers that guides show', () => {
  it('are those of the server, except for what they leave out or what differs each time', () => {
    const at = '2026-11-21T09:00:00.123Z';
    for (const [shown, actual] of [
      ['{ "A": 1, … }', '{"A":1,"B":2}'],
      ['{ "L": [{ "A": 1, … }, …] }', '{"L":[{"A":1},{"A":2}]}'],
      ['{ "N": … }', '{"N":5}'],
      ['{ "At": "2026-01-01T00:00:00Z", "G": "00000000-0000-0000-0000-000000000000" }', `{"At":"${at}","G":"${guid}"}`],
      ['<R ID="68" …>\n  <A>1</A>\n</R>', '<?xml version="1.0"?>\n<R ID="9" B="x"><A>1</A></R>'],
    ] as const)
      compareAnswer(shown, actual, new GuideNames());
    for (const [shown, actual] of [
      ['{ "A": 1, … }', '{"A":2}'],
      ['{ "A": "x" }', '{"A":"xy"}'],
      ['{ "A": null }', '{"B":1}'],
      ['{ "L": [{ "A": 1 }] }', '{"L":[{"A":1},{"A":2}]}'],
      ['{ "N": … }', '{"M":5}'],
      ['{ "A": 1 }', '<A>1</A>'],
      ['<R ID="68">…</R>', '<R ID="9">'],
      ['a,b\n1,2', 'a,b\n1,2\n3,4'],
    ] as const)
      assert.ok(differs(shown, actual), `${shown} is taken for ${actual}`);
    assert.ok(isRefusal('{ "Error": { "Code": "NOT_FOUND" } }') && !isRefusal('{ "ErrorCount": 0 }'));
  });

  it('say what their IDs and shortened texts stand for in later commands', () => {
    const names = new GuideNames();
    compareAnswer('{ "LoanID": 7, "Secret": "whsec_…" }', '{"LoanID":53,"Secret":"whsec_abc="}', names);
    compareAnswer(`{ "Message": "${guid.replace('5b', '00')}" }`, `{"Message":"${guid}"}`, names);
    assert.equal(names.translate('-d ID=7 "ObjectID": 7 /loan/7 Loan:7'), '-d ID=53 "ObjectID": 53 /loan/53 Loan:7');
    assert.equal(names.translate(`secret=whsec_… ID=${guid.replace('5b', '00')}`), `secret=whsec_abc= ID=${guid}`);
    assert.equal(names.translate('DisplaySize=7&ID=41412184-6a52'), 'DisplaySize=7&ID=41412184-6a52');
    assert.throws(() => names.translate('-d ID=7,8'), /no answer before this shows the ID 8/);
    assert.throws(() => compareAnswer('{ "LoanID": 7 }', '{"LoanID":54}', names), /7 is the ID of another record/);
  });
});
